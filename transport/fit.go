package transport

import (
	"slices"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/expand"
	"github.com/plimsoll/plimsoll/fit"
	"github.com/plimsoll/plimsoll/preset"
	"github.com/plimsoll/plimsoll/transport/internal/limit"
)

// prepare makes the conversation of an attempt fit, and chooses the body. An error means
// that the request must be refused. If anything else fails, the request is sent unchanged.
func (r *trip) prepare(s attempt) (attempt, error) {
	if s.line == nil && r.management != nil {
		if fitted, ok := r.fitManagement(s); ok {
			return fitted, nil
		}
	}
	fitted, err := r.fit(s, withStore)
	if err == nil || r.ctx.Err() != nil || mustRefuse(err) {
		return fitted, err
	}
	r.failed("the conversation could not be managed", err)
	if fitted, err := r.fit(s, withoutStore); err == nil || mustRefuse(err) {
		return fitted, err
	}
	s.plan, s.offered, s.body = nil, false, nil
	if s.request != r.restored {
		s.body = s.request.Body() // the client's body does not have this round
	}
	return s, nil
}

// How fit and taskOf do their work: with all that there is, or without the store and our
// tools, which read from it.
const withStore, withoutStore = true, false

// fit makes the conversation of an attempt fit.
func (r *trip) fit(s attempt, stored bool) (_ attempt, err error) {
	defer func() {
		if thrown := recover(); thrown != nil {
			err = panicError(thrown)
		}
	}()
	s.plan, s.task = nil, r.taskOf(s, stored)
	s.task.Pins = slices.Concat(s.pins, s.task.Pins)
	if s.line != nil {
		// The line is in our tokens, so the server's count says nothing about it. The
		// conversation is long, and is expected to go on.
		s.task.Line, s.task.GoesOn = s.line, true
	} else {
		line, err := r.line(s.task.Conversation)
		if err != nil {
			return s, err
		}
		s.task.Line = &line
		if server, ok := r.modelServer(); ok && line.Limit() < limit.Unbounded/2 && limit.Weighable(s.task.Conversation) {
			s.task.Count = func(body []byte) int { return r.t.servers.Count(r.ctx, server, r.dialect, body) }
		}
	}
	fitOrPlan := r.keeper.Fit
	if r.dryRun {
		fitOrPlan = r.keeper.Plan
	}
	if s.plan, err = fitOrPlan(r.ctx, s.task); err != nil {
		return s, err
	}
	if r.tenant != nil && (!stored || !r.t.breaker.Closed(r.owner.key)) {
		r.warn("the store cannot be reached; nothing that is cut now can be had back")
	}
	err = r.choose(&s)
	return s, err
}

// taskOf is the task of fitting an attempt, for its owner.
func (r *trip) taskOf(s attempt, stored bool) fit.Task {
	client := preset.Client{
		Tenant: r.owner.key, Conversation: r.conversation, Preset: r.preset, Window: r.window, Limit: r.limit, Model: r.model, Pins: r.pins,
	}
	if stored && r.tenant != nil && r.t.breaker.Closed(r.owner.key) {
		client.Archive, client.Memory = safeArchive{r.tenant, r.owner.key, r.t.breaker}, r.t.memoryOf(r.owner)
	}
	client.Offered = client.Archive != nil && r.mayOffer(s.request)
	if client.Offered && !(s.last && r.mayWithdraw(s.request)) {
		client.Offer, client.OfferAlways = expand.Tools(), s.hidden || r.t.options.Expand == ExpandAlways
	}
	task := preset.Task(s.request, client)
	task.Ask = r.ask
	if r.dialect == plimsoll.Gemini {
		task.Recount = r.recount
	}
	return task
}

// choose sets the body: that of the plan, or the client's if nothing is edited.
func (r *trip) choose(s *attempt) error {
	s.offered = s.plan.Draft.AddedTools().Len() > 0
	switch {
	case s.plan.Changed():
		if err := r.t.checkUnambiguous(r.shown); err != nil {
			return err
		}
		s.body = s.plan.Body
	case s.hidden:
		s.body = s.request.Body()
	default:
		s.body = nil
	}
	if s.last && s.offered {
		s.body = r.silenced(s.request, s.body)
	}
	if r.management != nil && r.t.unsupported.has(r.owner.key, r.x.Upstream, managementKey, r.t.options.Now()) {
		s.body = r.withoutManagement(*s)
	}
	return nil
}
