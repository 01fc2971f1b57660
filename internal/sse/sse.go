// Package sse reads and writes server-sent events, the form in which providers
// stream their answers, the lines in which Ollama does, and the frames in which
// Amazon does. It exists so that a proxy can read a stream while it
// forwards it: every event carries the exact bytes it came from, and the Raw
// bytes of all events, one after the other, are the stream.
//
// A Reader pulls events out of an io.Reader; a Splitter is written to and calls
// back. Both run the same parser and give the same events, however the stream was
// cut into pieces on its way.
//
// Events follow the WHATWG specification (HTML, 9.2.6), with these differences,
// which a proxy needs:
//
//   - A block that the specification does not dispatch, because it has no data
//     line, is still delivered, with Data nil: a comment that keeps the connection
//     alive, a stray blank line, fields only. Who wants messages asks HasData.
//   - A block that the end of the stream cuts off is delivered, with Cut set,
//     where a browser would throw it away: providers do end streams without the
//     final blank line.
//   - Bytes that are no UTF-8 stay what they are.
//   - Lines of id and retry are for clients that connect again. They are in Raw only.
//
// An event ends with the byte that ends its blank line. Whether a CR is followed
// by an LF that belongs to it can only be told from the next byte, so such an
// event waits for it, unless the line before ended in a bare CR too: a stream that
// ends its lines in CR does not wait, and should an LF follow nevertheless, it is
// the first byte of the next event's Raw.
//
// The package knows nothing of HTTP, of compression or of what the data means.
package sse

import "fmt"

// Event is one block of a stream: its lines up to and including a blank line.
//
// Data and Raw share memory with the reader; they hold until the next call of
// Next, or until the Splitter's callback returns.
type Event struct {
	// Name is the value of the last event line; empty if there was none, which a
	// browser calls "message".
	Name string
	// Data is the values of the data lines, joined by LF. It is nil if there was
	// no data line, and empty but not nil if the lines were empty.
	Data []byte
	// Raw is the event byte for byte: with comments, with the blank line
	// that ends it and, at the start of a stream, with the byte order mark.
	Raw []byte
	// Cut reports that the stream ended before the blank line; the last line may be
	// incomplete.
	Cut bool
}

// HasData reports whether the event has a data line, without which a browser
// would not dispatch it.
func (e *Event) HasData() bool { return e.Data != nil }

// DefaultMaxEvent is the size in bytes of the largest event that is read unless
// Options say otherwise.
const DefaultMaxEvent = 64 << 20

// Options say how to read. Nil means the defaults.
type Options struct {
	// MaxEvent is the size in bytes of the largest event, counted as its Raw; 0 or
	// less means DefaultMaxEvent. A larger event is skipped without being kept in
	// memory and reported as a TooLargeError.
	MaxEvent int
}

func (o *Options) maxEvent() int {
	if o == nil || o.MaxEvent <= 0 {
		return DefaultMaxEvent
	}
	return o.MaxEvent
}

// TooLargeError reports an event that was skipped because it is larger than
// Options.MaxEvent. The events behind it are read as if it had not been there.
type TooLargeError struct {
	// Offset of the event's first byte in the stream.
	Offset int64
	// Size of the whole event in bytes.
	Size int64
	// Limit that it exceeds.
	Limit int
}

func (e *TooLargeError) Error() string {
	return fmt.Sprintf("sse: event at byte %d has %d bytes, the limit is %d", e.Offset, e.Size, e.Limit)
}
