package plimsoll

import (
	"context"
	"fmt"
	"strings"
)

// SnapshotAnswer is what the model is made to say to a snapshot, where a layout asks
// for it.
const SnapshotAnswer = "Got it. Thanks for the additional context!"

// Contents is an [Archive] that can be read.
type Contents interface {
	// Content returns what is stored under a reference, or [ErrNotFound].
	Content(ctx context.Context, id string) (List[Part], error)
}

// Undo takes the compaction back whose messages are kept as the reference. It
// returns the conversation with them in the place of the checkpoint and with
// everything that was said since, and forgets the decision, so that the same history
// is sent whole as long as it fits.
func (k *Keeper) Undo(ctx context.Context, t Task, ref string) (Conversation, error) {
	c := t.Conversation
	forgotten, err := k.forget(ctx, &t, ref)
	if err != nil {
		return c, &Error{Op: "undo", Err: err}
	}
	span, found := CheckpointSpan(c, ref)
	if !found {
		if forgotten {
			return c, nil // the caller still has the whole history
		}
		return c, &Error{
			Op: "undo", Err: fmt.Errorf("no checkpoint with ref=%s in this conversation: %w", ref, ErrNotFound),
			Hint: "name the reference that the checkpoint or its receipt carries",
		}
	}
	raw, err := k.span(ctx, &t, ref)
	if err != nil {
		return c, &Error{Op: "undo", Err: err}
	}
	parse := t.Parse
	if parse == nil {
		parse = parsePlain
	}
	messages, err := parse(raw)
	if err != nil {
		return c, &Error{Op: "undo", Err: err}
	}
	all := append(c.Messages.Slice()[:span.Start:span.Start], messages...)
	c.Messages = frozen(append(all, c.Messages.items[span.End:]...))
	return c, nil
}

// forget drops what was decided for the conversation with a checkpoint of that
// reference in it.
func (k *Keeper) forget(ctx context.Context, t *Task, ref string) (bool, error) {
	for forgotten := false; ; forgotten = true {
		s, err := k.recall(ctx, t)
		if err != nil || s == nil || s.Checkpoint == nil || s.Checkpoint.Ref == nil || s.Checkpoint.Ref.ID != ref {
			return forgotten, err
		}
		key := t.chain()[s.Until]
		k.decisions.Forget(scoped{t.scope(), key})
		if memory := k.memoryOf(t); memory != nil {
			if err := memory.Forget(ctx, key); err != nil {
				return forgotten, err
			}
		}
	}
}

// span reads archived messages.
func (k *Keeper) span(ctx context.Context, t *Task, ref string) ([]byte, error) {
	contents, ok := k.archiveOf(t).(Contents)
	if !ok {
		return nil, fmt.Errorf("the archive cannot be read: %w", ErrUnsupported)
	}
	content, err := contents.Content(ctx, ref)
	if err != nil {
		return nil, fmt.Errorf("ref=%s: %w", ref, err)
	}
	return SpanOf(content)
}

// SpanOf returns the JSON list of messages that archived content holds.
func SpanOf(content List[Part]) ([]byte, error) {
	if content.Len() == 1 {
		if p, ok := content.At(0).(Opaque); ok && p.Kind == SpanKind {
			return []byte(p.Raw), nil
		}
	}
	return nil, fmt.Errorf("this content is no span of messages: %w", ErrInvalid)
}

// CheckpointSpan returns where the checkpoint stands that names the reference, from
// the end of the leading instructions on: the archived messages take the place of
// everything in it.
func CheckpointSpan(c Conversation, ref string) (Span, bool) {
	messages := c.Messages.items
	name := "ref=" + ref
	for i := len(messages) - 1; i >= 0; i-- {
		m := messages[i]
		// The receipts of other cuts do not say where what they speak of began.
		receipt := IsReceipt(m) && receiptIn(m.Text())
		if m.Role != User && m.Role != Assistant || !receipt && !checkpointAt(messages, i) || !namesRef(m.Text(), name) {
			continue
		}
		end := i + 1
		if end < len(messages) && messages[end].Role == Assistant && messages[end].Text() == SnapshotAnswer {
			end++
			if end < len(messages) && IsReceipt(messages[end]) && messages[end].Text() == EarlierReceipt {
				end++
			}
		}
		return Span{headOf(messages), min(len(messages), end+followingOf(m.Text()))}, true
	}
	return Span{}, false
}

// namesRef reports whether the text closes with the reference: a ledger in it may
// name others before.
func namesRef(text, name string) bool {
	i := strings.LastIndex(text, name)
	if i < 0 || strings.Contains(text[i+len(name):], "ref=") {
		return false
	}
	rest := text[i+len(name):]
	return rest == "" || !isRefByte(rest[0])
}

func isRefByte(b byte) bool {
	return b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= '0' && b <= '9' || b == '_' || b == '-'
}
