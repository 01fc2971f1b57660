package rawjson

import (
	"iter"
	"math"
)

// Scanner walks one JSON text once, front to back, and validates what it walks
// over. Errors stick: after one, every iteration ends, every method returns its
// zero value and Err returns the error.
//
// Every method that reads a value reads exactly one. One that wants a certain kind
// passes over a value of another kind, so that the scanner is after it either
// way; Peek tells the kind before. A Scanner does not allocate unless it says so,
// and must not be used by two goroutines at once.
type Scanner struct {
	data []byte
	pos  int
	// depth counts the objects and arrays that the scanner is in.
	depth int
	err   *SyntaxError
}

// NewScanner returns a scanner at the start of data, which must not change while
// it or anything that it returned is in use.
func NewScanner(data []byte) *Scanner { return &Scanner{data: data} }

// NewScannerAt returns a scanner for the value that a span of data holds. Offsets
// are those in data.
func NewScannerAt(data []byte, at Span) *Scanner { return &Scanner{data: data[:at.End], pos: at.Start} }

// Stop ends the reading with an error where the scanner stands, unless there is one
// already. Expected says what the text should have been.
func (s *Scanner) Stop(expected string) { s.fail(s.pos, expected) }

// Err returns the first error, a *SyntaxError, or nil.
func (s *Scanner) Err() error {
	if s.err == nil {
		return nil
	}
	return s.err
}

// Offset returns where the scanner stands: behind what it has read so far.
func (s *Scanner) Offset() int { return s.pos }

// Peek skips white space and tells the kind of the value that follows by its
// first byte: '{', '[', '"', 't', 'f', 'n', or '0' for every number. It returns 0
// if no value can begin here: at the end of the text, of an object or of an array,
// before anything that is not JSON, and after an error.
func (s *Scanner) Peek() byte {
	if s.err != nil {
		return 0
	}
	s.pos = space(s.data, s.pos)
	if s.pos == len(s.data) {
		return 0
	}
	return kinds[s.data[s.pos]]
}

// Members walks an object. It yields each key, unescaped like Text.Decode does it
// (a key with escapes is allocated, any other shares the bytes of the text), and
// the span of the key with its quotes. The body of the loop reads the value; one
// that it leaves alone is skipped. After a break the rest of the object is
// skipped, so that the scanner is always after it. Keys may repeat.
func (s *Scanner) Members() iter.Seq2[[]byte, Span] {
	return func(yield func([]byte, Span) bool) {
		for more := s.open('{'); more; {
			key, ok := s.key()
			if !ok {
				return
			}
			at := s.pos
			if !yield(key.bytes(s.data), key.Span) {
				s.leave(at, '}')
				return
			}
			more = s.next(at, '}')
		}
	}
}

// Elements walks an array and yields the index of each element. What Members says
// of the body of the loop and of break goes for it too.
func (s *Scanner) Elements() iter.Seq[int] {
	return func(yield func(int) bool) {
		index := 0
		for more := s.open('['); more; index++ {
			if s.Peek() == 0 {
				s.fail(s.pos, expectedValue)
				return
			}
			at := s.pos
			if !yield(index) {
				s.leave(at, ']')
				return
			}
			more = s.next(at, ']')
		}
	}
}

// Value skips the next value, however deep, and returns its span.
func (s *Scanner) Value() Span {
	if s.err != nil {
		return Span{}
	}
	start := space(s.data, s.pos)
	end := s.skip(start)
	if end < 0 {
		return Span{}
	}
	s.pos = end
	return Span{start, end}
}

// String returns the next value if it is a string. Any other value, null too, is
// skipped.
func (s *Scanner) String() (Text, bool) {
	if s.Peek() != '"' {
		s.Value()
		return Text{}, false
	}
	return s.text()
}

// Bool returns the next value if it is true or false. Any other value is skipped.
func (s *Scanner) Bool() (value, ok bool) {
	c := s.Peek()
	if s.Value(); s.err != nil {
		return false, false
	}
	return c == 't', c == 't' || c == 'f'
}

