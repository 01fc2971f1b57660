package transport

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/model"
	"github.com/plimsoll/plimsoll/store"
	"github.com/plimsoll/plimsoll/transport/internal/limit"
)

// Exchange is what became of one managed request. Telemetry and logs are made of it;
// it holds no content and no credentials.
type Exchange struct {
	// Start is when the request came, First when the first byte of the answer was
	// there, End when the last one was.
	Start, First, End time.Time
	Dialect           plimsoll.Dialect
	// Endpoint in a word: "chat", "responses", "messages", "generate", "compact".
	Endpoint string
	// Upstream is the host that was asked.
	Upstream string
	// Model that was asked for, Answered the one that says it answered.
	Model, Answered string
	// Tenant is a keyed hash, safe to show.
	Tenant string
	// Conversation is a name that all requests of one conversation share.
	Conversation string
	Stream       bool
	// Status that the client got.
	Status int
	// Bytes of the client's body, Sent of the one that went upstream.
	Bytes, Sent int
	// Before and After are the loads of the client's request and of what was sent for it.
	// If it was refused for its load, Before is the least that it could be made.
	// Where the model was asked again they do not count what it has read meanwhile.
	Before, After plimsoll.Load
	Line          plimsoll.Line
	// Source is "asked" if the upstream told the limit when it was asked, and "learned" if it
	// showed the limit by an overflow; empty for any other limit.
	Source model.Source
	// Decision says what was done.
	Decision Decision
	// Edits is how many edits the sent request has, New how many of them were not in
	// the request before, with those that were made when the model was asked again.
	Edits, New int
	// Rungs of the plan, with what each took off; those that made room when the
	// model was asked again stand at the end.
	Rungs []plimsoll.RungReport
	// Warning says what failed without harm; empty if nothing did.
	Warning string
	// Rounds is how often the model was asked again because it called our tools.
	Rounds int
	// Rescued says that an overflow of the upstream was caught.
	Rescued bool
	// Truncated says that the upstream dropped a part of the prompt without an error.
	Truncated bool
	// Usage is what was billed for everything together, Billed whether it is known.
	Usage  plimsoll.Usage
	Billed bool
	// Summary is what models were asked for on the way, at the client's expense.
	Summary Summary
	// Manage is what our own work took before anything was sent.
	Manage time.Duration
	// Err is what ended the exchange early; nil if nothing did.
	Err error
}

// asOf makes an exchange, as it is when the model was asked again, tell about the
// client's request again. What was cut meanwhile is added.
func (x *Exchange) asOf(before Exchange) {
	round := *x
	x.Before, x.After, x.Line = before.Before, before.After, before.Line
	x.Edits, x.New, x.Rungs = before.Edits, before.New+round.New, before.Rungs
	for _, r := range round.Rungs {
		if cuts(r) {
			x.Rungs = append(x.Rungs[:len(x.Rungs):len(x.Rungs)], r)
		}
	}
	if round.New == 0 && round.Decision != Failed || before.Decision == Compacted {
		x.Decision = before.Decision
	}
}

// take makes an attempt the one that the exchange tells about.
func (r *trip) take(s attempt) {
	r.current = s
	if s.plan == nil {
		r.x.Decision = Failed
		return
	}
	x, plan := &r.x, s.plan
	x.Before, x.After, x.Line, x.Rungs = plan.Before, plan.After, plan.Line, plan.Rungs
	x.Edits, x.New, x.Decision = len(plan.Edits), 0, Passed
	for _, e := range plan.Edits {
		if e.Kind != plimsoll.EditTool { // tools that are offered are no cut
			x.Decision = Recalled
		}
	}
	for _, report := range plan.Rungs {
		if !cuts(report) {
			continue
		}
		x.New += report.Edits
		if report.Rung == "compact" {
			x.Decision = Compacted
		} else if x.Decision != Compacted {
			x.Decision = Cut
		}
	}
	if plan.Degraded != "" && r.ctx.Err() == nil {
		r.t.options.Logger.ErrorContext(r.ctx, "store", "error", plan.Degraded)
	}
}

// cuts reports whether a rung has taken something off that was there before.
func cuts(r plimsoll.RungReport) bool {
	return !r.Replayed && r.Edits > 0 && r.Undone == "" && r.Rung != "offer" && r.Rung != "recollect"
}

