package rawjson

import (
	"encoding/binary"
	"fmt"
	"math/bits"
)

const (
	expectedValue = "a value"
	expectedKey   = "'\"' to begin a key"
	expectedColon = "':' after a key"
	expectedDigit = "a digit"
)

func expectedAfter(closing byte) string {
	if closing == '}' {
		return "',' or '}' after a member"
	}
	return "',' or ']' after an element"
}

func (s *Scanner) failDepth(offset int) int {
	return s.fail(offset, fmt.Sprintf("at most %d levels of nesting", MaxDepth))
}

// space returns the offset of the first byte from i on that is not white space.
func space(data []byte, i int) int {
	const blanks = 1<<' ' | 1<<'\t' | 1<<'\n' | 1<<'\r'
	for i < len(data) && data[i] <= ' ' && uint64(blanks)>>data[i]&1 != 0 {
		i++
	}
	return i
}

// skip returns the end of the value that begins at i, or -1 after an error.
func (s *Scanner) skip(i int) int {
	if i == len(s.data) {
		return s.fail(i, expectedValue)
	}
	switch c := s.data[i]; c {
	case '"':
		end, _ := s.skipString(i)
		return end
	case '{', '[':
		return s.skipNested(i+1, c+2, true)
	default:
		return s.skipScalar(i)
	}
}

// skipNested returns the end of the object or array that closing ends. The offset
// i stands behind the opening bracket if fresh, else behind a value. The brackets
// that close what is around it are kept as one bit each, so that depth costs
// neither stack nor, up to 64 levels, memory.
func (s *Scanner) skipNested(i int, closing byte, fresh bool) int {
	data := s.data
	var outer uint64
	depth, limit := 1, MaxDepth-s.depth
	if depth > limit {
		return s.failDepth(i - 1)
	}
	for {
		i = space(data, i)
		if i < len(data) && data[i] == closing {
			i++
			if depth--; depth == 0 {
				return i
			}
			closing, outer = ']'+byte(outer&1)<<5, outer>>1
			if depth%64 == 0 {
				outer = s.unspill()
			}
			fresh = false
			continue
		}
		if !fresh {
			if i >= len(data) || data[i] != ',' {
				return s.fail(i, expectedAfter(closing))
			}
			i = space(data, i+1)
		}
		if closing == '}' {
			if i = s.skipKey(i); i < 0 {
				return -1
			}
		}
		if i >= len(data) {
			return s.fail(i, expectedValue)
		}
		fresh = false
		switch c := data[i]; c {
		case '"':
			i, _ = s.skipString(i)
		case '{', '[':
			if depth == limit {
				return s.failDepth(i)
			}
			if depth%64 == 0 {
				s.spill = append(s.spill, outer)
			}
			outer = outer<<1 | uint64(closing>>5&1)
			closing, fresh = c+2, true
			depth++
			i++
		default:
			i = s.skipScalar(i)
		}
		if i < 0 {
			return -1
		}
	}
}

func (s *Scanner) unspill() uint64 {
	last := len(s.spill) - 1
	word := s.spill[last]
	s.spill = s.spill[:last]
	return word
}

// skipKey steps over a key, the colon and the white space around it.
func (s *Scanner) skipKey(i int) int {
	if i >= len(s.data) || s.data[i] != '"' {
		return s.fail(i, expectedKey)
	}
	i, _ = s.skipString(i)
	if i < 0 {
		return -1
	}
	i = space(s.data, i)
	if i >= len(s.data) || s.data[i] != ':' {
		return s.fail(i, expectedColon)
	}
	return space(s.data, i+1)
}

func (s *Scanner) skipScalar(i int) int {
	switch s.data[i] {
	case 't':
		return s.skipLiteral(i, "true")
	case 'f':
		return s.skipLiteral(i, "false")
	case 'n':
		return s.skipLiteral(i, "null")
	case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		return s.skipNumber(i)
	}
	return s.fail(i, expectedValue)
}

func (s *Scanner) skipLiteral(i int, word string) int {
	rest := s.data[i:]
	if len(rest) >= len(word) && string(rest[:len(word)]) == word {
		return i + len(word)
	}
	n := 0
	for n < len(rest) && rest[n] == word[n] {
		n++
	}
	return s.fail(i+n, word)
}

