package wire

import (
	"slices"
	"unsafe"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/rawjson"
)

// Decoding a body, its chain and checking it may take workingSet, however small the
// body is, and four times its size beyond that. A body that would take more was
// made to: a million empty parts are three megabytes, and a hundred in memory. The
// working set is what ten thousand rounds need whose results are gone: a request
// that was read must be readable when it has been made smaller.
const (
	workingSet = 16<<20 - 64<<10
	indexRate  = 4
)

// maxBody is what the places of parts can hold. No API takes a tenth of it.
const maxBody = 1<<31 - 1

// Scanner walks a request body for a codec and keeps account of the memory that
// the codec takes for it: everything that there is for each message, part or
// member is made by a method or function that takes the Scanner.
type Scanner struct {
	*rawjson.Scanner
	// Body is all of the body.
	Body    []byte
	dialect plimsoll.Dialect
	source  *source
}

// NewScanner returns a scanner for a request body.
func NewScanner(d plimsoll.Dialect, body []byte) *Scanner {
	s := rawjson.NewScanner(body).Limit(workingSet + indexRate*len(body))
	if len(body) > maxBody {
		s.Limit(0).Spend(1)
	}
	return &Scanner{s, body, d, &source{body}}
}

// NewScannerAt returns a scanner for the value that a span of a body holds, which
// has been read before. It is not limited.
func NewScannerAt(d plimsoll.Dialect, body []byte, at rawjson.Span) *Scanner {
	return &Scanner{rawjson.NewScannerAt(body, at), body, d, &source{body}}
}

// Text reads a string, or skips anything else.
func (s *Scanner) Text() string {
	t, _ := s.String()
	return s.Decode(t)
}

// Decode returns what a text stands for.
func (s *Scanner) Decode(t rawjson.Text) string {
	if !s.Spend(t.Cost()) {
		return ""
	}
	return t.Decode(s.Body)
}

// Since returns the span from an offset to where the scanner stands.
func (s *Scanner) Since(start int) rawjson.Span { return rawjson.Span{Start: start, End: s.Offset()} }

// Copy returns the text of a span in memory of its own.
func (s *Scanner) Copy(v rawjson.Span) string {
	if !s.Spend(v.Len() + v.Len()/2) {
		return ""
	}
	return string(v.Of(s.Body))
}

// IsNull reports whether a span holds null.
func (s *Scanner) IsNull(v rawjson.Span) bool { return string(v.Of(s.Body)) == "null" }

// Wrong returns the error for a value of another kind than it must be, where the
// scanner stands. A mistake in the JSON before it comes first.
func (s *Scanner) Wrong(path, expected string) *DecodeError {
	if err := s.Err(); err != nil {
		return s.Broken()
	}
	return &DecodeError{Dialect: s.dialect, Offset: s.Offset(), Path: path, Expected: expected}
}

// Broken returns the error for a body that is no JSON.
func (s *Scanner) Broken() *DecodeError { return Broken(s.dialect, s.Err()) }

// Append appends an item to a list that the scanner accounts for, unless there is
// no memory left for it. Room is doubled when there is none: append would copy a
// long list many more times.
func Append[T any](s *Scanner, list []T, item T) []T {
	if len(list) == cap(list) {
		list = Grow(s, list, max(4, len(list)))
	}
	if len(list) == cap(list) {
		return list
	}
	return append(list, item)
}

// Gather is Append for a list of which the request makes a copy in the end.
func Gather[T any](s *Scanner, list []T, item T) []T {
	s.Spend(int(unsafe.Sizeof(item)) * 5 / 4)
	return Append(s, list, item)
}

// Grow makes room for n more items, and for no more than that, in a list that the
// scanner accounts for.
func Grow[T any](s *Scanner, list []T, n int) []T {
	var item T
	room := len(list) + n
	if !s.Spend(room * int(unsafe.Sizeof(item))) {
		return list
	}
	grown := append(slices.Grow([]T(nil), room), list...)
	s.Spend((cap(grown) - room) * int(unsafe.Sizeof(item)))
	return grown
}

// ReadRoot walks the members of a request object and fills in the layout's root.
// Of the errors that member returns the first one counts, after those of the
// syntax: nothing can be said about a body that is no JSON.
func ReadRoot(s *Scanner, l *Layout, member func(key string) error) error {
	if s.Peek() != '{' {
		return s.Wrong("", "a request object")
	}
	root := rawjson.List{Span: rawjson.Span{Start: s.Offset()}}
	var failed error
	for key, at := range s.Members() {
		if err := member(rawjson.View(key)); err != nil && failed == nil {
			failed = err
		}
		root.Items = Append(s, root.Items, s.Since(at.Start))
	}
	root.End = s.Offset()
	l.Root = root
	if s.End() != nil {
		return s.Broken()
	}
	return failed
}
