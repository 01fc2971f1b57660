// Package answer reads the answers of models while they pass: what was billed, whether
// the context is full, and calls of tools that the client must not see. It sends
// nothing itself; its callers say what is done.
package answer

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"runtime/debug"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/coding"
	"github.com/plimsoll/plimsoll/internal/sse"
	"github.com/plimsoll/plimsoll/wire"
)

// Watcher reads one answer of the model on the side: what was billed, and what was said
// where that must be remembered. Nothing in an answer can make it fail. A nil Watcher
// reads nothing.
type Watcher struct {
	sink io.WriteCloser
	// read returns the answer, and whether it is whole.
	read func() (wire.Response, bool)
	// complete, if not nil, reports whether a stream says that it is complete.
	complete func() bool
	// failed gets a panic. Broken says that there was one.
	failed func(error)
	broken bool
	over   bool
	// final is the last event or the body, where it must be remembered.
	final []byte
}

// Reading is what a watcher has read.
type Reading struct {
	wire.Response
	// Whole says that the answer came to its end. Then Shown identifies what it says. If
	// a client can name it, ID is its id and Final its body or its last event.
	Whole bool
	Shown plimsoll.Digest
	ID    string
	Final []byte
}

const (
	// maxWatched bounds an answer without events, as far as it is read.
	maxWatched = 32 << 20
	// maxEvent bounds an event that is read. The last event of some APIs is the whole
	// answer, with its pictures.
	maxEvent = 16 << 20
	// maxSaid bounds what is kept of what a stream says. No model of today says more in
	// text. Of a longer answer only the bill is read.
	maxSaid = 512 << 10
	// lookEvery is how many bytes of events come between two looks at what is kept.
	lookEvery = 32 << 10
)

// NewWatcher returns a watcher for an answer of a content type, in a content coding. Failed
// is called if the watcher panics.
func NewWatcher(codec wire.Codec, contentType, encoding string, failed func(error)) *Watcher {
	w := &Watcher{failed: failed}
	if framing, ok := sse.FramingOf(contentType); ok {
		w.watchEvents(codec, framing)
	} else {
		w.watchBody(codec)
	}
	if encoding != "" && encoding != "identity" {
		w.sink, w.complete = newDecoding(encoding, w.sink), nil // another goroutine reads it
	}
	return w
}

// Take reads the next bytes.
func (w *Watcher) Take(p []byte) {
	if w != nil && !w.broken {
		defer w.spare()
		_, _ = w.sink.Write(p)
	}
}

// spare lets no panic end an answer: the rest is not read.
func (w *Watcher) spare() {
	if r := recover(); r != nil {
		w.fail(panicError(r))
	}
}

func (w *Watcher) fail(err error) {
	w.broken = true
	w.failed(err)
}

// Complete reports whether the client can name the answer in its next request already,
// though the stream has not ended.
func (w *Watcher) Complete() bool { return w != nil && !w.broken && w.complete != nil && w.complete() }

// End returns what was read. It is called when the answer has ended, whole or not, and
// reports false if there is nothing, or if it was called before.
func (w *Watcher) End() (r Reading, ok bool) {
	if w == nil || w.broken || w.over {
		return Reading{}, false
	}
	w.over = true
	defer func() { ok = ok && !w.broken }()
	defer w.spare()
	if err := w.sink.Close(); err != nil {
		w.fail(err)
		return Reading{}, false
	}
	r.Response, r.Whole = w.read()
	if r.Whole = r.Whole && r.Error == nil; r.Whole {
		r.Shown, r.Final = wire.ShownBy(r.Message), w.final
		if w.final != nil {
			r.ID = idOf(w.final)
		}
	}
	return r, true
}

// idOf returns the id of an answer, given the whole or an event that has it.
func idOf(body []byte) string {
	var answer struct {
		ID       string `json:"id"`
		Response struct {
			ID string `json:"id"`
		} `json:"response"`
	}
	if json.Unmarshal(body, &answer) != nil {
		return ""
	}
	return cmp.Or(answer.Response.ID, answer.ID)
}

