package fit_test

import (
	"regexp"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/fit"
	"github.com/plimsoll/plimsoll/internal/testkit"
)

func TestPinnedMessagesSurvive(t *testing.T) {
	t.Parallel()
	first, beforeLast := 1, -3
	c := testkit.Conversation([]plimsoll.Message{
		plimsoll.Say(plimsoll.System, "SYS"),
		plimsoll.Say(plimsoll.User, "first"),
		plimsoll.NewMessage(plimsoll.Assistant, plimsoll.Text{Text: "call"}, plimsoll.ToolCall{ID: "1", Name: "read"}),
		plimsoll.NewMessage(plimsoll.ToolRole, plimsoll.Text{Text: "out"}, plimsoll.ToolResult{CallID: "1", Content: testkit.Text("secret")}),
		plimsoll.Say(plimsoll.Assistant, "done"),
		plimsoll.Say(plimsoll.User, "second"),
		plimsoll.Say(plimsoll.Developer, "note"),
		plimsoll.Say(plimsoll.Assistant, "fine"),
		plimsoll.Say(plimsoll.User, "third"),
	})
	for _, tt := range []struct {
		name string
		pin  fit.Pin
		want string
	}{
		{"by nothing", fit.Pin{}, "SYS third"},
		{"by index", fit.Pin{Index: &first}, "SYS first third"},
		{"by index from the end, with the question", fit.Pin{Index: &beforeLast}, "SYS second note third"},
		{"by role", fit.Pin{Role: plimsoll.Developer}, "SYS second note third"},
		{"by tool, with the call and the question", fit.Pin{Tool: "read"}, "SYS first call out third"},
		{"by pattern", fit.Pin{Match: regexp.MustCompile(`^sec.nd$`)}, "SYS second third"},
		{"by pattern in a result, with the call", fit.Pin{Match: regexp.MustCompile("secret")}, "SYS first call out third"},
		{"by all conditions at once", fit.Pin{Role: plimsoll.Assistant, Match: regexp.MustCompile("fin")}, "SYS second fine third"},
		{"by conditions of which one fails", fit.Pin{Role: plimsoll.User, Tool: "read"}, "SYS third"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			k := newKeeper(t, 1000, fit.Options{Arrival: []fit.Rung{everything}})
			plan, err := k.Plan(t.Context(), fit.Task{Conversation: c, Pins: []fit.Pin{tt.pin}})
			testkit.Must(t, err)
			if got := words(plan.Conversation()); got != tt.want {
				t.Errorf("kept %q, want %q", got, tt.want)
			}
		})
	}
}

func TestTheNewestTurnKeepsItsOpeningAndItsNewestRound(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, history string
		want          []int
	}{
		{"where the assistant calls", "s u a u a:c1 t:r1 a:c2 t:r2", []int{0, 3, 6, 7}},
		{"where notes follow the opening", "s u a u d a:c1 t:r1 a", []int{0, 3, 4, 7}},
		{"where the user calls and the assistant answers", "u a u:c1 a:r1 a", []int{2, 3, 4}},
		{"where the user calls before the first round", "u:c1 t:r1 a a", []int{0, 1, 3}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			plan, err := newKeeper(t, 1000, fit.Options{Arrival: []fit.Rung{everything}}).Fit(t.Context(), fit.Task{Conversation: testkit.Conversation(testkit.History(t, tt.history))})
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

// everything drops whatever may be dropped.
var everything = rungOf("everything", func(w *fit.Work) error {
	for i := range w.Draft().Original().Messages.Len() {
		if !w.Kept(i) {
			if err := w.Draft().DropAlone(i, testkit.Because); err != nil {
				return err
			}
		}
	}
	return nil
})

func TestFitUndoesARungThatChangesAPinnedMessage(t *testing.T) {
	t.Parallel()
	shorten := func(message int) fit.Rung {
		return rungOf("shorten", func(w *fit.Work) error {
			return w.Draft().ReplaceResult(plimsoll.PartRef{Message: message}, testkit.Text("short"), testkit.Because)
		})
	}
	pin := 2
	k := newKeeper(t, 1000, fit.Options{Arrival: []fit.Rung{shorten(2), shorten(4)}})
	plan, err := k.Fit(t.Context(), fit.Task{Conversation: outputs(), Pins: []fit.Pin{{Index: &pin}}})
	testkit.Must(t, err)
	if got, want := plan.Rungs[0].Undone, "message 2: a message that must survive was removed or changed"; got != want || len(plan.Edits) != 1 || plan.Edits[0].Message != 4 {
		t.Errorf("undone because %q, want %q; edits %+v", got, want, plan.Edits)
	}
}
