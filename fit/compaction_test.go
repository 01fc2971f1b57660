package fit_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/account"
	"github.com/plimsoll/plimsoll/fit"
	"github.com/plimsoll/plimsoll/internal/testkit"
	"github.com/plimsoll/plimsoll/rung"
	"github.com/plimsoll/plimsoll/summary"
)

func TestTheBreakerStopsAfterTwoPoorCompactionsUntilTheConversationGrew(t *testing.T) {
	t.Parallel()
	s := &scribe{text: "<state_snapshot>\n" + strings.Repeat("y", 2300) + "\n</state_snapshot>"}
	k := compacting(t, s, func(o *fit.Options) {
		o.Marks.Soft = 0
		o.Rungs = []fit.Rung{&rung.Compact{Summarizer: s}}
		o.Marks = fit.Watermarks{High: 0.5, Low: 0.4}
	})
	for _, tt := range []struct {
		turns int
		want  int32
	}{{8, 1}, {9, 2}, {10, 2}, {12, 3}} {
		if _, err := k.Fit(t.Context(), fit.Task{Conversation: talk(tt.turns)}); err != nil {
			t.Fatal(err)
		}
		if n := s.calls.Load(); n != tt.want {
			t.Errorf("after %d turns the summariser had been asked %d times, want %d", tt.turns, n, tt.want)
		}
	}
}

func TestG14_HooksAreAskedBeforeAndToldAfterACompaction(t *testing.T) {
	t.Parallel()
	s := &scribe{}
	var asked []fit.PreCompress
	var told []fit.ChatCompressed
	verdict := fit.Verdict{Directives: []string{"keep the tide tables"}}
	k := compacting(t, s, func(o *fit.Options) {
		o.Hooks.PreCompress = []func(context.Context, fit.PreCompress) (fit.Verdict, error){
			func(context.Context, fit.PreCompress) (fit.Verdict, error) {
				return fit.Verdict{}, errors.New("no bell")
			},
			func(_ context.Context, p fit.PreCompress) (fit.Verdict, error) {
				asked = append(asked, p)
				return verdict, nil
			},
		}
		o.Hooks.PostCompress = []func(context.Context, fit.ChatCompressed) error{
			func(_ context.Context, c fit.ChatCompressed) error { told = append(told, c); return nil },
		}
		o.Cost = func(model string, u plimsoll.Usage) (float64, bool) {
			return float64(u.Total()) / 1000, model == "scribe-1"
		}
	})
	task := fit.Task{Conversation: talk(14)}
	if _, err := k.Fit(t.Context(), task); err != nil {
		t.Fatal(err)
	}
	if len(asked) != 1 || asked[0].Trigger != fit.Automatic || asked[0].Old.Len() == 0 || asked[0].Before < 4000 {
		t.Fatalf("the hook was asked %+v", asked)
	}
	if got := s.asked[0].Prompt.SummaryDirectives; !cmp.Equal(got, verdict.Directives) {
		t.Errorf("the summariser got the directives %q", got)
	}
	if len(told) != 1 || told[0].Status != fit.Compressed || told[0].Ref == nil || told[0].Cost != 1.01 || !strings.Contains(strings.Join(told[0].Notes, " "), "no bell") {
		t.Errorf("the hook was told %+v", told)
	}
	if total := k.Total(); total.Summaries != account.Dollars(1.01) {
		t.Errorf("the account has summaries for %v", total.Summaries)
	}
	verdict = fit.Verdict{Veto: "not on a Sunday"}
	made, err := k.Compact(t.Context(), fit.Task{Conversation: talk(5)}, fit.CompactOptions{Force: true})
	if err != nil {
		t.Fatal(err)
	}
	if made.Status != fit.CompressionNoop || !strings.Contains(made.Reason, "not on a Sunday") || asked[1].Trigger != fit.Manual {
		t.Errorf("after a veto: %s %s, trigger %s", made.Status, made.Reason, asked[1].Trigger)
	}
}

func TestTheEventOfACompactionSaysWhichHooksFailed(t *testing.T) {
	t.Parallel()
	var notes []string
	k := compacting(t, &scribe{}, func(o *fit.Options) {
		o.Hooks.PostCompress = []func(context.Context, fit.ChatCompressed) error{
			func(context.Context, fit.ChatCompressed) error { return errors.New("no bell") },
		}
		o.Events = func(e fit.Event) {
			if c, ok := e.(fit.ChatCompressed); ok {
				notes = c.Notes
			}
		}
	})
	_, err := k.Fit(t.Context(), fit.Task{Conversation: talk(14)})
	testkit.Must(t, err)
	if !slices.Contains(notes, "hook: no bell") {
		t.Errorf("the notes are %q", notes)
	}
}

