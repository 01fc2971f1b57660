// Package rawjson reads JSON by offsets and edits it by splicing; what is not
// edited keeps its bytes.
//
// A prompt cache is lost with the first byte that differs, and signatures, number
// forms, unknown keys and white space belong to the client. So nothing here
// decodes a document and encodes it again: a Scanner walks the text once and hands
// out spans, and Splice writes new text over some of them.
//
// The grammar is that of RFC 8259, without leniency. Two things that it leaves
// open are allowed, because they are the client's business: duplicate keys, and
// strings that are not valid UTF-8. Nesting is limited to MaxDepth. The package
// knows JSON and nothing of what it means: no messages, no providers.
package rawjson

import (
	"fmt"
	"strconv"
	"unsafe"
)

// MaxDepth is how deep objects and arrays may be nested, as in encoding/json.
const MaxDepth = 10_000

// Span is the half-open range of bytes from Start to End. The zero Span stands
// for "not there": no JSON value is empty.
type Span struct{ Start, End int }

// Len returns the number of bytes.
func (s Span) Len() int { return s.End - s.Start }

// Of returns the bytes of data that the span covers. They are shared with data;
// appending to them copies.
func (s Span) Of(data []byte) []byte { return data[s.Start:s.End:s.End] }

// View is Of as a string that shares the bytes of data, which must not change as
// long as it is in use.
func (s Span) View(data []byte) string { return View(data[s.Start:s.End]) }

// View returns bytes of a text, such as a key, as a string that shares them. It and Bytes
// are the only unsafe code here: a conversation must not hold its body twice.
func View(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// Bytes is the other way round: it returns the bytes that a view shares. They must
// not be changed.
func Bytes(view string) []byte { return unsafe.Slice(unsafe.StringData(view), len(view)) }

// IsZero reports whether the span is the zero Span.
func (s Span) IsZero() bool { return s == Span{} }

// SyntaxError says where a text is not JSON, and why.
type SyntaxError struct {
	// Offset of the first byte that cannot stand where it stands; the length of
	// the text if that ends too early.
	Offset int
	// Expected is what may stand there, such as "',' or '}' after a member".
	Expected string
	// Found is what stands there, such as "']'" or "end of text".
	Found string
}

// Error implements error.
func (e *SyntaxError) Error() string {
	return fmt.Sprintf("json: offset %d: expected %s, found %s", e.Offset, e.Expected, e.Found)
}

// found describes the byte at an offset for an error.
func found(data []byte, offset int) string {
	switch rest := data[min(offset, len(data)):]; {
	case len(rest) == 0:
		return "end of text"
	case len(rest) >= 3 && string(rest[:3]) == "\xef\xbb\xbf":
		return "a byte order mark"
	case rest[0] < ' ' || rest[0] >= 0x7f:
		return fmt.Sprintf("byte 0x%02x", rest[0])
	default:
		return strconv.QuoteRune(rune(rest[0]))
	}
}
