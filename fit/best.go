package fit

import (
	"context"
	"slices"

	"github.com/plimsoll/plimsoll"
)

// Some presets count by an estimate of their own. It decides what they cut, but the provider
// counts otherwise. So a draft that is over its line by the best count is made once more, by
// that count, and every figure that leaves the keeper is by that count. Only a line in tokens
// of the estimate has figures of the estimate.

// walk makes a draft by the count of the preset, and by the best count if that draft would
// not fit. The caller commits.
func (k *Keeper) walk(ctx context.Context, t *Task, o walkOptions) (*Work, error) {
	w, err := k.walkOnce(ctx, t, o)
	if err != nil || w.settle(ctx) {
		return w, err
	}
	w.release()
	o.best = true
	return k.walkOnce(ctx, t, o)
}

// estimates reports whether the keeper decides under a line by another count than it shows.
func (k *Keeper) estimates(line plimsoll.Line) bool {
	return k.options.Best != nil && !line.Estimated
}

// settle ends a walk by the preset's count. It gives the plan its figures by the best count,
// and reports whether the draft fits by that. Nothing may be decided by the walk afterwards.
func (w *Work) settle(ctx context.Context) bool {
	if !w.k.estimates(w.plan.Line) || w.options.best {
		return true
	}
	load, meter := w.k.anchor(ctx, w.task, true)
	w.plan.Before, w.plan.After, w.plan.Edits = load, load, w.draft.EditsBy(meter)
	if w.draft.Position() > 0 {
		w.plan.After = meter.Weigh(w.draft.Result())
	}
	rest := slices.Clone(w.plan.Edits)
	for i := range w.plan.Rungs {
		r := &w.plan.Rungs[i]
		left := r.Edits
		r.Saved = 0
		rest = slices.DeleteFunc(rest, func(e plimsoll.Edit) bool {
			if left == 0 || e.Rung != r.Rung && r.Rung != recallName {
				return false
			}
			left--
			r.Saved += e.Saved
			return true
		})
	}
	if w.items != nil {
		w.floor, w.items = floorOf(load, w.task.Conversation, w.kept, w.k.options.least())
		_, tools := toolEdits(w.plan.Edits)
		w.plan.Floor = w.floor + tools
	}
	for _, made := range w.made {
		made.left, made.Before, made.After = made.After, load.Total, load.Total
		if made.Status == Compressed {
			made.After = w.plan.After.Total
		}
		if made.Status == Compressed && !made.shared {
			made.Checkpoint.Saved = made.Before - made.After
		}
	}
	return !w.plan.After.Exceeds(w.plan.Line)
}

// best returns the meter that comes nearest to what is billed.
func (k *Keeper) best() plimsoll.Meter {
	if k.options.Best != nil {
		return k.options.Best
	}
	return k.options.Meter
}
