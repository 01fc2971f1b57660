package transport

import (
	"context"
	"encoding/hex"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/transport/internal/limit"
	"github.com/plimsoll/plimsoll/wire"
)

// bill adds what one answer of the model was billed to the accounts, and lets the meter
// and the limits learn from it. The next request of the conversation finds it all: only
// the store is written later, by the ledger.
func (f *flow) bill(answer wire.Response) {
	if answer.Model != "" {
		f.x.Answered = answer.Model
	}
	if !answer.HasUsage || f.plan == nil {
		return
	}
	f.x.Usage, f.x.Billed = f.x.Usage.Add(answer.Usage), true
	t, ctx := f.t, context.WithoutCancel(f.ctx)
	task := f.task
	task.Memory = t.memoryOf(f.owner) // the ledger waits for a store that fails now
	if err := f.keeper.Observe(ctx, task, f.plan, answer.Usage); err != nil {
		t.options.Logger.WarnContext(ctx, "the accounts could not be written", "error", err)
	}
	if t.options.Billed != nil && (!certain(f.plan.After) || t.billed.Add(1)%sampleOf == 1) {
		t.options.Billed(f.owner.key+f.x.Conversation, f.plan.Conversation(), answer.Usage)
	}
	t.limits.Answered(ctx, f.limitKey(f.model), limit.Prompt{Billed: answer.Usage.Prompt(), Weighed: f.plan.After.Total})
}

// certain reports whether a bill teaches next to nothing about a count: it is exact
// except for tools and frames, or it has been right for long.
func certain(load plimsoll.Load) bool { return load.Exact || load.Band <= load.Total/20 }

// sampleOf is of how many bills for certain counts one is compared with its count.
const sampleOf = 16

// beginning names the conversation by what it begins with, up to the first message of
// the user.
func (f *flow) beginning() string {
	if f.conversation != "" {
		return f.conversation
	}
	c, chain := f.shown.Conversation(), f.shown.Chain()
	for i := range c.Messages.Len() {
		if c.Messages.At(i).Role == plimsoll.User {
			return hex.EncodeToString(chain[i+1][:])
		}
	}
	return hex.EncodeToString(chain[0][:])
}