func (s *Scanner) skipNumber(i int) int {
	data := s.data
	if data[i] == '-' {
		i++
	}
	end := digits(data, i)
	switch {
	case end == i:
		return s.fail(i, expectedDigit)
	case data[i] == '0' && end > i+1:
		return s.fail(i+1, "no digit after a leading zero")
	}
	if i = end; i < len(data) && data[i] == '.' {
		if end = digits(data, i+1); end == i+1 {
			return s.fail(end, expectedDigit)
		}
		i = end
	}
	if i < len(data) && data[i]|0x20 == 'e' {
		i++
		if i < len(data) && (data[i] == '+' || data[i] == '-') {
			i++
		}
		if end = digits(data, i); end == i {
			return s.fail(end, expectedDigit)
		}
	}
	return end
}

func digits(data []byte, i int) int {
	for i < len(data) && data[i]-'0' <= 9 {
		i++
	}
	return i
}

// skipString returns the end of the string whose opening quote is at i, and
// whether there is an escape in it. Escapes of one letter, which fill code and
// quoted JSON, are handled without leaving the loop over words.
func (s *Scanner) skipString(i int) (end int, escaped bool) {
	data := s.data
	i++
	for i+8 <= len(data) {
		m := special(binary.LittleEndian.Uint64(data[i:]))
		if m == 0 {
			i += 8
			continue
		}
		i += bits.TrailingZeros64(m) / 8
		if data[i] == '"' {
			return i + 1, escaped
		}
		if data[i] != '\\' || i+1 >= len(data) || !isShort(data[i+1]) {
			break
		}
		escaped = true
		i += 2
	}
	return s.skipRest(i, escaped)
}

// skipRest is skipString from the middle of a string on, byte by byte.
func (s *Scanner) skipRest(i int, escaped bool) (int, bool) {
	data := s.data
	for {
		i = plain(data, i)
		switch {
		case i >= len(data):
			return s.fail(len(data), "'\"' to end the string"), false
		case data[i] == '"':
			return i + 1, escaped
		case data[i] != '\\':
			return s.fail(i, "an escape in place of a control character"), false
		}
		if i = s.skipEscape(i); i < 0 {
			return -1, false
		}
		escaped = true
	}
}

// isShort reports whether c makes an escape of one letter.
func isShort(c byte) bool {
	const low uint64 = 1<<'"' | 1<<'/'
	const high uint64 = 1<<('\\'-64) | 1<<('b'-64) | 1<<('f'-64) | 1<<('n'-64) | 1<<('r'-64) | 1<<('t'-64)
	// A shift by 64 or more gives 0, so that there is no branch to predict.
	return (low>>c|high>>(c-64))&1 != 0
}

// skipEscape returns the end of the escape whose backslash is at i.
func (s *Scanner) skipEscape(i int) int {
	i++
	switch {
	case i == len(s.data):
		return s.fail(i, "an escape")
	case isShort(s.data[i]):
		return i + 1
	case s.data[i] != 'u':
		return s.fail(i, "one of \"\\/bfnrtu after a backslash")
	}
	for n := range 4 {
		if i++; i == len(s.data) || hex(s.data[i]) < 0 {
			return s.fail(i, fmt.Sprintf("hexadecimal digit %d of 4", n+1))
		}
	}
	return i + 1
}

// hex returns the value of a hexadecimal digit, or -1.
func hex(c byte) int {
	switch {
	case c-'0' <= 9:
		return int(c - '0')
	case c|0x20 >= 'a' && c|0x20 <= 'f':
		return int(c|0x20-'a') + 10
	}
	return -1
}

const (
	ones  = 0x0101010101010101
	highs = 0x80 * ones
)

// plain returns the offset of the first byte from i on that cannot stand for
// itself in a string: a quote, a backslash or a control character.
func plain(data []byte, i int) int {
	for ; i+8 <= len(data); i += 8 {
		if m := special(binary.LittleEndian.Uint64(data[i:])); m != 0 {
			return i + bits.TrailingZeros64(m)/8
		}
	}
	for i < len(data) && data[i] >= ' ' && data[i] != '"' && data[i] != '\\' {
		i++
	}
	return i
}

// special sets the high bit of the bytes of w that plain looks for. Only the
// lowest is to be trusted: the subtractions borrow from the bytes above a hit.
// Flipping the bit 0x02 turns '"' into 0x20 and leaves the control characters
// below it, so that one comparison finds both.
func special(w uint64) uint64 {
	quoteOrControl := (w ^ 0x02*ones) - 0x21*ones
	backslash := (w ^ '\\'*ones) - ones
	return (quoteOrControl | backslash) &^ w & highs
}
