package fit_test

import (
	"context"
	"errors"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/fit"
	"github.com/plimsoll/plimsoll/internal/testkit"
	"github.com/plimsoll/plimsoll/rung"
)

// ladderRung is a rung that a test writes down.
type ladderRung struct {
	name  string
	apply func(ctx context.Context, w *fit.Work) error
}

func (r ladderRung) Name() string { return r.name }

func (r ladderRung) Apply(ctx context.Context, w *fit.Work, _ fit.Target) error {
	return r.apply(ctx, w)
}

func rungOf(name string, apply func(*fit.Work) error) fit.Rung {
	return ladderRung{name, func(_ context.Context, w *fit.Work) error { return apply(w) }}
}

func newKeeper(t testing.TB, window int, o fit.Options) *fit.Keeper {
	t.Helper()
	o.Meter, o.Window, o.Reserve = testkit.ByteMeter{}, window, new(0)
	k, err := fit.New(&o)
	testkit.Must(t, err)
	return k
}

// words returns the texts of a conversation's messages, in order.
func words(c plimsoll.Conversation) string {
	var all []string
	for _, m := range c.Messages.All() {
		all = append(all, strings.ReplaceAll(m.Text(), " ", "_"))
	}
	return strings.Join(all, " ")
}

// chat has a system message and turns of two messages, 3 tokens of framing each.
func chat(turns ...string) plimsoll.Conversation {
	messages := []plimsoll.Message{plimsoll.Say(plimsoll.System, "SYS")}
	for _, turn := range turns {
		question, answer, answered := strings.Cut(turn, "/")
		messages = append(messages, plimsoll.Say(plimsoll.User, question))
		if answered {
			messages = append(messages, plimsoll.Say(plimsoll.Assistant, answer))
		}
	}
	return testkit.Conversation(messages)
}

func TestFitLeavesAConversationUnderItsLineAlone(t *testing.T) {
	t.Parallel()
	never := rungOf("never", func(*fit.Work) error { t.Error("a rung was applied"); return nil })
	c := chat("q1/a1", "q2")
	k := newKeeper(t, testkit.ByteMeter{}.Weigh(c).Total, fit.Options{Rungs: []fit.Rung{never}})
	plan, err := k.Fit(t.Context(), fit.Task{Conversation: c})
	testkit.Must(t, err)
	if plan.Changed() || plan.Floor != 0 || !reflect.DeepEqual(plan.Conversation(), c) {
		t.Errorf("edits %+v, floor %d, want no edits and no search for the floor", plan.Edits, plan.Floor)
	}
	if !cmp.Equal(plan.Before, plan.After) {
		t.Error("the load after differs from the load before")
	}
}

func TestFitGoesDownToTheLowWaterMark(t *testing.T) {
	t.Parallel()
	c := chat("aaaaaaa/AAAAAAA", "bbbbbbb/BBBBBBB", "ccccccc/CCCCCCC", "ddddddd/DDDDDDD", "q") // 6 + 4×20 + 4 = 90
	k := newKeeper(t, 80, fit.Options{Marks: fit.Watermarks{Low: 0.6}, Rungs: []fit.Rung{&rung.Slide{}}})
	plan, err := k.Fit(t.Context(), fit.Task{Conversation: c})
	testkit.Must(t, err)
	if got := words(plan.Conversation()); got != "SYS ddddddd DDDDDDD q" {
		t.Errorf("kept %q", got)
	}
	if plan.Goal != 48 || plan.After.Total != 30 {
		t.Errorf("goal %d, after %d; want 48 and 30", plan.Goal, plan.After.Total)
	}
	for _, e := range plan.Edits {
		if e.Rung != "slide" || e.Reason == "" || e.Saved != 10 {
			t.Errorf("edit %+v does not say rung, reason and savings", e)
		}
	}
}

