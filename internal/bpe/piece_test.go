package bpe

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func TestEveryTokenEncodesToItself(t *testing.T) {
	t.Parallel()
	for _, name := range Names() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e, err := Get(name)
			if err != nil {
				t.Fatal(err)
			}
			w := e.workers.get(e)
			for id := range uint32(e.tables.size()) {
				spelling := string(e.tables.bytes(id))
				if spelling == "" {
					continue
				}
				if got := w.mergeAll(spelling, w.stack[:0]); len(got) != 1 || got[0] != id {
					t.Errorf("token %d (%q) merges to %v", id, spelling, got)
				}
			}
		})
	}
}

// alphabets are what random pieces are made of: each is one kind of character, so that the pieces are long.
var alphabets = []string{
	"abcdefghijklmnopqrstuvwxyz", "etaoinsh", "aAbBcCdDeE", "0123456789abcdef",
	"ab", "a", "ABCabc", "=-*", "=", "-", " ", "\n ", "日本語港船長荷物", "日", "のはがをに",
	"абвгдеёжз", "한국어항구", "👍🏽🚢⚓", "\x00\x01", "\xff\xfe\xe3\x81", "é\u0301a",
}

func randomPiece(rng *rand.Rand, length int) string {
	characters := strings.Split(alphabets[rng.IntN(len(alphabets))], "")
	var b strings.Builder
	for b.Len() < length {
		b.WriteString(characters[rng.IntN(len(characters))])
	}
	return b.String()
}

func TestLongPiecesMergeLikeTheReference(t *testing.T) {
	t.Parallel()
	for _, name := range Names() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e, err := Get(name)
			if err != nil {
				t.Fatal(err)
			}
			ref, w := newReference(e), e.workers.get(e)
			rng := rand.New(rand.NewPCG(1, uint64(len(name))))
			for range 150 {
				piece := randomPiece(rng, 1+rng.IntN(400))
				want := ref.piece(piece)
				if got, _ := w.bpeLong(piece, nil, false); !slices.Equal(got, want) {
					t.Errorf("bpeLong(%q) = %v, want %v", piece, got, want)
				}
				if got := w.backtrack(piece, nil); !slices.Equal(got, want) {
					t.Errorf("backtrack(%q) = %v, want %v", piece, got, want)
				}
			}
		})
	}
}

// Beyond a few thousand tokens the counter forgets what it need not go back to.
func TestVeryLongPiecesCountAsTheyEncode(t *testing.T) {
	t.Parallel()
	for _, e := range []*Encoding{CL100K(), O200K()} {
		rng := rand.New(rand.NewPCG(2, 3))
		for range 12 {
			piece := randomPiece(rng, 40_000)
			want := e.workers.get(e).backtrack(piece, nil)
			w := e.workers.get(e)
			if ids, _ := w.bpeLong(piece, nil, false); !slices.Equal(ids, want) {
				t.Errorf("%s: bpeLong(%.40q…) differs from backtracking", e.Name(), piece)
			}
			if ids, forgotten := w.bpeLong(piece, w.stack[:0], true); len(ids)+forgotten != len(want) {
				t.Errorf("%s: bpeLong(%.40q…) counts %d, want %d", e.Name(), piece, len(ids)+forgotten, len(want))
			}
		}
	}
}

func TestNeighboursMayFollowIfTheirBytesEncodeToThem(t *testing.T) {
	t.Parallel()
	e := O200K()
	ref := newReference(e)
	rng := rand.New(rand.NewPCG(4, 5))
	for range 4000 {
		left, right := uint32(rng.IntN(e.tables.size())), uint32(rng.IntN(3000))
		if rng.IntN(2) == 0 {
			left, right = uint32(rng.IntN(3000)), left
		}
		both := string(e.tables.bytes(left)) + string(e.tables.bytes(right))
		want := slices.Equal(ref.merge(both), []uint32{left, right})
		if got := e.tables.mayFollow(left, right); got != want {
			t.Errorf("mayFollow(%d, %d) = %v for %q, want %v", left, right, got, both, want)
		}
	}
}
