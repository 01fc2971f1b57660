package storetest

import (
	"bytes"
	"fmt"
	"sync"
	"time"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/account"
)

func accounts() []test {
	return []test{
		{"accounts add up", addUp},
		{"accounts are listed by last use and page by page", accountPages},
		{"accounts add up under concurrent use", addUpTogether},
	}
}

func accountOf(conversation, model string, n int, first, last time.Time) account.Account {
	return account.Account{
		Conversation: conversation, Model: model, Requests: int64(n),
		Usage: plimsoll.Usage{Input: 2 * n, Output: 3 * n, CacheCreation: 5 * n, CacheRead: 7 * n, Reasoning: n},
		Saved: int64(11 * n), Written: int64(13 * n), First: first, Last: last,
		Estimated: int64(17 * n), Cuts: int64(19 * n), Breaks: int64(23 * n), Priced: int64(29 * n),
		Paid: account.Money(31 * n), Uncut: account.Money(-37 * n), Summaries: account.Dollars(41 * float64(n)),
	}
}

func addUp(k *kit) {
	at := func(minutes int) time.Time { return k.now.Add(time.Duration(minutes) * time.Minute) }
	for _, a := range []account.Account{
		accountOf("c", "second", 1, at(5), at(10)),
		accountOf("c", "third", 10, at(15), at(20)),
		accountOf("c", "first", 100, at(1), at(2)),
		accountOf("d", "other", 1, at(1), at(2)),
	} {
		k.must(k.AddAccount(k.Context(), alice, a))
	}
	k.must(k.AddAccount(k.Context(), bob, accountOf("c", "bob's", 1, at(0), at(90))))
	k.must(k.AddAccount(k.Context(), alice, accountOf("d", "other", 2, at(1), at(2)), accountOf("c", "third", 1000, at(15), at(20)), accountOf("d", "other", 4, at(1), at(2))))
	k.must(k.AddAccount(k.Context(), alice))
	got, err := k.Accounts(k.Context(), alice, "", 10)
	k.must(err)
	k.same("accounts", got, []account.Account{
		accountOf("c", "third", 1111, at(1), at(20)),
		accountOf("d", "other", 7, at(1), at(2)),
	})
	k.sound()
}

func accountPages(k *kit) {
	var want []string
	for i := range 6 {
		name := fmt.Sprint("c", i)
		k.must(k.AddAccount(k.Context(), alice, accountOf(name, "m", 1, k.now, k.now.Add(-time.Duration(i/2)*time.Minute))))
		want = append(want, name)
	}
	for limit := 1; limit <= 7; limit++ {
		var got []string
		for after := ""; ; {
			page, err := k.Accounts(k.Context(), alice, after, limit)
			k.must(err)
			if len(page) == 0 {
				break
			}
			if len(page) > limit {
				k.Fatalf("got %d accounts, want at most %d", len(page), limit)
			}
			for _, a := range page {
				got = append(got, a.Conversation)
			}
			after = got[len(got)-1]
		}
		for i := 0; i+1 < len(got) && len(got) == len(want); i += 2 {
			sorted(got[i : i+2]) // Accounts of one instant come in any order.
		}
		k.same(fmt.Sprint("pages of ", limit), got, want)
	}
}

func addUpTogether(k *kit) {
	const workers, each = 4, 15
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			for i := range each {
				at := k.now.Add(time.Duration(w*each+i) * time.Second)
				if err := k.AddAccount(k.Context(), alice, accountOf("c", fmt.Sprint("m", w*each+i), 1, at, at)); err != nil {
					k.Error(err)
				}
			}
		})
	}
	wg.Wait()
	got, err := k.Accounts(k.Context(), alice, "", 10)
	k.must(err)
	last := workers*each - 1
	k.same("accounts", got, []account.Account{
		accountOf("c", fmt.Sprint("m", last), workers*each, k.now, k.now.Add(time.Duration(last)*time.Second)),
	})
}

func values() []test {
	return []test{
		{"values are kept and replaced", keepValues},
		{"one at a time holds a lease", oneHolder},
		{"a lease that expired goes to the next", leaseExpires},
		{"one of many gets a lease", leaseRace},
	}
}

func keepValues(k *kit) {
	for _, value := range [][]byte{[]byte("first"), {}, {0, 0xff, 1}, bytes.Repeat([]byte("x"), 100_000)} {
		k.must(k.PutValue(k.Context(), "name", value))
		got, err := k.Value(k.Context(), "name")
		k.must(err)
		if !bytes.Equal(got, value) {
			k.Errorf("got a value of %d bytes, want %d", len(got), len(value))
		}
	}
	_, err := k.Value(k.Context(), "Name")
	k.is("another name", err, plimsoll.ErrNotFound)
}

// lease asks for one.
func (k *kit) lease(name, holder string, life time.Duration) bool {
	k.Helper()
	got, err := k.Lease(k.Context(), name, holder, life)
	k.must(err)
	return got
}

func oneHolder(k *kit) {
	for i, c := range []struct {
		name, holder string
		want         bool
	}{
		{"gc", "one", true},
		{"gc", "two", false},
		{"gc", "one", true},
		{"other", "two", true},
		{"gc", "two", false},
	} {
		if got := k.lease(c.name, c.holder, time.Hour); got != c.want {
			k.Errorf("step %d: lease %s for %s: got %v, want %v", i, c.name, c.holder, got, c.want)
		}
	}
	k.must(k.Release(k.Context(), "gc", "two"))
	if k.lease("gc", "two", time.Hour) {
		k.Error("a release by somebody else gave the lease up")
	}
	k.must(k.Release(k.Context(), "gc", "one"))
	k.must(k.Release(k.Context(), "gc", "one"))
	if !k.lease("gc", "two", time.Hour) || k.lease("gc", "one", time.Hour) {
		k.Error("a lease that was given up did not go to the next")
	}
}

func leaseExpires(k *kit) {
	if !k.lease("gc", "one", time.Millisecond) {
		k.Fatal("nobody has the lease, and it was refused")
	}
	for !k.lease("gc", "two", time.Hour) {
		select {
		case <-k.Context().Done():
			k.Fatal("the lease never expired")
		case <-time.After(time.Millisecond):
		}
	}
	if k.lease("gc", "one", time.Hour) {
		k.Error("the lease was given to two")
	}
	k.must(k.Release(k.Context(), "gc", "one"))
	if k.lease("gc", "three", time.Hour) {
		k.Error("the old holder gave up the lease of the new one")
	}
}

func leaseRace(k *kit) {
	const workers = 8
	won := make(chan string, workers)
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			holder := fmt.Sprint("holder ", w)
			got, err := k.Lease(k.Context(), "gc", holder, time.Hour)
			if err != nil {
				k.Error(err)
			}
			if got {
				won <- holder
			}
		})
	}
	wg.Wait()
	if len(won) != 1 {
		k.Fatalf("%d of %d got the lease, want 1", len(won), workers)
	}
	if winner := <-won; !k.lease("gc", winner, time.Hour) {
		k.Error("the winner lost it")
	}
}
