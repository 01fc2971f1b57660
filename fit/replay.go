package fit

import (
	"context"
	"fmt"

	"github.com/plimsoll/plimsoll"
)

// recallName is the rung of a report for what was cut as before.
const recallName = "recall"

// recall returns how an earlier request of the conversation was cut; nil if none was.
func (w *Work) recall(ctx context.Context) *cutList {
	if w.k.compactor == nil && !w.k.options.Sticky {
		return nil
	}
	c, err := w.k.recall(ctx, w.task)
	if err != nil {
		w.plan.Degraded = fmt.Sprintf("memory: %v", err)
	}
	if c != nil && c.Checkpoint == nil && c.Window > 0 && c.Window < w.plan.Line.Window {
		return nil // what a small window cut must not be missing in a large one
	}
	return c
}

// replay cuts the draft as an earlier request was cut, and drops what this walk has
// done so far. A cut that would take what must now survive is not replayed, nor one
// that is shorter than the one in the draft.
func (w *Work) replay(c *cutList) {
	if c == nil || c == w.replayed || w.replayed != nil && c.Until < w.replayed.Until {
		return
	}
	was, reports := w.replayed, w.plan.Rungs
	if !w.restart(c) {
		w.restart(was)
		w.plan.Rungs = reports
		w.markVerified()
		return
	}
	w.offer()
	w.plan.Rungs = []plimsoll.RungReport{{Rung: recallName, Edits: int(w.draft.Position()), Saved: w.draft.Saved(), Replayed: true}}
	w.markVerified()
}

// restart begins the draft again with a cut; false if the cut does not hold.
func (w *Work) restart(c *cutList) bool {
	w.rollback(0)
	w.placed, w.checkpoint, w.replayed, w.correction, w.recollected = nil, nil, nil, 0, recollected{}
	if c == nil {
		return true
	}
	if err := c.replay(w); err != nil || w.draft.Saved() < 0 {
		w.rollback(0)
		w.placed, w.checkpoint = nil, nil
		return false
	}
	w.replayed, w.goesOn = c, true
	return true
}

// replayedEdits returns how many edits of a plan were made for an earlier request.
func replayedEdits(p *plimsoll.Plan) int {
	if len(p.Rungs) > 0 && p.Rungs[0].Replayed {
		return p.Rungs[0].Edits
	}
	return 0
}
