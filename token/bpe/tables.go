package bpe

import "math/bits"

// tables answers the three questions that encoding a piece asks: which is the longest token at the start of a text,
// which shorter token is a prefix of it, and do two tokens merge.
type tables struct {
	vocab

	// byteID is the token of each single byte.
	byteID [256]uint32

	// shape holds for each token its longest proper prefix that is a token (itself for single bytes) and its length.
	shape []uint32

	// first is the trie node of each two-byte text, indexed by first byte + second byte<<8; 0 if there is none.
	first [1 << 16]uint32

	// edges is the rest of the trie as one open-addressed table of (node, byte) -> node. The node of a token has the
	// token's id as its number, other nodes are numbered from firstInner on.
	edges     []uint64
	edgeShift uint8

	// merges is an open-addressed table of (left, right) -> merged token. An entry has the id and some bits of the
	// hash; whether it is the right one is seen in vocab.pair.
	merges     []uint32
	mergeShift uint8
}

const (
	firstInner = 1 << idBits
	nodeBits   = idBits + 1
	nodeMask   = 1<<nodeBits - 1

	shapeShift = 24

	// hashFactor is 2^64 divided by the golden ratio, made odd: multiplying by it spreads any key over the high bits.
	hashFactor = 0x9e3779b97f4a7c15

	tagBits = 32 - idBits
	tagMask = 1<<tagBits - 1
)

func newTables(v vocab) *tables {
	t := &tables{vocab: v}
	t.indexMerges()
	t.indexTrie()
	return t
}

// prefixOf returns the longest token that is a proper prefix of token id, or id itself if that is a single byte.
func (t *tables) prefixOf(id uint32) uint32 { return t.shape[id] & idMask }

// lenOf returns the length of a token in bytes.
func (t *tables) lenOf(id uint32) int { return int(t.shape[id] >> shapeShift) }

// tableSize returns the smallest power of two that n entries fill to less than half, as a shift of a 64-bit hash.
func tableSize(n int) (size int, shift uint8) {
	width := bits.Len(uint(2 * n))
	return 1 << width, uint8(64 - width)
}

func (t *tables) indexMerges() {
	size, shift := tableSize(t.size())
	t.merges, t.mergeShift = make([]uint32, size), shift
	for id := 256; id < t.size(); id++ {
		pair := t.pair[id]
		if leftOf(pair) == uint32(id) {
			continue
		}
		hash := pairHash(pair)
		slot := hash >> shift
		for t.merges[slot] != 0 {
			slot = (slot + 1) & uint64(size-1)
		}
		t.merges[slot] = uint32(id)<<tagBits | uint32(hash)&tagMask
	}
}

// pairHash spreads a pair over 64 bits. The upper bits choose the slot and the lower ones are the tag.
func pairHash(pair uint64) uint64 {
	h := pair * hashFactor
	return (h ^ h>>32) * hashFactor
}

// merge returns the token that left and right merge into, 0 if they do not merge. No merged token has the id 0.
func (t *tables) merge(left, right uint32) uint32 {
	pair := makePair(left, right)
	hash := pairHash(pair)
	slot := hash >> t.mergeShift
	for {
		entry := t.merges[slot]
		if entry == 0 {
			return 0
		}
		if (entry^uint32(hash))&tagMask == 0 && t.pair[entry>>tagBits] == pair {
			return entry >> tagBits
		}
		slot = (slot + 1) & uint64(len(t.merges)-1)
	}
}

// mayFollow reports whether byte-pair encoding can leave the tokens left and right side by side. It takes both apart
// in the reverse order of their merges and looks for a merge across the border that would have come earlier.
func (t *tables) mayFollow(left, right uint32) bool {
	limit := uint32(1 << 31)
	for {
		if m := t.merge(left, right); m != 0 && m < limit {
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
