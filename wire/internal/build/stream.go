package build

import (
	"io"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/sse"
	"github.com/plimsoll/plimsoll/wire"
)

// EventJoiner knows the streamed answers of a dialect. It passes to the client what is
// the client's, through the [Stream] that it was made for.
type EventJoiner interface {
	// Event takes the next event of the answer. The event's bytes are good until it
	// returns.
	Event(e sse.Event)
	// Flush passes what waits for a later event: the answer has ended, or an event
	// comes that is too large to be read.
	Flush()
	// Answer says what the answer was.
	Answer() Answer
	// Again says that another answer follows.
	Again()
	// Finish passes the events that end the reply, if they were held back.
	Finish()
}

const (
	// MaxStream is how many bytes of streamed answers a reply keeps. Longer ones pass and
	// cannot be continued. The pieces of a text are several times as long as the text.
	MaxStream = 2 << 20
	// MaxEvent is the size of the largest event that a reply reads.
	MaxEvent = 16 << 20
)

// Stream is the [wire.Reply] for streamed answers of every dialect. It takes a stream apart,
// event by event, and gathers what the client may have. An event that is too large to
// keep passes unread.
type Stream struct {
	History
	framing sse.Framing
	joiner  EventJoiner
	// limit is the size of the largest event that is read.
	limit    int
	splitter io.WriteCloser
	out      []byte
	// rest ends with the event being read, which begins at from; passed is how much of
	// it has passed already because it is too large.
	rest         []byte
	from, passed int
	// kept is how many bytes of answers are kept.
	kept int
	// lost says that an event could not be read, or an answer not be kept.
	lost bool
}

var _ wire.Reply = (*Stream)(nil)

// NewStream returns a reply for streamed answers in a framing. Join makes the joiner that
// passes events to it.
func NewStream(c wire.Codec, framing sse.Framing, join func(*Stream) EventJoiner) *Stream {
	s := &Stream{History: NewHistory(c), framing: framing, limit: MaxEvent}
	s.joiner = join(s)
	return s
}

// Pass lets the client have bytes of the answer.
func (s *Stream) Pass(raw []byte) { s.out = append(s.out, raw...) }

// Send lets the client have an event with other data.
func (s *Stream) Send(name string, data []byte) { s.out = s.framing.Append(s.out, name, data) }

// Keep says that the joiner keeps some bytes of an answer. It reports false if there is
// no room for them; the answer then counts as broken.
func (s *Stream) Keep(bytes int) bool {
	if s.kept+bytes > MaxStream {
		s.lost = true
		return false
	}
	s.kept += bytes
	return true
}

// Write implements [wire.Reply].
func (s *Stream) Write(p []byte) []byte {
	if s.splitter == nil {
		s.splitter = s.framing.Splitter(s.take, &sse.Options{MaxEvent: s.limit})
	}
	s.rest = append(s.rest, p...)
	_, _ = s.splitter.Write(p) // fails only after Close
	if s.from > 0 {            // an event that only grows is not moved each time
		s.rest, s.from = append(s.rest[:0], s.rest[s.from:]...), 0
	}
	if len(s.rest)+s.passed > s.limit {
		s.passed += len(s.rest)
		s.spill(s.rest)
		s.rest = nil
	}
	return s.taken()
}

func (s *Stream) take(e sse.Event, err error) {
	if large, ok := err.(*sse.TooLargeError); ok {
		end := s.from + int(large.Size) - s.passed
		s.spill(s.rest[s.from:end])
		s.from, s.passed = end, 0
		return
	}
	s.from += len(e.Raw)
	s.joiner.Event(e)
}

// spill lets the client have bytes of an event that is too large to be read.
func (s *Stream) spill(bytes []byte) {
	s.joiner.Flush()
	s.out, s.lost = append(s.out, bytes...), true
}

// taken returns what has been gathered. The next bytes go to another slice.
func (s *Stream) taken() []byte {
	out := s.out
	s.out = nil
	return out
}

// End implements [wire.Reply].
func (s *Stream) End() wire.Round {
	if s.splitter != nil {
		_ = s.splitter.Close() // never fails
	}
	s.splitter, s.rest, s.from, s.passed = nil, nil, 0, 0
	s.joiner.Flush()
	a := s.joiner.Answer()
	a.Broken = a.Broken || s.lost
	return s.Add(a)
}

// Again implements [wire.Reply].
func (s *Stream) Again() { s.joiner.Again() }

// Finish implements [wire.Reply].
func (s *Stream) Finish() []byte {
	s.joiner.Finish()
	return s.taken()
}

// Take adds what an answer or a part of it says beside its message: the model, and
// raw usage and error. What is empty leaves what was known, and so does a usage of zeros,
// with which some servers end a stream; any other stands for the whole answer so far.
func Take(r *wire.Response, model string, usage, apiError []byte) {
	if model != "" {
		r.Model = model
	}
	if u, err := wire.ParseUsage(usage); err == nil && (u != plimsoll.Usage{} || !r.HasUsage) {
		r.Usage, r.HasUsage = u, true
	}
	if e := wire.ParseAPIError(apiError); e != nil {
		r.Error = e
	}
}
