package fit

import (
	"math/rand/v2"
	"testing"

	"github.com/plimsoll/plimsoll"
)

// TestLinksOfDifferentHistoriesDiffer draws chains over few messages in any order,
// some of them much alike: no two histories may share a link.
func TestLinksOfDifferentHistoriesDiffer(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	var messages []plimsoll.Digest
	for i := range 16 {
		var d plimsoll.Digest
		d[i%16] = byte(1 << (i % 8))
		messages = append(messages, d, plimsoll.Digest{}, d)
	}
	seen := map[plimsoll.Digest]string{}
	for range 20_000 {
		at, path := plimsoll.Digest{}, ""
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
