package weave

import (
	"github.com/plimsoll/plimsoll/internal/sse"
)

// stream takes a streamed answer apart, event by event, and gathers what the client may
// have. An event that is too large to be kept passes as it comes.
type stream struct {
	// each is called for every event; it puts what the client may have into out.
	each func(sse.Event)
	// limit is the size of the largest event that is read; 0 means the default.
	limit    int
	splitter *sse.Splitter
	out      []byte
	// rest ends with the event being read, which begins at from; passed is how much of
	// it has passed already because it is too large.
	rest         []byte
	from, passed int
	// kept is how many bytes of answers are kept.
	kept int
	// spill, if there is one, is called before an event passes that is too large.
	spill func()
	// lost says that an event could not be read, or an answer not be kept.
	lost bool
}

// keep says that some bytes of an answer are to be kept. It reports false if there is
// no room for them.
func (s *stream) keep(bytes int) bool {
	if s.kept+bytes > maxAnswer {
		s.lost = true
		return false
	}
	s.kept += bytes
	return true
}

// write takes the next bytes.
func (s *stream) write(p []byte) {
	if s.splitter == nil {
		s.splitter = sse.NewSplitter(s.take, &sse.Options{MaxEvent: s.limit})
	}
	s.rest = append(s.rest, p...)
	_, _ = s.splitter.Write(p) // fails only after Close
	if s.from > 0 {            // an event that only grows is not moved each time
		s.rest, s.from = append(s.rest[:0], s.rest[s.from:]...), 0
	}
	if len(s.rest)+s.passed > s.maxEvent() {
		s.passed += len(s.rest)
		s.spilled(s.rest)
		s.rest = nil
	}
}

func (s *stream) maxEvent() int {
	if s.limit > 0 {
		return s.limit
	}
	return sse.DefaultMaxEvent
}

func (s *stream) take(e sse.Event, err error) {
	if large, ok := err.(*sse.TooLargeError); ok {
		end := s.from + int(large.Size) - s.passed
		s.spilled(s.rest[s.from:end])
		s.from, s.passed = end, 0
		return
	}
	s.from += len(e.Raw)
	s.each(e)
}

// spilled lets the client have bytes of an event that is too large to be read.
func (s *stream) spilled(bytes []byte) {
	if s.spill != nil {
		s.spill()
	}
	s.out, s.lost = append(s.out, bytes...), true
}

// pass lets the client have an event as it came.
func (s *stream) pass(e sse.Event) { s.out = append(s.out, e.Raw...) }

// send lets the client have an event with other data.
func (s *stream) send(name string, data []byte) { s.out = sse.Append(s.out, name, data) }

// end says that the answer is over. Another one may follow.
func (s *stream) end() {
	if s.splitter != nil {
		_ = s.splitter.Close() // never fails
	}
	s.splitter, s.rest, s.from, s.passed = nil, nil, 0, 0
}

// taken returns what has been gathered. The next bytes go to another place.
func (s *stream) taken() []byte {
	out := s.out
	s.out = nil
	return out
}
