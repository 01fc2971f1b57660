package fit

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"time"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/summary"
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
	// best weighs by [Options.Best] what is due by the preset's count.
	best bool
}

func (o CompactOptions) trigger() Trigger {
	if o.Force {
		return Manual
	}
	return Automatic
}

// Compact replaces old messages by a checkpoint if that is due, or forced. If it fails,
// everything stays as it was; if the conversation is still over its high watermark, the
// other rungs make it smaller. A checkpoint that an earlier request had is replayed and
// counts as made. A keeper without a compactor compacts nothing, and says so. The compaction's status says what happened; an error means that the
// conversation does not fit or the caller went away.
func (k *Keeper) Compact(ctx context.Context, t Task, o CompactOptions) (*Compaction, error) {
	k.complete(&t)
	w, err := k.weigh(ctx, &t, walkOptions{best: o.best})
	if err != nil {
		return nil, err
	}
	noop := &Compaction{Status: CompressionNoop, Trigger: o.trigger(), Before: w.plan.Before.Total, After: w.plan.Before.Total, Plan: w.plan}
	if w.messages() == 0 {
		noop.Reason = "there are no messages"
		return noop, nil
	}
	if err := w.protect(ctx); err != nil {
		return nil, err
	}
	w.replay(w.recall(ctx))
	w.aim()
	if err := w.findFloor(false); err != nil {
		return nil, err
	}
	w.reweigh()
	due, why := false, "compaction is switched off: use the preset auto, agent or gemini, and leave it enabled"
	if k.compactor != nil {
		due, why = k.compactor.Due(w.reading(o.total))
	}
	if k.compactor == nil || !o.Force && !o.best && !due {
		noop.Reason = why
		err := w.encode()
		w.settle(ctx)
		noop.Before, noop.After = w.plan.Before.Total, w.plan.After.Total
		w.countReplayed(noop)
		return noop, err
	}
	defer w.release()
	target := w.target()
	target.Decided = o.Force
	if err := w.compact(ctx, k.compactor, target, o); err != nil {
		return nil, err
	}
	w.offerNew()
	w.reweigh()
	made := w.made[len(w.made)-1]
	if w.plan.After.Total > w.high {
		if err := w.truncate(ctx, made); err != nil {
			return nil, err
		}
	}
	if err := w.encode(); err != nil {
		return nil, err
	}
	if !w.settle(ctx) {
		w.release()
		o.best = true
		return k.Compact(ctx, t, o)
	}
	made.Plan, made.After = w.plan, w.plan.After.Total
	if err := w.commit(ctx); err != nil {
		return nil, err
	}
	made.Before = w.plan.Before.Total
	w.countReplayed(made)
	return made, nil
}

// countReplayed counts what an earlier request had as made: its checkpoint or its cuts.
func (w *Work) countReplayed(made *Compaction) {
	if made.Status == Compressed || w.draft.Position() == 0 {
		return
	}
	if cp := w.checkpoint; cp != nil {
		made.Status, made.Checkpoint, made.shared = Compressed, cp, true
	} else {
		made.Status = ContentTruncated
	}
}

// truncate lets the other rungs make a conversation smaller if a checkpoint did not
// make it small enough.
func (w *Work) truncate(ctx context.Context, made *Compaction) error {
	w.options.noCompaction, w.strict = true, true
	if err := w.applyAll(ctx); err != nil {
		return err
	}
	w.reweigh()
	if err := w.underLine(); err != nil {
		return err
	}
	if made.Status != Compressed && w.plan.After.Total < made.Before {
		made.Status = ContentTruncated
	}
	return nil
}

// reading is what a compactor decides by; total is what was billed, if known.
func (w *Work) reading(total int) Reading {
	r := Reading{Total: total, Load: w.plan.Before, Line: w.plan.Line, Conversation: w.task.Conversation, High: w.high}
	if w.draft.Position() > 0 {
		r.Conversation = w.draft.Result()
		r.Load = w.meter.Weigh(r.Conversation)
	}
	if r.Total == 0 {
		r.Total = r.Load.Total
	}
	return r
}

