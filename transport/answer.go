package transport

import (
	"bytes"
	"errors"
	"io"
	"mime"
	"net/http"
	"strconv"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/transport/internal/history"
	"github.com/plimsoll/plimsoll/wire/weave"
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
	f.weaves = true
	w, err := f.weave(resp)
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
func (f *flow) inPieces() bool { return f.dialect == plimsoll.Gemini && f.stream && !f.events }

func (f *flow) firstByte() {
	if f.x.First.IsZero() {
		f.x.First = f.t.options.Now()
	}
}

// rewoven is the body of a second answer in a stream that has begun. With what was cut
// for it tools may have been offered, which the first was without.
func (f *flow) rewoven(resp *http.Response) io.ReadCloser {
	if !f.offered || f.weaves || f.tenant == nil {
		return resp.Body
	}
	w, err := f.weave(resp)
	if err != nil {
		return resp.Body
	}
	f.weaves = true
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
	// noted says that the answer is in the accounts and in the history.
	noted bool
}

// Read gives the bytes as they come. The answer is noted before the client gets its end,
// so that the client's next request finds it.
func (w *watched) Read(p []byte) (int, error) {
	n, err := w.from.Read(p)
	if n > 0 {
		w.f.firstByte()
		w.watch.take(p[:n])
	}
	if err == io.EOF || w.watch.nearly() {
		w.note()
	}
	if err != nil {
		w.finish(err)
	}
	return n, err
}

// note puts a complete answer into the accounts and into the history.
func (w *watched) note() {
	if w.noted {
		return
	}
	w.noted = true
	w.watch.done()
	if w.f.thread != nil && w.f.plan != nil && w.watch.complete() {
		w.f.thread.Answered(w.f.ctx, history.Answer{Record: weave.Record{Shown: w.watch.shown}, Final: w.watch.final, Renamed: w.f.renamed})
	}
}

func (w *watched) finish(err error) {
	w.watch.done()
	if errors.Is(err, io.EOF) {
		err = nil
	}
	w.f.end(err)
}

// Close ends the upstream's answer.
func (w *watched) Close() error {
	err := w.from.Close()
	w.finish(http.ErrBodyReadAfterClose)
	return err
}
