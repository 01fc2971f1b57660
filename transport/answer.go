package transport

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strconv"

	"github.com/plimsoll/plimsoll/internal/sse"
	"github.com/plimsoll/plimsoll/transport/internal/answer"
	"github.com/plimsoll/plimsoll/transport/internal/history"
	"github.com/plimsoll/plimsoll/transport/internal/limit"
	"github.com/plimsoll/plimsoll/wire"
)

// answer returns the upstream's answer for the client.
func (r *trip) answer(resp *http.Response) (*http.Response, error) {
	r.rescuable(resp)
	if resp.StatusCode != http.StatusOK || !r.current.offered || r.tenant == nil {
		resp.Body = r.passed(resp)
		return resp, nil
	}
	r.joins = true
	// Gemini sends the answer of a client that asked for no events as a list, and each
	// element of it when it is there.
	_, events := sse.FramingOf(r.contentType(resp))
	streams := events || r.codec.Traits().InPath != "" && r.stream && !r.events
	ended := r.end
	if !streams {
		ended = func(error) {} // the client can still get another answer
	}
	body, err := r.joined(resp, ended)
	if err != nil {
		return nil, err
	}
	resp.Header.Del("Content-Length")
	resp.ContentLength = -1
	if streams {
		resp.Body = body
		return resp, nil
	}
	whole, err := io.ReadAll(io.LimitReader(body, maxWhole))
	if len(whole) == maxWhole { // it is too long to be continued, so nothing is decided by its end
		r.x.Status = resp.StatusCode
		r.end(nil)
		resp.Body = &struct {
			io.Reader
			io.Closer
		}{io.MultiReader(bytes.NewReader(whole), body), body}
		return resp, nil
	}
	_ = body.Close()
	var refused *refusedError
	if errors.As(err, &refused) {
		resp = refused.resp
	} else if err != nil {
		return nil, &answer.BrokenError{Err: err}
	}
	r.x.Status = resp.StatusCode
	r.end(err)
	if err != nil {
		return resp, nil
	}
	resp.Body, resp.ContentLength = io.NopCloser(bytes.NewReader(whole)), int64(len(whole))
	resp.Header.Set("Content-Length", strconv.Itoa(len(whole)))
	return resp, nil
}

// maxWhole is how much of an answer that is not streamed is read before the client gets it.
const maxWhole = 32 << 20

// contentType returns that of an answer. If the server names none, the client's request
// decides.
func (r *clientRequest) contentType(resp *http.Response) string {
	kind, _, err := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	if (err != nil || kind == "") && r.stream && r.events {
		return "text/event-stream"
	}
	return kind
}

// rescuable lets a stream of events begin with another attempt, if its first event says
// that the context is full.
func (r *trip) rescuable(resp *http.Response) {
	framing, events := sse.FramingOf(r.contentType(resp))
	if r.current.plan == nil || resp.StatusCode != http.StatusOK || !events || resp.Header.Get("Content-Encoding") != "" {
		return
	}
	resp.Body = answer.NewRescued(r.codec, framing, resp.Body, answer.Rescue{
		Again:   r.again,
		Renamed: func() { r.renamed = true },
		Failed:  func(err error) { r.failed("the answer could not be managed", err) },
	})
}

// again returns the second answer of a stream; nil if there is none.
func (r *trip) again(o wire.Overflow) (io.ReadCloser, error) {
	s, ok := r.shorter(r.current, o)
	if !ok {
		return nil, nil
	}
	resp, err := r.deliver(s)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode != http.StatusOK || resp.Header.Get("Content-Encoding") != "" {
		_ = resp.Body.Close()
		return nil, nil
	}
	if !r.current.offered || r.joins || r.tenant == nil {
		return resp.Body, nil
	}
	// The first attempt was without our tools, and this one has them.
	body, err := r.joined(resp, r.end)
	if err != nil {
		return resp.Body, nil
	}
	r.joins = true
	if r.passing != nil {
		r.passing.watch = nil // each answer of the model is watched by itself now
	}
	return body, nil
}

