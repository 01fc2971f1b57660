package hf

// noMerge is larger than every merge, so that the smallest of a row is the one to do next.
const noMerge = ^uint64(0)

// pairTable maps two neighbouring tokens to the merge that joins them. A merge is one word: the
// rank in the upper half, the id of the joined token in the lower, so that comparing merges
// compares ranks.
type pairTable struct {
	slots []pairSlot
	mask  uint64
	shift uint8
	ranks int // one more than the highest rank
}

type pairSlot struct{ key, merge uint64 }

// freePair marks a free slot. It cannot be a key: noToken is never a neighbour.
const freePair = ^uint64(0)

func newPairTable(n int) *pairTable {
	t := &pairTable{shift: 60}
	for 1<<(64-t.shift) < n+n/2 {
		t.shift--
	}
	t.slots = make([]pairSlot, 1<<(64-t.shift))
	t.mask = uint64(len(t.slots) - 1)
	for i := range t.slots {
		t.slots[i] = pairSlot{freePair, noMerge}
	}
	return t
}

func pairKey(left, right uint32) uint64 { return uint64(left)<<32 | uint64(right) }

func (t *pairTable) home(key uint64) uint64 {
	return (key ^ key>>29) * 0x9E3779B97F4A7C15 >> t.shift
}

// get returns the merge of two neighbours, or noMerge.
func (t *pairTable) get(left, right uint32) uint64 {
	key := pairKey(left, right)
	for i := t.home(key); ; i++ {
		slot := &t.slots[i&t.mask]
		if slot.key == key || slot.key == freePair {
			return slot.merge
		}
	}
}

// pairCache keeps the answers for pairs that were asked for recently, also that there is no merge. The
// table is larger than the caches of a processor, and text repeats its pairs.
type pairCache struct {
	pairs *pairTable
	slots []pairSlot
}

const pairCacheBits = 13

func newPairCache(pairs *pairTable) pairCache {
	c := pairCache{pairs, make([]pairSlot, 1<<pairCacheBits)}
	for i := range c.slots {
		c.slots[i].key = freePair
	}
	return c
}

// get is the get of the table.
func (c *pairCache) get(left, right uint32) uint64 {
	key := pairKey(left, right)
	slot := &c.slots[(key^key>>29)*0x9E3779B97F4A7C15>>(64-pairCacheBits)]
	if slot.key != key {
		*slot = pairSlot{key, c.pairs.get(left, right)}
	}
	return slot.merge
}

// put enters a merge. A pair that comes twice keeps the later rank, as in Hugging Face's own reader.
func (t *pairTable) put(left, right uint32, rank, id uint32) {
	key := pairKey(left, right)
	t.ranks = max(t.ranks, int(rank)+1)
	for i := t.home(key); ; i++ {
		slot := &t.slots[i&t.mask]
		if slot.key == key || slot.key == freePair {
			*slot = pairSlot{key, uint64(rank)<<32 | uint64(id)}
			return
		}
	}
}