// compact lets a compactor replace what is old. Only a caller that has gone away and
// an archive that fails end the walk; everything else is noted in what was made.
func (w *Work) compact(ctx context.Context, c Compactor, t Target, o CompactOptions) error {
	if w.options.noCompaction {
		return nil
	}
	order := Order{Old: c.Old(w, t), Target: t, Trigger: o.trigger(), Directives: o.Directives}
	made := &Compaction{Status: CompressionNoop, Trigger: order.Trigger, Before: w.Load(), After: w.Load(), Plan: w.plan, old: order.Old}
	earlier := w.made
	w.made = append(w.made, made)
	switch {
	case order.Old.Len() == 0:
		made.Reason = "nothing is old enough"
		return nil
	case !o.Force && c.Slow(w.task) && w.k.tripped(w.task, w.Load()): // only a model's summary costs anything
		made.Reason = "the last two compactions gained little; waiting for the conversation to grow"
		return nil
	case w.options.dry:
		return w.carryOut(ctx, c, order, made)
	}
	switch waited, err := w.claim(ctx, c, order.Old); {
	case err != nil:
		return err
	case waited && w.relieved():
		made.Status, made.After, made.Checkpoint = Compressed, w.Load(), w.checkpoint
		made.shared = true
		return nil
	case waited: // the other walk's checkpoint is in the draft now, and is not enough
		w.made = earlier
		again := w.target()
		again.Decided = t.Decided
		return w.compact(ctx, c, again, o)
	}
	if veto := w.ask(ctx, &order, made); veto != "" {
		made.Reason = "vetoed: " + veto
		return nil
	}
	order.Progress = func(done, all int) {
		w.k.tell(CompressionProgress{Done: done, All: all, Waiting: !w.background})
	}
	if c.Slow(w.task) {
		order.Progress(0, 0) // a model is asked; the number of parts is unknown yet
	}
	return w.carryOut(ctx, c, order, made)
}

// carryOut makes the checkpoint, and takes it back if it does not hold. It checks at
// once what would be sent: a checkpoint by a model must not be lost to a later rung.
func (w *Work) carryOut(ctx context.Context, c Compactor, order Order, made *Compaction) error {
	since, began := w.draft.Position(), time.Now()
	placed, was, recollected := w.placed, w.checkpoint, w.recollected
	w.withdrawRecollections("the conversation is cut")
	cp, err := checkpointBy(ctx, c, w, order)
	made.Duration = time.Since(began)
	if err == nil {
		err = w.checkCheckpoint(ctx, since, made.Before)
	}
	var archive *archiveError
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("compact: %w", ctx.Err())
	case errors.As(err, &archive):
		return err
	}
	report := plimsoll.RungReport{Rung: c.Name(), Edits: int(w.draft.Position() - since)}
	if err != nil {
		w.rollback(since)
		w.placed, w.checkpoint, w.recollected = placed, was, recollected
		made.Status, made.Reason = statusOf(err), err.Error()
		report.Edits, report.Undone = 0, err.Error()
	} else {
		cp.Saved = made.Before - w.Load()
		made.Status, made.Checkpoint, made.After = Compressed, cp, w.Load()
		report.Saved = cp.Saved
	}
	if cp != nil && cp.Model != "" { // whatever became of it
		made.billed = true
		made.Cost, _ = w.k.Cost(cp.Model, cp.Usage)
	}
	w.plan.Rungs = append(w.plan.Rungs, report)
	if err == nil {
		w.markVerified()
	}
	return nil
}

