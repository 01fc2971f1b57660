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
	dst = slices.Grow(dst, 64+idsPerHalf)
	start := 0
	for ; ends != 0; ends &= ends - 1 {
		end := lowestBit(ends) + 1
		key := makeKey(text, start, end-start)
		entry := &w.words[key.slot]
		count := int(entry.tag & wordCountMask)
		if entry.last == key.last && entry.tag&(wordKeyMask|wordFull) == key.tag|wordFull && count <= idsPerHalf {
			dst = appendHalf(dst, w.ids[key.slot][0], count)
		} else {
			dst = w.encodePiece(unsafe.Add(text, start), end-start, dst)
		}
		start = end
	}
	return dst
}

// appendHalf writes three ids and keeps those that count: no branch, but room for three is needed, which a window has
// because no piece has more tokens than bytes.
func appendHalf(dst []uint32, half uint64, count int) []uint32 {
	n := len(dst)
	wide := dst[: n+idsPerHalf : cap(dst)]
	wide[n] = uint32(half & idMask)
	wide[n+1] = uint32(half >> idBits & idMask)
	wide[n+2] = uint32(half >> (2 * idBits))
	return wide[:n+count]
}

// encodePiece appends the ids of a piece of up to 64 bytes that is not at its first place in the memo of words or has
// more than three.
func (w *worker) encodePiece(text unsafe.Pointer, n int, dst []uint32) []uint32 {
	if n <= wordLen {
		return w.encodeWord(text, n, dst)
	}
	return w.encodeLarge(text, n, dst)
}

func (w *worker) encodeWord(text unsafe.Pointer, n int, dst []uint32) []uint32 {
	slot := w.findWord(text, n)
	if entry := &w.words[slot]; entry.tag&wordFull == 0 {
		w.ids[slot] = packIDs(w.mergeAll(pieceAt(text, n), w.stack[:0]))
		entry.tag |= wordFull
	}
	count, ids := int(w.words[slot].tag&wordCountMask), &w.ids[slot]
	switch {
	case count <= idsPerHalf:
		return appendHalf(dst, ids[0], count)
	case count <= wordIDs:
		dst = appendHalf(dst, ids[0], idsPerHalf)
		return appendHalf(dst, ids[1], count-idsPerHalf)
	}
	return w.mergeAll(pieceAt(text, n), dst)
}
