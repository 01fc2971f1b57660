package build

import (
	"errors"
	"fmt"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/rawjson"
	"github.com/plimsoll/plimsoll/wire"
	"github.com/plimsoll/plimsoll/wire/internal/layout"
)

// maxBody is the length of the longest body that a span of a deferred part can
// address. No API accepts a tenth of it.
const maxBody = 1<<31 - 1

// Scanner walks a request body for a codec.
type Scanner struct {
	*rawjson.Scanner
	// Body is all of the body.
	Body    []byte
	dialect plimsoll.Dialect
	source  *source
	parts   int   // made so far
	excess  error // why the body is too large; nil if it is not
}

// NewScanner returns a scanner for a request body.
func NewScanner(d plimsoll.Dialect, body []byte) *Scanner {
	s := &Scanner{Scanner: rawjson.NewScanner(body), Body: body, dialect: d, source: &source{body}}
	if len(body) > maxBody {
		s.tooMany("2,147,483,647 bytes")
	}
	return s
}

// NewScannerAt returns a scanner for the value that a span of a body holds, which
// has been read before.
func NewScannerAt(d plimsoll.Dialect, body []byte, at rawjson.Span) *Scanner {
	return &Scanner{Scanner: rawjson.NewScannerAt(body, at), Body: body, dialect: d, source: &source{body}}
}

// count stops the scanner if there are more than wire.MaxItems of something.
func (s *Scanner) count(n int, what string) {
	if n > wire.MaxItems {
		s.tooMany("200,000 " + what)
	}
}

// CountTools stops the scanner at a body with too many tools.
func (s *Scanner) CountTools(n int) { s.count(n, "tools") }

// tooMany stops the scanner because the body has more than it may have.
func (s *Scanner) tooMany(most string) {
	if s.excess != nil {
		return
	}
	s.excess = &plimsoll.Error{
		Code: plimsoll.CodeTooLarge,
		Err:  fmt.Errorf("the request has more than %s, the most that Plimsoll manages", most),
		Hint: "shorten the conversation, or send it to the provider without Plimsoll",
	}
	s.Stop("at most " + most)
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

// Decode returns what a text stands for: nothing if it is zero, and any other value than a
// string as it is.
func (s *Scanner) Decode(t rawjson.Text) string { return stringOrRaw(s.Body, t) }

// Since returns the span from an offset to where the scanner stands.
func (s *Scanner) Since(start int) rawjson.Span { return rawjson.Span{Start: start, End: s.Offset()} }

// IsNull reports whether a span holds null.
func (s *Scanner) IsNull(v rawjson.Span) bool { return string(v.Of(s.Body)) == "null" }

// Wrong returns the error for a value of another kind than it must be, where the
// scanner stands. A mistake in the JSON before it comes first.
func (s *Scanner) Wrong(path, expected string) *wire.DecodeError {
	if s.Err() != nil {
		return s.Broken()
	}
	return &wire.DecodeError{Dialect: s.dialect, Offset: s.Offset(), Path: path, Expected: expected}
}

// Broken returns the error for a body that is no JSON, or too large.
func (s *Scanner) Broken() *wire.DecodeError {
	e := Broken(s.dialect, s.Err())
	if s.excess != nil {
		e.Err = s.excess
	}
	return e
}

// ReadRoot walks the members of a request object and fills in the layout's root.
// Of the errors that member returns the first one counts, after those of the
// syntax: nothing can be said about a body that is no JSON.
func ReadRoot(s *Scanner, l *layout.Layout, member func(key string) error) error {
	if s.Peek() != '{' {
		return s.Wrong("", "a request object")
	}
	root := rawjson.List{Span: rawjson.Span{Start: s.Offset()}}
	var failed error
	for key, at := range s.Members() {
		if err := member(rawjson.View(key)); err != nil && failed == nil {
			failed = err
		}
		root.Items = append(root.Items, s.Since(at.Start))
	}
	root.End = s.Offset()
	l.Root = root
	if s.End() != nil {
		return s.Broken()
	}
	return failed
}

// ReadMessages reads the list of messages that the scanner stands at, each by read.
// Path names the list, and one what is in it.
func ReadMessages(s *Scanner, l *layout.Layout, path, one string, read func(i int) (plimsoll.Message, plimsoll.Digest, error)) error {
	l.Reset()
	l.Messages.Start = s.Offset()
	var failed error
	for i := range s.Elements() {
		if s.Peek() != '{' {
			failed = s.Wrong(fmt.Sprintf("%s[%d]", path, i), one)
			break
		}
		if s.count(i+1, "messages"); s.Err() != nil {
			break
		}
		begin := s.Offset()
		m, identity, err := read(i)
		if err != nil {
			failed = err
			break
		}
		l.Add(m, identity, s.Since(begin))
	}
	l.Messages.End = s.Offset()
	return failed
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

// Broken returns the error for a body that is no JSON.
func Broken(d plimsoll.Dialect, err error) *wire.DecodeError {
	e := &wire.DecodeError{Dialect: d, Err: err}
	var syntax *rawjson.SyntaxError
	if errors.As(err, &syntax) {
		e.Offset, e.Expected = syntax.Offset, syntax.Expected
	}
	return e
}
