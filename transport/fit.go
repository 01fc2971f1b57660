package transport

import (
	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/expand"
	"github.com/plimsoll/plimsoll/fit"
	"github.com/plimsoll/plimsoll/preset"
	"github.com/plimsoll/plimsoll/transport/internal/limit"
)

// prepare makes the conversation of an attempt fit under a line, or under its own if that
// is nil, and chooses the body. An error means that the request must be refused. If
// anything else fails, the request is sent unchanged.
func (r *trip) prepare(s sent, line *plimsoll.Line) (sent, error) {
	if line == nil && r.management != nil {
		if fitted, ok := r.fitManagement(s); ok {
			return fitted, nil
		}
	}
	fitted, err := r.fit(s, line, nil, true)
	if err == nil || r.ctx.Err() != nil || refuses(err) {
		return fitted, err
	}
	r.failed("the conversation could not be managed", err)
	if fitted, err := r.fit(s, line, nil, false); err == nil || refuses(err) {
		return fitted, err
	}
	s.plan, s.offered, s.body = nil, false, nil
	if s.request != r.restored {
		s.body = s.request.Body() // the client's body does not have this round
	}
	return s, nil
}

// fit fits with all that there is, or without the store and tools.
func (r *trip) fit(s sent, line *plimsoll.Line, pins []fit.Pin, stored bool) (_ sent, err error) {
	defer func() {
		if thrown := recover(); thrown != nil {
			err = panicError(thrown)
		}
	}()
	s.plan, s.task = nil, r.taskOf(s, stored)
	s.task.Pins = append(pins, s.task.Pins...)
	refused := line != nil
	if !refused {
		own, err := r.line(s.task.Conversation)
		if err != nil {
			return s, err
		}
		line = &own
	}
	s.task.Line, s.task.GoesOn = line, refused
	if target, ok := r.target(); ok && !refused && line.Limit() < limit.Unbounded/2 && limit.Weighable(s.task.Conversation) {
		s.task.Count = func(body []byte) int { return r.t.servers.Count(r.ctx, target, r.dialect, body) }
	}
	fit := r.keeper.Fit
	if r.dryRun {
		fit = r.keeper.Plan
	}
	if s.plan, err = fit(r.ctx, s.task); err != nil {
		return s, err
	}
	if r.tenant != nil && (!stored || !r.t.breaker.Closed(r.owner.key)) {
		r.warn("the store cannot be reached; nothing that is cut now can be had back")
	}
	return s, r.choose(&s)
}

// taskOf is the task of fitting an attempt, for its owner.
func (r *trip) taskOf(s sent, stored bool) fit.Task {
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
	return preset.Task(s.request, client)
}

// choose sets the body: that of the plan, or the client's if nothing is edited.
func (r *trip) choose(s *sent) error {
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
