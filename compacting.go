package plimsoll

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"time"
)

// compactor returns the one among the rungs; nil if there is none.
func (o *Options) compactor() Compactor {
	for _, r := range slices.Concat(o.Arrival, o.Rungs) {
		if c, ok := r.(Compactor); ok {
			return c
		}
	}
	return nil
}

// CompactOptions say how a conversation is to be compacted.
type CompactOptions struct {
	// Force compacts whatever the load is, as a person asks for it.
	Force bool
	// Directives are added to what a model is asked.
	Directives []string

	// total is what was billed for the last call; 0 if that is unknown.
	total int
}

func (o CompactOptions) trigger() Trigger {
	if o.Force {
		return Manual
	}
	return Automatic
}

// Compact replaces old messages by a checkpoint if that is due, or forced. Where it
// fails everything stays as it was; where the conversation is over its mark even so,
// the other rungs make it smaller. What an earlier request was given stands again, and
// counts as made. What happened is in the compaction's status; an error means that the
// conversation does not fit or the caller went away.
func (k *Keeper) Compact(ctx context.Context, t Task, o CompactOptions) (*Compaction, error) {
	if k.compactor == nil {
		return nil, &Error{
			Op: "compact", Err: fmt.Errorf("no rung of this configuration compacts: %w", ErrUnsupported),
			Hint: "use the preset auto, agent or gemini, and leave compaction enabled",
		}
	}
	l, err := k.ladder(&t, walkOptions{archive: k.archiveOf(&t)})
	if err != nil {
		return nil, err
	}
	noop := &Compaction{Status: CompressionNoop, Trigger: o.trigger(), Before: l.plan.Before.Total, After: l.plan.Before.Total, Plan: l.plan}
	if t.Conversation.Messages.Len() == 0 {
		noop.Reason = "there are no messages"
		return noop, nil
	}
	if err := l.start(false); err != nil {
		return nil, err
	}
	l.replay(l.recall(ctx))
	l.weigh()
	if !o.Force && !k.compactor.Due(l.reading(o.total)) {
		noop.Reason, noop.After = "the load is below the threshold", l.work.Load()
		l.standing(noop)
		return noop, nil
	}
	defer l.land()
	l.makeRoom()
	if err := l.compact(ctx, k.compactor, o); err != nil {
		return nil, err
	}
	l.offerNew()
	l.weigh()
	made := l.made[len(l.made)-1]
	if l.plan.After.Total > l.high {
		if err := l.truncate(ctx, made); err != nil {
			return nil, err
		}
	}
	made.Plan, made.After = l.plan, l.plan.After.Total
	if err := l.commit(ctx); err != nil {
		return nil, err
	}
	made.Before = l.plan.Before.Total
	l.standing(made)
	return made, nil
}

// standing says what stands in the plan though this walk has not made it: the
// checkpoint or the cuts that an earlier request was given.
func (l *ladder) standing(made *Compaction) {
	if made.Status == Compressed || !l.plan.Changed() {
		return
	}
	if cp := l.work.checkpoint; cp != nil {
		made.Status, made.Checkpoint, made.shared = Compressed, cp, true
	} else {
		made.Status = ContentTruncated
	}
}

// truncate lets the other rungs make a conversation smaller that a checkpoint did not
// make small enough.
func (l *ladder) truncate(ctx context.Context, made *Compaction) error {
	l.options.noCompaction = true
	if err := l.pass(ctx); err != nil {
		return err
	}
	l.weigh()
	if err := l.underLine(); err != nil {
		return err
	}
	if made.Status != Compressed && l.plan.After.Total < made.Before {
		made.Status = ContentTruncated
	}
	return nil
}

// reading is what a compactor decides by; total is what was billed, if known.
func (l *ladder) reading(total int) Reading {
	r := Reading{Total: total, Load: l.plan.Before, Line: l.plan.Line, Conversation: l.task.Conversation, High: l.high}
	if l.work.draft.Mark() > 0 {
		r.Conversation = l.work.draft.Result()
		r.Load = l.k.options.Meter.Weigh(r.Conversation)
	}
	if r.Total == 0 {
		r.Total = r.Load.Total
	}
	return r
}

// compact lets a compactor replace what is old. Only a caller that has gone away and
// an archive that fails end the walk; everything else is noted in what was made.
func (l *ladder) compact(ctx context.Context, c Compactor, o CompactOptions) error {
	if l.options.noCompaction {
		return nil
	}
	w := l.work
	w.compacting = true
	defer func() { w.compacting = false }()
	order := Order{Old: c.Old(w), Trigger: o.trigger(), Directives: o.Directives}
	made := &Compaction{Status: CompressionNoop, Trigger: order.Trigger, Before: w.Load(), After: w.Load(), Plan: l.plan, old: order.Old}
	l.made = append(l.made, made)
	switch {
	case order.Old.Len() == 0:
		made.Reason = "nothing is old enough"
		return nil
	case !o.Force && l.k.tripped(l.task, w.Load()):
		made.Reason = "the last two compactions gained little; waiting for the conversation to grow"
		return nil
	}
	if !w.dry {
		waited, err := l.takeOff(ctx, c, order.Old)
		if err != nil {
			return err
		}
		if waited && l.relieved() {
			made.Status, made.After, made.Checkpoint = Compressed, w.Load(), w.checkpoint
			made.shared = true
			return nil
		}
		if waited { // the other's checkpoint stands now, and is not enough
			order.Old = c.Old(w)
			made.old = order.Old
			if order.Old.Len() == 0 {
				made.Reason = "nothing is old enough"
				return nil
			}
		}
		notes, veto := l.ask(ctx, order, made)
		made.notes = notes
		if veto != "" {
			made.Reason = "vetoed: " + veto
			return nil
		}
		order.Directives = slices.Concat(o.Directives, made.directives)
		order.Progress = func(done, all int) {
			l.k.tell(CompressionProgress{Done: done, All: all, Waiting: !l.background})
		}
		if c.Slow() {
			order.Progress(0, 0) // a model is asked; nobody knows yet for how many parts
		}
	}
	return l.carryOut(ctx, c, order, made)
}

