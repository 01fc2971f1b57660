package store_test

import (
	"context"
	"fmt"
	"path/filepath"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/account"
	"github.com/plimsoll/plimsoll/fit"
	"github.com/plimsoll/plimsoll/token"
)

// TestTwoKeepersAddToOneStore has two keepers with connections of their own, as two
// processes have them, observe requests of the same conversations at once: the store
// has the sum of both.
func TestTwoKeepersAddToOneStore(t *testing.T) {
	t.Parallel()
	const each, conversations = 30, 3
	path := filepath.Join(t.TempDir(), "store.db")
	var keepers [2]*fit.Keeper
	for i := range keepers {
		k, err := fit.New(&fit.Options{
			Meter: token.NewMeter(nil), Window: 100_000, Memory: onDisk(t, path).Tenant("harbour").Memory(),
			Cost: func(_ string, u plimsoll.Usage) (float64, bool) { return float64(u.Prompt()) / 1e6, true },
		})
		must(t, err)
		keepers[i] = k
	}
	observe := func(ctx context.Context, k *fit.Keeper, n int) error {
		task := fit.Task{Conversation: plimsoll.Conversation{Model: "gpt-4o", Messages: plimsoll.ListOf(
			plimsoll.Say(plimsoll.User, fmt.Sprint("conversation ", n%conversations)), plimsoll.Say(plimsoll.User, fmt.Sprint("request ", n)))}}
		plan, err := k.Fit(ctx, task)
		if err != nil {
			return err
		}
		return k.Observe(ctx, task, plan, plimsoll.Usage{Input: 10 + n, CacheRead: n, Output: 2})
	}
	var wg sync.WaitGroup
	for i, k := range keepers {
		wg.Go(func() {
			for n := range each {
				if err := observe(t.Context(), k, n+i); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	all, err := onDisk(t, path).Tenant("harbour").Accounts(t.Context(), "", 10)
	must(t, err)
	var sum account.Account
	for _, a := range all {
		sum = sum.Add(a)
	}
	want := keepers[0].Total().Add(keepers[1].Total())
	if len(all) != conversations || sum.Requests != 2*each || want.Paid == 0 {
		t.Fatalf("%d accounts of %d requests, paid %s", len(all), sum.Requests, want.Paid)
	}
	sum.First, sum.Last = want.First, want.Last // kept to the microsecond
	if diff := cmp.Diff(want, sum); diff != "" {
		t.Errorf("(-both keepers +store):\n%s", diff)
	}
	if others, err := onDisk(t, path).Tenant("pier").Accounts(t.Context(), "", 10); err != nil || len(others) != 0 {
		t.Errorf("another tenant sees %d accounts, %v", len(others), err)
	}
}
