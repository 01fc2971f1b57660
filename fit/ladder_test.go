package fit_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/fit"
	"github.com/plimsoll/plimsoll/internal/testkit"
	"github.com/plimsoll/plimsoll/rung"
)

// archer is a rung that notes what it is to aim at. It hits nothing.
type archer struct{ targets []fit.Target }

func (*archer) Name() string                             { return "archer" }
func (*archer) Prospect(*fit.Work) (removable, from int) { return 0, 0 }
func (a *archer) Apply(_ context.Context, _ *fit.Work, t fit.Target) error {
	a.targets = append(a.targets, t)
	return nil
}

// marksman is an archer that cannot say what it would take off.
type marksman struct{ archer }

func (*marksman) Name() string { return "marksman" }
func (*marksman) Prospect()    {}

func TestRungsAimAtTheGoal(t *testing.T) {
	t.Parallel()
	// Instructions of 1,000 tokens, and a newest turn of 1,000.
	c := testkit.Conversation([]plimsoll.Message{
		plimsoll.Say(plimsoll.System, strings.Repeat("s", 997)),
		numbered(1, plimsoll.User, 4500), numbered(2, plimsoll.Assistant, 4500), numbered(3, plimsoll.User, 1000),
	})
	for _, tt := range []struct {
		name string
		line plimsoll.Line
		room float64
		task fit.Task
		// goesOn says that the keeper has seen the conversation before.
		goesOn bool
		// cheap is for a rung that says what it would take off, other for the rest.
		cheap, other fit.Target
	}{
		{
			"of the low mark",
			plimsoll.Line{Window: 10_000},
			0,
			fit.Task{},
			true,
			fit.Target{Goal: 6000, Line: plimsoll.Line{Window: 10_000}, GoesOn: true},
			fit.Target{Goal: 6000, Line: plimsoll.Line{Window: 10_000}, GoesOn: true},
		},
		{
			"and those that are cheap leave the room that is asked for",
			plimsoll.Line{Window: 10_000},
			0.75,
			fit.Task{},
			true,
			fit.Target{Goal: 3250, Line: plimsoll.Line{Window: 10_000}, GoesOn: true},
			fit.Target{Goal: 6000, Line: plimsoll.Line{Window: 10_000}, GoesOn: true},
		},
		{
			"but leave none in a conversation that may not be seen again, and all know it",
			plimsoll.Line{Window: 10_000},
			0.75,
			fit.Task{},
			false,
			fit.Target{Goal: 6000, Line: plimsoll.Line{Window: 10_000}},
			fit.Target{Goal: 6000, Line: plimsoll.Line{Window: 10_000}},
		},
		{
			"also where little room is asked for",
			plimsoll.Line{Window: 10_000},
			0.1,
			fit.Task{},
			true,
			fit.Target{Goal: 6000, Line: plimsoll.Line{Window: 10_000}, GoesOn: true},
			fit.Target{Goal: 6000, Line: plimsoll.Line{Window: 10_000}, GoesOn: true},
		},
		{
			"less what the tools need that come with the cut",
			plimsoll.Line{Window: 20_000, Reserve: 5000, Input: 10_000},
			0,
			fit.Task{Offer: cacheTools()},
			true,
			fit.Target{Goal: 5900, Line: plimsoll.Line{Window: 20_000, Reserve: 5200, Input: 9800}, GoesOn: true},
			fit.Target{Goal: 5900, Line: plimsoll.Line{Window: 20_000, Reserve: 5200, Input: 9800}, GoesOn: true},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			cheap, other := &archer{}, &marksman{}
			k := newKeeper(t, 1, fit.Options{
				Archive: &vault{}, Marks: fit.Watermarks{Low: 0.1, Room: tt.room}, Rungs: []fit.Rung{cheap, other, &rung.Slide{}},
			})
			if tt.goesOn {
				_, err := k.Fit(t.Context(), fit.Task{Conversation: testkit.Conversation(c.Messages.Slice()[:2]), Line: &tt.line})
				testkit.Must(t, err)
			}
			tt.task.Conversation, tt.task.Line = c, &tt.line
			_, err := k.Fit(t.Context(), tt.task)
			testkit.Must(t, err)
			if diff := cmp.Diff([]fit.Target{tt.cheap}, cheap.targets); diff != "" {
				t.Errorf("the cheap rung (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff([]fit.Target{tt.other}, other.targets); diff != "" {
				t.Errorf("the other rung (-want +got):\n%s", diff)
			}
		})
	}
}

