package hf

import "math/bits"

// memo remembers the tokens of short pieces: text repeats its words. It is a cache of fixed size
// with one place per hash, owned by one goroutine at a time; entries are compared in full.
type memo struct {
	short []shortEntry
	long  []longEntry
}

const (
	shortBytes = 16
	longBytes  = 64
	shortSlots = 1 << 15
	longSlots  = 1 << 11
	shortIDs   = 3
	longIDs    = 14
)

// partOfPiece marks text that was cut out of a piece. Where a model looks up whole pieces before
// merging, the same text has other tokens as a piece of its own.
const partOfPiece = 0x80

// shortEntry is half a cache line.
type shortEntry struct {
	lo, hi uint64
	size   uint8 // of the piece, with partOfPiece; 0 is free
	n      uint8
	ids    [shortIDs]uint32
}

// longEntry is two cache lines.
type longEntry struct {
	key  [longBytes]byte
	size uint8
	n    uint8
	ids  [longIDs]uint32
}

func newMemo() *memo {
	return &memo{short: make([]shortEntry, shortSlots), long: make([]longEntry, longSlots)}
}

// word reads up to eight bytes of s as one number.
func word(s string) uint64 {
	if len(s) >= 8 {
		return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
			uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
	}
	var w uint64
	for i := len(s) - 1; i >= 0; i-- {
		w = w<<8 | uint64(s[i])
	}
	return w
}

func shortKey(piece string) (lo, hi uint64) {
	if len(piece) <= 8 {
		return word(piece), 0
	}
	return word(piece), word(piece[8:])
}

// shortSlot returns the place of a piece of up to shortBytes.
func (m *memo) shortSlot(lo, hi uint64, size int) *shortEntry {
	h, l := bits.Mul64(lo^uint64(size)*0xA0761D6478BD642F, 0x9E3779B97F4A7C15)
	h2, l2 := bits.Mul64(hi^0xE7037ED1A0B428DB, 0x8EBC6AF09C88C6E3)
	return &m.short[(h^l^h2^l2)&(shortSlots-1)]
}

// longSlot returns the place of a piece of up to longBytes.
func (m *memo) longSlot(piece string) *longEntry {
	h := uint64(len(piece))
	for i := 0; i+8 <= len(piece); i += 8 {
		h = (h ^ word(piece[i:])) * 0x9E3779B97F4A7C15
		h ^= h >> 32
	}
	h = (h ^ word(piece[len(piece)-8:])) * 0x9E3779B97F4A7C15
	return &m.long[h>>40&(longSlots-1)]
}
