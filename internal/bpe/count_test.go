package bpe

import (
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"
)

func TestPiecesAreCountedAlikeWithAndWithoutAssembly(t *testing.T) {
	t.Parallel()
	e := CL100K()
	w := newWorker(e)
	rng := rand.New(rand.NewPCG(5, 5))
	for range 20_000 {
		var text [64 + wordLen]byte
		for at := 0; at < len(text); {
			at += copy(text[at:], e.tables.bytes(uint32(rng.IntN(50_000))))
		}
		ends := rng.Uint64() & rng.Uint64()
		if rng.IntN(2) == 0 {
			ends &= rng.Uint64()
		}
		total, misses := w.countKnownPortable(unsafe.Pointer(&text[0]), ends)
		missed := slices.Clone(w.missed[:misses])
		gotTotal, gotMisses := w.countKnown(unsafe.Pointer(&text[0]), ends)
		if gotTotal != total || !slices.Equal(w.missed[:gotMisses], missed) {
			t.Fatalf("%q, ends %#x: got %d and missed %#x, want %d and missed %#x",
				text, ends, gotTotal, w.missed[:gotMisses], total, missed)
		}
	}
}

func TestTheSmallestMergeIsFoundAlikeWithAndWithoutAssembly(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(6, 6))
	for range 2000 {
		var p parts
		for i := range p.merge {
			p.merge[i] = rng.Uint32() >> rng.IntN(9)
		}
		n := 8 * (1 + rng.IntN(len(p.merge)/8))
		want := slices.Min(append(slices.Clone(p.merge[:n]), noMerge))
		if got, portable := min(p.smallest(n), noMerge), p.smallestPortable(n); got != want || portable != want {
			t.Fatalf("smallest of %d: got %d, without assembly %d, want %d", n, got, portable, want)
		}
	}
}
