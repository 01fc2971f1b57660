package transport

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/expand"
	"github.com/plimsoll/plimsoll/transport/internal/answer"
	"github.com/plimsoll/plimsoll/transport/internal/breaker"
	"github.com/plimsoll/plimsoll/transport/internal/history"
	"github.com/plimsoll/plimsoll/wire"
)

// rounds are the rounds of one reply in which the model calls our tools. The client is
// not shown them.
type rounds struct {
	r     *trip
	reply wire.Reply
	// watch reads the model's answer that passes.
	watch *answer.Watcher
	// first and last are the readings of the first and of the newest answer.
	first, last *answer.Reading
	results     [][]wire.Result
	// over is called when the client has the reply, or can get no more of it.
	over func(error)
}

// joined is the body of an answer in which calls of our tools are answered on the way.
func (r *trip) joined(resp *http.Response, over func(error)) (*answer.Joined, error) {
	from, err := answer.Identity(resp)
	if err != nil {
		return nil, err
	}
	all := &rounds{r: r, reply: r.codec.NewReply(r.contentType(resp), isOurs), watch: r.watcher(resp), over: over}
	return answer.NewJoined(all.reply, from, answer.Steps{
		Read: func(p []byte) {
			r.firstByte()
			all.watch.Take(p)
		},
		Ended:  all.ended,
		Next:   all.next,
		Finish: all.finish,
		Closed: func() { over(r.ctx.Err()) },
		Failed: func(err error) { r.failed("the answer could not be managed", err) },
	}), nil
}

// ended bills the model's answer.
func (all *rounds) ended() {
	is := all.r.bill(all.watch)
	all.last = &is
	if all.first == nil {
		all.first = &is
	}
}

// next answers the calls of a round and asks the model again; nil if the client must be
// asked first, or if the model has called often enough or too much at once.
func (all *rounds) next(round wire.Round) (io.ReadCloser, error) {
	r := all.r
	results := make([]wire.Result, 0, len(round.Calls))
	for i, call := range round.Calls {
		result := wire.Result{Text: tooMany, IsError: true}
		if i < maxCalls {
			result = r.execute(call.Name, call.Arguments)
		}
		result.Call = call
		results = append(results, result)
	}
	all.results = append(all.results, results)
	if round.Foreign || len(all.results) > r.t.options.Rounds {
		return nil, nil
	}
	r.x.Rounds++
	last := len(all.results) == r.t.options.Rounds
	resp, err := r.goOn(round, results, last)
	if mustRefuse(err) {
		for i := range results {
			results[i] = wire.Result{Call: results[i].Call, Text: noRoom, IsError: true}
		}
		resp, err = r.goOn(round, results, last)
	}
	if mustRefuse(err) { // not even the calls fit: the reply ends without them
		all.results = all.results[:len(all.results)-1]
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	from, err := answer.Identity(resp)
	if err != nil {
		_ = resp.Body.Close()
		return nil, err
	}
	all.watch = r.watcher(resp)
	return from, nil
}

// maxCalls is how many calls of one answer are executed, and tooMany the result of others.
const (
	maxCalls = 64
	tooMany  = "You have made too many calls at once. Make fewer, and wait for their results."
)

// noRoom is the result for a model that asks for more than its window can hold.
const noRoom = "There is no room left in this conversation for what you asked for. Search for what you need with tool_output_cache_grep, or ask for fewer lines with limit."

// finish notes a reply that is whole.
func (all *rounds) finish(err error) {
	if err == nil {
		a := history.Delivered{Renamed: all.r.renamed}
		a.Record, a.Hidden = all.reply.Record(all.results)
		is := all.last
		if a.Hidden {
			is = all.first
		}
		a.ID, a.Final = is.ID, is.Final
		all.r.thread.Answered(all.r.ctx, a)
	}
	all.over(err)
}

// goOn asks the model again, with what it said and the results of its calls.
func (r *trip) goOn(round wire.Round, results []wire.Result, last bool) (*http.Response, error) {
	body, err := wire.Continue(r.codec, r.current.request, round.Said, results)
	if err != nil {
		return nil, err
	}
	request, err := r.codec.Decode(body)
	if err != nil {
		return nil, fmt.Errorf("go on: %w", err)
	}
	s, err := r.prepare(attempt{request: request, hidden: true, last: last})
	if err != nil {
		return nil, fmt.Errorf("go on: %w", err)
	}
	before := r.x
	r.take(s)
	r.x.asOf(before)
	resp, err := r.deliver(s)
	if err != nil {
		return nil, err
	}
	r.rescuable(resp)
	if resp.StatusCode != http.StatusOK {
		return nil, &refusedError{resp}
	}
	return resp, nil
}

// refusedError says that an upstream refused to go on with an answer.
type refusedError struct{ resp *http.Response }

// Error does not quote the upstream, which may say anything.
func (e *refusedError) Error() string {
	return fmt.Sprintf("the upstream answered %d when the model was asked to go on", e.resp.StatusCode)
}

// Answered tells the proxy that the upstream was reached.
func (e *refusedError) Answered() bool { return true }

// searchTime bounds a search of the model's. The breaker waits four times as long.
const searchTime = breaker.WriteTimeout / 4

// execute answers one call. Its answer is no longer than there is room for, or than can
// be made by cutting what is older.
func (r *trip) execute(name, arguments string) wire.Result {
	// A search ends before the breaker's limit: what takes long is the search, not the store.
	limits := &expand.Limits{Bytes: 1 << 10, TextTime: searchTime, RegexTime: searchTime}
	if plan := r.current.plan; plan != nil {
		limit := plan.Line.Limit()
		room := max(limit-plan.After.Total, limit/8)
		limits.Bytes = max(1<<10, min(64<<10, 3*room))
	}
	var got expand.Answer
	err := r.t.breaker.Do(r.ctx, r.owner.key, breaker.WriteTimeout, func(ctx context.Context) (err error) {
		got, err = expand.Call(ctx, r.tenant, name, arguments, limits)
		if errors.Is(err, plimsoll.ErrInvalid) || errors.Is(err, expand.ErrTime) {
			got, err = expand.Answer{Text: expand.Explain(err)}, nil
		}
		return err
	})
	if err != nil {
		return wire.Result{Text: expand.Explain(err), IsError: true}
	}
	return wire.Result{Text: got.Text, Parts: got.Parts}
}
