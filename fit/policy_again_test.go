package fit_test

import (
	"testing"

	"github.com/plimsoll/plimsoll/fit"
	"github.com/plimsoll/plimsoll/internal/testkit"
)

// TestARequestThatWasCutIsCutTheSameWhenItIsAskedAgain has a client that tries again:
// a checkpoint must not be made of a checkpoint.
func TestARequestThatWasCutIsCutTheSameWhenItIsAskedAgain(t *testing.T) {
	t.Parallel()
	for name, action := range map[string]fit.Action{"cheaply": fit.CutCheap, "by a checkpoint": fit.CutDeep} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := &spy{cutAt: 1, action: action}
			k := policyKeeper(t, s, nil)
			first, err := k.Fit(t.Context(), fit.Task{Conversation: readings(60)})
			testkit.Must(t, err)
			for range 3 {
				again, err := k.Fit(t.Context(), fit.Task{Conversation: readings(60)})
				testkit.Must(t, err)
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
