package fit_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/fit"
	"github.com/plimsoll/plimsoll/internal/testkit"
	"github.com/plimsoll/plimsoll/rung"
)

func TestWhatMustSurvive(t *testing.T) {
	t.Parallel()
	first, second := 0, 1
	for _, tt := range []struct {
		name, history string
		keep          fit.Keep
		loose         bool
		task          fit.Task
		want          []int
	}{
		{"the newest message and the first instruction", "s s u a u", fit.KeepMessage, true, fit.Task{}, []int{0, 4}},
		{"the newest message that is no instruction", "u a s", fit.KeepMessage, true, fit.Task{}, []int{1, 2}},
		{"the first instruction wherever it is", "u s u s u", fit.KeepMessage, true, fit.Task{}, []int{1, 4}},
		{"one of nothing but instructions", "s s s", fit.KeepMessage, true, fit.Task{}, []int{0}},
		{"a message alone", "u", fit.KeepMessage, true, fit.Task{}, []int{0}},
		{"nothing of a conversation at rest", "s u a u a", fit.KeepPending, false, fit.Task{}, []int{0}},
		{"the question that awaits its answer", "s u a u", fit.KeepPending, false, fit.Task{}, []int{0, 3}},
		{"the round that awaits its result", "s u a u a:c1", fit.KeepPending, false, fit.Task{}, []int{0, 3, 4}},
		{"the newest round that thinks, where the turn began so", "u a:think,c1 t:r1 a:think,c2 t:r2 a:c3 t:r3", fit.KeepRound, false, fit.Task{}, []int{0, 3, 4, 5, 6}},
		{"the first round, where only that thinks", "u a:think,c1 t:r1 a:c2 t:r2 a:c3 t:r3", fit.KeepRound, false, fit.Task{}, []int{0, 1, 2, 5, 6}},
		{"no round that thinks, where the turn did not begin so", "u a:c1 t:r1 a:think,c2 t:r2 a:c3 t:r3", fit.KeepRound, false, fit.Task{}, []int{0, 5, 6}},
		{"the opening that makes a call", "u:c1 a:r1 a:c2 t:r2", fit.KeepRound, false, fit.Task{}, []int{0, 1, 2, 3}},
		{"messages that the task lists", "s u a u a u", fit.KeepRound, false, fit.Task{Keep: []int{2, 4}}, []int{0, 2, 4, 5}},
		{"messages that the task lists and that are there", "s u a u", fit.KeepRound, false, fit.Task{Keep: []int{-1, 4, 99}}, []int{0, 3}},
		{"the opening of a turn with a pin", "u a u a u", fit.KeepRound, false, fit.Task{Pins: []fit.Pin{{Index: &second}}}, []int{0, 1, 4}},
		{"a round with a result that names its tool, without its call", "u a t:r9 a u", fit.KeepRound, false, fit.Task{Pins: []fit.Pin{{Tool: "9"}}}, []int{0, 1, 2, 4}},
		{"an opening that is pinned alone", "u a u a u", fit.KeepRound, false, fit.Task{Pins: []fit.Pin{{Index: &first}}}, []int{0, 4}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			k := newKeeper(t, 1000, fit.Options{Keep: tt.keep, Loose: tt.loose, Arrival: []fit.Rung{everything}})
			tt.task.Conversation = testkit.Conversation(testkit.History(t, tt.history))
			plan, err := k.Fit(t.Context(), tt.task)
			testkit.Must(t, err)
			var kept []int
			for p := range plan.Draft.Placed() {
				kept = append(kept, p.Original)
			}
			if diff := cmp.Diff(tt.want, kept); diff != "" {
				t.Errorf("kept messages (-want +got):\n%s", diff)
			}
		})
	}
}

// shrinker says what it leaves of a result, and does nothing.
type shrinker int

func (s shrinker) Name() string                                     { return fmt.Sprint("shrinker ", int(s)) }
func (s shrinker) Least() int                                       { return int(s) }
func (shrinker) Apply(context.Context, *fit.Work, fit.Target) error { return nil }