func TestG05_BelowTheThresholdNothingIsDoneAndNoHookIsAsked(t *testing.T) {
	t.Parallel()
	s := &scribe{}
	k := compacting(t, s, func(o *fit.Options) {
		o.Hooks.PreCompress = []func(context.Context, fit.PreCompress) (fit.Verdict, error){
			func(context.Context, fit.PreCompress) (fit.Verdict, error) {
				t.Error("a hook was asked")
				return fit.Verdict{}, nil
			},
		}
	})
	made, err := k.Compact(t.Context(), fit.Task{Conversation: talk(5)}, fit.CompactOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if made.Status != fit.CompressionNoop || made.Plan.Changed() || s.calls.Load() != 0 {
		t.Errorf("%s, %d edits, %d calls", made.Status, len(made.Plan.Edits), s.calls.Load())
	}
}

func TestG13_ACountThatFailsLeavesTheHistory(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		recount func(context.Context, plimsoll.Conversation) (int, error)
		want    fit.CompressionStatus
	}{
		{"the count fails", func(context.Context, plimsoll.Conversation) (int, error) { return 0, errors.New("no abacus") }, fit.CompressionFailedCount},
		{"the count says that it grew", func(context.Context, plimsoll.Conversation) (int, error) { return 1_000_000, nil }, fit.CompressionFailedInflated},
		{"the count says that it is smaller", func(context.Context, plimsoll.Conversation) (int, error) { return 1, nil }, fit.Compressed},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			k := compacting(t, &scribe{}, func(o *fit.Options) { o.Recount = tt.recount })
			made, err := k.Compact(t.Context(), fit.Task{Conversation: talk(10)}, fit.CompactOptions{Force: true})
			if err != nil {
				t.Fatal(err)
			}
			if made.Status != tt.want || made.Plan.Changed() == made.Status.Failed() {
				t.Errorf("%s (%s), want %s; %d edits", made.Status, made.Reason, tt.want, len(made.Plan.Edits))
			}
		})
	}
}

func TestAConversationOverItsLineIsTruncatedWhenThereIsNoSummary(t *testing.T) {
	t.Parallel()
	s := &scribe{text: " "}
	k := compacting(t, s, func(o *fit.Options) {
		o.Rungs = []fit.Rung{&rung.Compact{Summarizer: mute{}}, &rung.Slide{}}
	})
	made, err := k.Compact(t.Context(), fit.Task{Conversation: talk(14)}, fit.CompactOptions{Force: true})
	if err != nil {
		t.Fatal(err)
	}
	if made.Status != fit.ContentTruncated || made.After >= made.Before || made.Plan.After.Exceeds(made.Plan.Line) {
		t.Errorf("%s (%s), %d tokens became %d", made.Status, made.Reason, made.Before, made.After)
	}
}

// mute has nothing to say.
type mute struct{}

func (mute) Name() string { return "mute" }

func (mute) Summarize(context.Context, *summary.Request) (summary.Summary, error) {
	return summary.Summary{}, nil
}

func TestUndoBringsTheOldMessagesBackWithWhatWasSaidSince(t *testing.T) {
	t.Parallel()
	for _, layout := range []rung.Layout{rung.Full, rung.RetainAndSummary, rung.SnapshotAndAnswer} {
		k := compacting(t, &scribe{}, func(o *fit.Options) {
			o.Rungs = []fit.Rung{&rung.Compact{Layout: layout, Summarizer: &scribe{}, KeepTurns: 1}}
		})
		pin := 3
		task := fit.Task{Conversation: talk(10), Pins: []fit.Pin{{Index: &pin}}}
		made, err := k.Compact(t.Context(), task, fit.CompactOptions{Force: true})
		if err != nil {
			t.Fatal(err)
		}
		c := made.Plan.Conversation()
		since := plimsoll.Say(plimsoll.Assistant, "said since")
		c.Messages = plimsoll.ListOf(append(c.Messages.Slice(), since)...)
		back, err := k.Undo(t.Context(), fit.Task{Conversation: c}, made.Checkpoint.Ref.ID)
		if err != nil {
			t.Fatal(err)
		}
		want := said(talk(10)) + "assistant: said since\n"
		if diff := cmp.Diff(want, said(back)); diff != "" {
			t.Errorf("layout %d (-want +got):\n%s", layout, diff)
		}
	}
}

func TestAnUndoInAnotherProcessIsSeen(t *testing.T) {
	t.Parallel()
	s, memory := &scribe{}, &notebook{}
	shares := func(o *fit.Options) { o.Memory = memory }
	here, there := compacting(t, s, shares), compacting(t, s, shares)
	made, err := here.Compact(t.Context(), fit.Task{Conversation: talk(14)}, fit.CompactOptions{Force: true})
	testkit.Must(t, err)
	asked := s.calls.Load()
	_, err = here.Fit(t.Context(), fit.Task{Conversation: talk(14)})
	testkit.Must(t, err)
	if got := s.calls.Load(); got != asked {
		t.Errorf("before the undo %d summaries were made again", got-asked)
	}
	_, err = there.Undo(t.Context(), fit.Task{Conversation: talk(14)}, made.Checkpoint.Ref.ID)
	testkit.Must(t, err)
	_, err = here.Fit(t.Context(), fit.Task{Conversation: talk(14)})
	testkit.Must(t, err)
	if got := s.calls.Load(); got != asked+1 {
		t.Errorf("after the undo %d summaries were made, want a new one", got-asked)
	}
}

