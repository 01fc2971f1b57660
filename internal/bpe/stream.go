package bpe

import (
	"io"
	"unsafe"
)

// Stream counts a text that comes in parts. The parts may end anywhere, also inside a character; the total is that of
// the whole text at once. Memory stays small as long as the text has a word boundary now and then: what is kept is
// the text after the last place where a split is certain. A Stream serves one goroutine at a time.
type Stream struct {
	encoding *Encoding
	settled  int
	pending  []byte
	limit    int
}

var (
	_ io.Writer       = (*Stream)(nil)
	_ io.StringWriter = (*Stream)(nil)
)

// streamBlock is how much text a Stream collects before it counts.
const streamBlock = 4096

// NewStream returns a counter for a text in parts.
func (e *Encoding) NewStream() *Stream { return &Stream{encoding: e, limit: streamBlock} }

// Write adds a part of the text. It always takes all of it and never fails.
func (s *Stream) Write(part []byte) (int, error) {
	return s.WriteString(unsafe.String(unsafe.SliceData(part), len(part)))
}

// WriteString is Write for a string.
func (s *Stream) WriteString(part string) (int, error) {
	n := len(part)
	for len(part) > 0 {
		take := min(len(part), streamBlock)
		s.pending = append(s.pending, part[:take]...)
		part = part[take:]
		if len(s.pending) >= s.limit {
			s.settle()
		}
	}
	return n, nil
}

// Total returns the number of tokens of everything written so far. It costs time only for what was written since the
// last call and for the word before that.
func (s *Stream) Total() int {
	s.settle()
	return s.settled + s.encoding.CountBytes(s.pending)
}

// Reset forgets everything that was written.
func (s *Stream) Reset() { s.settled, s.pending, s.limit = 0, s.pending[:0], streamBlock }

// settle counts what no later text can change. If that leaves much, the next attempt waits until there is twice as
// much, so that a text without any boundary is looked through in linear time.
func (s *Stream) settle() {
	safe := s.encoding.pattern.LastSafe(unsafe.String(unsafe.SliceData(s.pending), len(s.pending)))
	s.settled += s.encoding.CountBytes(s.pending[:safe])
	s.pending = append(s.pending[:0], s.pending[safe:]...)
	s.limit = max(streamBlock, 2*len(s.pending))
}
