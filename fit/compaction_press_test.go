package fit_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/account"
	"github.com/plimsoll/plimsoll/fit"
	"github.com/plimsoll/plimsoll/internal/testkit"
	"github.com/plimsoll/plimsoll/rung"
	"github.com/plimsoll/plimsoll/summary"
)

// press is a compactor that replaces all but the last message by as many tokens as a
// test says.
type press struct {
	// leave is the load that is left, tokens what the checkpoint weighs if leave is 0.
	leave, tokens int
	// kept are messages that stay. If opens is set they are the first one, and the
	// assistant says the checkpoint.
	kept  []int
	opens bool
	// slow says that a model writes.
	slow bool
	err  error
	made int
}

func (*press) Name() string                             { return "press" }
func (p *press) Slow(*fit.Task) bool                    { return p.slow }
func (*press) Due(r fit.Reading) (bool, string)         { return r.Total > r.High, "" }
func (*press) Prospect(*fit.Work) (removable, from int) { return 0, 0 }

func (*press) Apply(context.Context, *fit.Work, fit.Target) error {
	return errors.New("a keeper asks for the checkpoint")
}

func (*press) Old(w *fit.Work, _ fit.Target) plimsoll.Span {
	return plimsoll.Span{Start: 0, End: len(w.Before().Messages) - 1}
}

func (p *press) Checkpoint(_ context.Context, w *fit.Work, o fit.Order) (*summary.Checkpoint, error) {
	p.made++
	if p.err != nil {
		return nil, p.err
	}
	tokens := p.tokens
	if p.leave > 0 {
		tokens = p.leave - w.Before().Messages[o.Old.End].Tokens
	}
	cp := &summary.Checkpoint{Old: o.Old, Kept: p.kept, By: "press"}
	role := plimsoll.User
	if p.opens {
		cp.Kept, role = []int{0}, plimsoll.Assistant
	}
	cp.Messages = []summary.CheckpointMessage{{Before: o.Old.End, Role: role, Text: strings.Repeat("c", tokens-3)}}
	return cp, w.Place(cp, plimsoll.Why{Rung: "press", Reason: "test"})
}

func pressing(t *testing.T, window int, p *press, change func(*fit.Options)) *fit.Keeper {
	t.Helper()
	o := fit.Options{Archive: &vault{}, Rungs: []fit.Rung{p}}
	if change != nil {
		change(&o)
	}
	return newKeeper(t, window, o)
}

// dialogueOf has messages of so many tokens, the user first.
func dialogueOf(tokens ...int) plimsoll.Conversation {
	var messages []plimsoll.Message
	for i, n := range tokens {
		role := plimsoll.User
		if i%2 == 1 {
			role = plimsoll.Assistant
		}
		messages = append(messages, numbered(i, role, n))
	}
	return testkit.Conversation(messages)
}

func TestTheBreakerCountsCompactionsThatGainLittle(t *testing.T) {
	t.Parallel()
	type step struct {
		what string
		// add tokens come, and a compaction leaves so many.
		add, leave int
		made       bool
	}
	for _, tt := range []struct {
		name  string
		steps []step
	}{
		{"two in a row open it until the load is 1.2 times what was left, and one that gains a fifth closes it", []step{
			{"a poor one", 1050, 1000, true},
			{"a second", 50, 1000, true},
			{"it is open", 186, 900, false},
			{"it has grown enough, and a fifth goes", 14, 960, true},
			{"a poor one", 100, 1000, true},
			{"a second", 60, 1000, true},
			{"it is open again", 20, 900, false},
		}},
		{"those that gain enough do not open it", []step{
			{"a third goes", 1500, 1000, true},
			{"a third", 500, 1000, true},
			{"a third", 500, 1000, true},
			{"a tenth", 100, 990, true},
			{"a third", 510, 1000, true},
			{"a tenth", 100, 990, true},
			{"a tenth", 110, 990, true},
			{"it is open", 110, 990, false},
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := &press{slow: true}
			k := pressing(t, 2000, p, func(o *fit.Options) { o.Marks.High = 0.5 })
			var sizes []int
			for i, s := range tt.steps {
				if i == 0 {
					sizes = []int{s.add - 14, 7, 7}
				} else {
					sizes = append(sizes, 7, s.add-7)
				}
				p.leave = s.leave
				made := p.made
				plan, err := k.Fit(t.Context(), fit.Task{Conversation: dialogueOf(sizes...)})
				testkit.Must(t, err)
				if (p.made > made) != s.made || s.made && plan.After.Total != s.leave {
					t.Fatalf("step %d, %s: made %v, want %v; %d tokens are left: %+v", i, s.what, p.made > made, s.made, plan.After.Total, plan.Rungs)
				}
			}
		})
	}
}

