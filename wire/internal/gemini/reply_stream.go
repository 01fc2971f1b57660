package gemini

import (
	"bytes"
	"slices"

	"github.com/plimsoll/plimsoll/internal/rawjson"
	"github.com/plimsoll/plimsoll/internal/sse"
	"github.com/plimsoll/plimsoll/wire/internal/build"
)

// chunkJoiner joins chunks. Hidden calls are taken out of them, and once there was one,
// the chunks that end an answer wait until it is known how the reply goes on.
type chunkJoiner struct {
	hidden func(string) bool
	// emit lets the client have a chunk.
	emit   func(data []byte)
	answer answerParts
	signer signer
	// id is that of the first answer, still quoted.
	id []byte
	// output and thoughts are what earlier answers were billed for.
	output, thoughts int
	// joining says that something was held back, or that this is not the first answer.
	joining bool
	held    [][]byte
	// usage was said by a chunk that did not pass.
	usage []byte
	// full says that no more can be kept of the answer.
	full bool
}

// maxHeld bounds the chunks that end an answer.
const maxHeld = 16

// take takes a chunk, and reports whether the client may have it as it is.
func (w *chunkJoiner) take(data []byte) bool {
	c := readChunk(data, w.hidden)
	if !w.full {
		w.answer.add(c)
	}
	if w.id == nil && c.id != nil {
		w.id = bytes.Clone(c.id)
	}
	w.joining = w.joining || c.hides()
	shown := c.withoutHidden(&w.signer)
	switch {
	case !w.joining || c.failed || !c.isAnswer:
		return true
	case len(w.held) > 0 || c.ends():
		if len(w.held) < maxHeld {
			w.held = append(w.held, bytes.Clone(w.rewritten(shown)))
		}
	case c.hides() && !c.says():
		w.usage = bytes.Clone(c.usage)
	default:
		w.emit(w.rewritten(shown))
	}
	return false
}

// rewritten returns a chunk as one of this reply.
func (w *chunkJoiner) rewritten(c chunk) []byte {
	data := c.written()
	if c.id != nil {
		data = rawjson.SetMember(data, "responseId", w.id)
	}
	if rawjson.IsObject(c.usage) {
		data = rawjson.SetMember(data, "usageMetadata", w.billed(c.usage))
	}
	return data
}

// billed adds what earlier answers put out. What was read for them is read again for
// the last one, and counts once.
func (w *chunkJoiner) billed(usage []byte) []byte {
	if w.output > 0 {
		usage = rawjson.SetInt(usage, "candidatesTokenCount", rawjson.MemberInt(usage, "candidatesTokenCount")+w.output)
	}
	if w.thoughts > 0 {
		usage = rawjson.SetInt(usage, "thoughtsTokenCount", rawjson.MemberInt(usage, "thoughtsTokenCount")+w.thoughts)
	}
	return rawjson.AddInt(usage, "totalTokenCount", w.output+w.thoughts)
}

// again begins another answer. What the last chunks of this one say is the client's, but
// not that it ended.
func (w *chunkJoiner) again() {
	for _, data := range w.held {
		if c := readChunk(data, w.hidden); c.says() {
			w.emit(c.withoutEnd().written())
		}
	}
	w.output, w.thoughts = w.output+w.answer.output, w.thoughts+w.answer.thoughts
	w.answer, w.signer = answerParts{}, signer{}
	w.held, w.usage, w.joining = nil, nil, true
}

// finish lets the client have what ends the reply.
func (w *chunkJoiner) finish() {
	for i, data := range w.held {
		if i == len(w.held)-1 && rawjson.IsObject(w.usage) && rawjson.Member(data, "usageMetadata") == nil {
			data = rawjson.SetMember(data, "usageMetadata", w.billed(w.usage))
		}
		w.emit(data)
	}
	w.held = nil
}

// ended says what the answer was.
func (w *chunkJoiner) ended() build.Answer {
	a := w.answer.round()
	a.Broken = w.full || !w.answer.ended() || !a.Sendable(Codec{})
	return a
}

// eventJoiner joins streamed answers.
type eventJoiner struct {
	*chunkJoiner
	out *build.Stream
	// lineEnd is the one that the server uses.
	lineEnd string
}

var _ build.EventJoiner = (*eventJoiner)(nil)

func newEventJoiner(out *build.Stream, hidden func(string) bool) *eventJoiner {
	r := &eventJoiner{out: out}
	r.chunkJoiner = &chunkJoiner{hidden: hidden, emit: r.send}
	return r
}

// Event passes to the client what it may have.
func (r *eventJoiner) Event(e sse.Event) {
	r.lineEnd = "\n"
	if bytes.HasSuffix(e.Raw, []byte("\r\n")) {
		r.lineEnd = "\r\n"
	}
	if !e.HasData() {
		r.out.Pass(e.Raw)
		return
	}
	r.full = !r.out.Keep(len(e.Data))
	if r.take(e.Data) {
		r.out.Pass(e.Raw)
	}
}

// send lets the client have a chunk in the manner of the server's own.
func (r *eventJoiner) send(data []byte) {
	if bytes.ContainsAny(data, "\r\n") {
		r.out.Send("", data)
		return
	}
	r.out.Pass(slices.Concat([]byte("data: "), data, []byte(r.lineEnd+r.lineEnd)))
}

// Flush has nothing to do: no event waits for another.
func (*eventJoiner) Flush() {}

// Answer implements [build.EventJoiner].
func (r *eventJoiner) Answer() build.Answer { return r.ended() }

// Again implements [build.EventJoiner].
func (r *eventJoiner) Again() { r.again() }

// Finish implements [build.EventJoiner].
func (r *eventJoiner) Finish() { r.finish() }
