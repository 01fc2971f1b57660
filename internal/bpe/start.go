package bpe

import (
	"encoding/binary"
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

// nearbySlot returns the place for the three lowest of four bytes.
func nearbySlot(four uint32) uint32 { return four << 8 * (hashFactor >> 32) >> (32 - nearbyBits) }

// add notes a token as far as startBytes, which sees nothing but ASCII, can meet it. Ids must be below nearbyHalf and
// come in descending order, so that the smallest is what stays.
func (t *nearby) add(id uint32, spelling []byte) {
	if a, b, c := spelling[0], spelling[1], spelling[2]; a|b|c < utf8.RuneSelf {
		start := &t[nearbySlot(uint32(a)|uint32(b)<<8|uint32(c)<<16)]
		*start = *start&^nearbyHalf | id
	}
	end := spelling[len(spelling)-3:]
	if a, b, c := end[0], end[1], end[2]; a|b|c < utf8.RuneSelf {
		end := &t[nearbySlot(uint32(a)|uint32(b)<<8|uint32(c)<<16)]
		*end = *end&nearbyHalf | id<<16
	}
}

// early is scratch space of startBytes: a copy of the piece, with room for looking beyond its end, and for each of its
// bytes, what it merges into with the next one and what is nearby. The first elements stand for what is before the piece.
type early struct {
	text [256 + 4]byte
	rank [1 + 256 + 1]uint32
	near [2 + 256 + 1]uint32
}

// read fills in what is known about the bytes of a piece and returns their number.
func (e *early) read(t *tables, piece string) int {
	duo, nearby := &t.duo, &t.nearby
	// What follows the piece can only make a merge look less sure.
	length := copy(e.text[:maxParts], piece)
	e.rank[0], e.near[0], e.near[1] = none, nothing, nothing
	for i := range length {
		four := binary.LittleEndian.Uint32(e.text[i : i+4])
		e.rank[i+1] = duo[uint16(four)]
		e.near[i+2] = nearby[nearbySlot(four)]
	}
	return length
}

// startBytes fills in the parts to start from for a piece whose characters are single bytes. The merges of two bytes that
// are sure to happen, whatever happens around them, are done here all at once; they are most of all.
//
// Two bytes are sure to merge if nothing can take one of them away before. Whatever takes the left one from the left
// makes a token that ends with it and has a smaller id: the merge with the byte before, or one of three or more bytes.
// In the same way what takes the right one makes a token that starts with it.
func (w *worker) startBytes(piece string) int {
	p, e, n, taken := &w.parts, &w.early, 0, uint32(0)
	last := e.read(w.tables, piece) - 1
	for i := range last {
		rank := e.rank[i+1]
		limit := min(e.rank[i], e.rank[i+2]+1, e.near[i]>>16, e.near[i+3]&nearbyHalf)
		// Both are below 1<<31, so the difference is negative if its highest bit is set.
		sure := (rank - limit) >> 31
		id := w.byteID[e.text[i]]
		p.id[n&0xff] = id ^ (id^rank)&-sure
		// The second byte of two that merge is no part; the next one is written over it.
		n += 1 - int(taken)
		taken = sure
	}
	p.id[n&0xff] = w.byteID[e.text[last]]
	return n + 1 - int(taken)
}

// isASCII reports whether all bytes of a piece of more than fewBytes bytes are characters of their own.
func isASCII(piece string) bool {
	p, n := unsafe.Pointer(unsafe.StringData(piece)), len(piece)
	if n < 8 {
		return (load32(p, 0)|load32(p, n-4))&0x80808080 == 0
	}
	all := load64(p, n-8)
	for i := 0; i < n-8; i += 8 {
		all |= load64(p, i)
	}
	return all&0x8080808080808080 == 0
}
