package fit

import (
	"context"

	"github.com/plimsoll/plimsoll"
)

// An agent's loop asks at three places whether its history must be compacted. Where
// the status is [Compressed] or [ContentTruncated] the history goes on as the plan
// leaves it; else it stays.

// AfterModel is to be called after each model call, with the history that ends with
// the model's answer and what was billed for the call.
func (k *Keeper) AfterModel(ctx context.Context, t Task, u plimsoll.Usage) (*Compaction, error) {
	if k.compactor != nil && t.Conversation.Messages.Len() > 0 {
		is := k.breakerOf(&t)
		is.total = u.Total()
		k.putBreaker(&t, t.Conversation.Messages.Len(), is)
	}
	return k.Compact(ctx, t, CompactOptions{total: u.Total()})
}

// AfterTools is to be called after tools have been run, with the history that ends
// with their results. What was billed for the last call still counts.
func (k *Keeper) AfterTools(ctx context.Context, t Task) (*Compaction, error) {
	return k.compactByLast(ctx, t)
}

// BeforeReturn is to be called once before the loop ends.
func (k *Keeper) BeforeReturn(ctx context.Context, t Task) (*Compaction, error) {
	return k.compactByLast(ctx, t)
}

func (k *Keeper) compactByLast(ctx context.Context, t Task) (*Compaction, error) {
	return k.Compact(ctx, t, CompactOptions{total: k.breakerOf(&t).total})
}
