package transport

import (
	"encoding/json"
	"net/http"
	"sync"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/wire/responses"
)

// lacking remembers what upstreams turned out not to have.
type lacking struct{ of sync.Map }

func (l *lacking) note(upstream, what string) { l.of.Store(upstream+" "+what, true) }

func (l *lacking) lacks(upstream, what string) bool {
	_, ok := l.of.Load(upstream + " " + what)
	return ok
}

// missing reports whether an upstream does not have what it was asked for.
func missing(status int) bool {
	switch status {
	case http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusNotImplemented:
		return true
	}
	return false
}

// asked sends the request as it came to an upstream that may not have the endpoint. It
// returns nil if it does not.
func (f *flow) asked() (*http.Response, error) {
	if f.t.lacking.lacks(f.x.Upstream, f.name) {
		return nil, nil
	}
	f.sent = f.body
	resp, err := f.send()
	if err != nil {
		return nil, err
	}
	if !missing(resp.StatusCode) || f.t.options.Official(f.x.Upstream) {
		resp.Body = f.watched(resp)
		return resp, nil
	}
	_ = resp.Body.Close()
	f.t.lacking.note(f.x.Upstream, f.name)
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
	f.plan, err = f.keeper.PlanTask(f.ctx, plimsoll.Task{Conversation: f.conversationOf(), Line: &plimsoll.Line{Window: unbounded}})
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
	f.continued()
	f.request = f.restored()
	f.task = f.taskOf(true)
	line, err := f.line(f.task.Conversation)
	if err != nil {
		return f.refuse(err), nil
	}
	f.task.Line, f.task.Offer = &line, nil
	made, err := f.keeper.Compact(f.ctx, f.task, plimsoll.CompactOptions{Force: true})
	if err != nil {
		return f.refuse(err), nil
	}
	f.plan = made.Plan
	var usage plimsoll.Usage
	if made.Checkpoint != nil {
		usage = made.Checkpoint.Usage
	}
	body, err := responses.Compacted(f.request, made.Plan.Draft(), "cmp_"+f.beginning(), f.t.options.Now(), usage)
	if err != nil {
		return f.refuse(err), nil
	}
	f.tell(f.plan)
	f.end(nil)
	return f.made(http.StatusOK, "application/json", body), nil
}
