package plimsoll

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestLinksOfDifferentHistoriesDiffer draws chains over few messages in any order,
// some of them much alike: no two histories may share a link.
func TestLinksOfDifferentHistoriesDiffer(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	var messages []Digest
	for i := range 16 {
		var d Digest
		d[i%16] = byte(1 << (i % 8))
		messages = append(messages, d, Digest{}, d)
	}
	seen := map[Digest]string{}
	for range 20_000 {
		at, path := Digest{}, ""
		for range 12 {
			k := r.IntN(len(messages))
			at = link(at, messages[k])
			path += string(messages[k][:])
			if other, ok := seen[at]; ok && other != path {
				t.Fatalf("histories %x and %x share a link", other, path)
			}
			seen[at] = path
		}
	}
}

func TestLengthsThatWereNotAddedAreNotThere(t *testing.T) {
	t.Parallel()
	var known lengths
	added := []int{1, 63, 64, 1000, len(known)*perWord - 1}
	for _, n := range added {
		known.add(n)
	}
	for n := range len(known) * perWord {
		if got, want := known.has(n), slices.Contains(added, n); got != want {
			t.Fatalf("length %d: got %v, want %v", n, got, want)
		}
	}
	if beyond := len(known) * perWord; !known.has(beyond) {
		t.Errorf("a length of %d was never added, but nobody can know", beyond)
	}
}