func TestTheFloorCountsResultsAsWhatShrinkersLeave(t *testing.T) {
	t.Parallel()
	newest := -1
	// The question weighs 5, the newest call 7, its result 65 of which 61 are content.
	for name, tt := range map[string]struct {
		rungs []fit.Rung
		pins  []fit.Pin
		want  int
	}{
		"whole without any":                {nil, nil, 77},
		"as the best of them leaves them":  {[]fit.Rung{shrinker(50), shrinker(20)}, nil, 77 - 41},
		"whichever comes first":            {[]fit.Rung{shrinker(20), shrinker(50)}, nil, 77 - 41},
		"nothing where one leaves nothing": {[]fit.Rung{shrinker(0), shrinker(5)}, nil, 77 - 61},
		"whole where they leave more":      {[]fit.Rung{shrinker(100)}, nil, 77},
		"whole where it is pinned":         {[]fit.Rung{shrinker(20)}, []fit.Pin{{Index: &newest}}, 77},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := newKeeper(t, 10_000, fit.Options{Pins: tt.pins, Rungs: tt.rungs, Arrival: []fit.Rung{&archer{}}})
			p, err := k.Fit(t.Context(), fit.Task{Conversation: outputs()})
			testkit.Must(t, err)
			if p.Floor != tt.want {
				t.Errorf("the floor is %d, want %d", p.Floor, tt.want)
			}
		})
	}
}

func TestAFloorDownToTheLimitFits(t *testing.T) {
	t.Parallel()
	c := dialogueOf(1000, 1000, 500)
	for window, fits := range map[int]bool{500: true, 499: false} {
		p, err := newKeeper(t, window, fit.Options{Rungs: []fit.Rung{&rung.Slide{}}}).Fit(t.Context(), fit.Task{Conversation: c})
		if (err == nil) != fits || fits && p.After.Total != 500 {
			t.Errorf("a window of %d tokens: error %v", window, err)
		}
	}
}

func TestARefusalNamesWhatStandsBesideTheMessages(t *testing.T) {
	t.Parallel()
	k, err := fit.New(&fit.Options{Meter: framed{}, Window: 10, Reserve: new(0)})
	testkit.Must(t, err)
	_, err = k.Fit(t.Context(), fit.Task{Conversation: plimsoll.Conversation{
		System: testkit.Text("be brief"), Tools: plimsoll.ListOf(plimsoll.Tool{Name: "read"}), Messages: plimsoll.ListOf(sized(plimsoll.User, 100)),
	}})
	var over *plimsoll.OverloadError
	if !errors.As(err, &over) {
		t.Fatal(err)
	}
	want := []plimsoll.FloorItem{
		{Kind: plimsoll.FloorTurn, Message: 0, Tokens: 100},
		{Kind: plimsoll.FloorFraming, Message: -1, Tokens: 13},
		{Kind: plimsoll.FloorSystem, Message: -1, Tokens: 15},
		{Kind: plimsoll.FloorTools, Message: -1, Tokens: 15},
	}
	byKind := map[plimsoll.FloorKind]plimsoll.FloorItem{}
	for _, item := range over.Items {
		byKind[item.Kind] = item
	}
	for _, item := range want {
		if byKind[item.Kind] != item {
			t.Errorf("%s: %+v, want %+v", item.Kind, byKind[item.Kind], item)
		}
	}
	if over.Floor != 143 || len(over.Items) != 4 {
		t.Errorf("the floor is %d, of %+v", over.Floor, over.Items)
	}
}

// TestOnlyACompactorTakesACheckpointThatTheClientSends hands the compacted history back
// with more turns.
func TestOnlyACompactorTakesACheckpointThatTheClientSends(t *testing.T) {
	t.Parallel()
	made, err := compacting(t, &scribe{}, nil).Compact(t.Context(), fit.Task{Conversation: talk(14)}, fit.CompactOptions{Force: true})
	testkit.Must(t, err)
	c := made.Plan.Conversation()
	c.Messages = plimsoll.ListOf(append(c.Messages.Slice(), plimsoll.Say(plimsoll.Assistant, strings.Repeat("y", 1000)), plimsoll.Say(plimsoll.User, "and then?"))...)
	checkpoint := "<plimsoll_checkpoint>"
	for name, tt := range map[string]struct {
		rungs []fit.Rung
		stays bool
	}{
		"the other rungs leave it":              {[]fit.Rung{&press{err: errors.New("no ink")}, everything}, true},
		"a compactor replaces it":               {[]fit.Rung{&press{tokens: 100}, everything}, false},
		"without a compactor it is like others": {[]fit.Rung{everything}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := newKeeper(t, testkit.ByteMeter{}.Weigh(c).Total-1, fit.Options{Marks: fit.Watermarks{Low: 0.01}, Rungs: tt.rungs})
			p, err := k.Fit(t.Context(), fit.Task{Conversation: c})
			testkit.Must(t, err)
			all := said(p.Conversation())
			if strings.Contains(all, checkpoint) != tt.stays || strings.Contains(all, "yyy") {
				t.Errorf("the checkpoint stays: %v, want %v:\n%s", !tt.stays, tt.stays, all)
			}
			if first := p.Conversation().Messages.At(0).Role; first != plimsoll.User {
				t.Errorf("the %s speaks first:\n%s", first, all)
			}
			if want := len("and then?") + 3; p.Floor != want {
				t.Errorf("the floor is %d, want %d", p.Floor, want)
			}
		})
	}
}

