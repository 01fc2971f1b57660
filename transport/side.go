package transport

import (
	"bytes"
	"encoding/json"
	"net/http"
	"sync"
	"time"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/fit"
	"github.com/plimsoll/plimsoll/transport/internal/limit"
	"github.com/plimsoll/plimsoll/wire/responses"
)

// lacking remembers for a while what upstreams turned out not to have.
type lacking struct{ of sync.Map }

const lackingLife = 10 * time.Minute

func (l *lacking) note(upstream, what string, now time.Time) { l.of.Store(upstream+" "+what, now) }

func (l *lacking) lacks(upstream, what string, now time.Time) bool {
	at, ok := l.of.Load(upstream + " " + what)
	return ok && now.Sub(at.(time.Time)) < lackingLife
}

// missing reports whether an upstream does not have the path that it was asked for. One
// that does not know the model has.
func missing(resp *http.Response, model string) bool {
	switch resp.StatusCode {
	case http.StatusMethodNotAllowed, http.StatusNotImplemented:
		return true
	case http.StatusNotFound:
		body, _ := peeked(resp)
		return model == "" || !bytes.Contains(body, []byte(model))
	}
	return false
}

// asked sends the request as it came to an upstream that may not have the endpoint. It
// returns nil if it does not.
func (f *flow) asked() (*http.Response, error) {
	what := f.name + " " + string(f.dialect)
	if f.t.lacking.lacks(f.x.Upstream, what, f.t.options.Now()) {
		return nil, nil
	}
	f.sent = f.body
	resp, err := f.send()
	if err != nil {
		return nil, err
	}
	if f.t.options.Official(f.x.Upstream) || !missing(resp, f.model) {
		resp.Body = f.watched(resp)
		return resp, nil
	}
	_ = resp.Body.Close()
	f.t.lacking.note(f.x.Upstream, what, f.t.options.Now())
	return nil, nil
}

// count passes on what asks for the weight of its own body, and answers it for
// upstreams that cannot.
func (f *flow) count() (*http.Response, error) {
	resp, err := f.asked()
	if resp != nil || err != nil {
		return resp, err
	}
	f.request = f.shown
	f.plan, err = f.keeper.Plan(f.ctx, fit.Task{Conversation: f.conversationOf(), Line: &plimsoll.Line{Window: limit.Unbounded}})
	if err != nil {
		return f.refuse(err), nil
	}
	answer := map[string]int{"input_tokens": f.plan.Before.Total}
	if f.dialect == plimsoll.Gemini {
		answer = map[string]int{"totalTokens": f.plan.Before.Total}
	}
	body, err := json.Marshal(answer)
	if err != nil {
		return nil, err
	}
	f.tell(f.plan)
	f.end(nil)
	return f.made(http.StatusOK, "application/json", body), nil
}

func (f *flow) conversationOf() plimsoll.Conversation {
	c := f.request.Conversation()
	c.Model = f.model
	return c
}

// compact answers what asks for a shorter conversation, for upstreams that cannot.
func (f *flow) compact() (*http.Response, error) {
	resp, err := f.asked()
	if resp != nil || err != nil {
		return resp, err
	}
	f.open()
	f.task = f.taskOf(true)
	line, err := f.line(f.task.Conversation)
	if err != nil {
		return f.refuse(err), nil
	}
	f.task.Line, f.task.Offer = &line, nil
	made, err := f.keeper.Compact(f.ctx, f.task, fit.CompactOptions{Force: true})
	if err != nil {
		return f.refuse(err), nil
	}
	f.plan = made.Plan
	var usage plimsoll.Usage
	if made.Checkpoint != nil {
		usage = made.Checkpoint.Usage
	}
	body, err := responses.Compacted(f.request, made.Plan.Draft, "cmp_"+f.beginning(), f.t.options.Now(), usage)
	if err != nil {
		return f.refuse(err), nil
	}
	f.tell(f.plan)
	f.end(nil)
	return f.made(http.StatusOK, "application/json", body), nil
}