func TestFitAimsNoLowerThanHalfWayToTheFloor(t *testing.T) {
	t.Parallel()
	big := strings.Repeat("x", 57)
	c := chat("aa/AA", "bb/BB", "cc/CC", big) // 6 + 3×10 + 60 = 96, floor 66
	k := newKeeper(t, 90, fit.Options{Marks: fit.Watermarks{Low: 0.5}, Rungs: []fit.Rung{&rung.Slide{}}})
	plan, err := k.Fit(t.Context(), fit.Task{Conversation: c})
	testkit.Must(t, err)
	if plan.Floor != 66 || plan.Goal != 78 {
		t.Errorf("floor %d, goal %d; want 66 and 78", plan.Floor, plan.Goal)
	}
	if got, want := words(plan.Conversation()), "SYS cc CC "+big; got != want {
		t.Errorf("kept %q, want %q", got, want)
	}
}

func TestFitUndoesARungThatBreaksARule(t *testing.T) {
	t.Parallel()
	c := testkit.Conversation(testkit.History(t, "s u a:c1 t:r1 a u a:c2 t:r2"))
	for _, tt := range []struct {
		name   string
		apply  func(*fit.Work) error
		check  func(*plimsoll.Draft, []byte) error
		undone string
	}{
		{"that made the conversation larger", func(w *fit.Work) error {
			_, err := w.Draft().Insert(1, plimsoll.Say(plimsoll.User, "more"), testkit.Because)
			return err
		}, nil, "did not become smaller"},
		{"that dropped the newest round", func(w *fit.Work) error {
			return w.Draft().Drop(plimsoll.Span{Start: 6, End: 8}, testkit.Because)
		}, nil, "message 6: a message that must survive"},
		{"that dropped the system prompt", func(w *fit.Work) error {
			return w.Draft().Drop(plimsoll.Span{Start: 0, End: 1}, testkit.Because)
		}, nil, "message 0: a message that must survive"},
		{"that parted a call from its result", func(w *fit.Work) error {
			return w.Draft().DropAlone(3, testkit.Because)
		}, nil, plimsoll.ErrSeparated.Error()},
		{"that failed half-way", func(w *fit.Work) error {
			testkit.Must(t, w.Draft().Drop(plimsoll.Span{Start: 1, End: 5}, testkit.Because))
			return errors.New("no more ink")
		}, nil, "no more ink"},
		{"that the provider would refuse", func(w *fit.Work) error {
			return w.Draft().Drop(plimsoll.Span{Start: 1, End: 5}, testkit.Because)
		}, func(d *plimsoll.Draft, _ []byte) error {
			if len(d.Edits()) == 4 {
				return errors.New("first message must be the user's")
			}
			return nil
		}, "first message must be the user's"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			last := rungOf("last", func(w *fit.Work) error {
				if len(w.Draft().Edits()) > 0 {
					t.Error("the edits of the rung before were not taken back")
				}
				return w.Draft().Drop(plimsoll.Span{Start: 2, End: 4}, testkit.Because)
			})
			k := newKeeper(t, testkit.ByteMeter{}.Weigh(c).Total-1, fit.Options{Rungs: []fit.Rung{rungOf("bad", tt.apply), last}})
			plan, err := k.Fit(t.Context(), fit.Task{Conversation: c, Check: tt.check})
			testkit.Must(t, err)
			if got := plan.Rungs[0]; !strings.Contains(got.Undone, tt.undone) || got.Edits != 0 || got.Saved != 0 {
				t.Errorf("report %+v, want it undone because %q", got, tt.undone)
			}
			if got := plan.Rungs[1]; got.Undone != "" || got.Edits != 2 || got.Saved == 0 {
				t.Errorf("report %+v of the rung after it", got)
			}
		})
	}
}

