package plimsoll

import "slices"

// Most requests of a conversation are the one before with a little more behind
// it, and nothing new is to be done. For them the cut is kept in a form that is laid
// in one pass over the messages, without an outline, rungs or weighing.

// compiled is a cut that has been laid before, ready to be laid again.
type compiled struct {
	until   int
	log     []entry
	edits   []Edit
	saved   int
	inserts []insertion
	// slots of the messages that were edited or dropped.
	slots []madeSlot
	// loads is what the messages of the result weigh that stand for the prefix, and
	// weight what the prefix weighed whole. Another weight means that the meter has
	// learned, and everything must be weighed anew.
	loads  []MessageLoad
	weight int
	drift  int
	// offer and always are the task's, tools what was added of them, and toolsLoad and
	// framing what the load has more beside the messages.
	offer              []Tool
	always             bool
	tools              []Tool
	toolsLoad, framing int
}

type madeSlot struct {
	at int
	slot
}

// compile lays a cut once more, alone, and keeps how that was done; nil if the result
// is not what the ladder left.
func (l *ladder) compile(s *sticky) *compiled {
	c, behind := l.again(s), l.plan.draft.base.Messages.Len()-s.Until
	if c == nil || len(l.plan.After.Messages) < behind || c.saved != l.plan.draft.saved {
		return nil
	}
	c.until, c.weight, c.drift = s.Until, weightOf(l.plan.Before, s.Until), l.work.drift
	c.loads = slices.Clone(l.plan.After.Messages[:len(l.plan.After.Messages)-behind])
	c.offer, c.always = slices.Clone(l.task.Offer), l.task.OfferAlways
	c.toolsLoad, c.framing = l.plan.After.Tools-l.plan.Before.Tools, l.plan.After.Framing-l.plan.Before.Framing
	c.edits = make([]Edit, len(c.log))
	for i := range c.log {
		c.edits[i] = c.log[i].Edit
	}
	return c
}

// again lays a cut once more, and returns what that leaves; nil if it does not hold.
func (l *ladder) again(s *sticky) *compiled {
	if s.onlyResults() && len(l.plan.draft.tools) == 0 {
		return s.relaid(l.plan.draft)
	}
	w := &Work{draft: NewDraft(l.plan.draft.base, l.k.options.Meter), kept: make([]standing, len(l.work.kept))}
	d := w.draft
	d.weighed, d.twin = l.plan.draft.weighed, l.plan.draft
	if s.lay(w) != nil {
		return nil
	}
	d.add(l.plan.draft.tools)
	c := &compiled{saved: d.saved, inserts: d.inserts, tools: d.tools, log: make([]entry, len(d.log)), slots: make([]madeSlot, 0, len(d.log))}
	for i, e := range d.log {
		c.log[i].Edit = e.Edit
	}
	for i, slot := range d.slots()[:s.Until] {
		if slot.dropped || slot.edited {
			m := slot.show()
			slot.message = &m
			c.slots = append(c.slots, madeSlot{i, slot})
		}
	}
	return c
}

// onlyResults reports whether nothing was cut but what stands in results.
func (s *sticky) onlyResults() bool {
	return s.Checkpoint == nil && len(s.Drops)+len(s.Removed)+len(s.Inserts) == 0
}

// relaid is what laying the results again leaves. It stands in the draft already that they
// were taken from.
func (s *sticky) relaid(d *Draft) *compiled {
	c := &compiled{log: make([]entry, len(s.Results)), slots: make([]madeSlot, 0, len(s.Results))}
	// What the draft has came from larger pieces, which would be kept for as long as this.
	var messages slab[Message]
	var parts slab[Part]
	var loads slab[int]
	for i, r := range s.Results {
		at := &d.slots()[r.At.Message]
		saved := d.weighed[r.At.Message].Parts[r.At.Part] - at.loads[r.At.Part]
		c.log[i].Edit = Edit{Kind: EditReplace, Message: r.At.Message, Part: r.At.Part, Saved: saved, Rung: r.Rung, Reason: replayReason, Ref: r.Ref}
		c.saved += saved
		if n := len(c.slots); n > 0 && c.slots[n-1].at == r.At.Message {
			continue
		}
		m := messages.one()
		*m = *at.message
		m.Parts = frozen(parts.clone(at.parts()))
		c.slots = append(c.slots, madeSlot{r.At.Message, slot{message: m, loads: loads.clone(at.loads), edited: true}})
	}
	return c
}

