package transport

import (
	"bytes"
	"encoding/json"
	"net/http"
	"time"
	"unicode"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/fit"
	"github.com/plimsoll/plimsoll/internal/lru"
	"github.com/plimsoll/plimsoll/transport/internal/answer"
	"github.com/plimsoll/plimsoll/transport/internal/limit"
	"github.com/plimsoll/plimsoll/wire"
	"github.com/plimsoll/plimsoll/wire/dialects"
)

// unsupported remembers for a while what upstreams turned out not to support, for each
// tenant: what one sends must not change what others get.
type unsupported struct{ since *lru.Map[string, time.Time] }

const (
	unsupportedLife = 10 * time.Minute
	maxUnsupported  = 4096
)

func (u *unsupported) add(tenant, upstream, what string, now time.Time) {
	u.since.Put(tenant+" "+upstream+" "+what, now)
}

func (u *unsupported) has(tenant, upstream, what string, now time.Time) bool {
	at, ok := u.since.Get(tenant + " " + upstream + " " + what)
	return ok && now.Sub(at) < unsupportedLife
}

// missing reports whether an upstream does not have the path that it was asked for. One
// whose 404 names the model, or something else that the request names, has it.
func missing(resp *http.Response, model string, request []byte) bool {
	switch resp.StatusCode {
	case http.StatusMethodNotAllowed, http.StatusNotImplemented:
		return true
	case http.StatusNotFound:
		body, _ := answer.Peek(resp)
		if model != "" && bytes.Contains(body, []byte(model)) {
			return false
		}
		for name := range bytes.FieldsFuncSeq(body, notInName) {
			if len(name) >= 4 && bytes.ContainsAny(name, "0123456789_-") && bytes.Contains(request, name) {
				return false
			}
		}
		return true
	}
	return false
}

// notInName tells what stands between names and ids of items, files and responses.
func notInName(r rune) bool {
	return r != '_' && r != '-' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
}

// asked sends the request unchanged to an upstream that may not have the endpoint. It
// returns nil if it does not.
func (r *trip) asked() (*http.Response, error) {
	what := r.name + " " + string(r.dialect)
	if r.t.unsupported.has(r.owner.key, r.x.Upstream, what, r.t.options.Now()) {
		return nil, nil
	}
	resp, err := r.send(attempt{})
	if err != nil {
		return nil, err
	}
	if r.t.options.Official(r.x.Upstream) || !missing(resp, r.model, r.body) {
		resp.Body = r.passed(resp)
		return resp, nil
	}
	_ = resp.Body.Close()
	r.t.unsupported.add(r.owner.key, r.x.Upstream, what, r.t.options.Now())
	return nil, nil
}

// count passes on what asks for the weight of its own body, and answers it for
// upstreams that cannot.
func (r *trip) count() (*http.Response, error) {
	resp, err := r.asked()
	if resp != nil || err != nil {
		return resp, err
	}
	plan, err := r.keeper.Plan(r.ctx, fit.Task{Conversation: r.conversationOf(r.client), Line: &plimsoll.Line{Window: limit.Unbounded}})
	if err != nil {
		return r.refuse(err), nil
	}
	body, err := json.Marshal(map[string]int{r.codec.Traits().Count: plan.Before.Total})
	if err != nil {
		return nil, err
	}
	r.take(attempt{plan: plan})
	return r.made(http.StatusOK, body, nil), nil
}

func (r *trip) conversationOf(request *wire.Request) plimsoll.Conversation {
	c := request.Conversation()
	c.Model = r.model
	return c
}

// compact answers what asks for a shorter conversation, for upstreams that cannot.
func (r *trip) compact() (*http.Response, error) {
	resp, err := r.asked()
	if resp != nil || err != nil {
		return resp, err
	}
	r.open(r.report)
	s := attempt{request: r.restored, hidden: r.hidden}
	s.task = r.taskOf(s, withStore)
	line, err := r.line(s.task.Conversation)
	if err != nil {
		return r.refuse(err), nil
	}
	s.task.Line, s.task.Offer = &line, nil
	made, err := r.keeper.Compact(r.ctx, s.task, fit.CompactOptions{Force: true})
	if err != nil {
		return r.refuse(err), nil
	}
	s.plan = made.Plan
	var usage plimsoll.Usage
	if made.Checkpoint != nil {
		usage = made.Checkpoint.Usage
	}
	body, err := dialects.Compacted(r.restored, made.Plan.Draft, "cmp_"+r.conversationName(), r.t.options.Now(), usage)
	if err != nil {
		return r.refuse(err), nil
	}
	r.take(s)
	return r.made(http.StatusOK, body, nil), nil
}
