package hf

import (
	"encoding/json/jsontext"
	"strconv"
)

// scanner walks over JSON that is known to be well formed. It exists because vocabularies are
// half a million short strings, which a general decoder would allocate one by one.
type scanner struct {
	data    []byte
	pos     int
	scratch []byte
}

// next returns the byte at which the next value or punctuation starts, 0 at the end.
func (s *scanner) next() byte {
	for ; s.pos < len(s.data); s.pos++ {
		switch c := s.data[s.pos]; c {
		case ' ', '\t', '\r', '\n':
		default:
			return c
		}
	}
	return 0
}

// take steps over c if it comes next.
func (s *scanner) take(c byte) bool {
	if s.next() != c {
		return false
	}
	s.pos++
	return true
}

// str reads a string. The result is valid until the next call.
func (s *scanner) str() ([]byte, bool) {
	if !s.take('"') {
		return nil, false
	}
	start, escaped := s.pos, false
	for s.data[s.pos] != '"' {
		if s.data[s.pos] == '\\' {
			escaped = true
			s.pos++
		}
		s.pos++
	}
	raw := s.data[start:s.pos]
	s.pos++
	if !escaped {
		return raw, true
	}
	var err error
	s.scratch, err = jsontext.AppendUnquote(s.scratch[:0], s.data[start-1:s.pos])
	return s.scratch, err == nil
}

// id reads a token id.
func (s *scanner) id() (uint32, bool) {
	c := s.next()
	start := s.pos
	for s.pos < len(s.data) && s.data[s.pos] >= '0' && s.data[s.pos] <= '9' {
		s.pos++
	}
	if s.pos < len(s.data) {
		if c := s.data[s.pos]; c == '.' || c == 'e' || c == 'E' {
			return 0, false
		}
	}
	n, err := strconv.ParseUint(string(s.data[start:s.pos]), 10, 32)
	return uint32(n), err == nil && c != '-' && uint32(n) != noToken
}
