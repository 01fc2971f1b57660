package transport

import (
	"context"
	"encoding/hex"
	"sync"
	"sync/atomic"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/wire"
)

// settle adds what one call of the model was billed to the accounts.
func (f *flow) settle(answer wire.Response) {
	if answer.Model != "" {
		f.x.Answered = answer.Model
	}
	if !answer.HasUsage || f.plan == nil {
		return
	}
	f.x.Usage, f.x.Billed = f.x.Usage.Add(answer.Usage), true
	task, plan, t, ctx := f.task, f.plan, f.t, context.WithoutCancel(f.ctx)
	task.Memory = t.guard.memory(f.owner) // which books for a store that rests, too
	usage, key, limited, keeper := answer.Usage, f.place(), f.limitKey(f.model), f.keeper
	t.unsettled.begin(key)
	t.bills.add(func() {
		defer t.unsettled.end(key)
		if err := keeper.Observe(ctx, task, plan, usage); err != nil {
			t.options.Logger.WarnContext(ctx, "the accounts could not be written", "error", err)
		}
		if t.options.Billed != nil && (!certain(plan.After) || t.bills.sample()) {
			t.options.Billed(key, plan.Conversation(), usage)
		}
		t.limits.answered(ctx, limited, prompt{billed: usage.Prompt(), weighed: plan.After.Total}, t.options.Now())
	})
}

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

// place names the conversation among those of all owners.
func (f *flow) place() string { return f.owner.key + f.x.Conversation }

// bills are settled one after another, beside the answers, so that nobody waits for
// the store at the end of one.
type bills struct {
	mu      sync.Mutex
	waiting []func()
	working bool
	idle    sync.WaitGroup
	// failed is told of mistakes.
	failed  func(error)
	settled atomic.Int64
}

// maxBills is how many may wait; more are settled by those who bring them.
const maxBills = 1024

func (b *bills) add(settle func()) {
	b.mu.Lock()
	if len(b.waiting) >= maxBills {
		b.mu.Unlock()
		settle()
		return
	}
	b.waiting = append(b.waiting, settle)
	if !b.working {
		b.working = true
		b.idle.Go(b.work)
	}
	b.mu.Unlock()
}

func (b *bills) work() {
	for {
		b.mu.Lock()
		if len(b.waiting) == 0 {
			b.working, b.waiting = false, nil
			b.mu.Unlock()
			return
		}
		next := b.waiting[0]
		b.waiting = b.waiting[1:]
		b.mu.Unlock()
		b.settle(next)
	}
}

// certain reports whether a bill can teach next to nothing about a count: it is exact but
// for what tools and frames take, or has been right for long.
func certain(load plimsoll.Load) bool { return load.Exact || load.Band <= load.Total/20 }

// sampleOf is of how many bills for what is certain one is compared: to see whether the
// count is still right.
const sampleOf = 16

func (b *bills) sample() bool { return b.settled.Add(1)%sampleOf == 1 }

// settle lets no mistake of ours end the process.
func (b *bills) settle(next func()) {
	defer func() {
		if r := recover(); r != nil {
			b.failed(mistake(r))
		}
	}()
	next()
}

// Close waits until all accounts are written. The transport may be used no more.
func (t *Transport) Close() error {
	t.bills.idle.Wait()
	t.guard.accounts.close()
	return nil
}
