package bpe

import "unsafe"

// count returns the number of tokens of text.
func (w *worker) count(text string) int {
	total := 0
	for len(text) > tailLen {
		tokens, n := w.countSome(text)
		total += tokens
		text = text[n:]
	}
	text = w.copyTail(text)
	for len(text) > 0 {
		tokens, n := w.countSome(text)
		total += tokens
		text = text[n:]
	}
	return total
}

// countSome counts the tokens of the first pieces of text and returns how many bytes those have.
func (w *worker) countSome(text string) (tokens, n int) {
	ends, n := w.pattern.Window(text, 0)
	p := unsafe.Pointer(unsafe.StringData(text))
	switch {
	case ends != 0:
		return w.countWindow(p, ends), n
	case n <= 64:
		return w.countWindow(p, 1<<(n-1)), n
	}
	ids, forgotten := w.bpeLong(text[:n], w.stack[:0], true)
	return forgotten + len(ids), n
}

// countWindow counts the pieces whose ends are given as bits.
func (w *worker) countWindow(text unsafe.Pointer, ends uint64) int {
	total, misses := w.countKnown(text, ends)
	for _, m := range w.missed[:misses] {
		start, end := int(m&0xff), int(m>>8)
		total += w.countPiece(unsafe.Add(text, start), end-start)
	}
	return total
}

// countKnownPortable counts the tokens of those pieces that are at their first place in the memo of words and puts the
// others aside. It has no branch that depends on the text.
func (w *worker) countKnownPortable(text unsafe.Pointer, ends uint64) (total, misses int) {
	start := 0
	for ; ends != 0; ends &= ends - 1 {
		end := lowestBit(ends) + 1
		key := makeKey(text, start, end-start)
		entry := &w.words[key.slot]
		differs := (entry.last ^ key.last) | (entry.tag^key.tag)&wordKeyMask
		miss := 0
		if differs != 0 {
			miss = 1
		}
		total += int(entry.tag&wordCountMask) & (miss - 1)
		w.missed[misses&63] = uint16(start | end<<8)
		misses += miss
		start = end
	}
	return total, misses
}

// countPiece counts a piece of up to 64 bytes that the memo of words does not know.
func (w *worker) countPiece(text unsafe.Pointer, n int) int {
	if n <= wordLen {
		return int(w.words[w.findWord(text, n)].tag & wordCountMask)
	}
	return w.countLarge(text, n)
}

// lowestBit is bits.TrailingZeros64 for a word that is not zero. The instruction for that waits, on some processors,
// for the last value of the register it writes to, which here can come from the memo of the piece before.
func lowestBit(word uint64) int { return int(bitOf[(word&-word)*deBruijn>>58]) }

// deBruijn has every number of six bits once among its bits; multiplying by a power of two brings one of them to the
// top.
const deBruijn = 0x03f79d71b4ca8b09

var bitOf = func() (bits [64]uint8) {
	for i := range bits {
		bits[uint64(deBruijn)<<i>>58] = uint8(i)
	}
	return bits
}()