// watcher returns what reads an answer on the side; nil if nothing can be learned.
func (r *trip) watcher(resp *http.Response) *answer.Watcher {
	if resp.StatusCode != http.StatusOK || r.client == nil || r.name == countOnly {
		return nil
	}
	return answer.NewWatcher(r.codec, r.contentType(resp), resp.Header.Get("Content-Encoding"), func(err error) {
		r.failed("the answer could not be managed: what it costs is in no account", err)
	})
}

// bill ends the reading of one answer of the model, and returns what it was. It adds what
// was billed to the accounts, and lets the meter and the limits learn from it. The next
// request of the conversation finds it all: only the store is written later, by the account writer.
func (r *trip) bill(w *answer.Watcher) answer.Reading {
	result, ok := w.End()
	plan := r.current.plan
	if ok && result.Model != "" {
		r.x.Answered = result.Model[:min(len(result.Model), maxName)]
	}
	if !ok || !result.HasUsage || plan == nil {
		return result
	}
	r.x.Usage, r.x.Billed = r.x.Usage.Add(result.Usage), true
	t, ctx, task := r.t, context.WithoutCancel(r.ctx), r.current.task
	task.Memory = t.billsOf(r.owner) // the account writer waits for a store that fails now
	prompt, whole := limit.Prompt{Billed: result.Usage.Prompt(), Weighed: plan.After.Total}, true
	if _, ok := r.modelServer(); ok {
		task.Truncated = func(least int) {
			whole = false
			r.truncated(least, prompt)
		}
	}
	if err := r.keeper.Observe(ctx, task, plan, result.Usage); err != nil {
		t.options.Logger.WarnContext(ctx, "what was billed could not be written", "error", err)
	}
	if whole {
		t.limits.Answered(ctx, r.limitKey(r.model), prompt)
	}
	return result
}

// truncated learns from a bill for less than the prompt, which has at least so many tokens.
func (r *trip) truncated(least int, p limit.Prompt) {
	r.doubt()
	key := r.limitKey(r.model)
	learned, ok := limit.Truncated(p, r.told, r.t.limits.Largest(key))
	if !ok {
		return
	}
	r.x.Truncated = true
	r.warn(fmt.Sprintf("the server dropped a part of the prompt without an error: it billed %d tokens of at least %d; raise the window of the model there (num_ctx), or set --window to it", p.Billed, least))
	r.learn(learned)
}

// passing is the body of an answer that is only read on the side.
type passing struct {
	r     *trip
	from  io.ReadCloser
	watch *answer.Watcher
	noted bool
}

func (r *trip) passed(resp *http.Response) io.ReadCloser {
	r.passing = &passing{r: r, from: resp.Body, watch: r.watcher(resp)}
	return r.passing
}

// Read gives the bytes as they come. The answer is noted before the client gets its end,
// so that the client's next request finds it.
func (p *passing) Read(b []byte) (int, error) {
	n, err := p.from.Read(b)
	if n > 0 {
		p.r.firstByte()
		p.watch.Take(b[:n])
	}
	if err == io.EOF || p.watch.Complete() {
		p.note()
	}
	if err != nil {
		p.finish(err)
	}
	return n, err
}

// note puts an answer into the accounts, and into the history if it is whole.
func (p *passing) note() {
	if p.noted {
		return
	}
	p.noted = true
	is := p.r.bill(p.watch)
	if is.Whole && p.r.thread != nil && p.r.current.plan != nil {
		p.r.thread.Answered(p.r.ctx, history.Delivered{Record: wire.Record{Shown: is.Shown}, ID: is.ID, Final: is.Final, Renamed: p.r.renamed})
	}
}

func (p *passing) finish(err error) {
	p.r.bill(p.watch)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	p.r.end(err)
}

// Close ends the upstream's answer.
func (p *passing) Close() error {
	err := p.from.Close()
	p.finish(http.ErrBodyReadAfterClose)
	return err
}
