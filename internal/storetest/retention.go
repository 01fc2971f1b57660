package storetest

import (
	"fmt"
	"time"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/store"
)

func retention() []test {
	return []test{
		{"objects expire unless a decision used since refers to them", expired},
		{"the longest unused come first, those that are referred to last", oldest},
		{"what no decision refers to is listed", unreferenced},
		{"a decision may come before what it refers to", decisionFirst},
		{"evicting leaves what was used since", evicting},
		{"decisions expire by last use", expireDecisions},
	}
}

// four writes objects of two tenants, used 5, 4, 3 and 2 hours ago.
func (k *kit) four() {
	k.Helper()
	k.put(alice, "five", k.now.Add(-5*time.Hour), chunk(1, 10))
	k.put(bob, "four", k.now.Add(-4*time.Hour), chunk(1, 10))
	k.put(alice, "three", k.now.Add(-3*time.Hour), chunk(2, 10))
	k.put(bob, "two", k.now.Add(-2*time.Hour), chunk(2, 10))
}

func expired(k *kit) {
	k.four()
	list := func(hours, limit int) []string {
		k.Helper()
		got, err := k.Expired(k.Context(), k.now.Add(-time.Duration(hours)*time.Hour), limit)
		k.must(err)
		return names(got)
	}
	k.same("before all", list(5, 10), []string(nil))
	k.same("before some", list(3, 10), []string{"a/five", "b/four"})
	k.same("before some, one", list(3, 1), []string{"a/five"})
	k.same("after all", list(0, 10), []string{"a/five", "b/four", "a/three", "b/two"})

	k.decide(alice, 1, k.now.Add(-3*time.Hour), "five", "four")
	k.same("with a decision used since", list(3, 10), []string{"b/four"})
	k.same("with a decision that is as old", list(2, 10), []string{"a/five", "b/four", "a/three"})
	k.decide(alice, 2, k.now.Add(-time.Hour), "five")
	k.same("with two decisions, one used since", list(2, 1), []string{"b/four"})
	k.must(k.Touch(k.Context(), bob, []string{"four"}, k.now))
	k.same("after a touch", list(2, 10), []string{"a/three"})

	got, err := k.Expired(k.Context(), k.now.Add(-2*time.Hour), 10)
	k.must(err)
	want, err := k.Object(k.Context(), alice, "three")
	k.must(err)
	k.same("expired", got, []store.Owned{{Tenant: alice, Object: want}})
}

func oldest(k *kit) {
	k.four()
	list := func(limit int) []string {
		k.Helper()
		got, err := k.Oldest(k.Context(), limit)
		k.must(err)
		return names(got)
	}
	k.same("all", list(10), []string{"a/five", "b/four", "a/three", "b/two"})
	k.decide(alice, 1, k.now.Add(-9*time.Hour), "five", "three")
	k.decide(alice, 2, k.now, "two")
	all := []string{"b/four", "b/two", "a/five", "a/three"}
	for limit := range 5 {
		k.same(fmt.Sprint("with decisions, limit ", limit), list(limit), all[:limit])
	}
	k.must(k.Touch(k.Context(), alice, []string{"five"}, k.now))
	k.same("after a touch", list(10), []string{"b/four", "b/two", "a/three", "a/five"})
	_, err := k.DeleteDecisions(k.Context(), alice, []plimsoll.Digest{key(1)})
	k.must(err)
	k.same("without the decision", list(10), []string{"b/four", "a/three", "b/two", "a/five"})
}

func unreferenced(k *kit) {
	k.four()
	k.decide(alice, 1, k.now.Add(-9*time.Hour), "five", "four")
	list := func(hours, limit int) []string {
		k.Helper()
		got, err := k.Unreferenced(k.Context(), k.now.Add(-time.Duration(hours)*time.Hour), limit)
		k.must(err)
		return names(got)
	}
	k.same("all", list(0, 10), []string{"b/four", "a/three", "b/two"})
	k.same("some", list(0, 2), []string{"b/four", "a/three"})
	k.same("before two", list(2, 10), []string{"b/four", "a/three"})
	n, err := k.ExpireDecisions(k.Context(), k.now)
	k.must(err)
	k.same("expired", n, 1)
	k.same("without the decision", list(0, 10), []string{"a/five", "b/four", "a/three", "b/two"})
}

func decisionFirst(k *kit) {
	k.decide(alice, 1, k.now, "late")
	k.put(alice, "late", k.now.Add(-time.Hour))
	k.put(bob, "late", k.now.Add(-time.Hour))
	free, err := k.Unreferenced(k.Context(), k.now, 10)
	k.must(err)
	k.same("unreferenced", names(free), []string{"b/late"})

	_, err = k.Delete(k.Context(), alice, []string{"late"})
	k.must(err)
	k.put(alice, "late", k.now.Add(-time.Hour))
	free, err = k.Unreferenced(k.Context(), k.now, 10)
	k.must(err)
	k.same("unreferenced after deleting and writing again", names(free), []string{"b/late"})
	k.sound()
}

func evicting(k *kit) {
	k.four()
	all, err := k.Oldest(k.Context(), 10)
	k.must(err)
	k.must(k.Touch(k.Context(), alice, []string{"five"}, k.now.Add(-5*time.Hour+time.Second)))
	k.put(bob, "two", k.now, chunk(2, 10))
	_, err = k.Delete(k.Context(), alice, []string{"three"})
	k.must(err)
	n, err := k.Evict(k.Context(), all)
	k.must(err)
	k.same("evicted", n, 1)
	left, err := k.Oldest(k.Context(), 10)
	k.must(err)
	k.same("left", names(left), []string{"a/five", "b/two"})
	n, err = k.Evict(k.Context(), nil)
	k.must(err)
	k.same("evicted of none", n, 0)
	k.sound()
}

func expireDecisions(k *kit) {
	for i := range 5 {
		k.decide(alice, i, k.now.Add(-time.Duration(i)*time.Hour), "x", fmt.Sprint(i))
	}
	k.decide(bob, 9, k.now.Add(-9*time.Hour))
	before := k.now.Add(-2 * time.Hour)
	n, err := k.ExpiredDecisions(k.Context(), before)
	k.must(err)
	k.same("counted", n, 3)
	n, err = k.ExpireDecisions(k.Context(), before)
	k.must(err)
	k.same("expired", n, 3)
	n, err = k.ExpiredDecisions(k.Context(), before)
	k.must(err)
	k.same("counted afterwards", n, 0)
	for i := range 5 {
		_, err := k.FindDecision(k.Context(), alice, []plimsoll.Digest{key(i)})
		if i <= 2 {
			k.must(err)
		} else {
			k.is(fmt.Sprint("decision ", i), err, plimsoll.ErrNotFound)
		}
	}
	k.sound()
}
