package fit_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/fit"
	"github.com/plimsoll/plimsoll/internal/testkit"
	"github.com/plimsoll/plimsoll/rung"
)

// cacheTools weigh 200 with the framing of tools.
func cacheTools() []plimsoll.Tool {
	return []plimsoll.Tool{{Name: "read_cache", Schema: strings.Repeat("r", 100)}, {Name: "grep_cache", Schema: strings.Repeat("g", 69)}}
}

func offering(c plimsoll.Conversation) fit.Task {
	return fit.Task{Conversation: c, Offer: cacheTools()}
}

// clearing is a keeper that clears outputs, and that remembers what it cut.
func clearing(t *testing.T, window int, change func(*fit.Options)) *fit.Keeper {
	t.Helper()
	o := &fit.Options{
		Meter: testkit.ByteMeter{}, Window: window, Reserve: new(0), Marks: fit.Watermarks{High: 1, Low: 0.6}, Archive: &vault{}, Sticky: true,
		Rungs: []fit.Rung{&rung.Clear{Budget: -1, KeepNewest: 3, ToGoal: true}, &rung.Compact{Tail: 1500, Size: 1200}, &rung.Slide{}},
	}
	if change != nil {
		change(o)
	}
	k, err := fit.New(o)
	testkit.Must(t, err)
	return k
}

func toolsOf(p *plimsoll.Plan) string {
	var names []string
	for _, tool := range p.Conversation().Tools.All() {
		names = append(names, tool.Name)
	}
	return strings.Join(names, " ")
}

func withTool(c plimsoll.Conversation, names ...string) plimsoll.Conversation {
	var tools []plimsoll.Tool
	for _, name := range names {
		tools = append(tools, plimsoll.Tool{Name: name})
	}
	c.Tools = plimsoll.ListOf(tools...)
	return c
}

func TestToolsComeWithTheFirstCutThatLeavesAReference(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		window int
		task   fit.Task
		change func(*fit.Options)
		want   string
	}{
		{"not without a cut", 20_000, offering(readings(20)), nil, ""},
		{"with one", 8000, offering(readings(20)), nil, "read_cache grep_cache"},
		{"behind the conversation's own", 8000, offering(withTool(readings(20), "read")), nil, "read read_cache grep_cache"},
		{"but for those that it has", 8000, offering(withTool(readings(20), "read", "read_cache")), nil, "read read_cache grep_cache"},
		{"not where nothing can be had back", 8000, offering(readings(20)), func(o *fit.Options) { o.Archive = nil }, ""},
		{"not where they are not offered", 8000, fit.Task{Conversation: readings(20)}, nil, ""},
		{"always, if that is asked for", 20_000, fit.Task{Conversation: readings(20), Offer: cacheTools(), OfferAlways: true}, nil, "read_cache grep_cache"},
		{"by rungs that are applied whatever the load is", 20_000, offering(outputs()), func(o *fit.Options) { o.Arrival = []fit.Rung{stowing} }, "read_cache grep_cache"},
		{"not where the API would refuse them", 8000, fit.Task{Conversation: readings(20), Offer: cacheTools(), Check: func(d *plimsoll.Draft, _ []byte) error {
			if d.AddedTools().Len() > 0 {
				return errors.New("the tools are in cached content")
			}
			return nil
		}}, nil, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			k := clearing(t, tt.window, tt.change)
			dry, err := k.Plan(t.Context(), tt.task)
			testkit.Must(t, err)
			p, err := k.Fit(t.Context(), tt.task)
			testkit.Must(t, err)
			if got := toolsOf(p); got != tt.want {
				t.Errorf("tools %q, want %q", got, tt.want)
			}
			if diff := cmp.Diff(testkit.ByteMeter{}.Weigh(p.Conversation()), p.After); diff != "" {
				t.Errorf("the load is not that of what is sent (-sent +plan):\n%s", diff)
			}
			if diff := cmp.Diff(dry.Edits, p.Edits); diff != "" {
				t.Errorf("planned and made edits differ (-plan +fit):\n%s", diff)
			}
			if p.After.Total > max(p.Goal, int(0.6*float64(tt.window))) && p.After.Total != p.Before.Total && !tt.task.OfferAlways {
				t.Errorf("%d tokens with the tools, aimed at %d", p.After.Total, p.Goal)
			}
		})
	}
}

func TestAConversationThatFitsIsNotCutBecauseOfTools(t *testing.T) {
	t.Parallel()
	c := readings(20)
	load := testkit.ByteMeter{}.Weigh(c).Total
	p, err := clearing(t, load, nil).Fit(t.Context(), offering(c))
	testkit.Must(t, err)
	if p.Changed() || len(p.Rungs) > 0 {
		t.Errorf("%d tokens under a line of %d were cut: %+v", load, load, p.Rungs)
	}
}

