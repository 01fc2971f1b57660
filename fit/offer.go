package fit

import (
	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/refname"
)

// The tools that read what was cut are useful once something was cut. A changed list of
// tools invalidates the whole prompt cache, so they come with a cut, which does that
// anyway, and stay.

// offerName is the rung of edits and reports for added tools.
const offerName = "offer"

// missing returns the tools that the task offers and the draft does not have.
func (w *Work) missing() []plimsoll.Tool {
	if len(w.task.Offer) == 0 {
		return nil
	}
	names := map[string]bool{}
	for _, tool := range w.task.Conversation.Tools.All() {
		names[tool.Name] = true
	}
	for _, tool := range w.draft.AddedTools().All() {
		names[tool.Name] = true
	}
	var missing []plimsoll.Tool
	for _, tool := range w.task.Offer {
		if !names[tool.Name] {
			names[tool.Name] = true
			missing = append(missing, tool)
		}
	}
	return missing
}

// addMissing appends the missing tools to the draft and returns what they weigh.
func (w *Work) addMissing() int {
	saved := w.draft.Saved()
	for _, tool := range w.missing() {
		w.draft.AddTool(tool, plimsoll.Why{Rung: offerName, Reason: "so that what was taken out can be read"})
	}
	return saved - w.draft.Saved()
}

// toolCost is what the tools would add that the next cut brings with it.
func (w *Work) toolCost() int {
	if w.task.Archive == nil && !w.task.OfferAlways {
		return 0
	}
	since := w.draft.Position()
	defer w.rollback(since)
	return w.addMissing()
}

// toolEdits returns how many of the edits added tools, and what these weigh.
func toolEdits(edits []plimsoll.Edit) (n, weight int) {
	for _, e := range edits {
		if e.Kind == plimsoll.EditTool {
			n++
			weight -= e.Saved
		}
	}
	return n, weight
}

// offers reports whether the draft must have the tools: it has lost something that can
// be read, or an earlier request had them.
func (w *Work) offers() bool {
	if len(w.task.Offer) == 0 {
		return false
	}
	if w.task.OfferAlways || w.replayed != nil && w.replayed.Offered || w.checkpoint != nil && (w.checkpoint.Ref != nil || len(w.checkpoint.Refs) > 0) {
		return true
	}
	for _, e := range w.draft.Edits() {
		if e.Ref != nil {
			return true
		}
	}
	return false
}

// offer adds the tools if they are due, and returns how many there were and what they
// weigh. An API that would refuse them goes without.
func (w *Work) offer() (n, weight int) {
	if !w.offers() {
		return 0, 0
	}
	since := w.draft.Position()
	weight = w.addMissing()
	if n = int(w.draft.Position() - since); n == 0 {
		return 0, 0
	}
	known := w.replayed != nil && w.replayed.Offered
	if !known && w.check() != nil {
		w.rollback(since)
		return 0, 0
	}
	return n, weight
}

// offerNew is offer for tools that no earlier request had.
func (w *Work) offerNew() {
	if n, weight := w.offer(); n > 0 {
		w.plan.Rungs = append(w.plan.Rungs, plimsoll.RungReport{Rung: offerName, Edits: n, Saved: -weight})
	}
}

// retract takes the tools back if there is no room for them: what must be sent is worth
// more than what could be read.
func (w *Work) retract() {
	edits := w.draft.Edits()
	if n, _ := toolEdits(edits); n == 0 {
		return
	}
	if n, weight := toolEdits(edits[:replayedEdits(w.plan)]); n > 0 {
		w.plan.Rungs[0].Edits -= n
		w.plan.Rungs[0].Saved += weight
	}
	n, _ := toolEdits(edits[:w.verified.at])
	w.verified.at -= plimsoll.Position(n)
	for i := range w.plan.Rungs {
		if r := &w.plan.Rungs[i]; r.Rung == offerName {
			r.Edits, r.Saved, r.Undone = 0, 0, "there is no room for the tools"
		}
	}
	w.draft.RemoveTools()
	w.checked = checkedState{}
	w.reweigh()
}

// HasReader reports whether the model has a tool that reads what was cut, or gets one.
func (w *Work) HasReader() bool { return !w.task.NoReader }

// named returns a text with its reference in the words for this model. Requests with and
// without the tools share decisions, so a replayed text may have the other words.
func (w *Work) named(text string, ref *plimsoll.Ref) string {
	if ref == nil {
		return text
	}
	return refname.Write(text, w.HasReader(), ref.ID)
}
