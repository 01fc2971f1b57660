package rung_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/fit"
	"github.com/plimsoll/plimsoll/rung"
	"github.com/plimsoll/plimsoll/token"
)

const trimmed = "[tool output trimmed]"

// cleared says which of the outputs are placeholders.
func cleared(c plimsoll.Conversation) string {
	var b strings.Builder
	for _, text := range outputsOf(c) {
		if strings.HasPrefix(text, "[tool output trimmed") {
			b.WriteByte('-')
		} else {
			b.WriteByte('x')
		}
	}
	return b.String()
}

func TestO07_TheOldestOutputsGoUntilTheRestIsWithinTheBudget(t *testing.T) {
	t.Parallel()
	hundred := strings.Repeat("x", 100)
	five := session(ran("a", hundred), ran("b", hundred), ran("c", hundred), ran("d", hundred), ran("e", hundred))
	bad := session(ran("a", "exit code: 1"+hundred[12:]), ran("b", hundred), step{tool: "c", content: parts(hundred), failed: true}, ran("d", hundred), ran("e", hundred))
	for _, tc := range []struct {
		name  string
		c     plimsoll.Conversation
		clear rung.Clear
		pins  []fit.Pin
		want  string
	}{
		{"within the budget", five, rung.Clear{Budget: 500}, nil, "xxxxx"},
		{"one over", five, rung.Clear{Budget: 499}, nil, "-xxxx"},
		{"the placeholders count", five, rung.Clear{Budget: 340}, nil, "---xx"},
		{"the newest too, if need be", five, rung.Clear{Budget: 1}, nil, "-----"},
		{"but not those that are kept", five, rung.Clear{Budget: 1, KeepNewest: 2}, nil, "---xx"},
		{"all are kept", five, rung.Clear{Budget: 1, KeepNewest: 9}, nil, "xxxxx"},
		{"failures go last", bad, rung.Clear{Budget: 300}, nil, "x-x--"},
		{"but they go, oldest first", bad, rung.Clear{Budget: 200}, nil, "--x--"},
		{"what is pinned stays", five, rung.Clear{Budget: 330}, []fit.Pin{pinAt(2)}, "x---x"},
		{"not for too little", five, rung.Clear{Budget: 450, MinReclaim: 80}, nil, "xxxxx"},
		{"enough comes off", five, rung.Clear{Budget: 400, MinReclaim: 80}, nil, "--xxx"},
		{"no budget", five, rung.Clear{Budget: -1}, nil, "xxxxx"},
		{"what is smaller than its placeholder stays", session(ran("a", "ok, all is well"), ran("b", hundred)), rung.Clear{Budget: 50}, nil, "x-"},
	} {
		if tc.clear.MinReclaim == 0 {
			tc.clear.MinReclaim = -1
		}
		plan := fitted(t, fit.Options{Window: 10_000, Arrival: []fit.Rung{&tc.clear}, Pins: tc.pins}, tc.c)
		if got := cleared(plan.Conversation()); got != tc.want {
			t.Errorf("%s: got %s, want %s", tc.name, got, tc.want)
		}
	}
}

func TestWhatTheModelHasNotSeenYetIsNotCleared(t *testing.T) {
	t.Parallel()
	hundred := strings.Repeat("x", 100)
	var calls []plimsoll.Part
	var results []plimsoll.Message
	for _, id := range []string{"1", "2", "3", "4", "5"} {
		calls = append(calls, plimsoll.ToolCall{ID: "new" + id, Name: "read", Arguments: "{}"})
		results = append(results, plimsoll.NewMessage(plimsoll.ToolRole, plimsoll.ToolResult{CallID: "new" + id, Content: parts(hundred)}))
	}
	messages := session(ran("a", hundred), ran("b", hundred)).Messages.Slice()
	messages = append(append(messages, plimsoll.NewMessage(plimsoll.Assistant, calls...)), results...)
	c := plimsoll.Conversation{Messages: plimsoll.ListOf(messages...)}
	for keep, want := range map[int]string{1: "--xxxxx", 3: "--xxxxx", 6: "-xxxxxx", 0: "-------"} {
		clear := &rung.Clear{Budget: 1, KeepNewest: keep, MinReclaim: -1}
		if got := cleared(fitted(t, fit.Options{Window: 10_000, Arrival: []fit.Rung{clear}}, c).Conversation()); got != want {
			t.Errorf("keep %d: %s, want %s", keep, got, want)
		}
	}
}

