package bpe

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// Merges that are sure to happen are done before all others. They are most in long pieces of letters, where the bounds
// that make them sure are closest to the merges.
func TestSureMergesLeaveTheTokensOfTheReference(t *testing.T) {
	t.Parallel()
	for _, name := range Names() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e, err := Get(name)
			if err != nil {
				t.Fatal(err)
			}
			ref, w := newReference(e), newWorker(e)
			rng := rand.New(rand.NewPCG(9, uint64(len(name))))
			for _, alphabet := range []string{"abcdefghijklmnopqrstuvwxyz", "etaoinshrdlu", "eEtTaA oO", "01ab+/", "a", " ", "=-"} {
				for range 400 {
					piece := randomLetters(rng, alphabet, fewBytes+1+rng.IntN(maxParts-fewBytes))
					if got, want := w.mergeAll(piece, w.stack[:0]), ref.merge(piece); !slices.Equal(got, want) {
						t.Fatalf("%q merges to %v, want %v", piece, got, want)
					}
				}
			}
		})
	}
}

// Whether parts start as what is surely merged or as single bytes, they end as the same tokens.
func TestPartsEndAlikeWithAndWithoutAssembly(t *testing.T) {
	t.Parallel()
	for _, e := range []*Encoding{CL100K(), O200K()} {
		w := newWorker(e)
		rng := rand.New(rand.NewPCG(10, 10))
		for range 3000 {
			piece := randomLetters(rng, "abcdefghijklmnopqrstuvwxyz"[:2+rng.IntN(25)], fewBytes+1+rng.IntN(maxParts-fewBytes))
			n := w.startBytes(piece)
			w.link(n)
			count := n - w.mergeBlocks((n+blockLen-1)&^(blockLen-1))
			want := w.parts.tokens(count)
			if got := w.mergeAll(piece, w.stack[:0]); !slices.Equal(got, want) {
				t.Fatalf("%s: %q merges to %v, without assembly %v", e.Name(), piece, got, want)
			}
		}
	}
}

// tokens returns the first n tokens of a list.
func (p *parts) tokens(n int) []uint32 {
	ids, at := make([]uint32, n), uint8(0)
	for i := range ids {
		ids[i], at = p.id[at], p.next[at]
	}
	return ids
}

func randomLetters(rng *rand.Rand, alphabet string, n int) string {
	var b strings.Builder
	for range n {
		b.WriteByte(alphabet[rng.IntN(len(alphabet))])
	}
	return b.String()
}
