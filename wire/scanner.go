package wire

import (
	"slices"
	"unsafe"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/rawjson"
)

// Decoding a body, its chain and checking it may have four times its size in use,
// and workingSet however small it is. A body that would take more was made to: ten
// thousand empty parts are thirty kilobytes, and half a megabyte in memory.
const (
	workingSet = 64 << 10
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
	words   *words // nil until a short text is read
}

// NewScanner returns a scanner for a request body.
func NewScanner(d plimsoll.Dialect, body []byte) *Scanner {
	s := rawjson.NewScanner(body).Limit(workingSet + indexRate*len(body))
	if len(body) > maxBody {
		s.Limit(0).Spend(1)
	}
	return &Scanner{Scanner: s, Body: body, dialect: d, source: &source{body}}
}

// NewScannerAt returns a scanner for the value that a span of a body holds, which
// has been read before. It is not limited.
func NewScannerAt(d plimsoll.Dialect, body []byte, at rawjson.Span) *Scanner {
	return &Scanner{Scanner: rawjson.NewScannerAt(body, at), Body: body, dialect: d, source: &source{body}}
}

// Verbatim reads any value. If it is a string, the text tells whether it is escaped.
func (s *Scanner) Verbatim() rawjson.Text {
	if s.Peek() != '"' {
		return rawjson.Text{Span: s.Value()}
	}
	t, _ := s.String()
	return t
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

// Wrap returns the text of a span between two others.
func (s *Scanner) Wrap(before string, v rawjson.Span, after string) string {
	if n := len(before) + v.Len() + len(after); !s.Spend(n + n/2) {
		return ""
	}
	return before + v.View(s.Body) + after
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
// no memory left for it. Room is doubled when there is none.
func Append[T any](s *Scanner, list []T, item T) []T {
	if len(list) == cap(list) {
		list = Grow(s, list, max(4, len(list)))
	}
	if len(list) == cap(list) {
		return list
	}
	return append(list, item)
}

// AppendOf is Append for a list of what is in the body from an offset on: it makes room
// for about as many as there will be at most.
func AppendOf[T any](s *Scanner, list []T, item T, from int) []T {
	if len(list) == cap(list) {
		list = Grow(s, list, s.expected(len(list), from))
	}
	if len(list) == cap(list) {
		return list
	}
	return append(list, item)
}

// Gather appends an item to a list that is never copied, and that stands in the body
// from an offset on. No list is longer than the body, so the items that have been
// read tell about how many there will be at most.
func Gather[T any](s *Scanner, list *plimsoll.ListBuilder[T], item T, from int) {
	if list.Len() < list.Cap() || growList(s, list, s.expected(list.Len(), from)) {
		list.Append(item)
	}
}

// growList is Grow for a list that is being built. It reports whether there is
// memory left.
func growList[T any](s *Scanner, list *plimsoll.ListBuilder[T], n int) bool {
	var item T
	size, room, had := int(unsafe.Sizeof(item)), list.Len()+n, list.Cap()
	if !s.Spend(room * size) {
		return false
	}
	list.Grow(n)
	s.Release(had * size)
	return s.Spend((list.Cap() - room) * size)
}

// expected returns for how many more items a list should have room that stands in
// the body from an offset on and has no room left for item n. What few items tell is
// not to be trusted.
func (s *Scanner) expected(n, from int) int {
	if n == 0 {
		return 8
	}
	read, left := s.Offset()-from, len(s.Body)-s.Offset()
	return max(n/8, min(n*max(7, n/4), int(float64(n)*float64(left)/float64(read)*1.01)+8))
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
	s.Release(cap(list) * int(unsafe.Sizeof(item)))
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