func TestF04_F05_WhatCannotFitIsRefusedWithTheNumbers(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		c       plimsoll.Conversation
		window  int
		options fit.Options
		want    string
		largest plimsoll.FloorKind
	}{
		{"a system prompt alone", chat("q/a", "q"), 5, fit.Options{}, "System prompt (6 tokens) exceeds max context length (5 tokens)", plimsoll.FloorSystem},
		{"a newest turn", chat("q/a", "too long"), 16, fit.Options{}, "Single turn too long: 17 tokens exceeds max context (16 tokens)", plimsoll.FloorTurn},
		{"a newest turn that is kept whole", chat("q/a", "x/yyyyyyyyyyy"), 20, fit.Options{Keep: fit.KeepTurn}, "Single turn too long: 24 tokens exceeds max context (20 tokens)", plimsoll.FloorTurn},
		{
			"tools",
			plimsoll.Conversation{Tools: plimsoll.ListOf(plimsoll.Tool{Name: "read", Schema: "{}"}), Messages: chat("q").Messages},
			20,
			fit.Options{},
			"System prompt and tools (23 tokens) exceed max context length (20 tokens)", plimsoll.FloorTools,
		},
		{
			"pins", chat("remember this/yes", "q2/a2", "q"), 25,
			fit.Options{Pins: []fit.Pin{{Match: regexp.MustCompile("remember")}}},
			"Pinned messages and the newest turn (26 tokens) exceed max context length (25 tokens)", plimsoll.FloorPinned,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			never := rungOf("never", func(*fit.Work) error { t.Error("a rung was applied"); return nil })
			tt.options.Rungs = []fit.Rung{never}
			_, err := newKeeper(t, tt.window, tt.options).Fit(t.Context(), fit.Task{Conversation: tt.c})
			var over *plimsoll.OverloadError
			if !errors.As(err, &over) || over.Error() != tt.want {
				t.Fatalf("error %v, want %q", err, tt.want)
			}
			if over.Items[0].Kind != tt.largest {
				t.Errorf("largest item %+v, want %s", over.Items[0], tt.largest)
			}
			if plimsoll.CodeOf(err).ExitStatus() != 3 || plimsoll.HintOf(err) == "" {
				t.Errorf("status %d, hint %q", plimsoll.CodeOf(err).ExitStatus(), plimsoll.HintOf(err))
			}
		})
	}
}

func TestARefusalNamesEachItemOfTheFloor(t *testing.T) {
	t.Parallel()
	c := testkit.Conversation(testkit.History(t, "s u a:c1 t:r1 a:c2 t:r2"))
	c.System = testkit.Text("be brief")
	_, err := newKeeper(t, 10, fit.Options{Rungs: []fit.Rung{&rung.Slide{}}}).Fit(t.Context(), fit.Task{Conversation: c})
	var over *plimsoll.OverloadError
	if !errors.As(err, &over) {
		t.Fatal(err)
	}
	want := []plimsoll.FloorItem{
		{Kind: plimsoll.FloorSystem, Message: -1, Tokens: 19},
		{Kind: plimsoll.FloorRound, Message: 4, Tokens: 9},
		{Kind: plimsoll.FloorTurn, Message: 1, Tokens: 4},
	}
	if diff := cmp.Diff(want, over.Items); diff != "" {
		t.Errorf("items (-want +got):\n%s", diff)
	}
	for _, part := range []string{"shorten the system prompt (19 tokens)", "newest tool round, from message 4 on (9 tokens)", "larger window"} {
		if !strings.Contains(over.Hint(), part) {
			t.Errorf("hint %q lacks %q", over.Hint(), part)
		}
	}
}

func TestARefusalBlamesAReserveThatLeavesNothing(t *testing.T) {
	t.Parallel()
	_, err := newKeeper(t, 1000, fit.Options{}).Fit(t.Context(), fit.Task{
		Conversation: chat("q"), Line: &plimsoll.Line{Window: 100, Reserve: 200},
	})
	if want := "the reserve (200 tokens) leaves nothing of the window (100 tokens): choose a smaller one"; plimsoll.HintOf(err) != want {
		t.Errorf("hint %q, want %q", plimsoll.HintOf(err), want)
	}
}

func TestFitSaysWhenNoRungHelps(t *testing.T) {
	t.Parallel()
	idle := rungOf("idle", func(*fit.Work) error { return errors.New("out of order") })
	_, err := newKeeper(t, 20, fit.Options{Rungs: []fit.Rung{idle}}).Fit(t.Context(), fit.Task{Conversation: chat("q1/a1", "q2")})
	if err == nil || err.Error() != "fit: Conversation cannot be made to fit: 21 tokens are left, max context is 20 tokens; idle was undone: out of order" {
		t.Errorf("error %v", err)
	}
	if !errors.Is(err, plimsoll.ErrOverLimit) {
		t.Error("the error is not ErrOverLimit")
	}
}

