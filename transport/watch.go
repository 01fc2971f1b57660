package transport

import (
	"bytes"
	"io"
	"net/http"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/coding"
	"github.com/plimsoll/plimsoll/internal/sse"
	"github.com/plimsoll/plimsoll/wire"
	"github.com/plimsoll/plimsoll/wire/weave"
)

// watcher reads one answer of the model on the side: what was billed, and what was
// said where that must be remembered. Nothing in an answer can make it fail.
type watcher struct {
	f  *flow
	ok bool
	// take and done are those of a stream or of a whole body.
	sink io.WriteCloser
	// answer is there when everything was read.
	answer func() (wire.Response, bool)
	// told, if not nil, reports whether a stream said that it is complete: then the
	// client can name the answer in its next request, though the stream has not ended.
	told func() bool
	// final is the last event or the body, where it must be remembered.
	final []byte
	// shown identifies what the client was shown, when it is over.
	shown plimsoll.Digest
	over  bool
	whole bool
}

// maxWatched bounds an answer that is not streamed, as far as it is looked at.
const maxWatched = 32 << 20

func (f *flow) newWatcher(resp *http.Response) *watcher {
	w := &watcher{f: f, ok: resp.StatusCode == http.StatusOK && f.shown != nil && f.name != countOnly}
	if !w.ok {
		return w
	}
	if f.isEvents(resp) {
		w.watchEvents()
	} else {
		w.watchBody()
	}
	if encoding := resp.Header.Get("Content-Encoding"); encoding != "" && encoding != "identity" {
		w.sink, w.told = newUndone(encoding, w.sink), nil // it is read by another goroutine
	}
	return w
}

// take reads the next bytes.
func (w *watcher) take(p []byte) {
	if w.ok {
		defer w.spared()
		_, _ = w.sink.Write(p)
	}
}

// spared lets no mistake of ours end an answer: it is not looked at any more.
func (w *watcher) spared() {
	if r := recover(); r != nil {
		w.forgo(panicError(r))
	}
}

func (w *watcher) forgo(err error) {
	w.ok, w.whole = false, false
	w.f.failed("the answer could not be managed: what it costs is in no account", err)
}

// done says that the answer has ended, whole or not, and settles what was billed.
func (w *watcher) done() {
	if !w.ok || w.over {
		return
	}
	w.over = true
	defer w.spared()
	if err := w.sink.Close(); err != nil {
		w.forgo(err)
		return
	}
	answer, whole := w.answer()
	if w.whole = whole && answer.Error == nil; w.whole {
		w.shown = shownIn(answer.Message)
	}
	w.f.bill(answer)
}

// shownIn identifies what a client is shown by a message.
func shownIn(m plimsoll.Message) plimsoll.Digest {
	var texts []string
	var calls []plimsoll.ToolCall
	for _, p := range m.Parts.All() {
		switch p := p.(type) {
		case plimsoll.Text:
			texts = append(texts, p.Text)
		case plimsoll.ToolCall:
			calls = append(calls, p)
		}
	}
	return weave.Shown(texts, calls)
}

// nearly reports whether the answer said that it is complete, though it has not ended.
func (w *watcher) nearly() bool { return w.ok && w.told != nil && w.told() }

// complete reports whether the answer came to its end.
func (w *watcher) complete() bool { return w.whole }

func (w *watcher) watchEvents() {
	a := w.f.codec.NewAssembler()
	keep := w.f.dialect == plimsoll.Responses
	w.sink = sse.NewSplitter(func(e sse.Event, err error) {
		if err != nil || !e.HasData() {
			return
		}
		a.Event(e.Name, e.Data)
		if keep && a.Done() && w.final == nil {
			w.final = bytes.Clone(e.Data)
		}
	}, nil)
	w.answer = func() (wire.Response, bool) { return a.Response(), a.Done() }
	if keep {
		w.told = a.Done
	}
}

func (w *watcher) watchBody() {
	b := &bounded{}
	w.sink = b
	w.answer = func() (wire.Response, bool) {
		if b.cut {
			return wire.Response{}, false
		}
		r, err := w.f.codec.ReadResponse(b.Bytes())
		w.final = b.Bytes()
		return r, err == nil
	}
}

// bounded holds a body that is not too large to look at.
type bounded struct {
	bytes.Buffer
	cut bool
}

// Write keeps the bytes, or nothing of a body that is too large.
func (b *bounded) Write(p []byte) (int, error) {
	if b.cut || b.Len()+len(p) > maxWatched {
		b.cut = true
		b.Buffer = bytes.Buffer{}
		return len(p), nil
	}
	return b.Buffer.Write(p)
}

// Close does nothing.
func (b *bounded) Close() error { return nil }

// undone undoes a content coding on the way to a sink.
type undone struct {
	pipe *io.PipeWriter
	over chan struct{}
	// wrong is a mistake of ours, to be read when it is over.
	wrong error
}

func newUndone(encoding string, sink io.WriteCloser) *undone {
	r, w := io.Pipe()
	u := &undone{pipe: w, over: make(chan struct{})}
	go func() {
		defer close(u.over)
		defer func() {
			if thrown := recover(); thrown != nil {
				u.wrong = panicError(thrown)
				_, _ = io.Copy(io.Discard, r)
			}
		}()
		if d, err := coding.NewReader(encoding, r); err == nil {
			_, _ = io.Copy(sink, d)
			_ = d.Close()
		}
		_, _ = io.Copy(io.Discard, r)
		_ = sink.Close()
	}()
	return u
}

// Write hands on what is still coded.
func (u *undone) Write(p []byte) (int, error) { return u.pipe.Write(p) }

// Close waits until everything was read.
func (u *undone) Close() error {
	_ = u.pipe.Close() // never fails
	<-u.over
	return u.wrong
}
