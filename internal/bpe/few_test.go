package bpe

import (
	"math/rand/v2"
	"slices"
	"testing"
)

func TestShortPiecesMergeLikeTheReference(t *testing.T) {
	t.Parallel()
	for _, name := range Names() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e, err := Get(name)
			if err != nil {
				t.Fatal(err)
			}
			ref, w := newReference(e), e.workers.get(e)
			check := func(piece string) {
				if got, want := w.mergeAll(piece, w.stack[:0]), ref.merge(piece); !slices.Equal(got, want) {
					t.Fatalf("%q merges to %v, want %v", piece, got, want)
				}
			}
			for a := range 256 {
				check(string([]byte{byte(a)}))
				for b := range 256 {
					check(string([]byte{byte(a), byte(b)}))
				}
			}
			rng := rand.New(rand.NewPCG(3, uint64(len(name))))
			for range 5000 {
				for n := 3; n <= fewBytes+2; n++ {
					check(randomPiece(rng, n)[:n])
					check(string(randomBytes(rng, n)))
				}
			}
		})
	}
}
