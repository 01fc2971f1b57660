package rung_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/fit"
	"github.com/plimsoll/plimsoll/rung"
	"github.com/plimsoll/plimsoll/token"
)

// numbered writes lines "line 1", "line 2", … with errors at the given places.
func numbered(lines int, errorsAt ...int) string {
	var b strings.Builder
	for i := 1; i <= lines; i++ {
		fmt.Fprintf(&b, "line %d\n", i)
		for _, at := range errorsAt {
			if at == i {
				fmt.Fprintf(&b, "error: broken at %d\n", i)
			}
		}
	}
	return b.String()
}

func TestO06_AViewKeepsTheEndAndTheErrorsIfAsked(t *testing.T) {
	t.Parallel()
	text := numbered(2000, 900, 1200)
	v := &rung.View{MaxBytes: 1000, Tail: 0.3, Errors: true}
	got := v.Text(text, "c1")
	for _, want := range []string{
		"line 1\nline 2\n", "\n[lines ", " to 1", " left out; among them:]\n901: error: broken at 900\n1202: error: broken at 1200\n",
		"line 2000\n\n\n[tool output truncated; ref=c1]",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in the view:\n%s", want, got)
		}
	}
	body, _, _ := strings.Cut(got, "\n\n[tool output truncated")
	if len(body) > 1000 {
		t.Errorf("the view has %d bytes without its mark, want at most 1000", len(body))
	}

	head := (&rung.View{MaxBytes: 1000, Errors: true}).Text(text, "c1")
	if !strings.Contains(head, "901: error") || strings.Contains(head, "line 2000") {
		t.Errorf("without a tail the errors, and only they, follow the beginning:\n%s", head)
	}
	calm := (&rung.View{MaxBytes: 1000, Errors: true}).Text(numbered(2000), "c1")
	if plain := (&rung.View{MaxBytes: 1000}).Text(numbered(2000), "c1"); calm != plain {
		t.Error("without errors the beginning has not all the room")
	}
}

func TestO06_AViewNamesTheLinesThatItLeavesOut(t *testing.T) {
	t.Parallel()
	text := strings.TrimSuffix(numbered(1000), "\n")
	got := (&rung.View{MaxBytes: 1000, Tail: 0.5}).Text(text, "")
	var first, last int
	_, note, _ := strings.Cut(got, "[lines ")
	if _, err := fmt.Sscanf(note, "%d to %d left out]", &first, &last); err != nil {
		t.Fatalf("no note of the lines: %v in\n%s", err, got)
	}
	head := fmt.Sprintf("line %d\n[lines", first-1)
	tail := fmt.Sprintf("left out]\nline %d\n", last+1)
	if !strings.Contains(got, head) || !strings.Contains(got, tail) {
		t.Errorf("lines %d to %d are not what is missing:\n%s", first, last, got)
	}
	single := (&rung.View{MaxBytes: 1000, MaxLine: -1, Tail: 0.5}).Text(strings.Repeat("x", 5000), "")
	if !strings.Contains(single, "[a part of line 1 left out]") {
		t.Errorf("a single line is not said to be cut:\n%s", single)
	}
}

func TestO06_ViewsHoldTheirLimitsWhateverTheTextIs(t *testing.T) {
	t.Parallel()
	piece := rapid.SampledFrom([]string{"a", "long ", "\n", "\r\n", "日本", "😀", "error: x\n", "\xff", "[tool output truncated]", strings.Repeat("z", 90)})
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(piece, 0, 400).Draw(t, "text"), "")
		v := &rung.View{
			MaxBytes: rapid.IntRange(1, 3000).Draw(t, "bytes"), MaxLine: rapid.IntRange(1, 200).Draw(t, "line"),
			Tail: rapid.Float64Range(0, 1).Draw(t, "tail"), Errors: rapid.Bool().Draw(t, "errors"),
		}
		got := v.Text(text, "c1")
		if again := v.Text(got, "c1"); again != got {
			t.Fatalf("a view of the view differs:\n%q\n%q", got, again)
		}
		body := strings.TrimSuffix(strings.TrimSuffix(got, "[tool output truncated; ref=c1]"), "\n\n")
		if got == text {
			return
		}
		if len(body) > v.MaxBytes {
			t.Fatalf("%d bytes, want at most %d", len(body), v.MaxBytes)
		}
		if utf8.ValidString(text) && !utf8.ValidString(got) {
			t.Fatal("a character was cut")
		}
		for line := range strings.SplitSeq(body, "\n") {
			if n := utf8.RuneCountInString(line); n > v.MaxLine {
				t.Fatalf("a line of %d characters, want at most %d", n, v.MaxLine)
			}
		}
	})
}

