package plimsoll_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/rung"
)

// TestWhatIsLaidQuicklyIsWhatTheLadderWouldLay grows a session request by request, and
// compares a keeper that has seen it all with one that has only the same memory and
// so must lay everything step by step: history, loads and edits must agree.
func TestWhatIsLaidQuicklyIsWhatTheLadderWouldLay(t *testing.T) {
	t.Parallel()
	memory, archive := &notebook{}, &vault{}
	keeper := func() *plimsoll.Keeper {
		k, err := plimsoll.New(&plimsoll.Options{
			Meter: byteMeter{}, Window: 8000, Reserve: -1, Marks: plimsoll.Marks{High: 1, Low: 0.6}, Archive: archive, Sticky: true, Memory: memory,
			Rungs: []plimsoll.Rung{&rung.Clear{Budget: -1, KeepNewest: 3, ToGoal: true}, &rung.Compact{Tail: 2000, Size: 1500}, &rung.Slide{}},
		})
		must(t, err)
		return k
	}
	seen, quick := keeper(), 0
	for rounds := 10; rounds < 90; rounds++ {
		fast, err := seen.Fit(t.Context(), readings(rounds))
		must(t, err)
		slow, err := keeper().Fit(t.Context(), readings(rounds))
		must(t, err)
		if diff := cmp.Diff(transcriptOf(slow.Conversation()), transcriptOf(fast.Conversation())); diff != "" {
			t.Fatalf("%d rounds, history (-slow +fast):\n%s", rounds, diff)
		}
		if diff := cmp.Diff(slow.After, fast.After); diff != "" {
			t.Fatalf("%d rounds, load (-slow +fast):\n%s", rounds, diff)
		}
		if len(fast.Rungs) == 1 && fast.Rungs[0].Replayed {
			quick++
			if diff := cmp.Diff(slow.Edits, fast.Edits, cmpopts.SortSlices(func(a, b plimsoll.Edit) bool {
				return a.Message < b.Message || a.Message == b.Message && a.Kind < b.Kind
			}), cmpopts.IgnoreFields(plimsoll.Edit{}, "Saved")); diff != "" {
				t.Errorf("%d rounds, edits (-slow +fast):\n%s", rounds, diff)
			}
		}
	}
	if quick < 40 {
		t.Errorf("only %d of 80 requests were cut as the one before", quick)
	}
}
