package plimsoll

import (
	"context"
	"errors"
	"fmt"
	"slices"
)

// mark is the load from which on a conversation may have been cut before.
func (l *ladder) mark() int {
	k := l.k
	if k.options.Sticky && (k.options.cutsEarly() || k.options.Policy != nil) {
		return 0
	}
	if k.compactor == nil {
		return l.high
	}
	if mark := k.compactor.Mark(l.plan.Line); mark > 0 {
		return mark
	}
	if k.compactor.Slow() && k.options.Marks.Soft > 0 {
		return l.soft()
	}
	return l.high
}

// cutsEarly reports whether rungs are applied whatever the load is.
func (o *Options) cutsEarly() bool {
	return slices.ContainsFunc(o.Arrival, func(r Rung) bool {
		_, waits := r.(Compactor)
		return !waits
	})
}

// recallShare is how far a load may have come down, by a meter that has learned,
// for the conversation to be cut as before.
const recallShare = 0.9

// recall returns how an earlier request of the conversation was cut. One that is
// small enough to be sent whole was not.
func (l *ladder) recall(ctx context.Context) *sticky {
	if l.k.compactor == nil && !l.k.options.Sticky || float64(l.plan.Before.Total) < recallShare*float64(l.mark()) {
		return nil
	}
	s, err := l.k.recall(ctx, l.task)
	if err != nil {
		l.plan.Degraded = fmt.Sprintf("memory: %v", err)
	}
	return s
}

// replay cuts the draft as an earlier request was cut, in the place of what this
// walk has done so far. What would take something that must now survive is left out.
func (l *ladder) replay(s *sticky) {
	w := l.work
	if s == nil || s == w.sent || w.sent != nil && s.Until <= w.sent.Until {
		return
	}
	was, reports := w.sent, l.plan.Rungs
	if !l.lay(s) {
		l.lay(was)
		l.plan.Rungs = reports
		return
	}
	l.offer()
	l.plan.Rungs = []RungReport{{Rung: recallName, Edits: int(w.draft.Mark()), Saved: w.draft.Saved(), Replayed: true}}
}

// lay begins the draft again and cuts it; false if that does not hold.
func (l *ladder) lay(s *sticky) bool {
	w := l.work
	w.draft.Rollback(0)
	w.laid, w.checkpoint, w.sent, w.drift = nil, nil, nil, 0
	if s == nil {
		return true
	}
	compacting := w.compacting
	w.compacting = true
	defer func() { w.compacting = compacting }()
	if err := s.lay(w); err != nil || w.draft.Saved() < 0 {
		w.draft.Rollback(0)
		w.laid, w.checkpoint = nil, nil
		return false
	}
	w.sent = s
	return true
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

// isCheckpoint asks of a message of one text whether it is a checkpoint.
var isCheckpoint = NewQuestion[bool]()

// keepCheckpoints lets only a compactor take the checkpoints that stand among the
// messages.
func (l *ladder) keepCheckpoints() {
	if l.k.compactor == nil {
		return
	}
	w, o := l.work, l.work.draft.Outline()
	for i, m := range w.draft.base.Messages.items {
		if w.kept[i] != removable || m.Parts.Len() != 1 || m.Role != Assistant && m.Role != User || !Has[Text](m) {
			continue
		}
		if FactOf(w, PartRef{i, 0}, isCheckpoint, func() bool { return IsCheckpoint(m) }) && w.draft.base.CheckpointAt(i) {
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
	l.remember(ctx)
	for _, made := range l.made {
		l.settle(ctx, made)
	}
	return nil
}

// remember keeps how the draft is cut for later requests, if this walk cut anything.
func (l *ladder) remember(ctx context.Context) {
	w := l.work
	replayed := 0
	if len(l.plan.Rungs) > 0 && l.plan.Rungs[0].Replayed {
		replayed = l.plan.Rungs[0].Edits
	}
	if int(w.draft.Mark()) == replayed {
		if s := w.sent; s != nil && !s.compiled.Load().holds(l) {
			s.compiled.Store(l.compile(s))
		}
		return
	}
	if !l.k.options.Sticky && !l.compacted() {
		return
	}
	s := w.stick()
	if s == nil {
		return
	}
	s.compiled.Store(l.compile(s))
	if err := l.k.remember(ctx, l.task, s); err != nil {
		l.plan.Degraded = fmt.Sprintf("memory: %v", err)
	}
}

// compacted reports whether this walk made a checkpoint.
func (l *ladder) compacted() bool {
	return slices.ContainsFunc(l.made, func(m *Compaction) bool { return m.Status == Compressed && !m.shared })
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
		told.Old, told.Ref, told.By, told.Usage = cp.Old, cp.Ref, cp.By, cp.Usage
		told.Notes = append(told.Notes, cp.Notes...)
	}
	k.count(l.task, made)
	if err := k.charge(ctx, l.task, made); err != nil {
		l.plan.Degraded = fmt.Sprintf("memory: %v", err)
	}
	if made == l.made[len(l.made)-1] && l.plan.Changed() {
		told.After = l.plan.After.Total // with what other rungs did behind it
	}
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
