package wire

import (
	"slices"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/rawjson"
)

// The index of a body may take 16 MiB, however small the body is, or three and a
// half times its size, so that a million empty parts do not take a hundred times
// the memory that they came in. A round of an agent takes 4 to 6 kB of it.
const (
	freeIndex = 16 << 20
	indexRate = 3.5
)

// costs returns what the dearest of the codecs allocates, in bytes.
func costs() rawjson.Costs { return rawjson.Costs{Member: 64, Item: 1000, Element: 700} }

// NewScanner returns a scanner for a request body.
func NewScanner(body []byte) *rawjson.Scanner {
	return rawjson.NewScanner(body).Limit(max(freeIndex, int(indexRate*float64(len(body)))), costs())
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
		if len(root.Items) == cap(root.Items) {
			root.Items = slices.Grow(root.Items, len(root.Items)+1)
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
