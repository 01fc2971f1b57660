package transport

import (
	"errors"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/expand"
	"github.com/plimsoll/plimsoll/fit"
	"github.com/plimsoll/plimsoll/preset"
)

// fit makes the request fit under the line, or under its own if that is nil, and
// writes the body to send. An error means that the request must be refused; whatever
// else fails lets it go on as it came.
func (f *flow) fit(line *plimsoll.Line) error {
	if line == nil && f.fitWishes() {
		return nil
	}
	err := f.tryFit(line, true)
	if err == nil || f.ctx.Err() != nil || refuses(err) {
		return err
	}
	f.failed("the conversation could not be managed", err)
	if err := f.tryFit(line, false); err == nil || refuses(err) {
		return err
	}
	f.plan, f.offered, f.sent = nil, false, f.body
	f.x.Decision = Failed
	return nil
}

// refuses reports whether an error is about the request and not about us.
func refuses(err error) bool {
	var ambiguous *AmbiguousError
	return errors.Is(err, plimsoll.ErrOverLimit) || errors.As(err, &ambiguous)
}

// report notes what went wrong; the error is nil if no part of Plimsoll failed.
func (f *flow) report(what string, err error) {
	if err == nil {
		f.warn(what)
	} else {
		f.failed(what, err)
	}
}

// failed notes a failure of our own.
func (f *flow) failed(what string, err error) {
	f.warn(what)
	f.t.options.Logger.ErrorContext(f.ctx, what, "error", err, "dialect", f.dialect, "model", f.x.Model)
}

// tryFit fits with all that there is, or without the store and tools.
func (f *flow) tryFit(line *plimsoll.Line, stored bool) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = panicError(r)
		}
	}()
	leave, err := f.t.heavy.enter(f.ctx, len(f.body))
	if err != nil {
		return err
	}
	defer leave()
	f.task = f.taskOf(stored)
	if line == nil {
		own, err := f.line(f.task.Conversation)
		if err != nil {
			return err
		}
		line = &own
	}
	f.task.Line = line
	fit := f.keeper.Fit
	if f.dryRun {
		fit = f.keeper.Plan
	}
	plan, err := fit(f.ctx, f.task)
	if err != nil {
		return err
	}
	f.plan = plan
	f.tell(plan)
	if f.tenant != nil && !f.t.breaker.Closed() {
		f.warn("the store cannot be reached; nothing that is cut now can be had back")
	}
	return f.encode()
}

// taskOf is the task of the request, for its owner.
func (f *flow) taskOf(stored bool) fit.Task {
	task := preset.Task(f.request)
	task.Conversation.Model = f.model
	task.Pins, task.Scope = append(f.wanted, f.pins...), f.scope()
	if stored {
		task.Archive, task.Memory = f.t.storeOf(f.owner)
	}
	if task.Archive != nil && f.mayOffer() && !f.withdraws() {
		task.Offer, task.OfferAlways = expand.Tools(), f.woven || f.t.options.Expand == ExpandAlways
	}
	return task
}

// scope keeps requests apart that ask for something else than others that begin alike.
func (f *flow) scope() fit.Scope {
	return fit.Scope{Tenant: f.owner.key, Conversation: f.conversation, Preset: f.preset, Limit: f.limit}
}

// encode chooses the body: that of the plan, or the client's if nothing is edited.
func (f *flow) encode() error {
	f.offered = f.plan.Draft.AddedTools().Len() > 0
	switch {
	case f.plan.Changed():
		if err := f.t.ambiguity.check(f.shown); err != nil {
			return err
		}
		f.sent = f.plan.Body
	case f.woven:
		f.sent = f.request.Body()
	default:
		f.sent = f.body
	}
	if f.last && f.offered {
		f.sent = f.silenced(f.sent)
	}
	if f.t.lacking.lacks(f.x.Upstream, managementKey, f.t.options.Now()) {
		body, err := withoutManagement(f.sent)
		if err != nil {
			return err
		}
		f.sent = body
	}
	return nil
}

// cuts reports whether a rung has taken something off that was there before.
func cuts(r plimsoll.RungReport) bool {
	return !r.Replayed && r.Edits > 0 && r.Undone == "" && r.Rung != "offer"
}

// tell puts what the plan says into the exchange.
func (f *flow) tell(plan *plimsoll.Plan) {
	f.x.Before, f.x.After, f.x.Line, f.x.Rungs = plan.Before, plan.After, plan.Line, plan.Rungs
	f.x.Edits, f.x.New = len(plan.Edits), 0
	f.x.Decision = Passed
	for _, e := range plan.Edits {
		if e.Kind != plimsoll.EditTool { // tools that are offered are no cut
			f.x.Decision = Recalled
		}
	}
	for _, r := range plan.Rungs {
		if !cuts(r) {
			continue
		}
		f.x.New += r.Edits
		if r.Rung == "compact" {
			f.x.Decision = Compacted
		} else if f.x.Decision != Compacted {
			f.x.Decision = Cut
		}
	}
	if plan.Degraded != "" {
		f.t.options.Logger.ErrorContext(f.ctx, "store", "error", plan.Degraded)
	}
}
