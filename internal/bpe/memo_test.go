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

// Pieces of 17 to 64 bytes share a memory that is emptied when it is full. Here little is left of it at the start.
func TestLargePiecesKeepTheirTokensWhenTheMemoryForThemIsUsedUp(t *testing.T) {
	t.Parallel()
	e := CL100K()
	w, fresh := newWorker(e), newWorker(e)
	w.largeUsed = uint32(len(w.large)) - 50_000
	rng := rand.New(rand.NewPCG(5, 5))
	var pieces []string
	emptied := 0
	for range 40_000 {
		if len(pieces) == 0 || rng.IntN(3) > 0 {
			pieces = append(pieces, randomPiece(rng, 64)[:wordLen+1+rng.IntN(64-wordLen)])
		}
		piece, used := pieces[rng.IntN(len(pieces))], w.largeUsed
		text, want := unsafe.Pointer(unsafe.StringData(piece)), fresh.mergeAll(piece, fresh.stack[:0])
		if rng.IntN(2) == 0 {
			if got := w.countLarge(text, len(piece)); got != len(want) {
				t.Fatalf("count of %q: got %d, want %d", piece, got, len(want))
			}
		} else if got := w.encodeLarge(text, len(piece), make([]uint32, 0, 64)); !slices.Equal(got, want) {
			t.Fatalf("ids of %q: got %v, want %v", piece, got, want)
		}
		if w.largeUsed < used {
			emptied++
			if known := w.knownLarge(); known != 1 {
				t.Fatalf("%d pieces are known after the memory was emptied, want the last one", known)
			}
		}
	}
	if emptied == 0 {
		t.Errorf("%d pieces never used the memory up", len(pieces))
	}
}

// knownLarge returns the number of pieces that have an entry.
func (w *worker) knownLarge() (known int) {
	for i := range w.largeAt {
		if w.largeAt[i].len > 0 {
			known++
		}
	}
	return known
}

func TestLargePiecesThatShareAPlaceKeepTheirTokens(t *testing.T) {
	t.Parallel()
	e := O200K()
	w, fresh := newWorker(e), newWorker(e)
	rng := rand.New(rand.NewPCG(6, 6))
	// The hash does not look at the middle of a piece.
	start, end := "a piece that star", "ts and ends alike"
	for range 2000 {
		piece := start + []string{"", "- ", "日本語", "etaoin shrdlu"}[rng.IntN(4)] + end
		text, want := unsafe.Pointer(unsafe.StringData(piece)), fresh.mergeAll(piece, fresh.stack[:0])
		if got := w.countLarge(text, len(piece)); got != len(want) {
			t.Fatalf("count of %q: got %d, want %d", piece, got, len(want))
		}
		if got := w.encodeLarge(text, len(piece), make([]uint32, 0, 64)); !slices.Equal(got, want) {
			t.Fatalf("ids of %q: got %v, want %v", piece, got, want)
		}
	}
	if w.largeUsed > 200 {
		t.Errorf("pieces of one place took %d words, want the place of the longest to be used again", w.largeUsed)
	}
}