func TestACheckpointHoldsIfThereIsRoomForIt(t *testing.T) {
	t.Parallel()
	first := 0
	for _, tt := range []struct {
		name string
		// sizes of the messages; the last one must survive.
		sizes []int
		press press
		task  fit.Task
		force bool
		want  bool
	}{
		// A window of 10,000 and a floor of 1,000: the goal is 5,500.
		{"up to the goal", []int{6000, 5000, 1000}, press{tokens: 4500}, fit.Task{}, false, true},
		{"not beyond the goal", []int{6000, 5000, 1000}, press{tokens: 4501}, fit.Task{}, false, false},
		// With tools of 200 tokens the goal is 5,600.
		{"with the tools that come with it", []int{6000, 5000, 1000}, press{tokens: 4400}, fit.Task{Offer: cacheTools()}, false, true},
		{"not if the tools need the room", []int{6000, 5000, 1000}, press{tokens: 4401}, fit.Task{Offer: cacheTools()}, false, false},
		{"with the message that must stand before it", []int{500, 10_000, 1000}, press{tokens: 4000, opens: true}, fit.Task{}, false, true},
		{"not if that message needs the room", []int{500, 10_000, 1000}, press{tokens: 4001, opens: true}, fit.Task{}, false, false},
		// The floor is 1,500, the goal 5,750.
		{"and a message that must survive is not counted twice", []int{500, 10_000, 1000}, press{tokens: 4250, opens: true}, fit.Task{Pins: []fit.Pin{{Index: &first}}}, false, true},
		{"whatever the goal, if the conversation was down to it", []int{4000, 500, 1000}, press{tokens: 4400}, fit.Task{Offer: cacheTools()}, true, true},
		{"not if the conversation was over it by one", []int{4000, 501, 1000}, press{tokens: 4400}, fit.Task{Offer: cacheTools()}, true, false},
		{"as large as what it replaces", []int{1000, 1000, 1000}, press{tokens: 2000}, fit.Task{}, true, true},
		{"not larger than what it replaces", []int{1000, 1000, 1000}, press{tokens: 2001}, fit.Task{}, true, false},
		{"not if it takes what is pinned", []int{6000, 5000, 1000}, press{tokens: 1000}, fit.Task{Keep: []int{0}}, false, false},
		{"not if the provider would refuse it", []int{6000, 5000, 1000}, press{tokens: 1000}, fit.Task{Check: func(d *plimsoll.Draft, _ []byte) error {
			if len(d.Inserted()) > 0 {
				return errors.New("refused")
			}
			return nil
		}}, false, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			k := pressing(t, 10_000, &tt.press, func(o *fit.Options) {
				o.Marks.Low = 0.1
				o.Rungs = append(o.Rungs, everything)
			})
			tt.task.Conversation = dialogueOf(tt.sizes...)
			var plan *plimsoll.Plan
			var err error
			if tt.force {
				var made *fit.Compaction
				made, err = k.Compact(t.Context(), tt.task, fit.CompactOptions{Force: true})
				testkit.Must(t, err)
				plan = made.Plan
			} else {
				plan, err = k.Fit(t.Context(), tt.task)
				testkit.Must(t, err)
			}
			if got := plan.Rungs[0]; got.Rung != "press" || (got.Undone == "") != tt.want {
				t.Errorf("rungs %+v, want the checkpoint to hold: %v", plan.Rungs, tt.want)
			}
		})
	}
}

