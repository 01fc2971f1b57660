package weave

import (
	"bytes"

	"github.com/plimsoll/plimsoll/internal/sse"
	"github.com/plimsoll/plimsoll/wire/gemini"
)

// geminiWeaver weaves chunks. Our calls are taken out of them, and once there was one,
// the chunks that end an answer wait until it is known how the reply goes on.
type geminiWeaver struct {
	ours func(string) bool
	// emit lets the client have a chunk.
	emit   func(data []byte)
	answer geminiAnswer
	signer geminiSigner
	// id is that of the first answer, as it came.
	id []byte
	// output and thoughts are what earlier answers were billed for.
	output, thoughts int
	// woven says that something was held back, or that this is not the first answer.
	woven bool
	held  [][]byte
	// usage was said by a chunk that did not pass.
	usage []byte
	// full says that no more can be kept of the answer.
	full bool
}

func newGeminiWeaver(ours func(string) bool, emit func([]byte)) *geminiWeaver {
	return &geminiWeaver{ours: ours, emit: emit}
}

// take takes a chunk, and reports whether the client may have it as it is.
func (w *geminiWeaver) take(data []byte) bool {
	c := readGeminiChunk(data, w.ours)
	if !w.full {
		w.answer.add(c)
	}
	if w.id == nil && c.id != nil {
		w.id = bytes.Clone(c.id)
	}
	w.woven = w.woven || c.hides()
	shown := c.withoutOurs(&w.signer)
	switch {
	case !w.woven || c.failed || !c.isAnswer:
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
func (w *geminiWeaver) rewritten(c geminiChunk) []byte {
	data := c.written()
	if c.id != nil {
		data = withMember(data, "responseId", w.id)
	}
	if isObject(c.usage) {
		data = withMember(data, "usageMetadata", w.billed(c.usage))
	}
	return data
}

// billed adds what earlier answers put out. What was read for them is read again for
// the last one, and counts once.
func (w *geminiWeaver) billed(usage []byte) []byte {
	if w.output > 0 {
		usage = withNumber(usage, "candidatesTokenCount", numberOf(usage, "candidatesTokenCount")+w.output)
	}
	if w.thoughts > 0 {
		usage = withNumber(usage, "thoughtsTokenCount", numberOf(usage, "thoughtsTokenCount")+w.thoughts)
	}
	return raised(usage, "totalTokenCount", w.output+w.thoughts)
}

// again begins another answer. What the last chunks of this one say is the client's, but
// not that it ended.
func (w *geminiWeaver) again() {
	for _, data := range w.held {
		if c := readGeminiChunk(data, w.ours); c.says() {
			w.emit(c.withoutEnd().written())
		}
	}
	w.output, w.thoughts = w.output+w.answer.output, w.thoughts+w.answer.thoughts
	w.answer, w.signer = geminiAnswer{}, geminiSigner{}
	w.held, w.usage, w.woven = nil, nil, true
}

// finish lets the client have what ends the reply.
func (w *geminiWeaver) finish() {
	for i, data := range w.held {
		if i == len(w.held)-1 && isObject(w.usage) && memberOf(data, "usageMetadata") == nil {
			data = withMember(data, "usageMetadata", w.billed(w.usage))
		}
		w.emit(data)
	}
	w.held = nil
}

// geminiStream weaves streamed answers.
type geminiStream struct {
	stream
	history
	weaver *geminiWeaver
	// lineEnd is the one that the server uses.
	lineEnd string
}

var _ Reply = (*geminiStream)(nil)

func newGeminiStream(l loom, ours func(string) bool) *geminiStream {
	r := &geminiStream{history: newHistory(l)}
	r.weaver = newGeminiWeaver(ours, r.emit)
	r.each = r.event
	return r
}

// Write implements [Reply].
func (r *geminiStream) Write(p []byte) []byte {
	r.write(p)
	return r.taken()
}

// event lets the client have what it may.
func (r *geminiStream) event(raw sse.Event) {
	r.lineEnd = "\n"
	if bytes.HasSuffix(raw.Raw, []byte("\r\n")) {
		r.lineEnd = "\r\n"
	}
	if !raw.HasData() {
		r.pass(raw)
		return
	}
	r.weaver.full = !r.keep(len(raw.Data))
	if r.weaver.take(raw.Data) {
		r.pass(raw)
	}
}

// emit lets the client have a chunk in the manner of the server's own.
func (r *geminiStream) emit(data []byte) {
	if bytes.ContainsAny(data, "\r\n") {
		r.send("", data)
		return
	}
	r.out = append(append(r.out, "data: "...), data...)
	r.out = append(append(r.out, r.lineEnd...), r.lineEnd...)
}

// End implements [Reply].
func (r *geminiStream) End() Round {
	r.end()
	a := r.weaver.answer.round()
	a.Broken = !r.weaver.answer.ended() || r.lost || !a.sendable(gemini.Codec{}, "contents")
	r.weaver.answer.show(r.seen)
	r.rounds = append(r.rounds, a)
	return a.Round
}

// Again implements [Reply].
func (r *geminiStream) Again() { r.weaver.again() }

// Finish implements [Reply].
func (r *geminiStream) Finish() []byte {
	r.weaver.finish()
	return r.taken()
}

// Record implements [Reply].
func (r *geminiStream) Record(results [][]Result) (Record, bool) { return r.record(results) }
