package plimsoll

import (
	"fmt"
	"slices"
)

// Draft is a conversation in the making: an original that is never touched, and
// a log of edits on it. Every position is an index in the original, so edits do
// not move each other's targets. An edit that would part a tool call from its
// result is refused with [ErrSeparated] and changes nothing.
//
// A Draft is not safe for concurrent use.
type Draft struct {
	base  Conversation
	meter Meter
	// weighed is the load of each message of the original; nil if it is unknown.
	weighed []MessageLoad
	// touching lists, for each message, the pairs with a call or a result in it. Drop
	// makes it.
	touching [][]Pair
	made     []slot
	inserts  []insertion
	system   []Part
	tools    []Tool
	log      []loggedEdit
	// saved and dropped are the tokens and the messages that all edits took out.
	saved, dropped int
}

type insertion struct {
	id        InsertID
	before    int
	message   Message
	why       Why
	withdrawn bool
}

// Inserted is a message that an edit put in.
type Inserted struct {
	ID InsertID
	// Before is the original message that it stands before.
	Before  int
	Message Message
	// Why it was put in.
	Why Why
}

// Inserted returns the messages that edits put in and that still stand, in the order
// in which they were.
func (d *Draft) Inserted() []Inserted {
	var all []Inserted
	for _, in := range d.inserts {
		if !in.withdrawn {
			all = append(all, Inserted{in.id, in.before, in.message, in.why})
		}
	}
	return all
}

// InsertID names an inserted message within its draft.
type InsertID int

// loggedEdit is an edit with what is needed to take it back.
type loggedEdit struct {
	Edit
	// saves returns what the edit saves by a meter.
	saves func(Meter) int
	undo  func()
}

// NewDraft starts a draft of the conversation. The meter measures what edits
// save; with a nil meter every Saved is 0.
func NewDraft(c Conversation, meter Meter) *Draft {
	return &Draft{base: c, meter: meter}
}

// NewWeighedDraft is NewDraft for a conversation of which the load is known, so that
// the draft need not weigh its messages again.
func NewWeighedDraft(c Conversation, meter Meter, load Load) *Draft {
	return &Draft{base: c, meter: meter, weighed: load.Messages}
}

// slots are made at the first call, so that a draft without edits costs nothing.
func (d *Draft) slots() []slot {
	if d.made == nil {
		d.made = make([]slot, len(d.base.Messages.items))
		for i := range d.base.Messages.items {
			d.made[i].message = &d.base.Messages.items[i]
		}
	}
	return d.made
}

// touching lists, for each of n messages, the pairs with a call or a result in it. All
// lists share one array.
func touching(pairs []Pair, n int) [][]Pair {
	counts, lists, all := make([]int, n), make([][]Pair, n), make([]Pair, 2*len(pairs))
	for _, p := range pairs {
		counts[p.Call.Message]++
		counts[p.Result.Message]++
	}
	for i, count := range counts {
		lists[i], all = all[:0:count], all[count:]
	}
	for _, p := range pairs {
		lists[p.Call.Message] = append(lists[p.Call.Message], p)
		lists[p.Result.Message] = append(lists[p.Result.Message], p)
	}
	return lists
}

// Original returns the conversation without edits.
func (d *Draft) Original() Conversation { return d.base }

// Outline returns the structure of the original.
func (d *Draft) Outline() Outline { return d.base.Outline() }

// Edits returns the log, oldest first.
func (d *Draft) Edits() []Edit { return d.EditsSince(0) }

// EditsSince returns the log from a position on.
func (d *Draft) EditsSince(p Position) []Edit {
	edits := make([]Edit, len(d.log)-int(p))
	for i, e := range d.log[p:] {
		edits[i] = e.Edit
	}
	return edits
}

// EditsBy returns the log with what each edit saves by another meter.
func (d *Draft) EditsBy(meter Meter) []Edit {
	edits := d.Edits()
	for i, e := range d.log {
		edits[i].Saved = e.saves(meter)
	}
	return edits
}

// Saved returns the tokens that all edits together took off the load.
func (d *Draft) Saved() int { return d.saved }

// Message returns original message i as it stands now, and whether it is still
// there.
func (d *Draft) Message(i int) (Message, bool) {
	s := &d.slots()[i]
	return s.show(), !s.dropped
}

// Part returns a part of the original as it stands now, and whether it is there.
func (d *Draft) Part(at PartRef) (Part, bool) {
	if at.Message < 0 || at.Message >= len(d.base.Messages.items) {
		return nil, false
	}
	s := &d.slots()[at.Message]
	k := s.place(at.Part)
	if s.dropped || k < 0 {
		return nil, false
	}
	return s.message.Parts.At(k), true
}