// checkpointBy asks a compactor. A panic in it ends only this compaction.
func checkpointBy(ctx context.Context, c Compactor, w *Work, order Order) (cp *summary.Checkpoint, err error) {
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

// checkCheckpoint asks whether the new history is no larger, whole and valid.
func (w *Work) checkCheckpoint(ctx context.Context, since plimsoll.Position, before int) error {
	after := w.Load()
	if recount := w.k.options.Recount; recount != nil && !w.options.dry {
		n, err := recount(ctx, w.draft.Result())
		if err != nil {
			return &countError{err}
		}
		after = max(after, n)
	}
	if t := w.task; w.k.options.CountsAgain && t.Recount != nil && t.Encode != nil && !w.options.dry {
		body, err := t.Encode(w.draft)
		if err != nil {
			return err
		}
		n, err := t.Recount(ctx, body)
		if err != nil {
			return &countError{err}
		}
		after = max(after, n)
	}
	if after > before {
		return fmt.Errorf("%d tokens would become %d: %w", before, after, errNotSmaller)
	}
	if least := w.floorWithTools() + w.toolCost() + w.checkpointWeight(since); least > w.plan.Goal && before > w.plan.Goal {
		return fmt.Errorf("there is no room for a checkpoint: %d tokens could not go any more, and %d are aimed at", least, w.plan.Goal)
	}
	// A new history of the same size is no failure; for the rest a rung's rules hold.
	if err := w.checkEdits(since, before+1, w.Protected); err != nil {
		return err
	}
	return w.check()
}

// checkpointWeight is what the messages weigh that were inserted since a position, with
// the one that must stay before them.
func (w *Work) checkpointWeight(since plimsoll.Position) int {
	tokens := 0
	for _, e := range w.draft.EditsSince(since) {
		if e.Kind == plimsoll.EditInsert {
			tokens -= e.Saved
		}
	}
	if cp := w.checkpoint; len(cp.Kept) > 0 && opensWith(cp, cp.Kept[0]) && w.protections[cp.Kept[0]] == removable {
		tokens += w.draft.Weight(cp.Kept[0])
	}
	return tokens
}

// ask asks the hooks. It adds their directives to the order, notes what went wrong with
// them, and returns the first veto.
func (w *Work) ask(ctx context.Context, order *Order, made *Compaction) (veto string) {
	asked := PreCompress{
		Trigger: made.Trigger, Conversation: w.task.Conversation, Old: order.Old, Before: made.Before, Line: w.plan.Line,
	}
	if len(w.k.options.Hooks.PreCompress) > 0 && w.k.estimates(w.plan.Line) && !w.options.best {
		_, best := w.k.anchor(ctx, w.task, true)
		asked.Before = best.Weigh(w.draft.Result()).Total
	}
	for _, hook := range w.k.options.Hooks.PreCompress {
		verdict, err := hook(ctx, asked)
		if err != nil {
			made.notes = append(made.notes, fmt.Sprintf("hook: %v", err))
			continue
		}
		if verdict.Veto != "" {
			return verdict.Veto
		}
		order.Directives = slices.Concat(order.Directives, verdict.Directives)
	}
	return ""
}

// report counts a compaction in the breaker and the accounts, and tells hooks and
// events. The event says which hooks failed.
func (w *Work) report(ctx context.Context, made *Compaction) {
	if made.shared || made.Status == CompressionNoop && !made.billed {
		return
	}
	k, cp := w.k, made.Checkpoint
	told := ChatCompressed{
		Trigger: made.Trigger, Status: made.Status, Reason: made.Reason, Model: w.task.Conversation.Model, Dialect: w.task.Conversation.Dialect,
		Messages: w.messages(), Before: made.Before, After: made.After, Line: w.plan.Line,
		Cost: made.Cost, Duration: made.Duration, Notes: made.notes,
	}
	if cp != nil {
		told.Old, told.Ref, told.By, told.Usage = cp.Old, cp.Ref, cp.By, cp.Usage
		told.Notes = append(told.Notes, cp.Notes...)
	}
	k.count(w.task, made)
	if err := k.charge(ctx, w.task, made); err != nil {
		w.plan.Degraded = fmt.Sprintf("memory: %v", err)
	}
	if made == w.made[len(w.made)-1] && w.draft.Position() > 0 {
		told.After = w.plan.After.Total // with what later rungs did
	}
	var failed []string
	for _, hook := range k.options.Hooks.PostCompress {
		if err := hook(ctx, told); err != nil {
			failed = append(failed, fmt.Sprintf("hook: %v", err))
		}
	}
	told.Notes = slices.Concat(told.Notes, failed)
	k.tell(told)
}

// opensWith reports whether original message i must stay before the checkpoint: without
// it the first message would be the assistant's, which most APIs refuse.
func opensWith(cp *summary.Checkpoint, i int) bool {
	return cp != nil && len(cp.Kept) > 0 && cp.Kept[0] == i && len(cp.Messages) > 0 && cp.Messages[0].Role != plimsoll.User
}
