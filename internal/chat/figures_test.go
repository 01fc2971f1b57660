package chat

import (
	"testing"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/fit"
)

// TestS07_TurnsThatGoAreSaidWithTheirOwnTokens has a plan that left out two turns before and
// drops a third one now.
func TestS07_TurnsThatGoAreSaidWithTheirOwnTokens(t *testing.T) {
	t.Parallel()
	plan := &plimsoll.Plan{
		Before: plimsoll.Load{Total: 549, Exact: true, Messages: make([]plimsoll.MessageLoad, 7)},
		After:  plimsoll.Load{Total: 260, Exact: true},
		Rungs:  []plimsoll.RungReport{{Rung: "slide", Edits: 4, Saved: 190, Replayed: true}, {Rung: "slide", Edits: 2, Saved: 99}},
	}
	for i := range 6 {
		plan.Edits = append(plan.Edits, plimsoll.Edit{Kind: plimsoll.EditDrop, Rung: "slide", Message: i})
	}
	const want = "1 turn will go: 359 → 260 tokens"
	if got := going(plan, view{turns: []int{0, 0, 1, 1, 2, 2, 3}}); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestAGaugeWithoutALineIsUnlimited(t *testing.T) {
	t.Parallel()
	if g := gauge(Participant{}, plimsoll.Load{Total: 5}, plimsoll.Line{}, fit.Watermarks{}); !g.Unlimited {
		t.Errorf("%s", g)
	}
}
