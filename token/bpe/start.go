package bpe

import (
	"unicode/utf8"
	"unsafe"
)

// nearby says for three bytes how early a merge can join them with others: the smallest id of a token of three or more
// bytes that starts with them in the low half of an element, that ends with them in the high half. Ids that do not fit
// are 1<<16 - 1. Different bytes can share an element, which then has the smaller ids of both.
type nearby [1 << nearbyBits]uint32

const (
	nearbyBits = 15
	nearbyHalf = 1<<16 - 1
	nothing    = nearbyHalf<<16 | nearbyHalf
)

func nearbySlot(a, b, c byte) uint32 {
	return (uint32(a) | uint32(b)<<8 | uint32(c)<<16) * (hashFactor >> 32) >> (32 - nearbyBits)
}

// add notes a token as far as startBytes, which sees nothing but ASCII, can meet it. Ids must be below nearbyHalf and
// come in descending order, so that the smallest is what stays.
func (t *nearby) add(id uint32, spelling []byte) {
	if a, b, c := spelling[0], spelling[1], spelling[2]; a|b|c < utf8.RuneSelf {
		start := &t[nearbySlot(a, b, c)]
		*start = *start&^nearbyHalf | id
	}
	end := spelling[len(spelling)-3:]
	if a, b, c := end[0], end[1], end[2]; a|b|c < utf8.RuneSelf {
		end := &t[nearbySlot(a, b, c)]
		*end = *end&nearbyHalf | id<<16
	}
}

// early is scratch space of startBytes: a copy of the piece, with room for looking beyond its end, and pairs of parts.
type early struct {
	text  [maxParts + 4]byte
	found [maxParts + 1]uint8
}

// startBytes fills in the parts to start from, with their merges, for a piece whose characters are single bytes. The
// merges that are sure to happen, whatever happens around them, are done here all at once; they are most of all.
//
// Two bytes are sure to merge if nothing can take one of them away before. Whatever takes the left one from the left
// makes a token that ends with it and has a smaller id: the merge with the byte before, or one of three or more bytes.
// In the same way what takes the right one makes a token that starts with it.
func (w *worker) startBytes(piece string) int {
	p, text := &w.parts, &w.early.text
	// What follows the piece can only make a merge look less sure.
	last := copy(text[:maxParts], piece) - 1
	n, taken := 0, uint32(0)
	left, right := w.byteID[text[0]], w.byteID[text[1]]
	before, rank := uint32(none), w.duo[left<<8|right]
	two, one, here := uint32(nothing), uint32(nothing), w.nearby[nearbySlot(text[0], text[1], text[2])]
	for i := range last {
		rest := text[i : i+4 : i+4]
		next := w.byteID[rest[2]]
		after := w.duo[right<<8|next]
		ahead := w.nearby[nearbySlot(rest[1], rest[2], rest[3])]
		limit := min(before, after+1, two>>16, ahead&nearbyHalf)
		// Both are below 1<<31, so the difference is negative if its highest bit is set.
		sure := (rank - limit) >> 31
		p.id[n&0xff] = left ^ (left^rank)&-sure
		p.merge[n&0xff] = rank<<8 | uint32(n)
		// The second byte of two that merge is no part; the next one is written over it.
		n += 1 - int(taken)
		taken = sure
		left, right, before, rank = right, next, rank, after
		two, one, here = one, here, ahead
	}
	p.id[n&0xff] = left
	n += 1 - int(taken)
	w.linkBytes(n)
	return n
}

// linkBytes is linkAll for parts of which the merges of two single bytes are known.
func (w *worker) linkBytes(n int) {
	p, found, count := &w.parts, &w.early.found, 0
	for i := 0; i < n-1; i++ {
		left, right, at := p.id[i&0xff], p.id[(i+1)&0xff], uint8(i)
		// All ones if both are single bytes, else zero.
		single := uint32(int32((left|right)-256) >> 31)
		p.merge[at] = p.merge[at]&single | uint32(noMerge|i)&^single
		p.next[at], p.prev[at+1] = at+1, at
		found[count&0xff] = at
		count += w.maybe.bit(pairHash(left, right)) &^ int(single)
	}
	p.next[(n-1)&0xff] = uint8(n)
	w.findMerges(count)
}

// findMerges fills in the merges that were found to be likely.
func (w *worker) findMerges(count int) {
	p := &w.parts
	for _, i := range w.early.found[:count] {
		left, right := p.id[i], p.id[i+1]
		p.merge[i] = w.mergeKnown(left, right, pairHash(left, right))<<8 | uint32(i)
	}
}

// linkAll links the first n parts and fills in what neighbours merge into. The first loop has no branch that depends on
// the text: pairs that the filter does not rule out are put aside for the second.
func (w *worker) linkAll(n int) {
	p, found, count := &w.parts, &w.early.found, 0
	for i := 0; i < n-1; i++ {
		p.link(uint8(i), none)
		found[count&0xff] = uint8(i)
		count += w.maybe.bit(pairHash(p.id[i&0xff], p.id[(i+1)&0xff]))
	}
	p.next[(n-1)&0xff] = uint8(n)
	w.findMerges(count)
}

// isASCII reports whether all bytes of a piece are characters of their own.
func isASCII(piece string) bool {
	p, n := unsafe.Pointer(unsafe.StringData(piece)), len(piece)
	all := uint64(0)
	if n < 8 {
		for i := range n {
			all |= uint64(piece[i])
		}
		return all < utf8.RuneSelf
	}
	for i := 0; i < n-8; i += 8 {
		all |= load64(p, i)
	}
	return (all|load64(p, n-8))&0x8080808080808080 == 0
}
