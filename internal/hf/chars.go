package hf

import "unicode/utf8"

// charTable maps a character to the token that is exactly that character.
type charTable struct {
	low   [0x800]uint32
	slots []charSlot
	mask  uint32
}

type charSlot struct {
	char rune
	id   uint32
}

func newCharTable(n int) *charTable {
	size := 16
	for size < 2*n {
		size *= 2
	}
	t := &charTable{slots: make([]charSlot, size), mask: uint32(size - 1)}
	for i := range t.low {
		t.low[i] = noToken
	}
	for i := range t.slots {
		t.slots[i].id = noToken
	}
	return t
}

func (t *charTable) home(r rune) uint32 { return uint32(r) * 0x9E3779B1 >> 7 }

// find returns the token of a character that is size bytes long. A byte that is not valid UTF-8
// decodes to the replacement character with size 1 and has no token.
func (t *charTable) find(r rune, size int) uint32 {
	if r == utf8.RuneError && size == 1 {
		return noToken
	}
	if int(r) < len(t.low) {
		return t.low[r]
	}
	for i := t.home(r); ; i++ {
		slot := t.slots[i&t.mask]
		if slot.id == noToken || slot.char == r {
			return slot.id
		}
	}
}

func (t *charTable) put(r rune, id uint32) {
	if int(r) < len(t.low) {
		t.low[r] = id
		return
	}
	for i := t.home(r); ; i++ {
		slot := &t.slots[i&t.mask]
		if slot.id == noToken || slot.char == r {
			*slot = charSlot{r, id}
			return
		}
	}
}
