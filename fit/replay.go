package fit

import (
	"context"
	"fmt"
	"slices"

	"github.com/plimsoll/plimsoll"
)

// recallName is the rung of a report for what was cut as before.
const recallName = "recall"

// recallShare is how far a load may have come down, by a meter that has learned, for
// the conversation to be cut as before.
const recallShare = 0.9

// recallFrom is the load from which on a conversation may have been cut before.
func (w *Work) recallFrom() int {
	o, compactor := &w.k.options, w.k.compactor
	if o.Sticky && (o.cutsEarly() || o.Policy != nil) {
		return 0
	}
	if compactor == nil {
		return w.high
	}
	if threshold := compactor.ActsFrom(w.plan.Line); threshold > 0 {
		return threshold
	}
	if compactor.Slow() && o.Marks.Soft > 0 {
		return w.soft()
	}
	return w.high
}

// cutsEarly reports whether rungs are applied whatever the load is.
func (o *Options) cutsEarly() bool {
	return slices.ContainsFunc(o.Arrival, func(r Rung) bool {
		_, waits := r.(Compactor)
		return !waits
	})
}

// recall returns how an earlier request of the conversation was cut. A conversation
// that is small enough to be sent whole was not.
func (w *Work) recall(ctx context.Context) *cut {
	if w.k.compactor == nil && !w.k.options.Sticky || float64(w.plan.Before.Total) < recallShare*float64(w.recallFrom()) {
		return nil
	}
	c, err := w.k.recall(ctx, w.task)
	if err != nil {
		w.plan.Degraded = fmt.Sprintf("memory: %v", err)
	}
	return c
}

// replay cuts the draft as an earlier request was cut, and drops what this walk has
// done so far. A cut that would take what must now survive is not replayed, nor one
// that is shorter than the one in the draft.
func (w *Work) replay(c *cut) {
	if c == nil || c == w.sent || w.sent != nil && c.Until <= w.sent.Until {
		return
	}
	was, reports := w.sent, w.plan.Rungs
	if !w.restart(c) {
		w.restart(was)
		w.plan.Rungs = reports
		w.settled()
		return
	}
	w.offer()
	w.plan.Rungs = []plimsoll.RungReport{{Rung: recallName, Edits: int(w.draft.Position()), Saved: w.draft.Saved(), Replayed: true}}
	w.settled()
}

// restart begins the draft again with a cut; false if the cut does not hold.
func (w *Work) restart(c *cut) bool {
	w.draft.Rollback(0)
	w.placed, w.checkpoint, w.sent, w.drift, w.valid = nil, nil, nil, 0, false
	if c == nil {
		return true
	}
	if err := c.replay(w); err != nil || w.draft.Saved() < 0 {
		w.draft.Rollback(0)
		w.placed, w.checkpoint = nil, nil
		return false
	}
	w.sent = c
	return true
}

// commit stores what was taken out, and then remembers and reports what was made.
func (w *Work) commit(ctx context.Context) error {
	if w.options.archive != nil {
		for _, e := range w.draft.Edits() {
			if e.Ref == nil {
				continue
			}
			if err := w.store(ctx, e.Ref.ID); err != nil {
				return err
			}
		}
		if w.checkpoint != nil {
			for _, id := range w.checkpoint.Refs {
				if err := w.store(ctx, id); err != nil {
					return err
				}
			}
		}
	}
	w.remember(ctx)
	for _, made := range w.made {
		w.report(ctx, made)
	}
	return nil
}

// remember keeps how the draft is cut for later requests, if this walk cut anything.
func (w *Work) remember(ctx context.Context) {
	if int(w.draft.Position()) == replayed(w.plan) || !w.k.options.Sticky && !w.compacted() {
		return
	}
	c := w.cut()
	if c == nil {
		return
	}
	if err := w.k.remember(ctx, w.task, c); err != nil {
		w.plan.Degraded = fmt.Sprintf("memory: %v", err)
	}
}

// replayed returns how many edits of a plan were made for an earlier request.
func replayed(p *plimsoll.Plan) int {
	if len(p.Rungs) > 0 && p.Rungs[0].Replayed {
		return p.Rungs[0].Edits
	}
	return 0
}

// compacted reports whether this walk made a checkpoint.
func (w *Work) compacted() bool {
	return slices.ContainsFunc(w.made, func(m *Compaction) bool { return m.Status == Compressed && !m.shared })
}
