package transport

import (
	"context"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/transport/internal/limit"
	"github.com/plimsoll/plimsoll/wire"
)

// bill adds what one answer of the model was billed to the accounts, and lets the meter
// and the limits learn from it. The next request of the conversation finds it all: only
// the store is written later, by the ledger.
func (r *trip) bill(answer wire.Response) {
	if answer.Model != "" {
		r.x.Answered = answer.Model
	}
	plan := r.sent.plan
	if !answer.HasUsage || plan == nil {
		return
	}
	r.x.Usage, r.x.Billed = r.x.Usage.Add(answer.Usage), true
	t, ctx, task := r.t, context.WithoutCancel(r.ctx), r.sent.task
	task.Memory = t.memoryOf(r.owner) // the ledger waits for a store that fails now
	if err := r.keeper.Observe(ctx, task, plan, answer.Usage); err != nil {
		t.options.Logger.WarnContext(ctx, "the accounts could not be written", "error", err)
	}
	if t.options.Billed != nil && (!certain(plan.After) || t.billed.Add(1)%sampleOf == 1) {
		t.options.Billed(r.owner.key+r.x.Conversation, plan.Conversation(), answer.Usage)
	}
	t.limits.Answered(ctx, r.limitKey(r.model), limit.Prompt{Billed: answer.Usage.Prompt(), Weighed: plan.After.Total})
}

// certain reports whether a bill teaches next to nothing about a count: it is exact
// except for tools and frames, or it has been right for long.
func certain(load plimsoll.Load) bool { return load.Exact || load.Band <= load.Total/20 }

// sampleOf is of how many bills for certain counts one is compared with its count.
const sampleOf = 16
