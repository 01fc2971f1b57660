package bpe

import (
	"slices"
	"unsafe"
)

// encode appends the ids of text to dst.
func (w *worker) encode(text string, dst []uint32) []uint32 {
	for len(text) > tailLen {
		var n int
		dst, n = w.encodeSome(text, dst)
		text = text[n:]
	}
	text = w.copyTail(text)
	for len(text) > 0 {
		var n int
		dst, n = w.encodeSome(text, dst)
		text = text[n:]
	}
	return dst
}

// encodeSome appends the ids of the first pieces of text and returns how many bytes those have.
func (w *worker) encodeSome(text string, dst []uint32) ([]uint32, int) {
	ends, n := w.pattern.Window(text, 0)
	p := unsafe.Pointer(unsafe.StringData(text))
	switch {
	case ends != 0:
		return w.encodeWindow(p, ends, dst), n
	case n <= 64:
		return w.encodeWindow(p, 1<<(n-1), dst), n
	}
	dst, _ = w.bpeLong(text[:n], dst, false)
	return dst, n
}

// encodeWindow appends the ids of the pieces whose ends are given as bits.
func (w *worker) encodeWindow(text unsafe.Pointer, ends uint64, dst []uint32) []uint32 {
	dst = slices.Grow(dst, 64+smallIDs)
	start := 0
	for ; ends != 0; ends &= ends - 1 {
		end := lowestBit(ends) + 1
		n := end - start
		key := loadKey(text, start, n)
		entry := &w.small[smallSlot(key)]
		count := int(entry.value >> smallCountShift & smallCountMask)
		if entry.key == key && entry.value&smallLenMask == uint64(n) && count <= smallIDs {
			dst = appendSmall(dst, entry.value, count)
		} else {
			dst = w.encodePiece(unsafe.Add(text, start), n, dst)
		}
		start = end
	}
	return dst
}

// appendSmall writes all three ids of an entry and keeps those that count: no branch, but room for three is needed,
// which a window has because no piece has more tokens than bytes.
func appendSmall(dst []uint32, value uint64, count int) []uint32 {
	n := len(dst)
	wide := dst[: n+smallIDs : cap(dst)]
	wide[n] = uint32(value >> smallIDShift & idMask)
	wide[n+1] = uint32(value >> (smallIDShift + idBits) & idMask)
	wide[n+2] = uint32(value >> (smallIDShift + 2*idBits))
	return wide[:n+count]
}

// encodePiece appends the ids of a piece of up to 64 bytes that the small memo does not know in full.
func (w *worker) encodePiece(text unsafe.Pointer, n int, dst []uint32) []uint32 {
	var count int
	var ids []uint32
	switch {
	case n <= 8:
		return append(dst, w.fillSmall(text, n)...)
	case n <= 16:
		count, ids = w.findMedium(text, n)
	default:
		count, ids = w.findLarge(text, n)
	}
	if len(ids) < count {
		return w.mergeAll(pieceAt(text, n), dst)
	}
	return append(dst, ids...)
}
