package split

import "math/bits"

// widen moves letters and symbols outside ASCII from m.high to their classes.
// It stops at the first character that the masks cannot express: whitespace
// and digits, as they count by characters and not by bytes, a mark where it
// may stand in a word, and an upper-case letter after one without case, which
// makes the end of the word depend on what follows.
func (m *masks) widen(block *[windowLen]byte, text string, pos int, p Pattern) {
	var stop uint8 = digit | space
	switch p {
	case O200K, Tekken:
		stop |= mark
	case DeepSeek3:
		return
	}
	var w wideMasks
	at := bits.TrailingZeros64(m.high)
	for at < windowLen {
		at = w.addRun(block, m.high, at, stop)
		if at == windowLen {
			break
		}
		class, width := classWide(text, pos+at)
		if class&stop != 0 || at+width > windowLen {
			break
		}
		w.add(class, below(width)<<uint(at))
		at = nextBit(m.high, at+width)
	}
	m.letter |= w.letter
	m.upper |= w.upper
	m.trail = w.trail
	m.high = m.high&^below(at) | m.upper&(w.caseless<<1)
}

// wideMasks collects characters outside ASCII.
type wideMasks struct {
	letter, upper, caseless, trail uint64
}

// add adds a character of a class that takes the bytes in span.
func (w *wideMasks) add(class uint8, span uint64) {
	isLetter, isUpper, isLower := spread(class&letter), spread(class&upper), spread(class&lower)
	w.letter |= span & isLetter
	w.upper |= span & isUpper &^ isLower
	w.caseless |= span & isUpper & isLower
	w.trail |= span & (span << 1) &^ isLetter
}

// addRun adds characters of two and three bytes from the position at on, as
// long as none has a flag in stop, and returns the position of the next other
// character outside ASCII. It makes no calls, so that everything stays in
// registers.
func (w *wideMasks) addRun(block *[windowLen]byte, high uint64, at int, stop uint8) int {
	letters, uppers, caseless, trail := w.letter, w.upper, w.caseless, w.trail
	high &^= below(at)
	for {
		at = bits.TrailingZeros64(high)
		if at >= windowLen-2 {
			break
		}
		var class uint8
		rest := high & (high - 1)
		rest &= rest - 1
		if r, ok := decode2(block[at], block[at+1]); ok {
			class = classBlocks[r]
		} else if r, ok := decode3(block[at], block[at+1], block[at+2]); ok {
			class = classOf(r)
			rest &= rest - 1
		} else {
			break
		}
		if class&stop != 0 {
			break
		}
		span := high &^ rest
		high = rest
		isLetter, isUpper, isLower := spread(class&letter), spread(class&upper), spread(class&lower)
		letters |= span & isLetter
		uppers |= span & isUpper &^ isLower
		caseless |= span & isUpper & isLower
		trail |= span & (span << 1) &^ isLetter
	}
	*w = wideMasks{letters, uppers, caseless, trail}
	return at
}

// nextBit returns the position of the first bit of mask from at on, 64 if
// there is none.
func nextBit(mask uint64, at int) int {
	return bits.TrailingZeros64(mask &^ below(at))
}

// spread returns all ones if flag is not zero.
func spread(flag uint8) uint64 {
	return uint64(int64(-uint64(flag)) >> 63)
}