func TestO06_PicturesStayInPlaceAndTheLargestTextsAreCut(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("word ", 100)
	plan := arrived(t, session(step{tool: "look", content: parts("title", picture, long, plimsoll.Opaque{Raw: "{}"}, long)}), &rung.View{MaxBytes: 205, All: true})
	got := plan.Conversation().Messages.At(2).Parts.At(0).(plimsoll.ToolResult)
	want := parts("title", picture, strings.Repeat("word ", 20), plimsoll.Opaque{Raw: "{}"},
		strings.Repeat("word ", 20)+"\n\n[tool output truncated; the rest can be expanded; ref="+got.Ref.ID+"]")
	if diff := cmp.Diff(want.Slice(), got.Content.Slice()); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestO05_TheWholeOutputIsStored(t *testing.T) {
	t.Parallel()
	text := numbered(10_000)
	s := &shelf{}
	plan := fitted(t, fit.Options{Window: 200_000, Arrival: []fit.Rung{&rung.View{All: true}}, Archive: s}, session(ran("log", text)))
	ref := plan.Conversation().Messages.At(2).Parts.At(0).(plimsoll.ToolResult).Ref
	if ref == nil || s.kept[ref.ID] != text {
		t.Fatalf("the reference %v does not lead to the output", ref)
	}
	if want := "output of 98894 bytes, the limit is 51200"; plan.Edits[0].Reason != want {
		t.Errorf("got reason %q, want %q", plan.Edits[0].Reason, want)
	}
}

func TestViewStopsAtTheGoalUnlessItIsForAll(t *testing.T) {
	t.Parallel()
	c := session(ran("a", numbered(500)), ran("b", numbered(500)), ran("c", numbered(500)))
	o := fit.Options{Window: 12_000, Rungs: []fit.Rung{&rung.View{MaxBytes: 1000}}}
	if got := len(fitted(t, o, c).Edits); got != 1 {
		t.Errorf("got %d edits, want 1: the goal is reached by the oldest", got)
	}
	o.Rungs = []fit.Rung{&rung.View{MaxBytes: 1000, All: true}}
	if got := len(fitted(t, o, c).Edits); got != 3 {
		t.Errorf("got %d edits, want all 3", got)
	}
	o.Pins = []fit.Pin{pinAt(2)}
	if got := fitted(t, o, c); got.Edits[0].Message != 4 || len(got.Edits) != 2 {
		t.Errorf("got %v, want edits of messages 4 and 6: 2 is pinned", got.Edits)
	}
}

func TestToFitSharesWhatIsLeftAmongTheNewestOutputs(t *testing.T) {
	t.Parallel()
	meter := token.NewMeter(nil)
	c := together(ran("log", numbered(10)), ran("log", numbered(3000)), ran("log", numbered(6000, 5999)))
	c.Model = "gpt-4o"
	view := &rung.View{ToFit: true, Errors: true, Tail: 0.25}
	plan := fitted(t, fit.Options{Meter: meter, Window: 4000, Rungs: []fit.Rung{view}}, c)
	if len(plan.Edits) != 2 || plan.After.Total > 4000 || plan.After.Total < 3200 {
		t.Errorf("got %d edits and %d tokens, want the two largest cut to just under 4000", len(plan.Edits), plan.After.Total)
	}
	shares := make([]int, 3)
	for i := range shares {
		shares[i] = plan.After.Messages[2+i].Tokens
	}
	if small := plan.Before.Messages[2].Tokens; shares[0] != small || shares[1]*5 < shares[2]*4 || shares[2]*5 < shares[1]*4 {
		t.Errorf("got shares %v, want the first as it was and equal ones for the others", shares)
	}
	text := outputOf(plan.Conversation(), 4)
	if !strings.Contains(text, "error: broken at 5999") {
		t.Errorf("the error is gone from\n%s", text)
	}
}

func TestToFitLeavesNoMoreThanItPromises(t *testing.T) {
	t.Parallel()
	view := &rung.View{ToFit: true}
	c := together(step{tool: "shot", content: parts(picture)}, ran("tool_output_cache", numbered(900)), ran("log", numbered(900)))
	c.Model = "gpt-4o"
	plan := fitted(t, fit.Options{Meter: token.NewMeter(nil), Window: 270, Rungs: []fit.Rung{view}, Archive: &shelf{}}, c)
	for i := 2; i < 5; i++ {
		if n := plan.After.Messages[i].Parts[0]; n > view.Least() {
			t.Errorf("message %d: %d tokens are left, want at most %d", i, n, view.Least())
		}
	}
	if got := outputOf(plan.Conversation(), 2); !strings.HasPrefix(got, "[tool output truncated; ref=") {
		t.Errorf("got %q in the place of the picture", got)
	}
	if got := outputOf(plan.Conversation(), 3); !strings.HasSuffix(got, "[tool output truncated]") {
		t.Errorf("got %q, want no new reference for what can be asked for again", got)
	}
}

func TestToFitShrinksAViewAgainUnderTheSameReference(t *testing.T) {
	t.Parallel()
	text := numbered(10_000)
	s := &shelf{}
	plan := fitted(t, fit.Options{
		Window: 10_000, Arrival: []fit.Rung{&rung.View{All: true}},
		Rungs: []fit.Rung{&rung.View{ToFit: true}}, Archive: s,
	}, session(ran("log", text)))
	r := plan.Conversation().Messages.At(2).Parts.At(0).(plimsoll.ToolResult)
	if len(plan.Edits) != 2 || r.Ref == nil || s.kept[r.Ref.ID] != text || len(s.kept) != 1 {
		t.Errorf("got %d edits and %d things stored, want 2 edits under one reference to the whole", len(plan.Edits), len(s.kept))
	}
	if plimsoll.TextOf(r.Content) == "" || strings.Count(plimsoll.TextOf(r.Content), "truncated") != 1 {
		t.Errorf("got %.80q, want one mark", plimsoll.TextOf(r.Content))
	}
}

func TestWithoutToFitNothingIsPromised(t *testing.T) {
	t.Parallel()
	k, err := fit.New(&fit.Options{Meter: letterMeter(), Window: 100, Reserve: new(0), Rungs: []fit.Rung{&rung.View{}}})
	if err != nil {
		t.Fatal(err)
	}
	_, err = k.Fit(t.Context(), fit.Task{Conversation: session(ran("log", numbered(100)))})
	if over := new(plimsoll.OverloadError); !errors.As(err, &over) || over.Floor < 800 {
		t.Errorf("got %v, want a floor that holds the output", err)
	}
}

func ExampleView() {
	output := strings.Repeat("a line of a log\n", 10_000)
	keeper, err := fit.New(&fit.Options{
		Meter: token.NewMeter(nil), Model: "gpt-4o", Window: 128_000,
		Arrival: []fit.Rung{&rung.View{All: true, MaxBytes: 64, Explain: true}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	plan, err := keeper.Fit(context.Background(), fit.Task{Conversation: plimsoll.Conversation{Messages: plimsoll.ListOf(
		plimsoll.Say(plimsoll.User, "What does the log say?"),
		plimsoll.NewMessage(plimsoll.Assistant, plimsoll.ToolCall{ID: "1", Name: "read_log"}),
		plimsoll.NewMessage(plimsoll.ToolRole, plimsoll.ToolResult{CallID: "1", Content: plimsoll.ListOf[plimsoll.Part](plimsoll.Text{Text: output})}),
	)}})
	if err != nil {
		fmt.Println(err)
		return
	}
	result := plan.Conversation().Messages.At(2).Parts.At(0).(plimsoll.ToolResult)
	fmt.Println(plimsoll.TextOf(result.Content))
	fmt.Println(plan.Edits[0].Reason)
	// Output:
	// a line of a log
	// a line of a log
	// a line of a log
	// a line of a log
	//
	// [tool output truncated; the rest was not stored, run the tool again if it is needed]
	// output of 160000 bytes, the limit is 64
}
