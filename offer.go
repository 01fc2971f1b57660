package plimsoll

// The tools that read what was taken out are of use once something was. A changed list
// of tools makes a provider read the whole prompt again, so they come with a cut, which
// costs that anyway, and stay.

// offerName stands in edits and reports for tools that were added.
const offerName = "offer"

// missing returns the tools that the task offers and the draft does not have.
func (l *ladder) missing(d *Draft) []Tool {
	if len(l.task.Offer) == 0 {
		return nil
	}
	names := make(map[string]bool, len(d.base.Tools.items)+len(l.task.Offer))
	for i := range d.base.Tools.items {
		names[d.base.Tools.items[i].Name] = true
	}
	for i := range d.tools {
		names[d.tools[i].Name] = true
	}
	var missing []Tool
	for _, tool := range l.task.Offer {
		if !names[tool.Name] {
			names[tool.Name] = true
			missing = append(missing, tool)
		}
	}
	return missing
}

// add appends tools to the draft and returns what they weigh.
func (d *Draft) add(tools []Tool) int {
	saved := d.saved
	for _, tool := range tools {
		d.AddTool(tool, Why{Rung: offerName, Reason: "so that what was taken out can be read"})
	}
	return saved - d.saved
}

// toll is what the tools would add that the next cut brings with it.
func (l *ladder) toll() int {
	if l.options.archive == nil && !l.task.OfferAlways {
		return 0
	}
	d := l.work.draft
	mark := d.Mark()
	defer d.Rollback(mark)
	return d.add(l.missing(d))
}

// makeRoom lets the rungs come down so far that the tools have room too.
func (l *ladder) makeRoom() {
	toll := l.toll()
	l.work.goal = max(0, l.plan.Goal-toll)
	l.work.line = l.plan.Line
	l.work.line.Reserve += toll
	if l.work.line.Input > 0 {
		l.work.line.Input = max(1, l.work.line.Input-toll)
	}
}

// offers reports whether the draft must have the tools: something that can be read was
// taken out, or an earlier request had them.
func (l *ladder) offers() bool {
	w := l.work
	if len(l.task.Offer) == 0 {
		return false
	}
	if l.task.OfferAlways || w.sent != nil && w.sent.Offered || w.checkpoint != nil && len(w.checkpoint.refs()) > 0 {
		return true
	}
	for i := range w.draft.log {
		if w.draft.log[i].Ref != nil {
			return true
		}
	}
	return false
}

// offer adds the tools if they are due, and reports how many there were. An API that
// would refuse them goes without.
func (l *ladder) offer() int {
	w := l.work
	w.goal, w.line = l.plan.Goal, l.plan.Line
	if !l.offers() {
		return 0
	}
	mark := w.draft.Mark()
	weight := w.draft.add(l.missing(w.draft))
	n := int(w.draft.Mark() - mark)
	if n == 0 {
		return 0
	}
	known := w.sent != nil && w.sent.Offered
	if !known && l.task.Check != nil && l.task.Check(w.draft) != nil {
		w.draft.Rollback(mark)
		return 0
	}
	l.raise(weight)
	return n
}

// offerNew is offer for tools that no earlier request had.
func (l *ladder) offerNew() {
	saved := l.work.draft.saved
	if n := l.offer(); n > 0 {
		l.plan.Rungs = append(l.plan.Rungs, RungReport{Rung: offerName, Edits: n, Saved: l.work.draft.saved - saved})
	}
}

// offerAlone adds the tools to a conversation that is left as it is otherwise, and
// returns what it weighs with them.
func (l *ladder) offerAlone() int {
	d := l.plan.draft
	if !l.task.OfferAlways {
		return l.plan.Before.Total
	}
	weight := d.add(l.missing(d))
	if d.Mark() == 0 {
		return l.plan.Before.Total
	}
	if l.task.Check != nil && l.task.Check(d) != nil {
		d.Rollback(0)
		return l.plan.Before.Total
	}
	l.plan.Edits, l.plan.After = d.Edits(), l.k.options.Meter.Weigh(d.Result())
	l.plan.Rungs = []RungReport{{Rung: offerName, Edits: len(l.plan.Edits), Saved: -weight}}
	return l.plan.After.Total
}

// retract takes the tools back for which there is no room: what must be sent is worth
// more than what could be read.
func (l *ladder) retract() {
	d := l.plan.draft
	if len(d.tools) == 0 {
		return
	}
	kept, replayed := d.log[:0:0], l.plan.replayed()
	for i, e := range d.log {
		if e.Kind != EditTool || e.Rung != offerName {
			kept = append(kept, e)
			continue
		}
		d.saved -= e.Saved
		l.raise(e.Saved)
		if i < replayed {
			l.plan.Rungs[0].Edits--
			l.plan.Rungs[0].Saved -= e.Saved
		}
	}
	for i := range l.plan.Rungs {
		if r := &l.plan.Rungs[i]; r.Rung == offerName {
			r.Edits, r.Saved, r.Undone = 0, 0, "there is no room for the tools"
		}
	}
	d.log, d.tools = kept, nil
	l.weigh()
}

// raise takes tools into what no rung may remove.
func (l *ladder) raise(weight int) {
	l.plan.Floor += weight
	for i := range l.items {
		if l.items[i].Kind == FloorTools {
			l.items[i].Tokens += weight
			return
		}
	}
	l.items = append(l.items, FloorItem{FloorTools, -1, weight})
}
