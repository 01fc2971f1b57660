package split

import (
	"math/bits"
	"unicode/utf8"

	"github.com/plimsoll/plimsoll/internal/rawjson"
)

// windowLen is the number of bytes that Window looks at at once.
const windowLen = 64

// Window finds the ends of several consecutive pieces at once. text[pos] must
// be the start of a piece. If bit i of ends is set, a piece ends after
// text[pos+i]. n is the number of bytes covered, always up to the end of a
// piece and more than zero. If ends is zero, the n bytes are one piece, longer
// than 64 bytes.
//
// The 64 bytes from pos on are classified into bit masks, and the masks give
// all starts of pieces by a few operations on words, because a window that
// begins at a piece depends on nothing before it. A character that the masks
// cannot express ends the window, and its piece is left to Next.
func (p Pattern) Window(text string, pos int) (ends uint64, n int) {
	if needsNext(text, pos) {
		return p.windowByNext(text, pos)
	}
	var m masks
	limit := p.load(&m, text, pos)
	starts := p.starts(&m, text, pos)
	// What becomes of whitespace is decided by what follows it.
	solid := bits.Len64(^m.space & below(limit))
	if solid == limit && pos+limit == len(text) {
		return starts&below(limit)>>1 | 1<<(limit-1), limit
	}
	starts &= below(limit) & below(solid+1) &^ 1
	if starts == 0 {
		return p.windowOfOne(text, pos)
	}
	ends, n = starts>>1, bits.Len64(starts)-1
	if limit > windowLen-utf8.UTFMax {
		return ends, n
	}
	// The next window would stop at once where this one did.
	if end := p.Next(text, pos+n) - pos; end <= windowLen {
		return ends | 1<<(end-1), end
	}
	return ends, n
}

// load fills m from the next 64 bytes, or from what is left of text, and
// returns the number of bytes up to the first one that is in no class.
func (p Pattern) load(m *masks, text string, pos int) int {
	block, limit := (*[windowLen]byte)(nil), len(text)-pos
	if limit >= windowLen {
		block = (*[windowLen]byte)(rawjson.Bytes(text[pos:]))
	} else {
		var padded [windowLen]byte
		copy(padded[:], text[pos:])
		block = &padded
	}
	classify(block, m)
	switch p {
	case DeepSeek3:
		m.high |= m.control | m.widen(block, digit|space|mark, firstDense)
	case O200K, Tekken:
		m.widen(block, digit|space|mark, 0xFF)
	default:
		m.widen(block, digit|space, 0xFF)
	}
	return min(limit, bits.TrailingZeros64(m.high))
}

// starts returns the starts of pieces in a window.
func (p Pattern) starts(m *masks, text string, pos int) uint64 {
	switch p {
	case GPT2:
		return m.startsGPT2(text, pos)
	case CL100K:
		return m.startsCL100K(text, pos, groupsOfThree(m.digit))
	case Qwen2:
		return m.startsCL100K(text, pos, m.digit)
	case O200K:
		return m.contract(m.startsO200K(groupsOfThree(m.digit)), text, pos)
	case Tekken:
		return m.startsO200K(m.digit)
	case DeepSeek3:
		return m.startsDeepSeek3(groupsOfThree(m.digit))
	}
	return 0
}

// needsNext reports whether the next piece is better left to Next, because it
// is of a script whose runs of letters are long.
func needsNext(text string, pos int) bool {
	return text[pos] >= firstDense || pos+1 < len(text) && text[pos+1] >= firstDense
}

// firstDense is the first byte of U+3000: from there on most characters in use
// are kana, Han and Hangul.
const firstDense = 0xE3

// windowByNext collects pieces one by one as long as masks are of no use. It
// stops early, so that hardly ever a piece is found that does not fit in.
func (p Pattern) windowByNext(text string, pos int) (ends uint64, n int) {
	for {
		end := p.Next(text, pos+n) - pos
		if end > windowLen {
			if n == 0 {
				return 0, end
			}
			return ends, n
		}
		ends |= 1 << (end - 1)
		n = end
		if n > windowLen/4 || pos+n == len(text) || !needsNext(text, pos+n) {
			return ends, n
		}
	}
}

// windowOfOne returns one piece.
func (p Pattern) windowOfOne(text string, pos int) (ends uint64, n int) {
	n = p.Next(text, pos) - pos
	if n > windowLen {
		return 0, n
	}
	return 1 << (n - 1), n
}

// below returns a mask of the n lowest bits.
func below(n int) uint64 { return 1<<uint(n) - 1 }