func TestACompactionSaysWhatItDid(t *testing.T) {
	t.Parallel()
	var told []fit.ChatCompressed
	k := pressing(t, 10_000, &press{leave: 4000}, func(o *fit.Options) {
		o.Marks.Low = 0.1
		o.Events = func(e fit.Event) { told = append(told, e.(fit.ChatCompressed)) }
	})
	p, err := k.Fit(t.Context(), fit.Task{Conversation: dialogueOf(6000, 5000, 1000)})
	testkit.Must(t, err)
	if diff := cmp.Diff([]plimsoll.RungReport{{Rung: "press", Edits: 3, Saved: 8000}}, p.Rungs); diff != "" {
		t.Errorf("rungs (-want +got):\n%s", diff)
	}
	made, err := pressing(t, 20_000, &press{leave: 4000}, nil).Compact(t.Context(), fit.Task{Conversation: dialogueOf(6000, 5000, 1000)}, fit.CompactOptions{Force: true})
	testkit.Must(t, err)
	if made.Before != 12_000 || made.After != 4000 || made.Checkpoint.Saved != 8000 {
		t.Errorf("%d tokens became %d, and the checkpoint saved %d", made.Before, made.After, made.Checkpoint.Saved)
	}
	if len(told) != 1 || told[0].Before != 12_000 || told[0].After != 4000 || told[0].Messages != 3 || told[0].By != "press" || told[0].Status != fit.Compressed {
		t.Errorf("told %+v", told)
	}
}

func TestWhatIsToldOfACompactionCountsWhatLaterRungsDid(t *testing.T) {
	t.Parallel()
	var told []fit.ChatCompressed
	k := pressing(t, 10_000, nil, func(o *fit.Options) {
		o.Arrival, o.Rungs = []fit.Rung{dropping("before", 0, 1), &press{tokens: 1000, kept: []int{1}}, dropping("behind", 1, 2)}, nil
		o.Events = func(e fit.Event) { told = append(told, e.(fit.ChatCompressed)) }
	})
	p, err := k.Fit(t.Context(), fit.Task{Conversation: dialogueOf(100, 500, 9000, 500, 1000)})
	testkit.Must(t, err)
	want := []plimsoll.RungReport{{Rung: "before", Edits: 1, Saved: 100}, {Rung: "press", Edits: 3, Saved: 8500}, {Rung: "behind", Edits: 1, Saved: 500}}
	if diff := cmp.Diff(want, p.Rungs); diff != "" {
		t.Errorf("rungs (-want +got):\n%s", diff)
	}
	if len(told) != 1 || told[0].After != 2000 || p.After.Total != 2000 {
		t.Errorf("told %+v, %d tokens are left", told, p.After.Total)
	}
}

func TestCompactSaysHowItEnded(t *testing.T) {
	t.Parallel()
	never := rungOf("never", func(*fit.Work) error { t.Error("a rung was applied"); return nil })
	for _, tt := range []struct {
		name  string
		press press
		sizes []int
		after fit.Rung
		// status is what the compaction says, told what an event says; empty if none does.
		status, told fit.CompressionStatus
		left         int
	}{
		{"a checkpoint down to the mark is enough", press{tokens: 4000, kept: []int{1}}, []int{6000, 4000, 500, 500, 1000}, never, fit.Compressed, fit.Compressed, 9000},
		{"a checkpoint over the mark is made smaller, and is one", press{tokens: 4000, kept: []int{1}}, []int{6000, 4001, 500, 500, 1000}, everything, fit.Compressed, fit.Compressed, 5000},
		{"without a summary the other rungs do it", press{err: &fit.NoSummaryError{Err: errors.New("silence")}}, []int{6000, 5000, 1000}, everything, fit.ContentTruncated, fit.ContentTruncated, 1000},
		{"without any need nothing else is done", press{err: &fit.NoSummaryError{Err: errors.New("silence")}}, []int{600, 500, 1000}, never, fit.CompressionFailedEmpty, fit.CompressionFailedEmpty, 2100},
		{"a compactor that fails otherwise does nothing", press{err: errors.New("no ink")}, []int{600, 500, 1000}, never, fit.CompressionNoop, "", 2100},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var told fit.CompressionStatus
			k := pressing(t, 10_000, &tt.press, func(o *fit.Options) {
				o.Marks = fit.Watermarks{High: 0.9, Low: 0.1}
				o.Rungs = append(o.Rungs, tt.after)
				o.Events = func(e fit.Event) { told = e.(fit.ChatCompressed).Status }
			})
			made, err := k.Compact(t.Context(), fit.Task{Conversation: dialogueOf(tt.sizes...)}, fit.CompactOptions{Force: true})
			testkit.Must(t, err)
			if made.Status != tt.status || told != tt.told || made.After != tt.left || made.After != made.Plan.After.Total {
				t.Errorf("%s (%s), told %s, %d tokens; want %s, %s and %d", made.Status, made.Reason, told, made.After, tt.status, tt.told, tt.left)
			}
		})
	}
}