func TestFitEndsWhenItsCallerHasGone(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	leaving := rungOf("leaving", func(*fit.Work) error { cancel(); return nil })
	never := rungOf("never", func(*fit.Work) error { t.Error("the walk went on"); return nil })
	_, err := newKeeper(t, 20, fit.Options{Rungs: []fit.Rung{leaving, never}}).Fit(ctx, fit.Task{Conversation: chat("q1/a1", "q2")})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want the context's", err)
	}
}

func TestArrivalRungsAreAppliedWhateverTheLoadIs(t *testing.T) {
	t.Parallel()
	k := newKeeper(t, 1000, fit.Options{Arrival: []fit.Rung{stowing}, Rungs: []fit.Rung{everything}})
	plan, err := k.Fit(t.Context(), fit.Task{Conversation: outputs()})
	testkit.Must(t, err)
	if len(plan.Edits) != 1 || plan.Edits[0].Message != 2 {
		t.Errorf("edits %+v, want one on message 2", plan.Edits)
	}
}

func TestNewRefusesOptionsThatCannotWork(t *testing.T) {
	t.Parallel()
	for name, o := range map[string]*fit.Options{
		"none":                   nil,
		"no meter":               {Window: 10},
		"no window":              {Meter: testkit.ByteMeter{}},
		"low above high":         {Meter: testkit.ByteMeter{}, Window: 10, Marks: fit.Watermarks{High: 0.5, Low: 0.6}},
		"a negative reserve":     {Meter: testkit.ByteMeter{}, Window: 10, Reserve: new(-1)},
		"a mark above the limit": {Meter: testkit.ByteMeter{}, Window: 10, Marks: fit.Watermarks{High: 1.5}},
	} {
		if _, err := fit.New(o); !errors.Is(err, plimsoll.ErrInvalid) || plimsoll.HintOf(err) == "" {
			t.Errorf("%s: error %v with hint %q", name, err, plimsoll.HintOf(err))
		}
	}
}

func TestTheReserveIsWhatTheAnswerNeeds(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ window, maxOutput, own, named int }{
		{128_000, 4_096, 4_096, 4_096},
		{128_000, 32_000, 32_000, 8_000},
		{8_000, 8_000, 4_000, 2_000},
		{40_000, 32_000, 20_000, 4_096},
		{128_000, 0, 8_000, 8_000},
		{1_000_000, 0, 8_192, 8_192},
		{2_048, 0, 256, 256},
		{4_096, 0, 256, 256},
		{3_000, 0, 256, 256},
		{8_192, 0, 512, 512},
		{2_047, 0, 127, 127},
		{2_048, 64, 64, 64},
		{2_048, 512, 512, 512},
		{2_048, 2_047, 1_024, 512},
		{2_048, 2_048, 1_024, 512},
		{2_048, 32_000, 1_024, 512},
		{4_096, 4_096, 2_048, 1_024},
		{4_096, 32_000, 2_048, 1_024},
		{8_192, 8_192, 4_096, 2_048},
		{8_192, 32_000, 4_096, 2_048},
	} {
		own, named := fit.ReserveFor(tt.window, tt.maxOutput, false), fit.ReserveFor(tt.window, tt.maxOutput, true)
		if own != tt.own || named != tt.named {
			t.Errorf("of %d tokens %d are kept free for %d, and %d if a user names them; want %d and %d", tt.window, own, tt.maxOutput, named, tt.own, tt.named)
		}
	}
}