// Drop takes the messages of the span out. Those that are out already stay out.
func (d *Draft) Drop(span Span, why Why) error {
	if span.Start < 0 || span.End > len(d.base.Messages.items) || span.Start > span.End {
		return fmt.Errorf("drop messages %d to %d of %d: %w", span.Start, span.End, len(d.base.Messages.items), ErrInvalid)
	}
	if d.touching == nil {
		d.touching = touching(d.Outline().Pairs, len(d.base.Messages.items))
	}
	for i := span.Start; i < span.End; i++ {
		for _, p := range d.touching[i] {
			if span.Contains(p.Call.Message) != span.Contains(p.Result.Message) && !d.slots()[i].dropped {
				return fmt.Errorf("drop messages %d to %d: call in %d, result in %d: %w",
					span.Start, span.End, p.Call.Message, p.Result.Message, ErrSeparated)
			}
		}
	}
	for i := span.Start; i < span.End; i++ {
		if !d.slots()[i].dropped {
			d.drop(i, why)
		}
	}
	return nil
}

// DropAlone takes one message out, even if that parts a call from its result. Only
// callers that were asked for exactly that may use it: most APIs refuse what is
// left.
func (d *Draft) DropAlone(i int, why Why) error {
	if i < 0 || i >= len(d.base.Messages.items) {
		return fmt.Errorf("drop message %d of %d: %w", i, len(d.base.Messages.items), ErrInvalid)
	}
	if !d.slots()[i].dropped {
		d.drop(i, why)
	}
	return nil
}

func (d *Draft) drop(i int, why Why) {
	s := &d.slots()[i]
	s.dropped = true
	d.dropped++
	message, saved := *s.message, 0
	if d.weighed != nil && !s.edited {
		saved = d.weighed[i].Tokens
	} else {
		saved = d.weigh(d.meter, message, i)
	}
	d.record(Edit{Kind: EditDrop, Message: i, Part: -1, Saved: saved}, why,
		func(m Meter) int { return d.weigh(m, message, i) },
		func() {
			s.dropped = false
			d.dropped--
		})
}

// ReplaceResult replaces the content of a tool result. The result
// keeps its call, and gets the reference of why.
func (d *Draft) ReplaceResult(at PartRef, content List[Part], why Why) error {
	part, err := d.find(at)
	if err != nil {
		return fmt.Errorf("replace result: %w", err)
	}
	result, ok := part.(ToolResult)
	if !ok {
		return fmt.Errorf("replace result: part %d of message %d is a %T: %w", at.Part, at.Message, part, ErrInvalid)
	}
	result.Content = content
	result.Ref = why.Ref
	s, load := &d.slots()[at.Message], d.weighPart(d.meter, at, result)
	k, loads := s.place(at.Part), d.loads(at.Message)
	e := Edit{Kind: EditReplace, Message: at.Message, Part: at.Part, Saved: loads[k] - load}
	was, weighed, undo := s.parts()[k], loads[k], s.edit()
	s.parts()[k], s.loads[k] = result, load
	d.record(e, why, func(m Meter) int { return d.weighPart(m, at, was) - d.weighPart(m, at, result) }, func() {
		undo()
		s.parts()[k], s.loads[k] = was, weighed
	})
	return nil
}

// RemovePart takes one part out whole: old reasoning, a picture, a note. Calls
// and results cannot be removed alone, and a message does not become empty;
// Drop takes such a message out.
func (d *Draft) RemovePart(at PartRef, why Why) error {
	part, err := d.find(at)
	if err != nil {
		return fmt.Errorf("remove part: %w", err)
	}
	switch part.(type) {
	case ToolCall, ToolResult:
		return fmt.Errorf("remove part %d of message %d: %w", at.Part, at.Message, ErrSeparated)
	}
	s := &d.slots()[at.Message]
	if s.message.Parts.Len() == 1 {
		return fmt.Errorf("remove part %d of message %d: it is the only one: %w", at.Part, at.Message, ErrInvalid)
	}
	k, loads := s.place(at.Part), d.loads(at.Message)
	e := Edit{Kind: EditRemove, Message: at.Message, Part: at.Part, Saved: loads[k]}
	was, weighed, undo := s.parts()[k], loads[k], s.edit()
	s.cut(k)
	d.record(e, why, func(m Meter) int { return d.weighPart(m, at, was) }, func() {
		undo()
		s.restore(k, was, weighed, at.Part)
	})
	return nil
}

// Insert puts a message before original message before, or at the end if that
// is the number of messages. Several messages at one place stand in the order
// of their insertion.
func (d *Draft) Insert(before int, m Message, why Why) (InsertID, error) {
	if before < 0 || before > len(d.base.Messages.items) {
		return 0, fmt.Errorf("insert before message %d of %d: %w", before, len(d.base.Messages.items), ErrInvalid)
	}
	for _, p := range d.Outline().Pairs {
		if p.Call.Message < before && before <= p.Result.Message && !d.slots()[p.Call.Message].dropped {
			return 0, fmt.Errorf("insert before message %d: call in %d, result in %d: %w",
				before, p.Call.Message, p.Result.Message, ErrSeparated)
		}
	}
	id := InsertID(len(d.inserts))
	d.inserts = append(d.inserts, insertion{id: id, before: before, message: m, why: why})
	saves := func(meter Meter) int { return -d.weigh(meter, m, -1) }
	d.record(Edit{Kind: EditInsert, Message: before, Part: -1, Saved: saves(d.meter)}, why, saves,
		func() { d.inserts = d.inserts[:id] })
	return id, nil
}

