package bpe

import (
	"math/bits"
	"sync"
	"unicode/utf8"
	"unsafe"
)

// tables answers what encoding a piece asks: is it a token itself, with which parts does merging start, and what do
// two parts merge into.
type tables struct {
	vocab

	// byteID is the token of each single byte.
	byteID [256]uint32

	// wide is the token of each character that has three bytes in UTF-8; 0 if it has none.
	wide [1 << 16]uint32

	// duo is the token that two single-byte tokens merge into, indexed by left<<8 + right, or none.
	duo [1 << 16]uint32

	// merges is an open-addressed table of all other merges, with left, right and merged token in one word.
	merges []uint64

	// words is an open-addressed table of the spellings of all tokens of up to longestPiece bytes. An entry has the id
	// and some bits of the hash; whether it is the right one is seen in vocab.
	words []uint32

	// shift turns a hash into a slot of either.
	shift uint8

	// maybeMerge and maybeWord have a bit for the hash of each entry of merges and words. Most pairs do not merge and
	// most pieces that get here are no tokens; these are small enough to say so from a near cache.
	maybeMerge, maybeWord filter

	// frayed marks pairs of bytes that stand on both sides of a character boundary inside some token that starts or
	// ends in the middle of a character. Only there can a merge reach across a boundary before the characters on both
	// sides are whole.
	frayed [1 << 16 / 64]uint64

	// trie is what long pieces need that defeat the fast way; few programs ever meet one.
	trie func() *trie
}

const (
	// none stands for the token that two tokens do not merge into. It is larger than any id and, like an id, leaves
	// room for a position in a word.
	none = 1<<24 - 1

	// hashFactor is 2^64 divided by the golden ratio, made odd: multiplying by it spreads any key over the high bits.
	hashFactor = 0x9e3779b97f4a7c15

	tagBits  = 32 - idBits
	tagMask  = 1<<tagBits - 1
	tagShift = 20

	// longestPiece is the length up to which pieces are looked up as a whole.
	longestPiece = 64
)

// filter is a set of hashes that may also say yes to one that was never added. The largest vocabulary sets one bit in
// ten.
type filter [1 << filterBits / 64]uint64

const filterBits = 21

func (f *filter) add(hash uint64) {
	at := hash >> (64 - filterBits)
	f[at/64] |= 1 << (at % 64)
}

func (f *filter) has(hash uint64) bool {
	at := hash >> (64 - filterBits)
	return f[at/64]>>(at%64)&1 != 0
}

func newTables(v vocab) *tables {
	// The smallest power of two of which the tokens fill less than half.
	width := bits.Len(uint(2 * v.size()))
	t := &tables{vocab: v, merges: make([]uint64, 1<<width), words: make([]uint32, 1<<width), shift: uint8(64 - width)}
	t.trie = sync.OnceValue(func() *trie { return newTrie(&t.vocab) })
	for i := range t.duo {
		t.duo[i] = none
	}
	for id := range uint32(v.size()) {
		spelling := v.bytes(id)
		if len(spelling) == 1 {
			t.byteID[spelling[0]] = id
		} else if len(spelling) > 1 {
			t.addMerge(id)
			t.addWide(id, spelling)
			t.addFrayed(spelling)
		}
		if n := len(spelling); n > 0 && n <= longestPiece {
			t.addWord(id, pieceHash(unsafe.Pointer(unsafe.SliceData(spelling)), n))
		}
	}
	return t
}

func (t *tables) addMerge(id uint32) {
	left, right := leftOf(t.pair[id]), rightOf(t.pair[id])
	if left < 256 && right < 256 {
		t.duo[left<<8|right] = id
		return
	}
	hash := pairHash(left, right)
	t.maybeMerge.add(hash)
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
	if spelling[0] < utf8.RuneSelf && spelling[len(spelling)-1] < utf8.RuneSelf || utf8.Valid(spelling) {
		return
	}
	for i := 1; i < len(spelling); i++ {
		if utf8.RuneStart(spelling[i]) {
			at := uint(spelling[i-1])<<8 | uint(spelling[i])
			t.frayed[at/64] |= 1 << (at % 64)
		}
	}
}

// isFrayed reports whether the character boundary between the bytes a and b is not to be relied on.
func (t *tables) isFrayed(a, b byte) bool {
	at := uint(a)<<8 | uint(b)
	return t.frayed[at/64]>>(at%64)&1 != 0
}

func (t *tables) addWord(id uint32, hash uint64) {
	t.maybeWord.add(hash)
	slot := hash >> t.shift
	for t.words[slot] != 0 {
		slot = (slot + 1) & uint64(len(t.words)-1)
	}
	t.words[slot] = id<<tagBits | uint32(hash>>tagShift)&tagMask
}

func pairKey(left, right uint32) uint64 { return uint64(left)<<idBits | uint64(right) }

// pairHash spreads a pair over 64 bits, of which the highest are the best.
func pairHash(left, right uint32) uint64 { return pairKey(left, right) * hashFactor }

// merge returns the token that left and right merge into, or none.
func (t *tables) merge(left, right uint32) uint32 {
	if left|right < 256 {
		return t.duo[left<<8|right]
	}
	return t.mergeWide(left, right)
}

// mergeWide is merge for a pair that does not consist of two single bytes.
func (t *tables) mergeWide(left, right uint32) uint32 {
	hash := pairHash(left, right)
	if !t.maybeMerge.has(hash) {
		return none
	}
	return t.findMerge(left, right, hash)
}

func (t *tables) findMerge(left, right uint32, hash uint64) uint32 {
	key := pairKey(left, right)
	slot := hash >> t.shift
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

// word returns the token that is spelled like a piece of up to longestPiece bytes, given the hash of the piece.
func (t *tables) word(piece string, hash uint64) (id uint32, ok bool) {
	if !t.maybeWord.has(hash) {
		return 0, false
	}
	slot := hash >> t.shift
	for {
		entry := t.words[slot]
		if (entry^uint32(hash>>tagShift))&tagMask == 0 && string(t.bytes(entry>>tagBits)) == piece {
			return entry >> tagBits, true
		}
		if entry == 0 {
			return 0, false
		}
		slot = (slot + 1) & uint64(len(t.words)-1)
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