// TestToolsForWhichThereIsNoRoomAreLeftOut has a floor that fits, but not with tools.
func TestToolsForWhichThereIsNoRoomAreLeftOut(t *testing.T) {
	t.Parallel()
	c := readings(20)
	slide := func(o *fit.Options) { o.Rungs = []fit.Rung{&rung.Slide{}} }
	_, err := clearing(t, 100, slide).Fit(t.Context(), offering(c))
	var over *plimsoll.OverloadError
	if !errors.As(err, &over) {
		t.Fatalf("a floor over the line gives %v", err)
	}
	if over.Of(plimsoll.FloorTools) != 0 {
		t.Errorf("a refusal counts tools of ours: %+v", over.Items)
	}
	k := clearing(t, over.Floor+150, slide)
	p, err := k.Fit(t.Context(), offering(c))
	testkit.Must(t, err)
	if toolsOf(p) != "" || !p.Changed() || p.Floor != over.Floor || p.Rungs[len(p.Rungs)-1].Undone == "" {
		t.Errorf("tools %q, floor %d of %d, rungs %+v", toolsOf(p), p.Floor, over.Floor, p.Rungs)
	}
	if diff := cmp.Diff(testkit.ByteMeter{}.Weigh(p.Conversation()), p.After); diff != "" {
		t.Errorf("the load is not that of what is sent (-sent +plan):\n%s", diff)
	}
	p, err = k.Fit(t.Context(), offering(c)) // what was cut stands again
	testkit.Must(t, err)
	if toolsOf(p) != "" || p.After.Exceeds(p.Line) {
		t.Errorf("asked again: tools %q, %d tokens", toolsOf(p), p.After.Total)
	}
	if r := p.Rungs[0]; !r.Replayed || r.Edits != len(p.Edits) || r.Saved != p.Before.Total-p.After.Total {
		t.Errorf("asked again: the report is %+v, want %d edits that save %d tokens", r, len(p.Edits), p.Before.Total-p.After.Total)
	}
	testkit.Must(t, k.Observe(t.Context(), offering(c), p, plimsoll.Usage{Input: 1000}))
	p, err = clearing(t, over.Floor+250, slide).Fit(t.Context(), offering(c))
	testkit.Must(t, err)
	if toolsOf(p) == "" || p.Floor != over.Floor+200 {
		t.Errorf("where there is room: tools %q, floor %d, want %d", toolsOf(p), p.Floor, over.Floor+200)
	}
}

func TestACheckpointBringsToolsAndLaterRequestsKeepThem(t *testing.T) {
	t.Parallel()
	memory, archive := &notebook{}, &vault{}
	shared := func(o *fit.Options) { o.Memory, o.Archive, o.Sticky = memory, archive, false }
	made, err := clearing(t, 20_000, shared).Compact(t.Context(), offering(readings(20)), fit.CompactOptions{Force: true})
	testkit.Must(t, err)
	if made.Status != fit.Compressed || toolsOf(made.Plan) != "read_cache grep_cache" || made.After != (testkit.ByteMeter{}.Weigh(made.Plan.Conversation()).Total) {
		t.Fatalf("%s with tools %q, %d tokens", made.Status, toolsOf(made.Plan), made.After)
	}
	k := clearing(t, 9_000, shared) // another process, with a line that calls for it
	for range 2 {
		p, err := k.Fit(t.Context(), offering(readings(21)))
		testkit.Must(t, err)
		if toolsOf(p) != "read_cache grep_cache" || len(p.Rungs) != 1 || !p.Rungs[0].Replayed {
			t.Errorf("tools %q, %+v", toolsOf(p), p.Rungs)
		}
	}
	if _, err = k.Undo(t.Context(), offering(readings(21)), made.Checkpoint.Ref.ID); err != nil {
		t.Fatal(err)
	}
	p, err := clearing(t, 20_000, shared).Fit(t.Context(), offering(readings(21)))
	testkit.Must(t, err)
	if p.Changed() {
		t.Errorf("undone, it still has tools %q and %d edits", toolsOf(p), len(p.Edits))
	}
}

// TestToolsStayWhenWhatBroughtThemIsGone lets a second rung take the messages with the
// references, and leave none.
func TestToolsStayWhenWhatBroughtThemIsGone(t *testing.T) {
	t.Parallel()
	memory := &notebook{}
	dropping := rungOf("drop", func(w *fit.Work) error {
		for _, turn := range w.Draft().Outline().Turns {
			for _, r := range turn.Rounds[:max(0, len(turn.Rounds)-4)] {
				if err := w.Draft().Drop(r.Span, plimsoll.Why{Rung: "drop"}); err != nil {
					return err
				}
			}
		}
		return nil
	})
	keeper := func(window int, r fit.Rung) *fit.Keeper {
		return clearing(t, window, func(o *fit.Options) { o.Memory, o.Rungs = memory, []fit.Rung{r} })
	}
	p, err := keeper(8000, &rung.Clear{Budget: -1, KeepNewest: 3, ToGoal: true}).Fit(t.Context(), offering(readings(20)))
	testkit.Must(t, err)
	if toolsOf(p) == "" {
		t.Fatal("a cut brought no tools")
	}
	for range 2 { // by the ladder, and quickly
		p, err = keeper(2700, dropping).Fit(t.Context(), offering(readings(20)))
		testkit.Must(t, err)
		refs := 0
		for _, e := range p.Edits {
			if e.Ref != nil && e.Message > 33 {
				refs++
			}
		}
		if refs > 0 || toolsOf(p) != "read_cache grep_cache" {
			t.Errorf("%d references are left, tools %q", refs, toolsOf(p))
		}
	}
}

