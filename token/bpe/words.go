package bpe

import "unsafe"

// words finds the token that is spelled like a piece. Merging finds it too, only slower.
type words struct {
	*vocab

	// slots is an open-addressed table of the tokens of up to longestPiece bytes. An entry has the id and some bits of
	// the hash; whether it is the right one is seen in vocab. Most pieces that are looked up are no tokens, and maybe
	// is small enough to say so from a near cache.
	slots []uint32
	shift uint8
	maybe filter
}

const (
	tagBits  = 32 - idBits
	tagMask  = 1<<tagBits - 1
	tagShift = 20

	// longestPiece is the length up to which pieces are looked up and remembered as a whole.
	longestPiece = 64
)

func newWords(v *vocab) *words {
	width := tableWidth(v.size())
	t := &words{vocab: v, slots: make([]uint32, 1<<width), shift: uint8(64 - width)}
	for id := range uint32(v.size()) {
		if n := v.lenOf(id); n > 0 && n <= longestPiece {
			t.add(id, pieceHash(unsafe.Pointer(unsafe.SliceData(v.bytes(id))), n))
		}
	}
	return t
}

func (t *words) add(id uint32, hash uint64) {
	t.maybe.add(hash)
	slot := hash >> t.shift
	for t.slots[slot] != 0 {
		slot = (slot + 1) & uint64(len(t.slots)-1)
	}
	t.slots[slot] = id<<tagBits | uint32(hash>>tagShift)&tagMask
}

// find returns the token that is spelled like a piece of up to longestPiece bytes, given the hash of the piece.
func (t *words) find(piece string, hash uint64) (id uint32, ok bool) {
	if !t.maybe.has(hash) {
		return 0, false
	}
	slot := hash >> t.shift
	for {
		entry := t.slots[slot]
		if (entry^uint32(hash>>tagShift))&tagMask == 0 && string(t.bytes(entry>>tagBits)) == piece {
			return entry >> tagBits, true
		}
		if entry == 0 {
			return 0, false
		}
		slot = (slot + 1) & uint64(len(t.slots)-1)
	}
}

// filter is a set of hashes that may also say yes to one that was never added. The largest vocabulary sets one bit in
// ten.
type filter [1 << filterBits / 64]uint64

const filterBits = 21

func (f *filter) add(hash uint64) {
	at := hash >> (64 - filterBits)
	f[at/64] |= 1 << (at % 64)
}

func (f *filter) has(hash uint64) bool { return f.bit(hash) != 0 }

// bit is 1 for a hash that may have been added, 0 for any other.
func (f *filter) bit(hash uint64) int {
	at := hash >> (64 - filterBits)
	return int(f[at/64] >> (at % 64) & 1)
}