// surveyor counts how often it is asked what it would take off.
type surveyor struct {
	archer
	removable, from int
	asked           int
}

func (s *surveyor) Prospect(*fit.Work) (removable, from int) {
	s.asked++
	return s.removable, s.from
}

// TestRungsAreAskedAgainWhenTheLoadHasGrown has an outlook that is drawn at 2,000 tokens,
// and again when 1,000 more have come.
func TestRungsAreAskedAgainWhenTheLoadHasGrown(t *testing.T) {
	t.Parallel()
	rungs, policy := &surveyor{removable: 10}, &spy{}
	k := newKeeper(t, 100_000, fit.Options{Policy: policy, Rungs: []fit.Rung{rungs}})
	for i, tt := range []struct {
		sizes []int
		asked int
	}{
		{[]int{1000, 500, 500}, 1},
		{[]int{1000, 500, 500, 10, 10}, 1},
		{[]int{1000, 500, 500, 10, 10, 480, 500}, 1}, // 1,000 more
		{[]int{1000, 500, 500, 10, 10, 480, 500, 10, 10}, 2},
		{[]int{1000, 500, 500, 10, 10, 480, 500, 10, 10, 10, 10}, 2},
		{[]int{1000, 500, 500, 10, 10, 480, 500, 10, 10, 10, 10}, 2}, // the same request
		{[]int{2000, 500, 500}, 3},                                   // another conversation
	} {
		_, err := k.Fit(t.Context(), fit.Task{Conversation: dialogueOf(tt.sizes...)})
		testkit.Must(t, err)
		if rungs.asked != tt.asked {
			t.Errorf("after request %d the rungs were asked %d times, want %d", i, rungs.asked, tt.asked)
		}
	}
	if len(policy.outlooks) != 6 {
		t.Errorf("the policy was asked %d times for six requests", len(policy.outlooks))
	}
	if last := policy.outlooks[4]; last.Load != 3040 {
		t.Errorf("the policy sees %d tokens, want 3,040", last.Load)
	}
}

// prophet is a compactor that says what it would take off.
type prophet struct {
	press
	removable, from int
}

func (p *prophet) Prospect(*fit.Work) (removable, from int) { return p.removable, p.from }

func TestAProspectCountsWhatFollowsTheFirstEdit(t *testing.T) {
	t.Parallel()
	c := dialogueOf(1000, 900, 800, 700, 600)
	noting := rungOf("note", func(w *fit.Work) error {
		if err := w.Draft().Drop(plimsoll.Span{Start: 0, End: 2}, testkit.Because); err != nil {
			return err
		}
		_, err := w.Draft().Insert(2, numbered(9, plimsoll.User, 100), testkit.Because)
		return err
	})
	for name, tt := range map[string]struct {
		rungs       []fit.Rung
		cheap, deep fit.Prospect
		arrival     []fit.Rung
	}{
		"of one before a note that was put in": {[]fit.Rung{&surveyor{removable: 300, from: 2}}, fit.Prospect{Removable: 300, Rewritten: 1900}, fit.Prospect{}, []fit.Rung{noting}},
		"of one behind it":                     {[]fit.Rung{&surveyor{removable: 300, from: 3}}, fit.Prospect{Removable: 300, Rewritten: 1000}, fit.Prospect{}, []fit.Rung{noting}},
		"of no rung":                           {nil, fit.Prospect{}, fit.Prospect{}, nil},
		"of one that finds nothing":            {[]fit.Rung{&surveyor{}}, fit.Prospect{}, fit.Prospect{}, nil},
		"of one":                               {[]fit.Rung{&surveyor{removable: 300, from: 2}}, fit.Prospect{Removable: 300, Rewritten: 1800}, fit.Prospect{}, nil},
		"of the first of two":                  {[]fit.Rung{&surveyor{removable: 300, from: 3}, &surveyor{removable: 200, from: 1}}, fit.Prospect{Removable: 500, Rewritten: 2500}, fit.Prospect{}, nil},
		"of a checkpoint":                      {[]fit.Rung{&prophet{removable: 1500, from: 1}}, fit.Prospect{}, fit.Prospect{Removable: 1500, Rewritten: 1500}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			policy := &spy{}
			_, err := newKeeper(t, 100_000, fit.Options{Policy: policy, Arrival: tt.arrival, Rungs: tt.rungs}).Fit(t.Context(), fit.Task{Conversation: c})
			testkit.Must(t, err)
			o := policy.outlooks[0]
			if diff := cmp.Diff([]fit.Prospect{tt.cheap, tt.deep}, []fit.Prospect{o.Cheap, o.Deep}); diff != "" {
				t.Errorf("cheap and deep (-want +got):\n%s", diff)
			}
		})
	}
}