func TestTheLadderEndsAtTheGoal(t *testing.T) {
	t.Parallel()
	never := rungOf("never", func(*fit.Work) error { t.Error("a rung was applied"); return nil })
	c := dialogueOf(2000, 1000, 1000, 1000, 1000)
	for name, tt := range map[string]struct {
		window         int
		arrival, rungs []fit.Rung
		left           int
	}{
		// The goal is half-way between the floor and the limit.
		"when a rung comes under it":              {5200, nil, []fit.Rung{dropping("first", 0, 2), never}, 3000},
		"when a rung comes down to it":            {5000, nil, []fit.Rung{dropping("first", 0, 2), never}, 3000},
		"not a token above it":                    {4999, nil, []fit.Rung{dropping("first", 0, 2), dropping("second", 2, 4)}, 1000},
		"and does not begin at the mark":          {6000, []fit.Rung{&archer{}}, []fit.Rung{never}, 6000},
		"and does not begin when arrival is down": {3000, []fit.Rung{dropping("first", 0, 2)}, []fit.Rung{never}, 3000},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := newKeeper(t, tt.window, fit.Options{Marks: fit.Watermarks{Low: 0.01}, Arrival: tt.arrival, Rungs: tt.rungs})
			p, err := k.Fit(t.Context(), fit.Task{Conversation: c})
			testkit.Must(t, err)
			if p.After.Total != tt.left {
				t.Errorf("%d tokens are left, want %d; goal %d, rungs %+v", p.After.Total, tt.left, p.Goal, p.Rungs)
			}
		})
	}
}

func TestEachRungReportsWhatItDid(t *testing.T) {
	t.Parallel()
	idle := rungOf("idle", func(*fit.Work) error { return nil })
	c := outputs()
	c.Messages = plimsoll.ListOf(append([]plimsoll.Message{sized(plimsoll.User, 100), numbered(1, plimsoll.Assistant, 50)}, c.Messages.Slice()...)...)
	shorten := func(name string, message int) fit.Rung {
		return rungOf(name, func(w *fit.Work) error {
			return w.Draft().ReplaceResult(plimsoll.PartRef{Message: message}, testkit.Text("z"), testkit.Because)
		})
	}
	same := rungOf("same", func(w *fit.Work) error {
		return w.Draft().ReplaceResult(plimsoll.PartRef{Message: 4}, testkit.Text(strings.Repeat("z", 50)), testkit.Because)
	})
	k := newKeeper(t, testkit.ByteMeter{}.Weigh(c).Total-1, fit.Options{
		Marks: fit.Watermarks{Low: 0.01}, Rungs: []fit.Rung{idle, same, shorten("first", 4), dropping("second", 0, 2), shorten("third", 6)},
	})
	p, err := k.Fit(t.Context(), fit.Task{Conversation: c})
	testkit.Must(t, err)
	want := []plimsoll.RungReport{
		{Rung: "idle"},
		{Rung: "same", Undone: "the conversation did not become smaller"},
		{Rung: "first", Edits: 1, Saved: 49},
		{Rung: "second", Edits: 2, Saved: 150},
	}
	if diff := cmp.Diff(want, p.Rungs); diff != "" {
		t.Errorf("reports (-want +got):\n%s", diff)
	}
}

// grouping is a meter that weighs 300 tokens more for a conversation of less than five
// messages than for its parts.
type grouping struct{ testkit.ByteMeter }

func (m grouping) Weigh(c plimsoll.Conversation) plimsoll.Load {
	load := m.ByteMeter.Weigh(c)
	if c.Messages.Len() < 5 {
		load.Framing, load.Total = 300, load.Total+300
	}
	return load
}

func TestTheRungsAreAppliedAgainIfTheWholeWeighsMoreThanItsParts(t *testing.T) {
	t.Parallel()
	// With a floor of 1,000 the goal is half-way to the window.
	for name, tt := range map[string]struct {
		window int
		want   []int
	}{
		"down to the goal":         {5599, []int{4000, 2000}},
		"not if it is there still": {5600, []int{4000}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			next := 0
			pairs := rungOf("pairs", func(w *fit.Work) error {
				next += 2
				return w.Draft().Drop(plimsoll.Span{Start: next - 2, End: next}, testkit.Because)
			})
			k, err := fit.New(&fit.Options{Meter: grouping{}, Window: tt.window, Reserve: new(0), Marks: fit.Watermarks{Low: 0.01}, Rungs: []fit.Rung{pairs}})
			testkit.Must(t, err)
			p, err := k.Fit(t.Context(), fit.Task{Conversation: dialogueOf(2000, 2000, 1000, 1000, 1000)})
			testkit.Must(t, err)
			var saved []int
			for _, r := range p.Rungs {
				saved = append(saved, r.Saved)
			}
			if diff := cmp.Diff(tt.want, saved); diff != "" {
				t.Errorf("savings of the rungs, goal %d (-want +got):\n%s", p.Goal, diff)
			}
			if diff := cmp.Diff(grouping{}.Weigh(p.Conversation()), p.After); diff != "" {
				t.Errorf("the load is not that of what is sent (-sent +plan):\n%s", diff)
			}
		})
	}
}

