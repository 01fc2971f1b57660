package split

import "math/bits"

// widen moves letters and symbols outside ASCII from m.high to their classes.
// It stops at the first character that the masks cannot express: whitespace
// and digits, which count by characters and not by bytes, a mark where it may
// be part of a word, and an upper-case letter after one without case, as the
// end of such a word depends on what follows. It also stops at characters of
// four bytes, which are rare, at what is no character, and at bytes from end on.
// It returns the symbols that are neither punctuation nor \p{S}.
//
// The loop steps from one character to the next by the mask: a branch on the
// end of each word would be mispredicted most of the time.
func (m *masks) widen(block *[windowLen]byte, stop uint8, end byte) (others uint64) {
	var letters, uppers, caseless, trail uint64
	high := m.high
	for high != 0 {
		at := bits.TrailingZeros64(high)
		if at > windowLen-2 || block[at] >= end {
			break
		}
		class, rest := uint8(0), high&(high-1)
		rest &= rest - 1
		if r, ok := decode2(block[at], block[at+1]); ok {
			class = classBlocks[r]
		} else if at > windowLen-3 {
			break
		} else if r, ok := decode3(block[at], block[at+1], block[at+2]); ok {
			class, rest = classOf(r), rest&(rest-1)
		} else {
			break
		}
		if class&stop != 0 {
			break
		}
		span := high &^ rest
		high = rest
		if class&letter == 0 {
			trail |= span & (span << 1)
			if class&graphic == 0 {
				others |= span
			}
			continue
		}
		letters |= span
		if class&lower == 0 {
			uppers |= span
		} else if class&upper != 0 {
			caseless |= span
		}
	}
	m.letter |= letters
	m.upper |= uppers
	m.trail = trail
	m.wide = m.high &^ high
	m.high = high | m.upper&(caseless<<1)
	return others
}
