package fit

import (
	"testing"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/testkit"
)

// TestACheckOfALaterStateIsForgottenWithThatState rolls a draft back and edits it otherwise:
// its log is as long as before, and the body is another.
func TestACheckOfALaterStateIsForgottenWithThatState(t *testing.T) {
	t.Parallel()
	c := plimsoll.Conversation{Messages: plimsoll.ListOf(plimsoll.Say(plimsoll.User, "one"), plimsoll.Say(plimsoll.User, "two"))}
	encode := func(d *plimsoll.Draft) ([]byte, error) {
		m := d.Result().Messages
		return []byte(m.At(m.Len() - 1).Text()), nil
	}
	w := &Work{k: &Keeper{}, task: &Task{Conversation: c, Encode: encode}, plan: &plimsoll.Plan{}, draft: plimsoll.NewDraft(c, nil)}
	for _, text := range []string{"three", "four"} {
		_, err := w.draft.Insert(2, plimsoll.Say(plimsoll.User, text), plimsoll.Why{Rung: "test"})
		testkit.Must(t, err)
		testkit.Must(t, w.check())
		testkit.Must(t, w.encode())
		if got := string(w.plan.Body); got != text {
			t.Errorf("the body ends with %q, want %q", got, text)
		}
		w.rollback(0)
	}
}
