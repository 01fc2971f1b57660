package transport

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"sync/atomic"

	"github.com/plimsoll/plimsoll/expand"
	"github.com/plimsoll/plimsoll/internal/coding"
	"github.com/plimsoll/plimsoll/transport/internal/breaker"
	"github.com/plimsoll/plimsoll/transport/internal/history"
	"github.com/plimsoll/plimsoll/wire/weave"
)

// woven is the body of an answer in which calls of our tools are answered on the way.
type woven struct {
	f     *flow
	reply weave.Reply
	// from is the model's answer that is being read.
	from io.ReadCloser
	// watch reads the same for its usage; first is the one of the first answer.
	watch, first *watcher
	chunk        *[chunkSize]byte
	ready        []byte
	// results of all rounds so far.
	results [][]weave.Result
	waiting atomic.Bool
	err     error
}

const chunkSize = 32 << 10

var chunks = sync.Pool{New: func() any { return new([chunkSize]byte) }}

func (f *flow) weave(resp *http.Response) (*woven, error) {
	from, err := identity(resp)
	if err != nil {
		return nil, err
	}
	return &woven{
		f: f, reply: weave.NewReply(f.dialect, f.isEvents(resp), isOurs), from: from,
		watch: f.newWatcher(resp), chunk: chunks.Get().(*[chunkSize]byte),
	}, nil
}

// identity returns the body of an answer without its content coding, for servers that
// use one though they were asked not to.
func identity(resp *http.Response) (io.ReadCloser, error) {
	encoding := resp.Header.Get("Content-Encoding")
	if encoding == "" {
		return resp.Body, nil
	}
	plain, err := coding.NewReader(encoding, resp.Body)
	if err != nil {
		return nil, &brokenError{err}
	}
	resp.Header.Del("Content-Encoding")
	return &prefixed{Reader: plain, Closer: resp.Body}, nil
}

// Read gives the client what is its own.
func (w *woven) Read(p []byte) (int, error) {
	for len(w.ready) == 0 && w.err == nil {
		w.step()
	}
	n := copy(p, w.ready)
	w.ready = w.ready[n:]
	if len(w.ready) > 0 {
		return n, nil
	}
	if w.err != nil && w.chunk != nil {
		chunks.Put(w.chunk)
		w.chunk = nil
	}
	return n, w.err
}

// step reads on.
func (w *woven) step() {
	defer w.spared()
	n, err := w.from.Read(w.chunk[:])
	if n > 0 {
		w.f.firstByte()
		w.watch.take(w.chunk[:n])
		w.ready = w.reply.Write(w.chunk[:n])
	}
	if err == nil {
		return
	}
	if !errors.Is(err, io.EOF) {
		w.finish(err)
		return
	}
	w.watch.done()
	if w.first == nil {
		w.first = w.watch
	}
	w.next()
}

// spared ends an answer that is broken by a mistake of ours, and nothing else.
func (w *woven) spared() {
	if r := recover(); r != nil {
		w.f.failed("the answer could not be managed", panicError(r))
		w.ready, w.err = nil, &brokenError{fmt.Errorf("manage the answer: %v", r)}
		w.f.end(w.err)
	}
}

// next goes on where the model's answer has ended.
func (w *woven) next() {
	round := w.reply.End()
	if len(round.Calls) == 0 || round.Broken {
		w.finish(nil)
		return
	}
	results := make([]weave.Result, 0, len(round.Calls))
	for _, call := range round.Calls {
		results = append(results, w.f.execute(call.Name, call.Arguments))
		results[len(results)-1].Call = call
	}
	w.results = append(w.results, results)
	if round.Foreign || len(w.results) > w.f.t.options.Rounds {
		w.finish(nil)
		return
	}
	w.f.x.Rounds++
	w.f.last = len(w.results) == w.f.t.options.Rounds
	if err := w.ask(round, results); err != nil {
		w.finish(err)
	}
}

// ask sends the results to the model, whose answer goes on in this body.
func (w *woven) ask(round weave.Round, results []weave.Result) error {
	w.waiting.Store(true)
	was := *w.f
	resp, err := w.f.goOn(round, results)
	if refuses(err) {
		*w.f = was
		for i := range results {
			results[i] = weave.Result{Call: results[i].Call, Text: noRoom, IsError: true}
		}
		resp, err = w.f.goOn(round, results)
	}
	w.waiting.Store(false)
	if err != nil {
		return err
	}
	from, err := identity(resp)
	if err != nil {
		_ = resp.Body.Close()
		return err
	}
	_ = w.from.Close()
	w.from, w.watch = from, w.f.newWatcher(resp)
	w.reply.Again()
	return nil
}