func TestCompactRefusesWhatCannotFit(t *testing.T) {
	t.Parallel()
	idle := rungOf("idle", func(*fit.Work) error { return errors.New("out of order") })
	k := pressing(t, 10_000, &press{err: errors.New("no ink")}, func(o *fit.Options) { o.Rungs = append(o.Rungs, idle) })
	made, err := k.Compact(t.Context(), fit.Task{Conversation: dialogueOf(6000, 5000, 1000)}, fit.CompactOptions{Force: true})
	if !errors.Is(err, plimsoll.ErrOverLimit) {
		t.Errorf("%+v, error %v, want ErrOverLimit", made, err)
	}
}

// TestToolsThatTheProviderRefusesDoNotComeWithLaterRequestsEither lets the provider
// refuse them beside a checkpoint that it takes.
func TestToolsThatTheProviderRefusesDoNotComeWithLaterRequestsEither(t *testing.T) {
	t.Parallel()
	task := func(turns int) fit.Task {
		return fit.Task{Conversation: talk(turns), Offer: cacheTools(), Encode: encoded, Check: func(d *plimsoll.Draft, _ []byte) error {
			if d.AddedTools().Len() > 0 {
				return errors.New("the tools are in cached content")
			}
			return nil
		}}
	}
	for name, first := range map[string]func(*testing.T, *fit.Keeper){
		"after a request over the line": func(t *testing.T, k *fit.Keeper) {
			p, err := k.Fit(t.Context(), task(14))
			testkit.Must(t, err)
			checkBody(t, p)
		},
		"after a compaction": func(t *testing.T, k *fit.Keeper) {
			made, err := k.Compact(t.Context(), task(14), fit.CompactOptions{Force: true})
			testkit.Must(t, err)
			if made.Status != fit.Compressed || toolsOf(made.Plan) != "" {
				t.Errorf("%s with tools %q", made.Status, toolsOf(made.Plan))
			}
			checkBody(t, made.Plan)
		},
		"after a compaction in the background": func(t *testing.T, k *fit.Keeper) {
			_, err := k.Fit(t.Context(), task(9)) // over the soft mark, under the line
			testkit.Must(t, err)
			synctest.Wait()
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				k := compacting(t, &scribe{}, nil)
				first(t, k)
				p, err := k.Fit(t.Context(), task(15))
				testkit.Must(t, err)
				if !p.Changed() || toolsOf(p) != "" {
					t.Errorf("%d edits, tools %q", len(p.Edits), toolsOf(p))
				}
				checkBody(t, p)
			})
		})
	}
}

// TestTheBodyIsNotThatOfACheckpointThatWasRefused has as many edits by the refused
// checkpoint as there are tools to add.
func TestTheBodyIsNotThatOfACheckpointThatWasRefused(t *testing.T) {
	t.Parallel()
	k := pressing(t, 10_000, &press{tokens: 100}, nil)
	made, err := k.Compact(t.Context(), fit.Task{
		Conversation: dialogueOf(1000, 1000, 1000), Offer: append(cacheTools(), plimsoll.Tool{Name: "list_cache"}), OfferAlways: true, Encode: encoded,
		Check: func(d *plimsoll.Draft, _ []byte) error {
			if len(d.Inserted()) > 0 {
				return errors.New("refused")
			}
			return nil
		},
	}, fit.CompactOptions{Force: true})
	testkit.Must(t, err)
	if made.Reason != "refused" || len(made.Plan.Edits) != 3 || toolsOf(made.Plan) == "" {
		t.Errorf("%s (%s), tools %q", made.Status, made.Reason, toolsOf(made.Plan))
	}
	checkBody(t, made.Plan)
}

func TestASummaryThatCannotBeChargedIsSaid(t *testing.T) {
	t.Parallel()
	for full, degraded := range map[bool]string{false: "", true: "memory: the book is full"} {
		k := compacting(t, &scribe{}, func(o *fit.Options) { o.Cost, o.Memory = priced, &ledgerBook{full: full} })
		p, err := k.Fit(t.Context(), fit.Task{Conversation: talk(14)})
		testkit.Must(t, err)
		if p.Degraded != degraded || k.Total().Summaries != account.Dollars(0.00105) {
			t.Errorf("degraded %q, want %q; summaries %v", p.Degraded, degraded, k.Total().Summaries)
		}
	}
}

