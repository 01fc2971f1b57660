package rawjson

import "fmt"

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

// kinds has the kind of the value that begins with a byte; see [Scanner.Peek].
var kinds = [256]byte{
	'{': '{', '[': '[', '"': '"', 't': 't', 'f': 'f', 'n': 'n', '-': '0',
	'0': '0', '1': '0', '2': '0', '3': '0', '4': '0', '5': '0', '6': '0', '7': '0', '8': '0', '9': '0',
}

// skip returns the end of the value that begins at i, or -1 after an error.
func (s *Scanner) skip(i int) int {
	if i >= len(s.data) {
		return s.fail(i, expectedValue)
	}
	switch c := s.data[i]; kinds[c] {
	case '"':
		end, _ := s.skipString(i)
		return end
	case '{', '[':
		return s.skipInside(i+1, c+2, true)
	case 't':
		return s.skipLiteral(i, "true")
	case 'f':
		return s.skipLiteral(i, "false")
	case 'n':
		return s.skipLiteral(i, "null")
	case '0':
		return s.skipNumber(i)
	}
	return s.fail(i, expectedValue)
}

// skipInside returns the end of the object or array that closing ends. The offset i is
// behind the opening bracket if first, else behind a value.
func (s *Scanner) skipInside(i int, closing byte, first bool) int {
	if s.depth == MaxDepth {
		return s.failDepth(i - 1)
	}
	s.depth++
	for ; i >= 0; first = false {
		i = space(s.data, i)
		if i < len(s.data) && s.data[i] == closing {
			s.depth--
			return i + 1
		}
		if !first {
			if i >= len(s.data) || s.data[i] != ',' {
				return s.fail(i, expectedAfter(closing))
			}
			i = space(s.data, i+1)
		}
		if closing == '}' {
			if i = s.skipKey(i); i < 0 {
				return -1
			}
		}
		i = s.skip(i)
	}
	return -1
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
