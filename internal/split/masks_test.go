package split

import (
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// slowMasks classifies by the tables of characters, one byte at a time.
func slowMasks(block *[windowLen]byte) masks {
	var m masks
	for i, b := range block {
		bit := uint64(1) << i
		if b >= 0x80 {
			m.high |= bit
			continue
		}
		set := func(mask *uint64, ok bool) {
			if ok {
				*mask |= bit
			}
		}
		class := classOf(rune(b))
		set(&m.letter, class&letter != 0)
		set(&m.upper, class&word == upper)
		set(&m.digit, class&digit != 0)
		set(&m.space, class&space != 0)
		set(&m.newline, b == '\n' || b == '\r')
		set(&m.blank, b == ' ')
		set(&m.quote, b == '\'')
		set(&m.slash, b == '/')
		set(&m.control, class == symbol)
	}
	return m
}

func checkMasks(t *testing.T, block *[windowLen]byte) {
	t.Helper()
	want := slowMasks(block)
	var portable, fast masks
	classifyPortable(block, &portable)
	classify(block, &fast)
	opt := cmp.AllowUnexported(masks{})
	if diff := cmp.Diff(want, portable, opt); diff != "" {
		t.Fatalf("%q: (-want +portable)\n%s", block[:], diff)
	}
	if diff := cmp.Diff(want, fast, opt); diff != "" {
		t.Fatalf("%q: (-want +fast)\n%s", block[:], diff)
	}
}

func TestEveryByteIsClassifiedAtEveryPosition(t *testing.T) {
	t.Parallel()
	for at := range windowLen {
		for b := range 256 {
			var block [windowLen]byte
			for i := range block {
				block[i] = 'x'
			}
			block[at] = byte(b)
			want := slowMasks(&block)
			var portable, fast masks
			classifyPortable(&block, &portable)
			classify(&block, &fast)
			if portable != want || fast != want {
				t.Fatalf("byte %#x at %d: portable %+v, fast %+v, want %+v", b, at, portable, fast, want)
			}
		}
	}
}

func TestRandomBlocksAreClassifiedAlikeByAllPaths(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 0))
	for range 2000 {
		var block [windowLen]byte
		for i := range block {
			block[i] = byte(r.Uint32())
			if r.IntN(2) == 0 {
				block[i] &= 0x7F
			}
		}
		checkMasks(t, &block)
	}
}
