package fit

import (
	"context"

	"github.com/plimsoll/plimsoll"
)

// Some presets count by an estimate of their own. It decides what they cut, but the provider
// counts otherwise. So a draft that is over its line by the best count is made once more, by
// that count.

// walk makes a draft by the count of the preset, and by the best count if that draft would
// not fit. The caller commits.
func (k *Keeper) walk(ctx context.Context, t *Task, o walkOptions) (*Work, error) {
	w, err := k.walkOnce(ctx, t, o)
	if err != nil || !w.tooHeavy(ctx) {
		return w, err
	}
	w.release()
	o.best = true
	return k.walkOnce(ctx, t, o)
}

// tooHeavy reports whether the draft of a walk by the preset's count is over its line by the
// best count.
func (w *Work) tooHeavy(ctx context.Context) bool {
	if w.k.options.Best == nil || w.options.best || w.plan.Line.Estimated {
		return false
	}
	load, meter := w.k.anchor(ctx, w.task, true)
	if w.draft.Position() > 0 {
		load = meter.Weigh(w.draft.Result())
	}
	return load.Exceeds(w.plan.Line)
}

// best returns the meter that comes nearest to what is billed.
func (k *Keeper) best() plimsoll.Meter {
	if k.options.Best != nil {
		return k.options.Best
	}
	return k.options.Meter
}