// Int returns the next value if it is a number without fraction and exponent that
// an int can hold. Any other value is skipped.
func (s *Scanner) Int() (int, bool) {
	c := s.Peek()
	v := s.Value()
	if c != '0' || s.err != nil {
		return 0, false
	}
	return integer(v.Of(s.data))
}

// integer reads a valid JSON number. It counts downwards, because the smallest int
// has no positive counterpart.
func integer(digits []byte) (int, bool) {
	negative := digits[0] == '-'
	if negative {
		digits = digits[1:]
	}
	n := 0
	for _, c := range digits {
		d := int(c) - '0'
		if d < 0 || d > 9 || n < (math.MinInt+d)/10 {
			return 0, false
		}
		n = n*10 - d
	}
	if !negative && n == math.MinInt {
		return 0, false
	}
	if !negative {
		n = -n
	}
	return n, true
}

// End reports an error unless only white space follows. It returns what Err
// returns.
func (s *Scanner) End() error {
	if s.err == nil {
		if s.pos = space(s.data, s.pos); s.pos < len(s.data) {
			s.fail(s.pos, "nothing after the value")
		}
	}
	return s.Err()
}

// open steps into an object or an array and reports whether it has anything in it.
// A value of another kind is skipped.
func (s *Scanner) open(bracket byte) bool {
	if s.Peek() != bracket {
		s.Value()
		return false
	}
	if s.depth == MaxDepth {
		s.failDepth(s.pos)
		return false
	}
	s.pos = space(s.data, s.pos+1)
	if s.pos < len(s.data) && s.data[s.pos] == bracket+2 {
		s.pos++
		return false
	}
	s.depth++
	return true
}

// key reads a key and the colon and steps to the value, or fails if there is none:
// the body of a loop always stands before a value.
func (s *Scanner) key() (Text, bool) {
	data, start := s.data, space(s.data, s.pos)
	if start == len(data) || data[start] != '"' {
		s.fail(start, expectedKey)
		return Text{}, false
	}
	end, escaped := s.skipString(start)
	if end < 0 {
		return Text{}, false
	}
	i := space(data, end)
	if i == len(data) || data[i] != ':' {
		s.fail(i, expectedColon)
		return Text{}, false
	}
	if i = space(data, i+1); i == len(data) || kinds[data[i]] == 0 {
		s.fail(i, expectedValue)
		return Text{}, false
	}
	s.pos = i
	return Text{Span{start, end}, escaped}, true
}

// next skips the value at an offset if the loop has left it alone, and steps over
// the comma or the closing bracket behind it.
func (s *Scanner) next(at int, closing byte) bool {
	if s.pos == at {
		s.Value()
	}
	if s.err != nil {
		return false
	}
	i := space(s.data, s.pos)
	if i < len(s.data) && s.data[i] == ',' {
		s.pos = i + 1
		return true
	}
	if i < len(s.data) && s.data[i] == closing {
		s.pos = i + 1
		s.depth--
		return false
	}
	s.fail(i, expectedAfter(closing))
	return false
}

// leave skips what is left of an object or an array after a break.
func (s *Scanner) leave(at int, closing byte) {
	if s.pos == at {
		s.Value()
	}
	if s.err != nil {
		return
	}
	s.depth--
	if end := s.skipInside(s.pos, closing, false); end >= 0 {
		s.pos = end
	}
}

// text reads the string whose opening quote the scanner stands at.
func (s *Scanner) text() (Text, bool) {
	end, escaped := s.skipString(s.pos)
	if end < 0 {
		return Text{}, false
	}
	t := Text{Span: Span{s.pos, end}, Escaped: escaped}
	s.pos = end
	return t, true
}

// fail keeps the first error and returns -1, an impossible offset.
func (s *Scanner) fail(offset int, expected string) int {
	if s.err == nil {
		s.err = &SyntaxError{Offset: offset, Expected: expected, Found: found(s.data, offset)}
	}
	return -1
}
