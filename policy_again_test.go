package plimsoll_test

import (
	"testing"

	"github.com/plimsoll/plimsoll"
)

// TestARequestThatWasCutIsCutTheSameWhenItIsAskedAgain has a client that tries again:
// a checkpoint must not be made of a checkpoint.
func TestARequestThatWasCutIsCutTheSameWhenItIsAskedAgain(t *testing.T) {
	t.Parallel()
	for name, action := range map[string]plimsoll.Action{"cheaply": plimsoll.CutCheap, "by a checkpoint": plimsoll.CutDeep} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := &spy{cutAt: 1, action: action}
			k := policyKeeper(t, s, nil)
			first, err := k.Fit(t.Context(), readings(60))
			must(t, err)
			for range 3 {
				again, err := k.Fit(t.Context(), readings(60))
				must(t, err)
				if transcriptOf(again.Conversation()) != transcriptOf(first.Conversation()) {
					t.Fatal("asked again, something else is sent")
				}
			}
			if len(s.outlooks) != 1 {
				t.Errorf("the policy was asked %d times", len(s.outlooks))
			}
		})
	}
}