func (r *trip) firstByte() {
	if r.x.First.IsZero() {
		r.x.First = r.t.options.Now()
	}
}

// warn notes something that failed without harm. The client gets the first warning.
func (r *trip) warn(text string) {
	if text == "" {
		return
	}
	if r.x.Warning == "" {
		r.x.Warning = text
	}
	r.t.options.Logger.WarnContext(r.ctx, text, "dialect", r.dialect, "model", r.x.Model, "upstream", r.x.Upstream, "tenant", r.x.Tenant)
}

// failed notes a failure of our own. Work that stops because the client has gone is none.
func (r *trip) failed(what string, err error) {
	if r.ctx.Err() != nil && errors.Is(err, context.Canceled) {
		return
	}
	r.warn(what)
	r.t.options.Logger.ErrorContext(r.ctx, what, "error", err, "dialect", r.dialect, "model", r.x.Model)
}

// report notes what went wrong; the error is nil if no part of Plimsoll failed.
func (r *trip) report(what string, err error) {
	if err == nil {
		r.warn(what)
	} else {
		r.failed(what, err)
	}
}

// end tells what became of the request, once.
func (r *trip) end(err error) {
	if r.ended {
		return
	}
	r.ended = true
	r.x.End, r.x.Err = r.t.options.Now(), err
	if r.t.options.Observe != nil {
		r.t.options.Observe(r.ctx, r.x)
	}
	if r.t.options.Watch != nil {
		r.t.options.Watch(r.ctx, Event{Exchange: r.x, Account: r.account(), Owner: r.tenant, Plan: r.current.plan})
	}
}

// announce says in headers of the answer what was done.
func (r *trip) announce(resp *http.Response) {
	r.x.Status = resp.StatusCode
	h := resp.Header
	if h == nil {
		h = http.Header{}
		resp.Header = h
	}
	h.Set(HeaderDecision, string(r.x.Decision))
	if r.x.Line.Window > 0 {
		load, saved := r.x.After.Total, r.x.Before.Total-r.x.After.Total
		if r.x.Decision == Refused {
			load, saved = r.x.Before.Total, 0
		}
		h.Set(HeaderLoad, strconv.Itoa(load))
		h.Set(HeaderSaved, strconv.Itoa(saved))
		if tokens := r.x.Line.Limit(); tokens < limit.Unbounded/2 {
			h.Set(HeaderLimit, strconv.Itoa(tokens))
		}
	}
	if r.x.Summary.Model != "" {
		h.Set(HeaderSummary, clean(r.x.Summary.String()))
	}
	if r.x.Warning != "" {
		h.Set(HeaderWarning, clean(r.x.Warning))
	}
}

// Event is one managed request for a dashboard: what became of it, and what was cut.
// Unlike an [Exchange] it leads to content, so only those may get it who may see that.
type Event struct {
	Exchange
	// Account is the name that the conversation has in the accounts of the store.
	Account string
	// Owner is the part of the store that belongs to the sender; nil without a store.
	Owner *store.Tenant
	// Plan by which the request was sent; nil if there was none. It holds the whole
	// conversation and is read by others at the same time: only its figures, its edits,
	// and Original, Part and Inserted of its draft may be looked at, and nothing of it
	// may be kept.
	Plan *plimsoll.Plan
}

// Decision is what was done about a request.
type Decision string

// The decisions.
const (
	// Passed: it is under its line and left as it was.
	Passed Decision = "pass"
	// Cut: something was cut that had not been before.
	Cut Decision = "cut"
	// Recalled: it was cut as the request before was.
	Recalled Decision = "recall"
	// Compacted: old messages were replaced by a checkpoint.
	Compacted Decision = "compact"
	// Refused: it cannot be made to fit; nothing was sent.
	Refused Decision = "refuse"
	// Bypassed: the client asked to be left alone, or the limit is not known.
	Bypassed Decision = "bypass"
	// Failed: our own work failed, and the request was sent unchanged.
	Failed Decision = "fail-open"
	// DryRun: only a plan was asked for; nothing was sent.
	DryRun Decision = "dry-run"
)
