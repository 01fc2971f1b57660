package fit

import (
	"context"
	"fmt"
	"slices"

	"github.com/plimsoll/plimsoll"
)

// recallName is the rung of a report for what was cut as before.
const recallName = "recall"

// recall returns how an earlier request of the conversation was cut; nil if none was.
func (w *Work) recall(ctx context.Context) *cut {
	if w.k.compactor == nil && !w.k.options.Sticky {
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