// TestRequestsOfOnePrefixMakeOneCheckpoint has no soft mark, so that nothing is made in
// the background.
func TestRequestsOfOnePrefixMakeOneCheckpoint(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &scribe{begun: make(chan struct{}, 9), goOn: make(chan struct{})}
		k := compacting(t, s, func(o *fit.Options) { o.Marks.Soft = 0 })
		done := make(chan string, 3)
		for turns := 14; turns < 17; turns++ {
			go func() {
				p, err := k.Fit(context.Background(), fit.Task{Conversation: talk(turns)})
				if err != nil {
					done <- err.Error()
					return
				}
				done <- said(p.Conversation())
			}()
			synctest.Wait()
		}
		if n := s.calls.Load(); n != 1 {
			t.Errorf("%d summaries are being made", n)
		}
		close(s.goOn)
		for range 3 {
			if got := <-done; !strings.Contains(got, "<plimsoll_checkpoint>") {
				t.Errorf("no checkpoint:\n%s", got)
			}
		}
		if n := s.calls.Load(); n != 1 {
			t.Errorf("%d summaries were made", n)
		}
	})
}

func TestACheckpointIsPreparedAboveTheSoftMark(t *testing.T) {
	t.Parallel()
	load := testkit.ByteMeter{}.Weigh(talk(9)).Total
	for name, tt := range map[string]struct {
		window int
		first  float64
		want   int32
	}{
		"not at the mark":   {2 * load, 0, 0},
		"one token over it": {2*load - 2, 0, 1},
		// One for the cut, and none for requests that may not come.
		"not for a cut that fills the limit": {load * 3 / 4, 1, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := &scribe{}
				k := compacting(t, s, func(o *fit.Options) {
					o.Window, o.Marks = tt.window, fit.Watermarks{High: 1, First: tt.first, Low: 0.8, Soft: 0.5}
				})
				_, err := k.Fit(t.Context(), fit.Task{Conversation: talk(9)})
				testkit.Must(t, err)
				synctest.Wait()
				if got := s.calls.Load(); got != tt.want {
					t.Errorf("%d summaries were made, want %d", got, tt.want)
				}
			})
		})
	}
}

// TestAPinTakesBackACheckpointThatWouldTakeTheMessage pins what an earlier request lost.
func TestAPinTakesBackACheckpointThatWouldTakeTheMessage(t *testing.T) {
	t.Parallel()
	s := &scribe{}
	k := compacting(t, s, func(o *fit.Options) { o.Marks.Soft = 0 })
	_, err := k.Fit(t.Context(), fit.Task{Conversation: talk(14)})
	testkit.Must(t, err)
	old := 3
	p, err := k.Fit(t.Context(), fit.Task{Conversation: talk(15), Pins: []fit.Pin{{Index: &old}}})
	testkit.Must(t, err)
	if !strings.Contains(said(p.Conversation()), "answer 1 ") {
		t.Errorf("the pinned answer is gone:\n%s", said(p.Conversation()))
	}
}

// TestABackgroundCompactionTellsOnce has one event for each way in which it can end.
func TestABackgroundCompactionTellsOnce(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		change func(*fit.Options)
		status fit.CompressionStatus
		reason string
	}{
		"that it was made":         {func(*fit.Options) {}, fit.Compressed, ""},
		"that it was not stored":   {func(o *fit.Options) { o.Archive = &vault{full: true} }, fit.CompressionNoop, "archive: the vault is full"},
		"that there is no summary": {func(o *fit.Options) { o.Rungs = []fit.Rung{&rung.Compact{Summarizer: mute{}}} }, fit.CompressionFailedEmpty, "no summary"},
		"that a hook panicked": {func(o *fit.Options) {
			o.Hooks.PreCompress = []func(context.Context, fit.PreCompress) (fit.Verdict, error){
				func(context.Context, fit.PreCompress) (fit.Verdict, error) { panic("a storm") },
			}
		}, fit.CompressionNoop, "panic: a storm"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var told []fit.ChatCompressed
				k := compacting(t, &scribe{}, func(o *fit.Options) {
					tt.change(o)
					o.Events = func(e fit.Event) {
						if made, ok := e.(fit.ChatCompressed); ok {
							told = append(told, made)
						}
					}
				})
				p, err := k.Fit(t.Context(), fit.Task{Conversation: talk(9)}) // over the soft mark, under the line
				testkit.Must(t, err)
				synctest.Wait()
				if p.Changed() || len(told) != 1 || told[0].Status != tt.status || !strings.HasPrefix(told[0].Reason, tt.reason) {
					t.Errorf("edits %v, told %+v", p.Edits, told)
				}
			})
		})
	}
}