// carryOut makes the checkpoint, and takes it back if it does not hold.
func (l *ladder) carryOut(ctx context.Context, c Compactor, order Order, made *Compaction) error {
	w, mark, began := l.work, l.work.draft.Mark(), time.Now()
	laid, was := w.laid, w.checkpoint
	cp, err := checkpointBy(ctx, c, w, order)
	made.Duration = time.Since(began)
	if err == nil {
		err = l.verifyCheckpoint(ctx, mark, made.Before)
	}
	var archive *ArchiveError
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("compact: %w", ctx.Err())
	case errors.As(err, &archive):
		return err
	}
	report := RungReport{Rung: c.Name(), Edits: int(w.draft.Mark() - mark)}
	if err != nil {
		w.draft.Rollback(mark)
		w.laid, w.checkpoint = laid, was
		made.Status, made.Reason = statusOf(err), err.Error()
		report.Edits, report.Undone = 0, err.Error()
	} else {
		cp.Saved = made.Before - w.Load()
		made.Status, made.Checkpoint, made.After = Compressed, cp, w.Load()
		report.Saved = cp.Saved
		if l.k.options.Cost != nil && cp.Model != "" {
			made.Cost, _ = l.k.options.Cost(cp.Model, cp.Usage)
		}
	}
	l.plan.Rungs = append(l.plan.Rungs, report)
	return nil
}

// checkpointBy asks a compactor, in which a mistake ends no more than this compaction.
func checkpointBy(ctx context.Context, c Compactor, w *Work, order Order) (cp *Checkpoint, err error) {
	defer func() {
		if r := recover(); r != nil {
			cp, err = nil, fmt.Errorf("panic: %v\n%s", r, debug.Stack())
		}
	}()
	return c.Checkpoint(ctx, w, order)
}

// NoSummaryError says that there was no summary to make a checkpoint of.
type NoSummaryError struct{ Err error }

// Error says why.
func (e *NoSummaryError) Error() string { return fmt.Sprintf("no summary: %v", e.Err) }

// Unwrap returns the cause.
func (e *NoSummaryError) Unwrap() error { return e.Err }

// countError says that a new history could not be counted.
type countError struct{ err error }

func (e *countError) Error() string {
	return fmt.Sprintf("the new history cannot be counted: %v", e.err)
}
func (e *countError) Unwrap() error { return e.err }

func statusOf(err error) CompressionStatus {
	var empty *NoSummaryError
	var count *countError
	switch {
	case errors.As(err, &empty):
		return CompressionFailedEmpty
	case errors.As(err, &count):
		return CompressionFailedCount
	case errors.Is(err, errNotSmaller):
		return CompressionFailedInflated
	}
	return CompressionNoop
}

// verifyCheckpoint asks whether the new history is no larger, whole and valid.
func (l *ladder) verifyCheckpoint(ctx context.Context, mark Mark, before int) error {
	after := l.work.Load()
	if recount := l.k.options.Recount; recount != nil && !l.options.dry {
		n, err := recount(ctx, l.work.draft.Result())
		if err != nil {
			return &countError{err}
		}
		after = max(after, n)
	}
	if after > before {
		return fmt.Errorf("%d tokens would become %d: %w", before, after, errNotSmaller)
	}
	if least := l.plan.Floor + l.toll() + l.laid(mark); least > l.plan.Goal && before > l.plan.Goal {
		return fmt.Errorf("there is no room for a checkpoint: %d tokens could not go any more, and %d are aimed at", least, l.plan.Goal)
	}
	// A new history of the same size is no failure; for the rest a rung's rules hold.
	return l.verify(mark, before+1)
}

// laid is what the messages weigh that were inserted since the mark, with the one
// that must stay before them.
func (l *ladder) laid(mark Mark) int {
	w, tokens := l.work, 0
	for _, e := range w.draft.log[mark:] {
		if e.Kind == EditInsert {
			tokens -= e.Saved
		}
	}
	if cp := w.checkpoint; len(cp.Kept) > 0 && cp.opensWith(cp.Kept[0]) && w.kept[cp.Kept[0]] == removable {
		tokens += w.Weight(cp.Kept[0])
	}
	return tokens
}

// ask asks the hooks. It returns what went wrong with them, and the first veto.
func (l *ladder) ask(ctx context.Context, order Order, made *Compaction) (notes []string, veto string) {
	told := PreCompress{
		Trigger: made.Trigger, Conversation: l.task.Conversation, Old: order.Old, Before: made.Before, Line: l.plan.Line,
	}
	for _, hook := range l.k.options.Hooks.PreCompress {
		verdict, err := hook(ctx, told)
		if err != nil {
			notes = append(notes, fmt.Sprintf("hook: %v", err))
			continue
		}
		if verdict.Veto != "" {
			return notes, verdict.Veto
		}
		made.directives = append(made.directives, verdict.Directives...)
	}
	return notes, ""
}

func (k *Keeper) tell(e Event) {
	if k.options.Events != nil {
		k.options.Events(e)
	}
}
