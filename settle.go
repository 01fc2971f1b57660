package plimsoll

import (
	"context"
	"errors"
	"fmt"
	"slices"
)

// mark is the load from which on the conversation may have a checkpoint.
func (l *ladder) mark() int {
	k, limit := l.k, float64(l.plan.Line.Limit())
	if mark := k.compactor.Mark(l.plan.Line); mark > 0 {
		return mark
	}
	if k.compactor.Slow() && k.options.Marks.Soft > 0 {
		return int(k.options.Marks.Soft * limit)
	}
	return l.high
}

// recallShare is how far a load may have come down, by a meter that has learned,
// for the conversation to be given its checkpoint again.
const recallShare = 0.9

// recall returns the checkpoint that an earlier request was given. A conversation
// that is small enough to be sent whole has none.
func (l *ladder) recall(ctx context.Context) *Checkpoint {
	if l.k.compactor == nil || float64(l.plan.Before.Total) < recallShare*float64(l.mark()) {
		return nil
	}
	cp, err := l.k.recall(ctx, l.task)
	if err != nil {
		l.plan.Degraded = fmt.Sprintf("memory: %v", err)
	}
	return cp
}

// replay lays the checkpoint of an earlier request. One that takes what must now
// survive is left out.
func (l *ladder) replay(cp *Checkpoint) {
	w := l.work
	if cp == nil || cp == w.checkpoint || !cp.fits(w.draft.base.Messages.Len()) || w.checkpoint != nil && cp.Old.End <= w.checkpoint.Old.End {
		return
	}
	w.compacting = true
	defer func() { w.compacting = false }()
	kept := map[int]bool{}
	for _, i := range cp.Kept {
		kept[i] = true
	}
	for i := cp.Old.Start; i < cp.Old.End; i++ {
		if w.Kept(i) && !kept[i] {
			return
		}
	}
	mark, before, laid, was := w.draft.Mark(), w.Load(), w.laid, w.checkpoint
	if err := w.Lay(cp, Why{Rung: compactName, Reason: replayReason}); err != nil || w.Load() > before {
		w.draft.Rollback(mark)
		w.laid, w.checkpoint = laid, was
		return
	}
	w.sent = cp
	l.plan.Rungs = append(l.plan.Rungs, RungReport{Rung: compactName, Edits: int(w.draft.Mark() - mark), Saved: before - w.Load(), Replayed: true})
}

// fits reports whether a checkpoint can stand in a conversation of n messages.
func (cp *Checkpoint) fits(n int) bool {
	if cp.Old.Start < 0 || cp.Old.End > n || cp.Old.Start > cp.Old.End {
		return false
	}
	last := cp.Old.Start - 1
	for _, i := range cp.Kept {
		if i <= last || i >= cp.Old.End {
			return false
		}
		last = i
	}
	for _, m := range cp.Messages {
		if m.Before < cp.Old.Start || m.Before > cp.Old.End {
			return false
		}
	}
	return true
}

// keepCheckpoints lets only a compactor take the checkpoints that stand among the
// messages.
func (l *ladder) keepCheckpoints() {
	if l.k.compactor == nil {
		return
	}
	w, o := l.work, l.work.draft.Outline()
	for i, m := range w.draft.base.Messages.items {
		if w.kept[i] != removable || m.Parts.Len() != 1 || m.Role != Assistant && m.Role != User {
			continue
		}
		if FactOf(w, PartRef{i, 0}, "is a checkpoint", func() bool { return IsCheckpoint(m) }) {
			w.kept[i] = knowledge
		}
	}
	keepPairs(o, w.kept)
	for _, t := range o.Turns { // most APIs want the user to speak first
		if t.User >= 0 && slices.Contains(w.kept[t.Start:t.End], knowledge) {
			w.kept[t.User] = max(w.kept[t.User], knowledge)
		}
	}
}

// commit stores what was taken out, and then remembers and tells what was made.
func (l *ladder) commit(ctx context.Context) error {
	if l.work == nil {
		return nil
	}
	if err := l.work.commit(ctx); err != nil {
		return err
	}
	for _, made := range l.made {
		l.settle(ctx, made)
	}
	return nil
}

// settle remembers a compaction and tells everybody.
func (l *ladder) settle(ctx context.Context, made *Compaction) {
	if made.shared || made.Status == CompressionNoop {
		return
	}
	k, cp := l.k, made.Checkpoint
	told := ChatCompressed{
		Trigger: made.Trigger, Status: made.Status, Reason: made.Reason, Model: l.task.Conversation.Model, Dialect: l.task.Conversation.Dialect,
		Messages: l.task.Conversation.Messages.Len(), Before: made.Before, After: made.After, Line: l.plan.Line,
		Cost: made.Cost, Duration: made.Duration, Notes: made.notes,
	}
	if cp != nil {
		if err := k.remember(ctx, l.task, cp); err != nil {
			l.plan.Degraded = fmt.Sprintf("memory: %v", err)
		}
		told.Old, told.Ref, told.By, told.Usage = cp.Old, cp.Ref, cp.By, cp.Usage
		told.Notes = append(told.Notes, cp.Notes...)
	}
	k.count(l.task, made)
	k.tell(told)
	for _, hook := range k.options.Hooks.PostCompress {
		if err := hook(ctx, told); err != nil {
			made.notes = append(made.notes, fmt.Sprintf("hook: %v", err))
		}
	}
}

func notFoundIsNil(err error) error {
	if errors.Is(err, ErrNotFound) {
		return nil
	}
	return err
}