func TestACheapCutAsksEveryRungThatNeedsNoModel(t *testing.T) {
	t.Parallel()
	first, second, other, deep := &archer{}, &archer{}, &marksman{}, &press{tokens: 10}
	k := newKeeper(t, 100_000, fit.Options{Policy: &spy{cutAt: 1, action: fit.CutCheap}, Rungs: []fit.Rung{first, deep, other, second}})
	p, err := k.Fit(t.Context(), fit.Task{Conversation: dialogueOf(1000, 900, 800)})
	testkit.Must(t, err)
	want := []fit.Target{{Line: p.Line, Decided: true}}
	if diff := cmp.Diff([][]fit.Target{want, want, nil}, [][]fit.Target{first.targets, second.targets, other.targets}); diff != "" || deep.made > 0 {
		t.Errorf("%d checkpoints were made, and the targets are (-want +got):\n%s", deep.made, diff)
	}
}

// TestAPinnedRequestThatWasCutIsCutTheSameWhenItIsAskedAgain is the same for requests
// whose outlook is drawn each time.
func TestAPinnedRequestThatWasCutIsCutTheSameWhenItIsAskedAgain(t *testing.T) {
	t.Parallel()
	first := 0
	for name, action := range map[string]fit.Action{"cheaply": fit.CutCheap, "by a checkpoint": fit.CutDeep} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := &spy{cutAt: 1, action: action}
			k := policyKeeper(t, s, nil)
			task := fit.Task{Conversation: readings(60), Pins: []fit.Pin{{Index: &first}}}
			before, err := k.Fit(t.Context(), task)
			testkit.Must(t, err)
			for range 3 {
				again, err := k.Fit(t.Context(), task)
				testkit.Must(t, err)
				if len(again.Rungs) != 1 || transcriptOf(again.Conversation()) != transcriptOf(before.Conversation()) {
					t.Fatalf("asked again, something else is sent: %+v", again.Rungs)
				}
			}
			if len(s.outlooks) != 1 {
				t.Errorf("the policy was asked %d times", len(s.outlooks))
			}
		})
	}
}

// TestUndoBringsEveryKindOfPartBack compacts a history in the neutral form.
func TestUndoBringsEveryKindOfPartBack(t *testing.T) {
	t.Parallel()
	messages := talk(10).Messages.Slice()
	messages[1] = plimsoll.NewMessage(plimsoll.Assistant,
		plimsoll.Reasoning{Text: "hm", Signature: "sig"}, plimsoll.Reasoning{Redacted: true, Signature: "more"},
		plimsoll.Text{Text: "look"}, plimsoll.ToolCall{ID: "c1", Name: "read", Arguments: `{"path":"hull.go"}`})
	messages[2] = plimsoll.NewMessage(plimsoll.ToolRole, plimsoll.ToolResult{
		CallID: "c1", Name: "read", IsError: true, Ref: &plimsoll.Ref{ID: "r1"},
		Content: plimsoll.ListOf[plimsoll.Part](plimsoll.Text{Text: "leak"}, plimsoll.Media{Kind: plimsoll.Image, MIME: "image/png", Data: "aGk="}),
	})
	messages[3] = plimsoll.NewMessage(plimsoll.Assistant, plimsoll.Opaque{Kind: "chart", Raw: `{"depth":4}`}, plimsoll.Text{Text: "there"})
	c := testkit.Conversation(messages)
	k := compacting(t, &scribe{}, func(o *fit.Options) {
		o.Rungs = []fit.Rung{&rung.Compact{Layout: rung.RetainAndSummary, Summarizer: &scribe{}, KeepTurns: 1}}
	})
	made, err := k.Compact(t.Context(), fit.Task{Conversation: c}, fit.CompactOptions{Force: true})
	testkit.Must(t, err)
	back, err := k.Undo(t.Context(), fit.Task{Conversation: made.Plan.Conversation()}, made.Checkpoint.Ref.ID)
	testkit.Must(t, err)
	if diff := cmp.Diff(dump(messages), dump(back.Messages.Slice())); diff != "" || made.Status != fit.Compressed {
		t.Errorf("%s, and undone it is (-before +after):\n%s", made.Status, diff)
	}
}