// holds reports whether laying the cut again gives what the ladder would.
func (c *compiled) holds(l *ladder) bool {
	return c != nil && len(l.plan.Before.Messages) >= c.until && weightOf(l.plan.Before, c.until) == c.weight &&
		c.always == l.task.OfferAlways && slices.Equal(c.offer, l.task.Offer)
}

func weightOf(load Load, messages int) int {
	n := 0
	for _, m := range load.Messages[:messages] {
		n += m.Tokens
	}
	return n
}

// quick does what is to be done for a request if that is nothing new. It reports
// false if the ladder must be walked.
func (l *ladder) quick(s *sticky) bool {
	k, t := l.k, l.task
	if len(k.options.Arrival)+len(k.options.Pins)+len(t.Pins)+len(t.Keep) > 0 {
		return false
	}
	if s == nil {
		if load := l.offerAlone(); load <= l.high && l.mayWait(load, false) {
			return true
		}
		l.plan.draft.Rollback(0)
		l.plan.After, l.plan.Edits, l.plan.Rungs = l.plan.Before, []Edit{}, []RungReport{}
		return false
	}
	c := s.compiled.Load()
	if !c.holds(l) {
		return false
	}
	load := l.plan.Before.Total + c.drift - c.saved
	if load > l.high || !l.mayWait(load, true) {
		return false
	}
	l.layQuick(c, load)
	return true
}

// mayWait reports whether no policy asks for a cut.
func (l *ladder) mayWait(load int, recalled bool) bool {
	return l.k.options.Policy == nil || l.waits(load, recalled)
}

func (l *ladder) layQuick(c *compiled, load int) {
	d, before := l.plan.draft, l.plan.Before
	d.log, d.saved, d.inserts, d.tools = slices.Clip(c.log), c.saved, slices.Clip(c.inserts), slices.Clip(c.tools)
	slots := d.slots()
	for k := range c.slots {
		slots[c.slots[k].at] = c.slots[k].slot
	}
	after := before
	after.Total, after.Tools, after.Framing = load, before.Tools+c.toolsLoad, before.Framing+c.framing
	after.Messages = slices.Concat(c.loads, before.Messages[c.until:])
	l.plan.After, l.plan.Edits = after, slices.Clip(c.edits)
	l.plan.Rungs = []RungReport{{Rung: recallName, Edits: len(c.edits), Saved: c.saved, Replayed: true}}
}

// recallName stands in reports for what was cut as before.
const recallName = "recall"

// freshGrowth is by what part of the load a conversation may grow until what cutting
// would gain is added up again.
const freshGrowth = 50

// waits asks the policy by what cutting would have gained a little earlier. If it
// waits, that is remembered; else it must be asked again by what is so now. A request
// that comes again was decided already, and what was cut for it is recalled.
func (l *ladder) waits(load int, recalled bool) bool {
	k, t := l.k, l.task
	is, n := k.stateOf(t)
	if n == t.Conversation.Messages.Len() && (is.action == Wait || recalled) {
		return true
	}
	if n == 0 || n == t.Conversation.Messages.Len() || is.outlook.Load == 0 || load-is.outlook.Load > max(1000, load/freshGrowth) {
		return false
	}
	o := is.outlook
	o.Now, o.Load, o.High, o.Limit = k.options.now(), load, l.high, l.plan.Line.Limit()
	next, action := k.options.Policy.Next(is.PolicyState, o)
	if action != Wait {
		return false
	}
	if !l.options.dry {
		k.states.Put(scoped{t.scope(), t.chain()[t.Conversation.Messages.Len()]}, policyMemo{PolicyState: next, outlook: is.outlook})
	}
	return true
}