func TestUndoForgetsTheDecisionForAHistoryThatIsStillWhole(t *testing.T) {
	t.Parallel()
	s, memory := &scribe{}, &notebook{}
	k := compacting(t, s, func(o *fit.Options) { o.Memory = memory })
	made, err := k.Compact(t.Context(), fit.Task{Conversation: talk(11)}, fit.CompactOptions{Force: true})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := k.Undo(t.Context(), fit.Task{Conversation: talk(11)}, made.Checkpoint.Ref.ID); err != nil {
		t.Fatal(err)
	}
	if len(memory.decisions) != 0 {
		t.Error("the decision is still remembered")
	}
	if _, err := k.Undo(t.Context(), fit.Task{Conversation: talk(11)}, "nobody"); !errors.Is(err, plimsoll.ErrNotFound) {
		t.Errorf("an unknown reference gives %v", err)
	}
}

func TestAnArchiveThatFailsMeansNoCompaction(t *testing.T) {
	t.Parallel()
	memory := &notebook{}
	k := compacting(t, &scribe{}, func(o *fit.Options) { o.Memory, o.Archive = memory, &vault{full: true} })
	plan, err := k.Fit(t.Context(), fit.Task{Conversation: talk(14)})
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(said(plan.Conversation()), "<plimsoll_checkpoint>") || plan.Degraded == "" || plan.After.Exceeds(plan.Line) {
		t.Errorf("degraded %q, %d tokens:\n%s", plan.Degraded, plan.After.Total, said(plan.Conversation()))
	}
	if len(memory.decisions) != 0 {
		t.Error("a checkpoint is remembered whose messages are lost")
	}
}

func TestAMemoryThatFailsDoesNotStopRequests(t *testing.T) {
	t.Parallel()
	k := compacting(t, &scribe{}, func(o *fit.Options) { o.Memory = &notebook{torn: true} })
	plan, err := k.Fit(t.Context(), fit.Task{Conversation: talk(14)})
	if err != nil {
		t.Fatal(err)
	}
	if plan.Degraded == "" || !strings.Contains(said(plan.Conversation()), "<plimsoll_checkpoint>") {
		t.Errorf("degraded %q:\n%s", plan.Degraded, said(plan.Conversation()))
	}
}

// TestC12_AnAgentsLoopIsCheckedAtThreePlaces follows the figures of a provider: the
// history weighs little by our meter, but the bill says otherwise.
func TestC12_AnAgentsLoopIsCheckedAtThreePlaces(t *testing.T) {
	t.Parallel()
	agent := func(o *fit.Options) {
		o.Window = 10_000
		o.Rungs = []fit.Rung{&rung.Compact{Layout: rung.RetainAndSummary, Summarizer: &scribe{text: "a harbour"}, KeepTurns: 1}}
	}
	history := talk(10)
	history.Messages = plimsoll.ListOf(append(history.Messages.Slice(), plimsoll.Say(plimsoll.Assistant, "now this"))...)
	longer := history
	longer.Messages = plimsoll.ListOf(append(history.Messages.Slice(), plimsoll.Say(plimsoll.User, "a result"))...)
	for _, tt := range []struct {
		name  string
		total int
		want  fit.CompressionStatus
	}{
		{"at the threshold", 8000, fit.Compressed},
		{"one below the threshold", 7999, fit.CompressionNoop},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			usage := plimsoll.Usage{Input: tt.total - 300, Output: 100, CacheRead: 150, CacheCreation: 50}
			k := compacting(t, nil, agent)
			made, err := k.AfterModel(t.Context(), fit.Task{Conversation: history}, usage)
			if err != nil || made.Status != tt.want {
				t.Errorf("after the model: %v, %v, want %s", made.Status, err, tt.want)
			}
			for name, check := range map[string]func(*fit.Keeper, context.Context, fit.Task) (*fit.Compaction, error){
				"after tools": (*fit.Keeper).AfterTools, "before the return": (*fit.Keeper).BeforeReturn,
			} {
				k := compacting(t, nil, func(o *fit.Options) { agent(o); o.Hooks.PreCompress = notYet(history) })
				if _, err := k.AfterModel(t.Context(), fit.Task{Conversation: history}, usage); err != nil {
					t.Fatal(err)
				}
				made, err := check(k, t.Context(), fit.Task{Conversation: longer})
				if err != nil || made.Status != tt.want {
					t.Errorf("%s: %v (%s), %v, want %s", name, made.Status, made.Reason, err, tt.want)
				}
			}
		})
	}
}

// notYet vetoes the compaction of one history, so that a later check has its turn.
func notYet(history plimsoll.Conversation) []func(context.Context, fit.PreCompress) (fit.Verdict, error) {
	return []func(context.Context, fit.PreCompress) (fit.Verdict, error){
		func(_ context.Context, p fit.PreCompress) (fit.Verdict, error) {
			if p.Conversation.Messages.Len() == history.Messages.Len() {
				return fit.Verdict{Veto: "not yet"}, nil
			}
			return fit.Verdict{}, nil
		},
	}
}