func TestKeptOutputsYieldWhereTheGoalIsNotReachedWithout(t *testing.T) {
	t.Parallel()
	var steps []step
	for range 6 {
		steps = append(steps, ran("read", strings.Repeat("x", 100)))
	}
	c := session(steps...)
	for goesOn, want := range map[bool]string{false: "---xxx", true: "-----x"} {
		clear := &rung.Clear{Budget: -1, MinReclaim: -1, KeepNewest: 3, ToGoal: true}
		o := fit.Options{Window: 560, Marks: fit.Watermarks{Low: 0.01, Room: 0.95}, Rungs: []fit.Rung{clear}}
		plan := fittedTask(t, o, fit.Task{Conversation: c, GoesOn: goesOn})
		if got := cleared(plan.Conversation()); got != want {
			t.Errorf("goes on %v: %s, want %s", goesOn, got, want)
		}
	}
}

// TestALaterCutOfLargeOutputsLeavesWhatTheCacheHas lets a conversation grow in a window
// of about ten outputs, or of thirty, and says of each request that was cut again what it
// looked like.
func TestALaterCutOfLargeOutputsLeavesWhatTheCacheHas(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name   string
		length int
		want   []string
	}{
		{"at the first cut all is written again, at later ones what the cache has stays", 1000, []string{"--------xx", "--------xxxxx----x", "--------xxxxx--------x"}},
		{"small ones leave enough in the cache", 300, []string{strings.Repeat("-", 28) + "xxxxxx", strings.Repeat("-", 56) + "xxxx"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			k, err := fit.New(&fit.Options{
				Meter: letterMeter(), Window: 10_000, Reserve: new(0), Marks: fit.Watermarks{Low: 0.8, Room: 0.75}, Sticky: true,
				Rungs: []fit.Rung{&rung.Clear{Budget: -1, MinReclaim: -1, ToGoal: true, KeepNewest: 1}},
			})
			if err != nil {
				t.Fatal(err)
			}
			var steps []step
			var got []string
			for i := range 22_000 / tc.length {
				steps = append(steps, ran("read", fmt.Sprintf("%0*d", tc.length, i)))
				plan, err := k.Fit(t.Context(), fit.Task{Conversation: session(steps...)})
				if err != nil {
					t.Fatal(err)
				}
				if plan.Changed() && !plan.Rungs[len(plan.Rungs)-1].Replayed {
					got = append(got, cleared(plan.Conversation()))
				}
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestClearMakesRoomForWhatComes(t *testing.T) {
	t.Parallel()
	var steps []step
	for range 20 {
		steps = append(steps, ran("read", strings.Repeat("x", 100)))
	}
	c := session(steps...)
	for _, room := range []float64{0, 0.4, 0.7} {
		o := fit.Options{Window: 2000, Marks: fit.Watermarks{Low: 0.9, Room: room}, Rungs: []fit.Rung{&rung.Clear{Budget: -1, MinReclaim: -1, ToGoal: true}, &rung.Slide{}}}
		plan := fitted(t, o, c)
		want := 1800
		if room > 0 {
			want = 2000 - int(room*2000)
		}
		if plan.After.Total > want || plan.After.Total < want-200 {
			t.Errorf("room %v: %d tokens are left, want a little under %d", room, plan.After.Total, want)
		}
		for _, r := range plan.Rungs {
			if r.Rung == "slide" {
				t.Errorf("room %v: whole rounds went for it", room)
			}
		}
	}
}

func TestO07_ThePlaceholderNamesWhatIsStored(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 1000)
	s := &shelf{}
	c := session(ran("a", long), ran("tool_output_cache", long+"y"), step{tool: "shot", content: parts(long+"z", picture)})
	plan := fitted(t, fit.Options{Window: 10_000, Arrival: []fit.Rung{&rung.Clear{Budget: 1, MinReclaim: -1, Explain: true}}, Archive: s}, c)
	var want []string
	for i, text := range []string{long, "", written(parts(long+"z", picture))} {
		ref := plan.Conversation().Messages.At(2 + 2*i).Parts.At(0).(plimsoll.ToolResult).Ref
		if text == "" {
			want = append(want, trimmed)
			continue
		}
		if ref == nil || s.kept[ref.ID] != text {
			t.Fatalf("output %d: the reference %v does not lead to it", i, ref)
		}
		want = append(want, "[tool output trimmed; ref="+ref.ID+"]")
	}
	if diff := cmp.Diff(want, outputsOf(plan.Conversation())); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if want := "oldest output beyond the budget of 1 tokens"; plan.Edits[0].Reason != want {
		t.Errorf("got reason %q, want %q", plan.Edits[0].Reason, want)
	}
}

func TestO07_WithoutAnArchiveNoReferenceIsLost(t *testing.T) {
	t.Parallel()
	view := strings.Repeat("x", 1000) + "\n\n[tool output truncated; ref=c1]"
	for _, tc := range []struct{ name, text, want string }{
		{"an output", strings.Repeat("x", 1000), "[tool output trimmed; it was not stored, run the tool again if it is needed]"},
		{"a view", view, "[tool output trimmed; ref=c1]"},
		{"what has a reference of its own", "[1] see docs" + strings.Repeat(" and docs", 50) + "; ref=c1]", "[tool output trimmed; it was not stored, run the tool again if it is needed]"},
		{"a mark with a reference in its words", "[older content of a; ref=c2, which was changed later; ref=" + strings.Repeat("c1", 99) + "]", "[older content of a; ref=c2, which was changed later; ref=" + strings.Repeat("c1", 99) + "]"},
		{"a placeholder", "[tool output trimmed; ref=a-rather-long-reference-of-c1]", "[tool output trimmed; ref=a-rather-long-reference-of-c1]"},
	} {
		plan := fitted(t, fit.Options{Window: 10_000, Arrival: []fit.Rung{&rung.Clear{Budget: 1, MinReclaim: -1, Explain: true}}}, session(ran("a", tc.text)))
		if got := outputOf(plan.Conversation(), 2); got != tc.want {
			t.Errorf("%s: got %q, want %q", tc.name, got, tc.want)
		}
	}
}

func TestClearTakesAViewUnderItsOwnReference(t *testing.T) {
	t.Parallel()
	text := numbered(10_000)
	s := &shelf{}
	plan := fitted(t, fit.Options{
		Window: 1000, Arrival: []fit.Rung{&rung.View{All: true}},
		Rungs: []fit.Rung{&rung.Clear{Budget: -1, ToGoal: true}, &rung.View{ToFit: true}}, Archive: s,
	}, session(ran("log", text)))
	r := plan.Conversation().Messages.At(2).Parts.At(0).(plimsoll.ToolResult)
	if want := "[tool output trimmed; ref=" + r.Ref.ID + "]"; plimsoll.TextOf(r.Content) != want || s.kept[r.Ref.ID] != text || len(s.kept) != 1 {
		t.Errorf("got %q and %d things stored, want %q and the whole", plimsoll.TextOf(r.Content), len(s.kept), want)
	}
}

// TestAViewThatComesBackLeadsToItsOriginal: a client goes on with the views that it was
// given. Clearing one must not store the view: its original would be two steps away, and no
// decision would keep it.
func TestAViewThatComesBackLeadsToItsOriginal(t *testing.T) {
	t.Parallel()
	text := numbered(10_000)
	s := &shelf{}
	clear := &rung.Clear{Budget: 1, MinReclaim: -1}
	first := fitted(t, fit.Options{Window: 1_000_000, Arrival: []fit.Rung{&rung.View{All: true}}, Archive: s}, session(ran("log", text)))
	ref := first.Conversation().Messages.At(2).Parts.At(0).(plimsoll.ToolResult).Ref.ID
	view := outputOf(first.Conversation(), 2)
	for _, tt := range []struct{ name, text, stored string }{
		{"a view", view, text},
		{"a view of what is gone", strings.ReplaceAll(view, ref, "123456789abc"), strings.ReplaceAll(view, ref, "123456789abc")},
		{"what a tool printed", "something else\n" + view, "something else\n" + view},
		{"what a tool printed that is longer", view[:8] + text + view, view[:8] + text + view},
	} {
		again := fitted(t, fit.Options{Window: 1_000_000, Arrival: []fit.Rung{clear}, Archive: s}, session(ran("log", tt.text)))
		r := again.Conversation().Messages.At(2).Parts.At(0).(plimsoll.ToolResult)
		if r.Ref == nil || s.kept[r.Ref.ID] != tt.stored || plimsoll.TextOf(r.Content) != "[tool output trimmed; ref="+r.Ref.ID+"]" {
			t.Errorf("%s: %q does not lead to the %d bytes that it replaces", tt.name, plimsoll.TextOf(r.Content), len(tt.stored))
		}
	}
}

func TestClearGoesOnToTheGoal(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 1000)
	c := session(ran("a", long), ran("b", long), ran("c", long), ran("d", long))
	for _, tc := range []struct {
		name   string
		clear  rung.Clear
		goesOn bool
		want   string
	}{
		{"beyond the budget", rung.Clear{ToGoal: true}, true, "--xx"},
		{"even if that reclaims little", rung.Clear{ToGoal: true, MinReclaim: 3000}, true, "--xx"},
		{"with the newest kept it does not get there, and too little comes off", rung.Clear{ToGoal: true, KeepNewest: 3, MinReclaim: 1500}, false, "xxxx"},
	} {
		o := fit.Options{Window: 2200, Rungs: []fit.Rung{&tc.clear, &rung.View{ToFit: true}}}
		plan := fittedTask(t, o, fit.Task{Conversation: c, GoesOn: tc.goesOn})
		if got := cleared(plan.Conversation()); got != tc.want {
			t.Errorf("%s: got %s, want %s", tc.name, got, tc.want)
		}
	}
}

func TestClearLeavesScreenshotsThatResponsesAsksFor(t *testing.T) {
	t.Parallel()
	c := session(step{tool: "computer", content: parts(picture)}, ran("a", strings.Repeat("x", 500)))
	clear := &rung.Clear{Budget: 1, MinReclaim: -1}
	for dialect, want := range map[plimsoll.Dialect]int{plimsoll.Responses: 1, plimsoll.Anthropic: 2} {
		c.Dialect = dialect
		plan := fitted(t, fit.Options{Meter: token.NewMeter(nil), Window: 100_000, Arrival: []fit.Rung{clear}}, c)
		if got := len(plan.Edits); got != want {
			t.Errorf("%s: got %d edits, want %d", dialect, got, want)
		}
	}
}

func TestAnArchiveThatFailsIsDoneWithout(t *testing.T) {
	t.Parallel()
	plan := fitted(t, fit.Options{
		Window: 10_000, Arrival: []fit.Rung{&rung.Clear{Budget: 1, MinReclaim: -1}}, Archive: &shelf{down: true},
	}, session(ran("a", strings.Repeat("x", 100))))
	if got := outputOf(plan.Conversation(), 2); got != trimmed || plan.Degraded == "" {
		t.Errorf("got %q and %q, want a placeholder without a reference and the reason", got, plan.Degraded)
	}
}

func ExampleClear() {
	messages := []plimsoll.Message{plimsoll.Say(plimsoll.User, "Which crane stopped?")}
	for i := range 3 {
		id := fmt.Sprint("call", i)
		messages = append(messages,
			plimsoll.NewMessage(plimsoll.Assistant, plimsoll.ToolCall{ID: id, Name: "read_log", Arguments: fmt.Sprintf(`{"crane":%d}`, i)}),
			plimsoll.NewMessage(plimsoll.ToolRole, plimsoll.ToolResult{CallID: id, Content: plimsoll.ListOf[plimsoll.Part](plimsoll.Text{Text: strings.Repeat("all is well\n", 1000)})}))
	}
	keeper, err := fit.New(&fit.Options{
		Meter: token.NewMeter(nil), Model: "gpt-4o", Window: 8192,
		Rungs: []fit.Rung{&rung.Clear{Budget: 6000, KeepNewest: 1}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	plan, err := keeper.Fit(context.Background(), fit.Task{Conversation: plimsoll.Conversation{Messages: plimsoll.ListOf(messages...)}})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, edit := range plan.Edits {
		fmt.Printf("message %d: %s\n", edit.Message, edit.Reason)
	}
	result := plan.Conversation().Messages.At(2).Parts.At(0).(plimsoll.ToolResult)
	fmt.Println(plimsoll.TextOf(result.Content))
	// Output:
	// message 2: oldest output beyond the budget of 6000 tokens
	// message 4: oldest output beyond the budget of 6000 tokens
	// [tool output trimmed]
}
