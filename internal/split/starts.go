package split

import "math/bits"

// The functions in this file compute the starts of all pieces in a window from
// its masks. A shift to the left asks about the character before, a shift to
// the right about the character after. Zeros come in at both ends of the
// window, and Window discards the starts that depend on them.

// groupsOfThree returns the starts of groups of up to three digits, counted
// from the start of each run.
func groupsOfThree(digit uint64) uint64 {
	pairs := digit & (digit << 1)
	fourth := pairs & (pairs << 2)
	starts := digit &^ (digit << 1)
	for next := starts << 3 & fourth; next != 0; next = next << 3 & fourth {
		starts |= next
	}
	return starts
}

// advance returns from and every position that can be reached from it by
// stepping over characters in through.
func advance(from, through uint64) uint64 {
	return (from&through + through) ^ through | from
}

// symbols returns the characters of [^\s\p{L}\p{N}].
func (m *masks) symbols() uint64 {
	return ^(m.letter | m.digit | m.space | m.high)
}

// inner returns the whitespace that is no line break.
func (m *masks) inner() uint64 { return m.space &^ m.newline }

// symbolStarts returns the starts of ` ?[^\s\p{L}\p{N}]+` that do not start
// with a blank, the characters of tail that end such pieces, and the positions
// after those. A tail starts with a line break.
func (m *masks) symbolStarts(tail uint64) (starts, taken, after uint64) {
	all := m.symbols()
	reach := advance(m.newline&(all<<1), tail)
	taken, after = reach&tail, reach&^tail
	starts = all&^((all|m.blank)<<1)&^taken | after&all
	return starts, taken, after
}

// wordStarts returns the starts of runs of letters that no prefix precedes. A
// prefix is whitespace or a symbol that starts a piece; the carry of the
// addition steps over the further bytes of a symbol outside ASCII.
func (m *masks) wordStarts(symbols uint64) uint64 {
	return m.letter &^ ((m.letter|m.inner())<<1 | symbols<<1 + m.trail)
}

// lineStarts returns the starts of `\s*[\r\n]+|\s+(?!\S)|\s+`: the first
// character of a run of whitespace, the first one after its last line break,
// and the last one if it is no line break.
func (m *masks) lineStarts() uint64 {
	inner := m.inner()
	indent := inner & (m.newline << 1)
	if again := inner & (m.newline >> 1); again != 0 {
		indent = dropBlankLines(indent, inner, again)
	}
	return m.space&^(m.space<<1) | indent | inner&^(m.space>>1)
}

// dropBlankLines clears the starts in indent of those runs of inner whitespace
// that another line break follows; again holds the last characters of the runs.
func dropBlankLines(indent, inner, again uint64) uint64 {
	for ; again != 0; again &= again - 1 {
		last := bits.TrailingZeros64(again)
		indent &^= 1 << bits.Len64(^inner&below(last))
	}
	return indent
}

// startsGPT2 returns the starts of pieces for GPT2: letters, digits and
// symbols each take one blank before them.
func (m *masks) startsGPT2(text string, pos int) uint64 {
	all := m.symbols()
	symbols := all &^ ((all | m.blank) << 1)
	starts := m.letter&^((m.letter|m.blank)<<1) | m.digit&^((m.digit|m.blank)<<1) | symbols |
		m.space&^(m.space<<1) | m.space&^(m.space>>1)
	for quotes := m.quote & symbols & (m.letter >> 1); quotes != 0; quotes &= quotes - 1 {
		at := bits.TrailingZeros64(quotes)
		if n := contractionLower(text, pos+at); n > 0 {
			starts = starts&^(2<<at) | 1<<(at+n)
		}
	}
	return starts
}

// startsCL100K returns the starts of pieces for CL100K and Qwen2, given those
// of the groups of digits.
func (m *masks) startsCL100K(text string, pos int, digits uint64) uint64 {
	symbols, taken, after := m.symbolStarts(m.newline)
	starts := digits | symbols | m.wordStarts(symbols) | m.lineStarts()&^taken | after
	for quotes := m.quote & symbols & (m.letter >> 1); quotes != 0; quotes &= quotes - 1 {
		at := bits.TrailingZeros64(quotes)
		if n := contraction(text, pos+at); n > 0 {
			starts |= 1 << (at + n)
		}
	}
	return starts
}

// startsO200K returns the starts of pieces for O200K and Tekken, but for
// contractions, given those of the groups of digits.
func (m *masks) startsO200K(digits uint64) uint64 {
	symbols, taken, after := m.symbolStarts(m.newline | m.slash)
	humps := m.upper & ((m.letter &^ m.upper) << 1)
	return digits | symbols | m.wordStarts(symbols) | humps | m.lineStarts()&^taken | after
}

// contract joins contractions to the words before them. A quote directly
// after a contraction starts a piece, as no word precedes it.
func (m *masks) contract(starts uint64, text string, pos int) uint64 {
	done := 0
	for quotes := m.quote & (m.letter << 1); quotes != 0; quotes &= quotes - 1 {
		at := bits.TrailingZeros64(quotes)
		if at == done {
			continue
		}
		if n := contraction(text, pos+at); n > 0 {
			done = at + n
			starts = starts&^(below(n)<<at) | 1<<done
		}
	}
	return starts
}

// startsDeepSeek3 returns the starts of pieces for DeepSeek3, given those of
// the groups of digits. Whitespace before digits ends its segment and stays
// whole. Only a sign of ASCII is the prefix of a word, and only of ASCII.
func (m *masks) startsDeepSeek3(digits uint64) uint64 {
	symbols, taken, after := m.symbolStarts(m.newline)
	inner := m.inner()
	ascii := m.letter &^ m.wide
	joined := advance((symbols&^m.wide)<<1&ascii, ascii)
	words := m.letter&^((m.letter|inner)<<1|joined) | joined&m.letter&m.wide
	beforeDigits := inner & (m.digit >> 1) & (inner << 1)
	return digits | symbols | words | m.lineStarts()&^taken&^beforeDigits | after
}
