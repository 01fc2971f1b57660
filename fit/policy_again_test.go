package fit_test

import (
	"testing"

	"github.com/plimsoll/plimsoll/fit"
	"github.com/plimsoll/plimsoll/internal/testkit"
	"github.com/plimsoll/plimsoll/rung"
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

// TestACheapCutThatIsNotRememberedIsMadeAgainForTheSameRequest has a keeper that is not
// sticky: it recalls the checkpoint, and not the cheap cut that came after.
func TestACheapCutThatIsNotRememberedIsMadeAgainForTheSameRequest(t *testing.T) {
	t.Parallel()
	s := &spy{cutAt: 1, action: fit.CutDeep}
	k, err := fit.New(&fit.Options{
		Meter: testkit.ByteMeter{}, Window: 100_000, Reserve: new(0), Archive: &vault{}, Policy: s,
		Rungs: []fit.Rung{&rung.Clear{Budget: -1, KeepNewest: 3, ToGoal: true}, &rung.Compact{Tail: 2000, Size: 1500}},
	})
	testkit.Must(t, err)
	t.Cleanup(func() { _ = k.Close() })
	_, err = k.Fit(t.Context(), fit.Task{Conversation: readings(40)})
	testkit.Must(t, err)
	s.cutAt, s.action = 2, fit.CutCheap
	first, err := k.Fit(t.Context(), fit.Task{Conversation: readings(70)})
	testkit.Must(t, err)
	if len(first.Rungs) < 2 || !first.Rungs[0].Replayed || first.Rungs[1].Edits == 0 {
		t.Fatalf("want a checkpoint that is replayed and a cheap cut: %+v", first.Rungs)
	}
	again, err := k.Fit(t.Context(), fit.Task{Conversation: readings(70)})
	testkit.Must(t, err)
	if transcriptOf(again.Conversation()) != transcriptOf(first.Conversation()) {
		t.Error("asked again, something else is sent")
	}
}
