package wire

import (
	"bytes"
	"iter"

	"github.com/plimsoll/plimsoll/internal/rawjson"
)

// Members goes through the members of a request, which were found when it was decoded.
func (r *Request) Members() iter.Seq2[string, []byte] {
	return func(yield func(string, []byte) bool) {
		body := r.Body()
		for _, at := range r.layout.Root.Items {
			s := rawjson.NewScannerAt(body, at)
			key, _ := s.String()
			_, value, _ := bytes.Cut(body[s.Offset():at.End], []byte{':'})
			if !yield(key.Decode(body), bytes.TrimSpace(value)) {
				return
			}
		}
	}
}

// HasMember reports whether a body is one object and has a member. A kind other than 0 is
// the byte that its value begins with.
func HasMember(body []byte, key string, kind byte) bool {
	s, found := rawjson.NewScanner(body), false
	if s.Peek() != '{' {
		return false
	}
	for name := range s.Members() {
		if string(name) == key {
			found = kind == 0 || s.Peek() == kind
		}
	}
	return s.End() == nil && found
}
