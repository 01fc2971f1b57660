package fit

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/summary"
)

// Undo takes back a compaction. The reference is that of the messages which the checkpoint
// replaced. Undo returns the conversation with these messages instead of the checkpoint, and
// with everything that was said since. It forgets the decision, so that the same history is
// sent whole as long as it fits.
func (k *Keeper) Undo(ctx context.Context, t Task, ref string) (plimsoll.Conversation, error) {
	c := t.Conversation
	k.complete(&t)
	forgotten, err := k.forget(ctx, &t, ref)
	if err != nil {
		return c, &plimsoll.Error{Op: "undo", Err: err}
	}
	span, found := summary.CheckpointSpan(c, ref)
	if forgotten && !found {
		return c, nil // the caller still has the whole history
	}
	raw, err := k.span(ctx, &t, ref)
	if err != nil && (found || !errors.Is(err, plimsoll.ErrNotFound)) {
		return c, &plimsoll.Error{Op: "undo", Err: err}
	}
	parse := t.Parse
	if parse == nil {
		parse = parsePlain
	}
	var messages []plimsoll.Message
	if err == nil {
		if messages, err = parse(raw); err != nil {
			return c, &plimsoll.Error{Op: "undo", Err: err}
		}
	}
	all := c.Messages.Slice()
	whole := c
	if head := c.Outline().Head; !found && t.Chain == nil && messages != nil {
		// A checkpoint without a receipt is known by what was decided for its messages.
		whole.Messages = plimsoll.ListOf(slices.Concat(all[:head], messages, all[head:])...)
		t.Conversation, t.prefixes, t.links = whole, nil, nil
		if cp := k.CheckpointOf(ctx, t); cp != nil && cp.Ref != nil && cp.Ref.ID == ref {
			span, found = cp.In(c)
		}
		if found {
			if _, err := k.forget(ctx, &t, ref); err != nil {
				return c, &plimsoll.Error{Op: "undo", Err: err}
			}
		}
	}
	if !found {
		return c, &plimsoll.Error{
			Op: "undo", Err: fmt.Errorf("no checkpoint with ref=%s in this conversation: %w", ref, plimsoll.ErrNotFound),
			Hint: "name the reference that the checkpoint or its receipt carries",
		}
	}
	whole.Messages = plimsoll.ListOf(slices.Concat(all[:span.Start], messages, all[span.End:])...)
	return whole, nil
}

// CheckpointOf returns the checkpoint that requests of the task's conversation begin with,
// or nil.
func (k *Keeper) CheckpointOf(ctx context.Context, t Task) *summary.Checkpoint {
	if s, err := k.recall(ctx, &t); err == nil && s != nil {
		return s.Checkpoint
	}
	return nil
}

// forget drops the newest decisions about the conversation, as long as they have the
// checkpoint with that reference. It reports whether there was one.
func (k *Keeper) forget(ctx context.Context, t *Task, ref string) (bool, error) {
	for forgotten := false; ; forgotten = true {
		s, err := k.recall(ctx, t)
		if err != nil || s == nil || s.Checkpoint == nil || s.Checkpoint.Ref == nil || s.Checkpoint.Ref.ID != ref {
			return forgotten, err
		}
		key := t.chain()[s.Until]
		k.decisions.Delete(scoped{t.scope(), key})
		if memory := t.Memory; memory != nil {
			if err := memory.Forget(ctx, key); err != nil {
				return forgotten, err
			}
		}
	}
}

// span reads archived messages.
func (k *Keeper) span(ctx context.Context, t *Task, ref string) ([]byte, error) {
	archive := t.Archive
	if archive == nil {
		return nil, fmt.Errorf("the keeper has no archive: %w", plimsoll.ErrUnsupported)
	}
	content, err := archive.Content(ctx, ref)
	if err != nil {
		return nil, fmt.Errorf("ref=%s: %w", ref, err)
	}
	return SpanOf(content)
}

// SpanOf returns the JSON list of messages that archived content holds.
func SpanOf(content plimsoll.List[plimsoll.Part]) ([]byte, error) {
	if content.Len() == 1 {
		if p, ok := content.At(0).(plimsoll.Opaque); ok && p.Kind == SpanKind {
			return []byte(p.Raw), nil
		}
	}
	return nil, fmt.Errorf("this content is no span of messages: %w", plimsoll.ErrInvalid)
}