func (w *Watcher) watchEvents(codec wire.Codec, framing sse.Framing) {
	s := &streamed{codec: codec, Assembler: codec.NewAssembler(), look: lookEvery}
	chained := codec.Traits().Chained
	w.sink = framing.Splitter(func(e sse.Event, err error) {
		if err != nil || !e.HasData() {
			return
		}
		s.Event(e.Name, e.Data)
		if chained && s.Done() && w.final == nil {
			w.final = bytes.Clone(e.Data)
		}
	}, &sse.Options{MaxEvent: maxEvent})
	w.read = func() (wire.Response, bool) { return s.Response(), s.Done() && !s.cut }
	if chained {
		w.complete = s.Done
	}
}

// streamed puts a streamed answer together. If it says too much, it begins again and
// again with the first event, in which some APIs begin the bill, and the next ones. Then
// cut is set, and only the bill is right.
type streamed struct {
	wire.Assembler
	codec wire.Codec
	first func(wire.Assembler)
	// read are the bytes since the last look, look is when the next one is.
	read, look int
	cut        bool
}

// Event takes one event of the stream.
func (s *streamed) Event(name string, data []byte) {
	s.Assembler.Event(name, data)
	if s.first == nil {
		s.first = func(wire.Assembler) {}
		if len(data) < lookEvery {
			data := bytes.Clone(data)
			s.first = func(a wire.Assembler) { a.Event(name, data) }
		}
	}
	if s.read += len(data); s.read < s.look || s.Done() {
		return
	}
	s.read = 0
	if !s.cut {
		said := sizeOf(s.Response().Message)
		s.look, s.cut = max(lookEvery, said), said > maxSaid
	}
	if s.cut {
		s.look, s.Assembler = lookEvery, s.codec.NewAssembler()
		s.first(s.Assembler)
	}
}

// sizeOf returns about how many bytes a message holds.
func sizeOf(m plimsoll.Message) int {
	size := 0
	for _, p := range m.Parts.All() {
		switch p := p.(type) {
		case plimsoll.Text:
			size += len(p.Text)
		case plimsoll.ToolCall:
			size += len(p.Name) + len(p.Arguments) + len(p.Signature)
		case plimsoll.Reasoning:
			size += len(p.Text) + len(p.Signature)
		case plimsoll.Media:
			size += len(p.Data)
		case plimsoll.Opaque:
			size += len(p.Raw)
		}
	}
	return size
}

func (w *Watcher) watchBody(codec wire.Codec) {
	b := &bounded{}
	w.sink = b
	w.read = func() (wire.Response, bool) {
		if b.cut {
			return wire.Response{}, false
		}
		r, err := codec.ReadResponse(b.held)
		if codec.Traits().Chained {
			w.final = b.held
		}
		return r, err == nil
	}
}

// bounded holds a body that is not too large to read.
type bounded struct {
	held []byte
	cut  bool
}

// Write keeps the bytes, or nothing of a body that is too large.
func (b *bounded) Write(p []byte) (int, error) {
	if b.cut = b.cut || len(b.held)+len(p) > maxWatched; b.cut {
		b.held = nil
		return len(p), nil
	}
	b.held = append(b.held, p...)
	return len(p), nil
}

// Close does nothing.
func (b *bounded) Close() error { return nil }

// decoding undoes a content coding on the way to a sink.
type decoding struct {
	pipe *io.PipeWriter
	over chan struct{}
	// err is a panic in the sink, to be read when it is over.
	err error
}

func newDecoding(encoding string, sink io.WriteCloser) *decoding {
	r, w := io.Pipe()
	d := &decoding{pipe: w, over: make(chan struct{})}
	go func() {
		defer close(d.over)
		defer func() {
			if thrown := recover(); thrown != nil {
				d.err = panicError(thrown)
				_, _ = io.Copy(io.Discard, r)
			}
		}()
		if plain, err := coding.NewReader(encoding, r); err == nil {
			_, _ = io.Copy(sink, plain)
		}
		_, _ = io.Copy(io.Discard, r)
		_ = sink.Close()
	}()
	return d
}

// Write hands on what is still coded.
func (d *decoding) Write(p []byte) (int, error) { return d.pipe.Write(p) }

// Close waits until everything was read.
func (d *decoding) Close() error {
	_ = d.pipe.Close() // never fails
	<-d.over
	return d.err
}

// panicError is the error for a recovered panic.
func panicError(recovered any) error { return fmt.Errorf("panic: %v\n%s", recovered, debug.Stack()) }