// TestAReserveThatIsSetHoldsInEveryWindow asks for the line in all ways that a keeper has,
// with each reserve: 0 is one. A limit is a window of which nothing is reserved, whatever
// is set.
func TestAReserveThatIsSetHoldsInEveryWindow(t *testing.T) {
	t.Parallel()
	c := plimsoll.Conversation{MaxOutput: 200, Messages: chat("q").Messages}
	for _, tt := range []struct {
		reserve    *int
		named, own int
	}{{nil, 200, 7}, {new(0), 0, 0}, {new(300), 300, 300}} {
		own, err := fit.New(&fit.Options{Meter: testkit.ByteMeter{}, Reserve: tt.reserve, Limits: func(plimsoll.Conversation) (plimsoll.Line, error) {
			return plimsoll.Line{Window: 1000, Reserve: 7}, nil
		}})
		testkit.Must(t, err)
		fixed, err := fit.New(&fit.Options{Meter: testkit.ByteMeter{}, Reserve: tt.reserve, Window: 1000})
		testkit.Must(t, err)
		got := map[string]plimsoll.Line{"named": own.LineWithin(1000, 0, c)}
		got["own"], err = own.Line(c)
		testkit.Must(t, err)
		got["fixed"], err = fixed.Line(c)
		testkit.Must(t, err)
		for name, scope := range map[string]fit.Scope{"asked for": {Window: 1000}, "a limit": {Limit: 1000}, "a limit and a window": {Window: 9000, Limit: 1000}} {
			plan, err := own.Fit(t.Context(), fit.Task{Conversation: c, Scope: scope})
			testkit.Must(t, err)
			got[name] = plan.Line
		}
		named := plimsoll.Line{Window: 1000, Reserve: tt.named}
		want := map[string]plimsoll.Line{"named": named, "own": {Window: 1000, Reserve: tt.own}, "fixed": named, "asked for": named, "a limit": {Window: 1000}, "a limit and a window": {Window: 1000}}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("reserve %v (-want +got):\n%s", tt.reserve, diff)
		}
	}
}

// TestFitLaws: whatever the history and the window, fitting keeps order, pins and
// the newest turn, parts nothing, never grows, and either fits or says why not.
func TestFitLaws(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		messages := rapid.OneOf(testkit.AnyHistory(), testkit.LegalHistory()).Draw(t, "history")
		c := testkit.Conversation(messages)
		load := testkit.ByteMeter{}.Weigh(c)
		keep := rapid.SampledFrom([]fit.Keep{fit.KeepRound, fit.KeepTurn}).Draw(t, "keep")
		var pins []fit.Pin
		if len(messages) > 0 && rapid.Bool().Draw(t, "pin") {
			i := rapid.IntRange(0, len(messages)-1).Draw(t, "pinned")
			pins = append(pins, fit.Pin{Index: &i})
		}
		window := rapid.IntRange(0, load.Total+1).Draw(t, "window")
		k, err := fit.New(&fit.Options{
			Meter: testkit.ByteMeter{}, Window: max(1, window), Reserve: new(0), Keep: keep, Pins: pins,
			Marks: fit.Watermarks{Low: rapid.Float64Range(0.01, 1).Draw(t, "low")},
			Rungs: []fit.Rung{&rung.Slide{TurnsOnly: keep == fit.KeepTurn}},
		})
		if err != nil {
			t.Fatal(err)
		}
		plan, err := k.Fit(context.Background(), fit.Task{Conversation: c})
		if !reflect.DeepEqual(c.Messages.Slice(), messages) {
			t.Fatal("the input was changed")
		}
		if err != nil {
			var over *plimsoll.OverloadError
			if !errors.As(err, &over) {
				t.Fatalf("error %v", err)
			}
			return
		}
		checkFitted(t, c, plan, pins)
	})
}

func checkFitted(t *rapid.T, c plimsoll.Conversation, plan *plimsoll.Plan, pins []fit.Pin) {
	if plan.After.Exceeds(plan.Line) || plan.Changed() && plan.After.Total > plan.Goal {
		t.Fatalf("load %d, goal %d, limit %d", plan.After.Total, plan.Goal, plan.Line.Limit())
	}
	result := plan.Conversation()
	if !cmp.Equal(testkit.ByteMeter{}.Weigh(result), plan.After) {
		t.Fatal("the load after is not that of the result")
	}
	if plan.Changed() && plan.After.Total >= plan.Before.Total {
		t.Fatalf("grew from %d to %d", plan.Before.Total, plan.After.Total)
	}
	before, after := c.Outline(), result.Outline()
	if len(after.Orphans) > len(before.Orphans) || len(after.Dead) > len(before.Dead) {
		t.Fatal("a call was parted from its result")
	}
	testkit.CheckOrderKept(t, plan.Draft)
	kept := map[int]bool{}
	for p := range plan.Draft.Placed() {
		kept[p.Original] = true
	}
	for _, p := range pins {
		if !kept[*p.Index] {
			t.Fatalf("pinned message %d is gone", *p.Index)
		}
	}
	if n := len(before.Turns); n > 0 && before.Turns[n-1].User >= 0 && !kept[before.Turns[n-1].User] {
		t.Fatal("the newest turn has lost its opening")
	}
}
