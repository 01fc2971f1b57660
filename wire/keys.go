package wire

import "hash/maphash"

// Keys finds the entries of a list by a word that each of them has, such as its id.
// It takes some five to eleven bytes for an entry, a tenth of what a map takes: the words
// stay where they are.
type Keys struct {
	word func(i int) string
	// slots hold indices of entries plus one; 0 is free.
	slots []uint32
	// seed differs each time, so that nobody can choose words that get in each
	// other's way.
	seed maphash.Seed
}

// NewKeys returns keys for n entries at most, of which word returns the words.
func NewKeys(n int, word func(i int) string) *Keys {
	size := 8
	for size*3/4 < n {
		size *= 2
	}
	return &Keys{word, make([]uint32, size), maphash.MakeSeed()}
}

// Put adds an entry and returns the first that has its word: itself, or one that
// was put before.
func (k *Keys) Put(i int) int {
	slot := k.slot(k.word(i))
	if *slot == 0 {
		*slot = uint32(i + 1)
	}
	return int(*slot - 1)
}

// Find returns the first entry that has a word.
func (k *Keys) Find(word string) (int, bool) {
	slot := *k.slot(word)
	return int(slot) - 1, slot != 0
}

// slot returns where the first entry with a word is, or where it would be.
func (k *Keys) slot(word string) *uint32 {
	last := uint64(len(k.slots) - 1)
	for at := maphash.String(k.seed, word) & last; ; at = (at + 1) & last {
		if s := &k.slots[at]; *s == 0 || k.word(int(*s-1)) == word {
			return s
		}
	}
}
