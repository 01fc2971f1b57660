package transport

import (
	"bytes"
	"context"
	"errors"
	"io"
	"mime"
	"net/http"
	"strconv"

	"github.com/plimsoll/plimsoll/wire"
)

// answer returns the upstream's answer for the client.
func (f *flow) answer(resp *http.Response) (*http.Response, error) {
	resp, err := f.rescue(resp)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode != http.StatusOK || !f.offered || f.tenant == nil {
		f.raw, f.sent = nil, nil // an answer may take long, and nobody needs them any more
		resp.Body = f.watched(resp)
		return resp, nil
	}
	f.joins = true
	w, err := f.join(resp)
	if err != nil {
		return nil, err
	}
	resp.Header.Del("Content-Length")
	resp.ContentLength = -1
	if f.isEvents(resp) || f.inPieces() {
		resp.Body = w
		return resp, nil
	}
	// Nothing has reached the client yet, so that a failure can still be told in full.
	body, err := io.ReadAll(w)
	_ = w.Close()
	var refused *refusedError
	if errors.As(err, &refused) {
		return refused.resp, nil
	}
	if err != nil {
		return nil, &brokenError{err}
	}
	resp.Body, resp.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	resp.Header.Set("Content-Length", strconv.Itoa(len(body)))
	return resp, nil
}

// isEvents reports whether an answer is a stream of events.
func (f *flow) isEvents(resp *http.Response) bool {
	kind, _, err := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	if err != nil || kind == "" {
		return f.stream && f.events
	}
	return kind == "text/event-stream"
}

// inPieces reports whether a client that asked for no events gets its answer in pieces
// all the same: as a list, of which Gemini sends each element when it is there.
func (f *flow) inPieces() bool { return f.codec.Traits().InPath && f.stream && !f.events }

func (f *flow) firstByte() {
	if f.x.First.IsZero() {
		f.x.First = f.t.options.Now()
	}
}

// rejoined is the body of a second answer in a stream that has begun. With what was cut
// for it tools may have been offered, which the first was without.
func (f *flow) rejoined(resp *http.Response) io.ReadCloser {
	if !f.offered || f.joins || f.tenant == nil {
		return resp.Body
	}
	w, err := f.join(resp)
	if err != nil {
		return resp.Body
	}
	f.joins = true
	if f.passing != nil {
		f.passing.watch.ok = false // each answer of the model is watched by itself now
	}
	return w
}

// watched is the answer's body, which is read on the side while it passes.
func (f *flow) watched(resp *http.Response) io.ReadCloser {
	f.passing = &watched{f: f, from: resp.Body, watch: f.newWatcher(resp)}
	return f.passing
}

type watched struct {
	f     *flow
	from  io.ReadCloser
	watch *watcher
	// ended says that the upstream's answer has ended, over that this is known to all.
	ended, over bool
	// settles says that the client has the whole answer, and that not all is known yet.
	settles bool
}

// Read gives the bytes as they come. The end is told behind them, so that who waits for
// the last of them need not wait for what is then done with the whole; but what a client
// can name in its next request must be known before it can send one.
func (w *watched) Read(p []byte) (int, error) {
	if w.ended {
		w.finishLater()
		return 0, io.EOF
	}
	chained := w.f.codec.Traits().Chained
	n, err := w.from.Read(p)
	if n > 0 {
		w.f.firstByte()
		w.watch.take(p[:n])
		if w.watch.nearly() || err == io.EOF {
			w.settle()
		}
		if err == io.EOF && !chained {
			w.ended, err = true, nil
		}
	}
	switch {
	case err == io.EOF && !chained:
		w.finishLater()
	case err != nil:
		w.finish(err)
	}
	return n, err
}

// settle notes that the client may send its next request before the end was told.
func (w *watched) settle() {
	if !w.settles && !w.over {
		w.settles = true
		w.f.t.unsettled.begin(w.f.place())
	}
}

// finishLater finishes an answer that came to its end, when its client has all of it:
// the connection is free for the client's next request meanwhile.
func (w *watched) finishLater() {
	if !w.f.t.options.SettleLater || !w.settles || w.f.ctx.Err() != nil {
		w.finish(io.EOF)
		return
	}
	if !w.over {
		w.over = true
		w.f.ctx = context.WithoutCancel(w.f.ctx) // which ends with the answer
		w.f.t.bills.add(func() { w.conclude(io.EOF) })
	}
}

func (w *watched) finish(err error) {
	if !w.over {
		w.over = true
		w.conclude(err)
	}
}

func (w *watched) conclude(err error) {
	if w.settles {
		defer w.f.t.unsettled.end(w.f.place())
	}
	w.watch.done()
	if errors.Is(err, io.EOF) {
		if w.f.shown != nil && w.f.plan != nil && w.watch.complete() {
			w.f.seen(wire.Record{Shown: w.watch.shown}, false)
			w.f.chained(w.watch.final, nil)
		}
		err = nil
	}
	w.f.end(err)
}

// Close ends the upstream's answer.
func (w *watched) Close() error {
	err := w.from.Close()
	if w.ended {
		w.finishLater()
	}
	w.finish(http.ErrBodyReadAfterClose)
	return err
}
