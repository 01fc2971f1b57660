package wire

import (
	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/rawjson"
)

// Bounds of what an index may hold, so that a body of a million empty parts does
// not take a hundred times its size in memory. Small bodies may hold as many
// messages, parts and members as they like; in large ones each must have so many
// bytes on average, which no client comes near.
const (
	freeMembers    = 1 << 16
	bytesPerMember = 256
)

// NewScanner returns a scanner for a request body.
func NewScanner(body []byte) *rawjson.Scanner {
	return rawjson.NewScanner(body).Limit(max(freeMembers, len(body)/bytesPerMember))
}

// ReadRoot walks the members of a request object and fills in the layout's root.
// Of the errors that member returns the first one counts, after those of the
// syntax: nothing can be said about a body that is no JSON.
func ReadRoot(d plimsoll.Dialect, s *rawjson.Scanner, l *Layout, member func(key []byte) error) error {
	if s.Peek() != '{' {
		return Unexpected(d, s, "", "a request object")
	}
	root := rawjson.List{Span: rawjson.Span{Start: s.Offset()}}
	var failed error
	for key, at := range s.Members() {
		if err := member(key); err != nil && failed == nil {
			failed = err
		}
		root.Items = append(root.Items, rawjson.Span{Start: at.Start, End: s.Offset()})
	}
	root.End = s.Offset()
	l.Root = root
	if err := s.End(); err != nil {
		return Broken(d, err)
	}
	return failed
}
