package bpe

import (
	"math/bits"
	"sync"
	"unicode/utf8"
)

// tables answers what encoding a piece asks: with which parts does merging start, and what do two parts merge into.
type tables struct {
	vocab

	// byteID is the token of each single byte, byteOf the byte of each such token.
	byteID [256]uint32
	byteOf [256]byte

	// wide is the token of each character that has three bytes in UTF-8; 0 if it has none.
	wide [1 << 16]uint32

	// duo is the token that two bytes merge into, or none.
	duo [1 << 16]uint32

	// merges is an open-addressed table of all merges, with left, right and merged token in one word. Most pairs
	// do not merge, and maybe is small enough to say so from a near cache.
	merges []uint64
	shift  uint8
	maybe  filter

	// frayed marks pairs of bytes that stand on both sides of a character boundary inside some token that starts or
	// ends in the middle of a character. Only there can a merge reach across a boundary before the characters on both
	// sides are whole.
	frayed [1 << 16 / 64]uint64

	// nearby tells startBytes which merges are sure to happen.
	nearby nearby

	// trie is what long pieces need that defeat the fast way; few programs ever meet one.
	trie func() *trie
}

const (
	// none stands for the token that two tokens do not merge into. It is larger than any id and, like an id, leaves
	// room for a position in a word.
	none = 1<<24 - 1

	// hashFactor is 2^64 divided by the golden ratio, made odd: multiplying by it spreads any key over the high bits.
	hashFactor = 0x9e3779b97f4a7c15
)

func newTables(pairs []uint64, singles []byte) *tables {
	width := tableWidth(len(pairs))
	t := &tables{vocab: vocab{pair: pairs}, merges: make([]uint64, 1<<width), shift: uint8(64 - width)}
	for id, b := range singles {
		t.byteID[b], t.byteOf[id] = uint32(id), b
	}
	t.trie = sync.OnceValue(func() *trie { return newTrie(&t.vocab) })
	t.addMerges()
	t.spell(singles)
	t.addSpellings()
	return t
}

// addSpellings fills what depends on the bytes of the tokens.
func (t *tables) addSpellings() {
	for i := range t.nearby {
		t.nearby[i] = nothing
	}
	// A character that is followed by the middle of another is no text, and its last bytes may merge with that first.
	for last := range 256 {
		t.frayed[(last<<8|0x80)/64] = 1<<64 - 1
	}
	for id := uint32(t.size()) - 1; id >= 256; id-- {
		spelling := t.bytes(id)
		if len(spelling) > 2 && id < nearbyHalf {
			t.nearby.add(id, spelling)
		}
		// Most tokens have their first and their last character in ASCII.
		if len(spelling) > 1 && spelling[0]|spelling[len(spelling)-1] >= utf8.RuneSelf {
			t.addWide(id, spelling)
			t.addFrayed(spelling)
		}
	}
}

// tableWidth returns the width in bits of a table for n entries. It may be three quarters full: most lookups of what
// is not there end at a filter, and a small table stays in a near cache.
func tableWidth(n int) int { return bits.Len(uint(n * 13 / 10)) }

// addMerges fills duo, merges and maybe.
func (t *tables) addMerges() {
	for i := range t.duo {
		t.duo[i] = none
	}
	for id := uint32(256); id < uint32(t.size()); id++ {
		t.addMerge(id, leftOf(t.pair[id]), rightOf(t.pair[id]))
	}
}

func (t *tables) addMerge(id, left, right uint32) {
	if left == id {
		return
	}
	if left|right < 256 {
		t.duo[duoSlot(t.byteOf[left], t.byteOf[right])] = id
	}
	hash := pairHash(left, right)
	t.maybe.add(hash)
	slot := hash >> t.shift
	for t.merges[slot] != 0 {
		slot = (slot + 1) & uint64(len(t.merges)-1)
	}
	t.merges[slot] = pairKey(left, right)<<idBits | uint64(id)
}

func (t *tables) addWide(id uint32, spelling []byte) {
	if len(spelling) == 3 && utf8.RuneCount(spelling) == 1 {
		r, _ := utf8.DecodeRune(spelling)
		t.wide[r] = id
	}
}

func (t *tables) addFrayed(spelling []byte) {
	if utf8.RuneStart(spelling[0]) && endsWhole(spelling) {
		return
	}
	for i := 1; i < len(spelling); i++ {
		if utf8.RuneStart(spelling[i]) {
			at := uint(spelling[i-1])<<8 | uint(spelling[i])
			t.frayed[at/64] |= 1 << (at % 64)
		}
	}
}

// endsWhole reports whether the last character of a token is there with all its bytes.
func endsWhole(spelling []byte) bool {
	for n := 1; n <= min(len(spelling), utf8.UTFMax); n++ {
		if first := spelling[len(spelling)-n]; utf8.RuneStart(first) {
			return n == widthOf(first)
		}
	}
	return false
}

// widthOf returns the length of a character by its first byte.
func widthOf(first byte) int {
	switch {
	case first < 0xc0:
		return 1
	case first < 0xe0:
		return 2
	case first < 0xf0:
		return 3
	}
	return 4
}

// isFrayed reports whether the character boundary between the bytes a and b is not to be relied on.
func (t *tables) isFrayed(a, b byte) bool {
	at := uint(a)<<8 | uint(b)
	return t.frayed[at/64]>>(at%64)&1 != 0
}

func duoSlot(left, right byte) uint16 { return uint16(left) | uint16(right)<<8 }

// pairKey is not zero, which stands for an empty place in a table.
func pairKey(left, right uint32) uint64 { return (uint64(left)<<idBits | uint64(right)) + 1 }

// pairHash spreads a pair over 64 bits, of which the highest are the best.
func pairHash(left, right uint32) uint64 { return pairKey(left, right) * hashFactor }

// merge returns the token that left and right merge into, or none.
func (t *tables) merge(left, right uint32) uint32 {
	if left|right < 256 {
		return t.duo[duoSlot(t.byteOf[left], t.byteOf[right])]
	}
	return t.mergeWide(left, right)
}

// mergeWide is merge for a pair that does not consist of two single bytes.
func (t *tables) mergeWide(left, right uint32) uint32 {
	key := pairKey(left, right)
	if !t.maybe.has(key * hashFactor) {
		return none
	}
	return t.findMerge(key)
}

func (t *tables) findMerge(key uint64) uint32 {
	slot := key * hashFactor >> t.shift
	for {
		entry := t.merges[slot]
		if entry>>idBits == key {
			return uint32(entry & idMask)
		}
		if entry == 0 {
			return none
		}
		slot = (slot + 1) & uint64(len(t.merges)-1)
	}
}

// mayFollow reports whether byte-pair encoding can leave the tokens left and right side by side. It takes both apart
// in the reverse order of their merges and looks for a merge across the border that would have come earlier.
func (t *tables) mayFollow(left, right uint32) bool {
	limit := uint32(none)
	for {
		if t.merge(left, right) < limit {
			return false
		}
		if max(left, right) < 256 {
			return true
		}
		if left > right {
			limit = left
			left = rightOf(t.pair[left])
		} else {
			limit = right + 1
			right = leftOf(t.pair[right])
		}
	}
}