func TestTheLineIsTheModels(t *testing.T) {
	t.Parallel()
	k, err := fit.New(&fit.Options{
		Meter: testkit.ByteMeter{}, Model: "usual",
		Limits: func(c plimsoll.Conversation) (plimsoll.Line, error) {
			if c.Model == "unknown" {
				return plimsoll.Line{}, plimsoll.ErrNotFound
			}
			return plimsoll.Line{Window: 1000 * len(c.Model), Reserve: 7}, nil
		},
	})
	testkit.Must(t, err)
	for model, window := range map[string]int{"": 5000, "other-model": 11_000} {
		if line, err := k.Line(plimsoll.Conversation{Model: model}); err != nil || line != (plimsoll.Line{Window: window, Reserve: 7}) {
			t.Errorf("model %q has the line %+v, error %v", model, line, err)
		}
		p, err := k.Fit(t.Context(), fit.Task{Conversation: plimsoll.Conversation{Model: model, Messages: chat("q").Messages}})
		testkit.Must(t, err)
		if p.Line.Window != window {
			t.Errorf("model %q is fitted to %+v", model, p.Line)
		}
	}
	for name, err := range map[string]error{
		"line": func() error { _, err := k.Line(plimsoll.Conversation{Model: "unknown"}); return err }(),
		"fit": func() error {
			_, err := k.Fit(t.Context(), fit.Task{Conversation: plimsoll.Conversation{Model: "unknown"}})
			return err
		}(),
	} {
		if !errors.Is(err, plimsoll.ErrNotFound) || plimsoll.HintOf(err) == "" {
			t.Errorf("%s: an unknown model gives %v", name, err)
		}
	}
}

func TestMarksMustBeInOrder(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		marks fit.Watermarks
		valid bool
	}{
		"none":                      {fit.Watermarks{}, true},
		"all alike":                 {fit.Watermarks{High: 1, Low: 1, Soft: 1}, true},
		"room for nearly all":       {fit.Watermarks{Room: 0.99}, true},
		"a negative low mark":       {fit.Watermarks{Low: -0.1}, false},
		"a negative soft mark":      {fit.Watermarks{Soft: -0.1}, false},
		"a soft mark over the high": {fit.Watermarks{High: 0.5, Soft: 0.6}, false},
		"negative room":             {fit.Watermarks{Room: -0.1}, false},
		"room for all":              {fit.Watermarks{Room: 1}, false},
	} {
		_, err := fit.New(&fit.Options{Meter: testkit.ByteMeter{}, Window: 10, Marks: tt.marks})
		if (err == nil) != tt.valid || err != nil && (!errors.Is(err, plimsoll.ErrInvalid) || plimsoll.HintOf(err) == "") {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

func TestToolsAreReportedWithWhatTheyWeigh(t *testing.T) {
	t.Parallel()
	want := plimsoll.RungReport{Rung: "offer", Edits: 2, Saved: -200}
	for name, tt := range map[string]struct {
		window int
		always bool
	}{"with a cut": {8000, false}, "alone": {20_000, true}} {
		task := offering(readings(20))
		task.OfferAlways = tt.always
		p, err := clearing(t, tt.window, nil).Fit(t.Context(), task)
		testkit.Must(t, err)
		if got := p.Rungs[len(p.Rungs)-1]; got != want {
			t.Errorf("%s: reports %+v, want the last to be %+v", name, p.Rungs, want)
		}
	}
}

// TestToolsDoNotComeWithWhatCannotBeRead has no archive, so nothing that is cut leaves a
// reference.
func TestToolsDoNotComeWithWhatCannotBeRead(t *testing.T) {
	t.Parallel()
	for name, rungs := range map[string][]fit.Rung{
		"by a checkpoint": {&rung.Compact{Tail: 1500, Size: 1200}},
		"by dropping":     {&rung.Slide{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := clearing(t, 8000, func(o *fit.Options) { o.Archive, o.Rungs = nil, rungs })
			for rounds := 20; rounds < 23; rounds++ {
				p, err := k.Fit(t.Context(), offering(readings(rounds)))
				testkit.Must(t, err)
				if !p.Changed() || toolsOf(p) != "" {
					t.Errorf("%d rounds: %d edits, tools %q", rounds, len(p.Edits), toolsOf(p))
				}
			}
		})
	}
}

func TestEstimatesMayBeOffByATenth(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		estimated int
		usage     plimsoll.Usage
		told      bool
	}{
		{1100, plimsoll.Usage{Input: 1000}, false},
		{900, plimsoll.Usage{Input: 1000}, false},
		{1101, plimsoll.Usage{Input: 1000}, true},
		{899, plimsoll.Usage{Input: 1000}, true},
		{1000, plimsoll.Usage{Output: 10}, false}, // no prompt was billed, so nothing is known
	} {
		t.Run(fmt.Sprint(tt.estimated, " for ", tt.usage.Prompt()), func(t *testing.T) {
			t.Parallel()
			told := false
			k := newKeeper(t, 10_000, fit.Options{Events: func(fit.Event) { told = true }, Cost: priced})
			task := fit.Task{Conversation: dialogueOf(tt.estimated)}
			p, err := k.Fit(t.Context(), task)
			testkit.Must(t, err)
			testkit.Must(t, k.Observe(t.Context(), task, p, tt.usage))
			if told != tt.told || k.Total().Priced != int64(min(1, tt.usage.Prompt())) {
				t.Errorf("told %v, want %v; account %+v", told, tt.told, k.Total())
			}
		})
	}
}
