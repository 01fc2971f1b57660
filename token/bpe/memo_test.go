package bpe

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unsafe"
)

// rivals returns words whose places in the memo are all in one group, more than it has.
func rivals(rng *rand.Rand) []string {
	var words []string
	for len(words) < 3*groupLen {
		word := []byte(strings.Repeat("\x00", wordLen))
		n := 1 + rng.IntN(wordLen)
		for i := range n {
			word[i] = "etaoin\x00 "[rng.IntN(8)]
		}
		if key := makeKey(unsafe.Pointer(&word[0]), 0, n); key.slot/groupLen == 77 {
			words = append(words, string(word[:n]))
		}
	}
	return words
}

func TestWordsThatShareAPlaceKeepTheirTokens(t *testing.T) {
	t.Parallel()
	e := CL100K()
	rng := rand.New(rand.NewPCG(4, 4))
	words := rivals(rng)
	ref, w := newReference(e), newWorker(e)
	for range 2000 {
		word := words[rng.IntN(len(words))]
		padded := []byte(word + strings.Repeat("x", wordLen))
		want := ref.piece(word)
		if got := w.countPiece(unsafe.Pointer(&padded[0]), len(word)); got != len(want) {
			t.Fatalf("count of %q: got %d, want %d", word, got, len(want))
		}
		if got := w.encodePiece(unsafe.Pointer(&padded[0]), len(word), make([]uint32, 0, 64)); !slices.Equal(got, want) {
			t.Fatalf("ids of %q: got %v, want %v", word, got, want)
		}
	}
}

func TestWordsThatDifferOnlyInZerosAtTheirEndDiffer(t *testing.T) {
	t.Parallel()
	seen := map[string]int{}
	for n := 1; n <= 64; n++ {
		text := make([]byte, 64+wordLen)
		key := makeKey(unsafe.Pointer(&text[0]), 0, n)
		name := fmt.Sprint(key)
		if before, ok := seen[name]; ok {
			t.Errorf("%d and %d zero bytes have the same key", before, n)
		}
		seen[name] = n
	}
}