// Withdraw takes an inserted message out again.
func (d *Draft) Withdraw(id InsertID, why Why) error {
	if id < 0 || int(id) >= len(d.inserts) || d.inserts[id].withdrawn {
		return fmt.Errorf("withdraw insertion %d: %w", id, ErrNotFound)
	}
	d.inserts[id].withdrawn = true
	in := d.inserts[id]
	saves := func(meter Meter) int { return d.weigh(meter, in.message, -1) }
	d.record(Edit{Kind: EditWithdraw, Message: in.before, Part: -1, Saved: saves(d.meter)}, why, saves,
		func() { d.inserts[id].withdrawn = false })
	return nil
}

// AddSystem appends a part to the system instructions.
func (d *Draft) AddSystem(p Part, why Why) {
	c := d.beside()
	saves := func(meter Meter) int {
		if meter == nil {
			return 0
		}
		return -meter.WeighSystem(c, p)
	}
	d.system = append(d.system, p)
	d.record(Edit{Kind: EditSystem, Message: -1, Part: -1, Saved: saves(d.meter)}, why, saves,
		func() { d.system = d.system[:len(d.system)-1] })
}

// AddTool appends a tool.
func (d *Draft) AddTool(t Tool, why Why) {
	c := d.beside()
	saves := func(meter Meter) int {
		if meter == nil {
			return 0
		}
		return -meter.WeighTool(c, t)
	}
	d.tools = append(d.tools, t)
	d.record(Edit{Kind: EditTool, Message: -1, Part: -1, Saved: saves(d.meter)}, why, saves,
		func() { d.tools = d.tools[:len(d.tools)-1] })
}

// RemoveTools takes all added tools out again. It cannot be rolled back.
func (d *Draft) RemoveTools() {
	kept := d.log[:0:0]
	for _, e := range d.log {
		if e.Kind == EditTool {
			d.saved -= e.Saved
			continue
		}
		kept = append(kept, e)
	}
	d.log, d.tools = kept, nil
}

// Position is a position in a draft's log.
type Position int

// Position returns the end of the log, for Rollback.
func (d *Draft) Position() Position { return Position(len(d.log)) }

// Refer sets the reference of every message that was dropped since the position.
func (d *Draft) Refer(since Position, ref *Ref) {
	for i := int(since); i < len(d.log); i++ {
		if d.log[i].Kind == EditDrop {
			d.log[i].Ref = ref
		}
	}
}

// Rollback takes back every edit since the position, newest first.
func (d *Draft) Rollback(to Position) {
	for len(d.log) > int(to) {
		e := d.log[len(d.log)-1]
		e.undo()
		d.saved -= e.Saved
		d.log = d.log[:len(d.log)-1]
	}
}

func (d *Draft) record(e Edit, why Why, saves func(Meter) int, undo func()) {
	e.Rung, e.Reason, e.Ref = why.Rung, why.Reason, why.Ref
	d.saved += e.Saved
	d.log = append(d.log, loggedEdit{e, saves, undo})
}

// weigh measures a message that stands for original i, or for none if i is -1.
func (d *Draft) weigh(meter Meter, m Message, i int) int {
	if meter == nil {
		return 0
	}
	siblings := 0
	if i >= 0 {
		siblings = d.Outline().Siblings[i]
	}
	return meter.WeighMessage(d.base, m, siblings).Tokens
}

// loads returns what the parts of message i weigh now. A message of many results is
// edited result by result, so the others must not be weighed again each time.
func (d *Draft) loads(i int) []int {
	s := &d.slots()[i]
	switch {
	case s.loads != nil:
	case d.meter == nil:
		s.loads = make([]int, s.message.Parts.Len())
	case d.weighed != nil:
		s.loads = slices.Clone(d.weighed[i].Parts)
	default:
		s.loads = slices.Clone(d.meter.WeighMessage(d.base, *s.message, d.Outline().Siblings[i]).Parts)
	}
	return s.loads
}

// weighPart measures a part that stands for one of the original, or is to.
func (d *Draft) weighPart(meter Meter, at PartRef, p Part) int {
	if meter == nil {
		return 0
	}
	m := *d.slots()[at.Message].message
	m.Parts, m.Digest = frozen([]Part{p}), Digest{}
	return meter.WeighMessage(d.base, m, d.Outline().Siblings[at.Message]).Parts[0]
}

// Weight returns what original message i weighs now; 0 if it was dropped.
func (d *Draft) Weight(i int) int {
	s := &d.slots()[i]
	switch {
	case s.dropped:
		return 0
	case d.weighed == nil:
		return d.weigh(d.meter, *s.message, i)
	case !s.edited:
		return d.weighed[i].Tokens
	}
	n := d.weighed[i].Framing
	for _, load := range d.loads(i) {
		n += load
	}
	return n
}

func (d *Draft) find(at PartRef) (Part, error) {
	part, ok := d.Part(at)
	if !ok {
		return nil, fmt.Errorf("part %d of message %d: %w", at.Part, at.Message, ErrNotFound)
	}
	return part, nil
}