func TestAPolicyCountsTheRewrittenBaseIntoTheFirstCut(t *testing.T) {
	t.Parallel()
	plain, s := &spy{}, &spy{cutAt: 2, action: fit.CutCheap}
	_, err := policyKeeper(t, plain, nil).Fit(t.Context(), fit.Task{Conversation: withTool(readings(20), "read")})
	testkit.Must(t, err)
	k := policyKeeper(t, s, nil)
	for rounds := 20; rounds < 23; rounds++ {
		p, err := k.Fit(t.Context(), offering(withTool(readings(rounds), "read")))
		testkit.Must(t, err)
		if cut := rounds > 20; cut != p.Changed() || cut != (toolsOf(p) == "read read_cache grep_cache") {
			t.Fatalf("%d rounds: tools %q", rounds, toolsOf(p))
		}
	}
	const toll = 200 - 11 // the framing of tools is there already
	was, first, later := plain.outlooks[0], s.outlooks[0], s.outlooks[len(s.outlooks)-1]
	for name, pair := range map[string][2]fit.Prospect{"cheap": {was.Cheap, first.Cheap}, "deep": {was.Deep, first.Deep}} {
		want := fit.Prospect{Removable: pair[0].Removable - toll, Rewritten: was.Load - len("read") - 11 - pair[0].Removable + toll}
		if diff := cmp.Diff(want, pair[1]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	if later.Cheap.Rewritten > 4*420 || later.Base != was.Base+toll {
		t.Errorf("with tools a cut promises %+v, base %d, without %d", later.Cheap, later.Base, was.Base)
	}
}

func TestToolsThatAreOfferedAlwaysAreNoCut(t *testing.T) {
	t.Parallel()
	k := clearing(t, 20_000, func(o *fit.Options) { o.Policy = &spy{} })
	for rounds := 3; rounds < 6; rounds++ {
		task := offering(readings(rounds))
		task.OfferAlways = true
		p, err := k.Fit(t.Context(), task)
		testkit.Must(t, err)
		testkit.Must(t, k.Observe(t.Context(), task, p, plimsoll.Usage{Input: p.After.Total}))
	}
	if a := k.Total(); a.Cuts != 0 || a.Breaks != 0 || a.Requests != 3 {
		t.Errorf("account %+v", a)
	}
}

// TestOnceOfferedToolsAreThereInEveryLaterRequest grows a session through many cuts,
// and lets another keeper that has only the memory do the same.
func TestOnceOfferedToolsAreThereInEveryLaterRequest(t *testing.T) {
	t.Parallel()
	for _, always := range []bool{false, true} {
		t.Run(fmt.Sprint("always ", always), func(t *testing.T) {
			t.Parallel()
			memory, archive := &notebook{}, &vault{}
			now := time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)
			shared := func(o *fit.Options) {
				o.Memory, o.Archive, o.Policy = memory, archive, &spy{cutAt: 12, action: fit.CutCheap}
				o.Now = func() time.Time { return now }
			}
			seen, offered, quick := clearing(t, 8000, shared), always, 0
			for rounds := 3; rounds < 90; rounds++ {
				now = now.Add(time.Minute)
				task := offering(readings(rounds))
				task.OfferAlways = always
				fast, err := seen.Fit(t.Context(), task)
				testkit.Must(t, err)
				offered = offered || fast.Changed()
				if (toolsOf(fast) != "") != offered {
					t.Fatalf("%d rounds: tools %q, offered %v", rounds, toolsOf(fast), offered)
				}
				slow, err := clearing(t, 8000, shared).Fit(t.Context(), task)
				testkit.Must(t, err)
				if diff := cmp.Diff(transcriptOf(slow.Conversation())+toolsOf(slow), transcriptOf(fast.Conversation())+toolsOf(fast)); diff != "" {
					t.Fatalf("%d rounds, history (-slow +fast):\n%s", rounds, diff)
				}
				if diff := cmp.Diff(slow.After, fast.After); diff != "" {
					t.Fatalf("%d rounds, load (-slow +fast):\n%s", rounds, diff)
				}
				if diff := cmp.Diff(testkit.ByteMeter{}.Weigh(fast.Conversation()), fast.After); diff != "" {
					t.Fatalf("%d rounds, load (-sent +plan):\n%s", rounds, diff)
				}
				if len(fast.Rungs) == 1 && fast.Rungs[0].Replayed {
					quick++
				}
			}
			if quick < 40 {
				t.Errorf("only %d requests were cut as the one before", quick)
			}
		})
	}
}
