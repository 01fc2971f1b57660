package storetest

import (
	"fmt"
	"time"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/store"
)

func decisions() []test {
	return []test{
		{"the first key that has a decision wins", firstKeyWins},
		{"a decision is found among thousands of keys", manyKeys},
		{"a decision is replaced whole", replaced},
		{"a decision keeps the order of its references", refOrder},
		{"finding a decision marks it as used", findingMarks},
		{"deleted decisions are gone", deletedDecisions},
		{"records of another kind are kept alike and not counted", otherKinds},
	}
}

func otherKinds(k *kit) {
	k.decide(alice, 1, k.now)
	want := store.Decision{Key: key(2), Kind: "hidden", Body: []byte("b"), Created: k.now, Used: k.now}
	k.must(k.PutDecision(k.Context(), alice, want))
	k.must(k.PutDecision(k.Context(), alice, want))
	got, err := k.FindDecision(k.Context(), alice, []plimsoll.Digest{key(2), key(1)})
	k.must(err)
	k.same("kind", got.Kind, "hidden")
	k.same("body", string(got.Body), "b")
	counted := func(what string, want int64) {
		stats, err := k.Stats(k.Context(), &alice)
		k.must(err)
		k.same(what, stats.Decisions, want)
		k.sound()
	}
	counted("decisions", 1)
	n, err := k.ExpireDecisions(k.Context(), k.now.Add(time.Hour))
	k.must(err)
	k.same("expired", n, 2)
	counted("decisions left", 0)
}

func firstKeyWins(k *kit) {
	k.decide(alice, 1, k.now)
	want := k.decide(alice, 2, k.now, "x", "y")
	k.decide(bob, 3, k.now)
	got, err := k.FindDecision(k.Context(), alice, []plimsoll.Digest{key(3), key(2), key(1)})
	k.must(err)
	k.same("decision", got.Key, want.Key)
	k.same("body", string(got.Body), string(want.Body))
	k.same("refs", got.Refs, want.Refs)
	k.same("created", got.Created, want.Created)
	got, err = k.FindDecision(k.Context(), alice, []plimsoll.Digest{key(1), key(2), key(1)})
	k.must(err)
	k.same("decision in the other order", got.Key, key(1))
}

func manyKeys(k *kit) {
	const n = 5000
	keys := make([]plimsoll.Digest, n)
	for i := range keys {
		keys[i] = key(i)
	}
	k.decide(alice, n-1, k.now)
	got, err := k.FindDecision(k.Context(), alice, keys)
	k.must(err)
	k.same("the last of many", got.Key, key(n-1))
	k.decide(alice, n/2, k.now)
	got, err = k.FindDecision(k.Context(), alice, keys)
	k.must(err)
	k.same("one in the middle", got.Key, key(n/2))
	_, err = k.FindDecision(k.Context(), alice, keys[:n/2])
	k.is("none of many", err, plimsoll.ErrNotFound)
}

func replaced(k *kit) {
	k.put(alice, "one", k.now.Add(-time.Hour))
	k.put(alice, "two", k.now.Add(-time.Hour))
	k.decide(alice, 1, k.now, "one", "gone")
	want := store.Decision{Key: key(1), Body: []byte{}, Refs: []string{"two"}, Created: k.now, Used: k.now}
	k.must(k.PutDecision(k.Context(), alice, want))
	got, err := k.FindDecision(k.Context(), alice, []plimsoll.Digest{key(1)})
	k.must(err)
	k.same("body", string(got.Body), "")
	k.same("refs", got.Refs, want.Refs)
	k.same("created", got.Created, want.Created)
	free, err := k.Unreferenced(k.Context(), k.now, 10)
	k.must(err)
	k.same("unreferenced", names(free), []string{"a/one"})
	stats, err := k.Stats(k.Context(), &alice)
	k.must(err)
	k.same("decisions", stats.Decisions, int64(1))
	k.sound()
}

func refOrder(k *kit) {
	var refs []string
	for i := range 40 {
		refs = append(refs, fmt.Sprint((i*17)%40))
	}
	refs = append(refs, refs[0], refs[1])
	k.decide(alice, 1, k.now, refs...)
	got, err := k.FindDecision(k.Context(), alice, []plimsoll.Digest{key(1)})
	k.must(err)
	k.same("refs", got.Refs, refs)
}

func findingMarks(k *kit) {
	old := k.now.Add(-3 * time.Hour)
	k.decide(alice, 1, old)
	k.decide(alice, 2, old)
	_, err := k.FindDecision(k.Context(), alice, []plimsoll.Digest{key(1), key(2)})
	k.must(err)
	n, err := k.ExpireDecisions(k.Context(), k.now.Add(-time.Hour))
	k.must(err)
	k.same("expired", n, 1)
	_, err = k.FindDecision(k.Context(), alice, []plimsoll.Digest{key(2)})
	k.is("the other one", err, plimsoll.ErrNotFound)
	got, err := k.FindDecision(k.Context(), alice, []plimsoll.Digest{key(1)})
	k.must(err)
	k.same("created", got.Created, old.Add(-time.Hour))
}

func deletedDecisions(k *kit) {
	k.put(alice, "one", k.now.Add(-time.Hour))
	k.decide(alice, 1, k.now, "one")
	k.decide(alice, 2, k.now, "one")
	n, err := k.DeleteDecisions(k.Context(), alice, []plimsoll.Digest{key(1), key(7), key(1)})
	k.must(err)
	k.same("deleted", n, 1)
	free, err := k.Unreferenced(k.Context(), k.now, 10)
	k.must(err)
	k.same("unreferenced while one refers to it", names(free), []string(nil))
	n, err = k.DeleteDecisions(k.Context(), alice, []plimsoll.Digest{key(2)})
	k.must(err)
	k.same("deleted", n, 1)
	free, err = k.Unreferenced(k.Context(), k.now, 10)
	k.must(err)
	k.same("unreferenced", names(free), []string{"a/one"})
	n, err = k.DeleteDecisions(k.Context(), alice, nil)
	k.must(err)
	k.same("deleted", n, 0)
	k.sound()
}
