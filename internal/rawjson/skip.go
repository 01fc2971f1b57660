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

// begins reports whether a value can begin with c.
func begins(c byte) bool {
	const low uint64 = 1<<'"' | 1<<'-' | (1<<('9'+1) - 1<<'0')
	const high uint64 = 1<<('['-64) | 1<<('{'-64) | 1<<('t'-64) | 1<<('f'-64) | 1<<('n'-64)
	// A shift by 64 or more gives 0, so that there is no branch to predict.
	return (low>>c|high>>(c-64))&1 != 0
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
// i is after the opening bracket if fresh, else after a value. The brackets
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
			if end := short(data, i); end > 0 && data[end] == ':' {
				i = space(data, end+1)
			} else if i = s.skipKey(i); i < 0 {
				return -1
			}
		}
		if i >= len(data) {
			return s.fail(i, expectedValue)
		}
		fresh = false
		switch c := data[i]; c {
		case '"':
			if end := short(data, i); end > 0 {
				i = end
				continue
			}
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

// short returns the end of the string at i if it has at most seven bytes, all of
// them plain, or 0. Most keys are like that.
func short(data []byte, i int) int {
	if i+10 > len(data) {
		return 0
	}
	w := binary.LittleEndian.Uint64(data[i+1:])
	k := bits.TrailingZeros64(special(w)) / 8
	if k == 8 || data[i] != '"' || byte(w>>(8*k)) != '"' {
		return 0
	}
	return i + k + 2
}