// TestTheKeeperAsksHowLongACacheLasts has calls a minute apart. If the cache has gone by
// then, everything would have been written without the cut, too.
func TestTheKeeperAsksHowLongACacheLasts(t *testing.T) {
	t.Parallel()
	for life, pays := range map[time.Duration]bool{time.Minute: false, time.Minute - 1: true} {
		d := newDialogue(t, fit.Options{CacheLife: func(string) time.Duration { return life }})
		d.begin()
		d.drop = plimsoll.Span{Start: 1, End: 2}
		if got := d.grow().Net(); got > 0 != pays {
			t.Errorf("a cache of %v: net %v micro-dollars", life, got.USD()*1e6)
		}
	}
}

func TestOutputsOfAWholeTurnThatMustSurviveCanBeCutShort(t *testing.T) {
	t.Parallel()
	k := newKeeper(t, 2000, fit.Options{Keep: fit.KeepTurn, Rungs: []fit.Rung{&rung.View{ToFit: true}}})
	p, err := k.Fit(t.Context(), fit.Task{Conversation: readings(20)})
	testkit.Must(t, err)
	if p.After.Total > 2000 || p.Conversation().Messages.Len() != readings(20).Messages.Len() {
		t.Errorf("%d tokens in %d messages", p.After.Total, p.Conversation().Messages.Len())
	}
}

func TestAPinnedCallKeepsItsResultWhereNoAssistantSpeaks(t *testing.T) {
	t.Parallel()
	first := 0
	look := rungOf("look", func(w *fit.Work) error {
		if !w.Kept(0) || !w.Kept(1) || w.Kept(2) {
			t.Errorf("kept %v, %v, %v, want the call and its result", w.Kept(0), w.Kept(1), w.Kept(2))
		}
		return nil
	})
	k := newKeeper(t, 1000, fit.Options{Arrival: []fit.Rung{look}, Pins: []fit.Pin{{Index: &first}}})
	c := testkit.Conversation([]plimsoll.Message{
		plimsoll.NewMessage(plimsoll.User, plimsoll.ToolCall{ID: "c1", Name: "read"}),
		plimsoll.NewMessage(plimsoll.ToolRole, plimsoll.ToolResult{CallID: "c1", Content: testkit.Text("text")}),
		plimsoll.Say(plimsoll.User, "well?"),
		plimsoll.Say(plimsoll.User, "and now?"),
	})
	_, err := k.Fit(t.Context(), fit.Task{Conversation: c})
	testkit.Must(t, err)
}

func TestThinkingIsNotRemovedAgainFromAMessageThatIsPinnedNow(t *testing.T) {
	t.Parallel()
	think := func(i int) []plimsoll.Message {
		return []plimsoll.Message{
			plimsoll.Say(plimsoll.User, "why?"),
			plimsoll.NewMessage(plimsoll.Assistant, plimsoll.Reasoning{Text: strings.Repeat("hm ", 200)}, plimsoll.Text{Text: fmt.Sprint("so ", i)}),
		}
	}
	c := testkit.Conversation(slices.Concat(think(1), think(2), []plimsoll.Message{plimsoll.Say(plimsoll.User, "and now?")}))
	k := newKeeper(t, 1000, fit.Options{Sticky: true, Rungs: []fit.Rung{&rung.Reasoning{}}})
	p, err := k.Fit(t.Context(), fit.Task{Conversation: c})
	testkit.Must(t, err)
	if !p.Changed() || p.Edits[0].Message != 1 {
		t.Fatalf("edits %+v, want the thinking of message 1 removed", p.Edits)
	}
	pinned := 1
	p, err = k.Fit(t.Context(), fit.Task{Conversation: c, Pins: []fit.Pin{{Index: &pinned}}})
	testkit.Must(t, err)
	for _, e := range p.Edits {
		if e.Message == pinned {
			t.Errorf("a pinned message was edited: %+v", e)
		}
	}
}