// noRoom is what a model is told that asks for more than its window can hold.
const noRoom = "There is no room left in this conversation for what you asked for. Search for what you need with tool_output_cache_grep, or ask for fewer lines with limit."

// finish ends the body. What broke off is not completed.
func (w *woven) finish(err error) {
	w.ready = append(w.ready, w.reply.Finish()...)
	if err == nil {
		err = io.EOF
		a := history.Answer{Renamed: w.f.renamed}
		a.Record, a.Hidden = w.reply.Record(w.results)
		switch {
		case a.Hidden:
			a.Final = w.first.final
		case w.watch.complete():
			a.Final = w.watch.final
		}
		w.f.thread.Answered(w.f.ctx, a)
	}
	w.err = err
	if errors.Is(err, io.EOF) {
		w.f.end(nil)
	} else {
		w.f.end(err)
	}
}

// Waiting reports whether the model has been asked again and has not begun to answer.
func (w *woven) Waiting() bool { return w.waiting.Load() }

// Close ends the model's answer.
func (w *woven) Close() error {
	err := w.from.Close()
	if w.err == nil {
		w.err = http.ErrBodyReadAfterClose
	}
	w.f.end(nil)
	return err
}

// goOn asks the model again, with what it said and the results of its calls.
func (f *flow) goOn(round weave.Round, results []weave.Result) (*http.Response, error) {
	body, err := weave.Continue(f.request, round.Said, results)
	if err != nil {
		return nil, err
	}
	request, err := f.codec.Decode(body)
	if err != nil {
		return nil, fmt.Errorf("go on: %w", err)
	}
	before := f.x
	f.request, f.woven = request, true
	if err := f.fit(nil); err != nil {
		return nil, fmt.Errorf("go on: %w", err)
	}
	if f.plan == nil {
		f.sent = body // the client's own says nothing of this round
	}
	f.x.asOf(before)
	resp, err := f.send()
	if err != nil {
		return nil, err
	}
	if resp, err = f.rescue(resp); err != nil {
		return nil, err
	}
	if resp.StatusCode != http.StatusOK {
		return nil, &refusedError{resp}
	}
	return resp, nil
}

// brokenError says that an answer of the upstream's could not be read to its end.
type brokenError struct{ err error }

// Error says what went wrong.
func (e *brokenError) Error() string { return "read the answer: " + e.err.Error() }

// Unwrap returns the cause.
func (e *brokenError) Unwrap() error { return e.err }

// Answered tells the proxy that the upstream was reached.
func (e *brokenError) Answered() bool { return true }

// refusedError says that an upstream refused to go on with an answer.
type refusedError struct{ resp *http.Response }

// Error says so, without what the upstream said: that may be anything.
func (e *refusedError) Error() string {
	return fmt.Sprintf("the upstream answered %d when the model was asked to go on", e.resp.StatusCode)
}

// Answered tells the proxy that the upstream was reached.
func (e *refusedError) Answered() bool { return true }

// execute answers one call. Its answer is no longer than there is room for, or than can
// be made by cutting what is older.
func (f *flow) execute(name, arguments string) weave.Result {
	limit := f.plan.Line.Limit()
	room := max(limit-f.plan.After.Total, limit/8)
	limits := &expand.Limits{Bytes: max(1<<10, min(64<<10, 3*room))}
	var answer expand.Answer
	err := f.t.breaker.Do(f.ctx, breaker.ReadTimeout, func(ctx context.Context) (err error) {
		answer, err = expand.Execute(ctx, f.tenant, name, arguments, limits)
		if errors.Is(err, expand.ErrPattern) || errors.Is(err, expand.ErrArguments) || errors.Is(err, expand.ErrTime) {
			answer, err = expand.Answer{Text: expand.Explain(err)}, nil
		}
		return err
	})
	if err != nil {
		return weave.Result{Text: expand.Explain(err), IsError: true}
	}
	return weave.Result{Text: answer.Text, Parts: answer.Parts}
}
