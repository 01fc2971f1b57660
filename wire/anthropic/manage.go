package anthropic

import (
	"fmt"
	"slices"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/rawjson"
	"github.com/plimsoll/plimsoll/wire"
)

// reach is how many blocks may lie between two marks. From a mark the provider looks
// back over twenty blocks for a prefix that it knows.
const reach = 15

// Manage encodes a draft like [wire.Request.Encode] and places the cache marks of the
// messages itself, instead of the client's. They stand, as far as there are
// marks left:
//
//   - on the newest message,
//   - on the message that the request before ended with, if that is out of reach,
//   - at the end of the checkpoint,
//   - every 15 blocks before the newest message.
//
// Instructions and tools keep the marks that the client gave them; where they have
// none, one is put at their end. A mark on the request itself stays, and is taken for
// the one on the newest message. Marks ask for an hour where all of the client's on
// messages did, else for five minutes.
//
// The same draft gives the same bytes, and a longer conversation differs from a
// shorter one in nothing but marks, which are no part of what a provider compares.
func Manage(r *wire.Request, d *plimsoll.Draft) ([]byte, error) {
	if r.Dialect() != plimsoll.Anthropic {
		return nil, fmt.Errorf("place cache marks in a request of %s: %w", r.Dialect(), plimsoll.ErrUnsupported)
	}
	body, err := r.Encode(d)
	if err != nil {
		return nil, err
	}
	decoder := newDecoder(body)
	if err := decoder.request(); err != nil {
		return nil, fmt.Errorf("place cache marks: %w", err)
	}
	wire.NewRequest(plimsoll.Anthropic, decoder.layout, decoder.writer) // its messages can be asked for now
	m := newManager(decoder.writer)
	if m.left < 0 {
		return body, nil // the API refuses it, whatever we do
	}
	m.place(lastInserted(d))
	return rawjson.Splice(body, append(m.base, m.messageEdits()...))
}

// lastInserted returns where the last message that was inserted stands in the result,
// or -1.
func lastInserted(d *plimsoll.Draft) int {
	last, i := -1, 0
	for p := range d.Placed() {
		if p.Original < 0 {
			last = i
		}
		i++
	}
	return last
}

// manager places the marks of one request.
type manager struct {
	w *writer
	// blocks of all messages in order.
	blocks []plimsoll.PartRef
	// first is the index of each message's first block among them, and of the end.
	first []int
	// wanted are the blocks that get a mark, left how many more marks there may be.
	wanted []int
	left   int
	value  []byte
	// base are the edits that mark the instructions or the tools.
	base []rawjson.Edit
}

func newManager(w *writer) *manager {
	m := &manager{w: w, first: []int{0}}
	m.left = maxMarks - len(w.marks.tools) - len(w.marks.system) - len(w.marks.request)
	for i := range w.turns {
		for j := range w.blocks(i) {
			m.blocks = append(m.blocks, plimsoll.PartRef{Message: i, Part: j})
		}
		m.first = append(m.first, len(m.blocks))
	}
	m.value = []byte(`{"type":"ephemeral"}`)
	if m.hour() {
		m.value = []byte(`{"type":"ephemeral","ttl":"1h"}`)
	}
	return m
}

// hour reports whether the client wants everything to be kept for an hour. Behind
// five minutes there must be no hour.
func (m *manager) hour() bool {
	isMinutes := func(k mark) bool { return !k.hour }
	own := slices.Concat(m.w.marks.messages, m.w.marks.request)
	return len(own) > 0 && !slices.ContainsFunc(m.w.marks.all(), isMinutes)
}

// place chooses the blocks. Checkpoint is a message that belongs to one, or -1.
func (m *manager) place(checkpoint int) {
	if len(m.w.marks.tools)+len(m.w.marks.system) == 0 {
		if m.base = m.w.baseEdits(m.value); len(m.base) > 0 {
			m.left--
		}
	}
	tail := m.carrier(len(m.blocks) - 1)
	if len(m.w.marks.request) == 0 {
		m.want(tail)
	}
	if last := m.endOf(m.previous()); tail-last > reach {
		m.want(last)
	}
	for i := len(m.w.turns) - 1; i > checkpoint; i-- {
		if plimsoll.IsCheckpoint(m.w.layout.Message(i)) {
			checkpoint = i
		}
	}
	m.want(m.endOf(checkpoint))
	m.fill(tail)
}

// fill puts marks within reach of each other, from a block backwards.
func (m *manager) fill(from int) {
	for m.left > 0 && from >= 0 {
		next := -1
		for _, b := range m.wanted {
			if b < from {
				next = max(next, b)
			}
		}
		if from-next > reach {
			between := from - reach
			for between < from && !m.carries(between) {
				between++
			}
			if between == from {
				between = m.carrier(from - reach)
			}
			m.want(between)
			next = max(next, between)
		}
		from = next
	}
}

// want marks a block, if there is such a block and a mark left.
func (m *manager) want(block int) {
	if block >= 0 && m.left > 0 && !slices.Contains(m.wanted, block) {
		m.wanted = append(m.wanted, block)
		m.left--
	}
}

// previous returns the message that the request before this one ended with, or -1:
// the one that the assistant answered last.
func (m *manager) previous() int {
	i := len(m.w.turns) - 1
	for i >= 0 && m.w.layout.Message(i).Role != plimsoll.Assistant {
		i--
	}
	for i >= 0 && m.w.layout.Message(i).Role == plimsoll.Assistant {
		i--
	}
	return i
}

// endOf returns the last block up to the end of a message that can carry a mark, or
// -1.
func (m *manager) endOf(message int) int {
	if message < 0 {
		return -1
	}
	return m.carrier(m.first[message+1] - 1)
}

// carrier returns the nearest block at or before one that can carry a mark, or -1.
func (m *manager) carrier(block int) int {
	for block >= 0 && !m.carries(block) {
		block--
	}
	return block
}

func (m *manager) carries(block int) bool {
	at := m.blocks[block]
	return m.w.blocks(at.Message)[at.Part].carries() && !m.w.layout.Message(at.Message).Role.Instructs()
}

// messageEdits puts marks where they are wanted and takes out the others.
func (m *manager) messageEdits() []rawjson.Edit {
	marked := map[plimsoll.PartRef]bool{}
	var edits []rawjson.Edit
	gone := removals{body: m.w.body, known: map[int]int{}}
	for _, k := range m.w.marks.messages {
		if k.inner || !slices.Contains(m.wanted, m.first[k.at.Message]+k.at.Part) {
			gone.add(m.w.layout.Messages.Items[k.at.Message], k.value)
			continue
		}
		marked[k.at] = true
		edits = append(edits, rawjson.Edit{Span: k.value, Text: m.value})
	}
	for _, block := range m.wanted {
		if at := m.blocks[block]; !marked[at] {
			edits = append(edits, m.w.markEdits(at, m.value)...)
		}
	}
	return append(edits, gone.edits()...)
}

// removals gathers members that are to be taken out of their objects.
type removals struct {
	body    []byte
	objects []rawjson.List
	kept    [][]bool
	known   map[int]int // objects by where they begin
}

// add takes out the member with a value that stands somewhere in an element.
func (r *removals) add(element, value rawjson.Span) {
	object, member := memberOf(r.body, element, value)
	n, ok := r.known[object.Start]
	if !ok {
		n = len(r.objects)
		r.known[object.Start] = n
		r.objects, r.kept = append(r.objects, object), append(r.kept, slices.Repeat([]bool{true}, len(object.Items)))
	}
	r.kept[n][member] = false
}

func (r *removals) edits() []rawjson.Edit {
	var edits []rawjson.Edit
	for i, object := range r.objects {
		edits = append(edits, rawjson.Rearrange(object, r.kept[i], nil)...)
	}
	return edits
}

// memberOf finds the object that has a value as a member, and the member's number. The
// value must stand in the element.
func memberOf(body []byte, element, value rawjson.Span) (rawjson.List, int) {
	for {
		list := rawjson.NewScannerAt(body, element).List()
		i := slices.IndexFunc(list.Items, func(s rawjson.Span) bool { return s.Start <= value.Start && value.End <= s.End })
		element = list.Items[i]
		if body[list.Start] == '{' {
			element.Start = valueStart(body, element)
		}
		if element == value {
			return list, i
		}
	}
}

// valueStart returns where the value of a member begins.
func valueStart(body []byte, member rawjson.Span) int {
	s := rawjson.NewScannerAt(body, member)
	s.Value() // the key
	i := s.Offset()
	for body[i] == ':' || body[i] == ' ' || body[i] == '\t' || body[i] == '\n' || body[i] == '\r' {
		i++
	}
	return i
}

// baseEdits puts a mark at the end of the instructions, or of the tools if there are
// none.
func (w *writer) baseEdits(value []byte) []rawjson.Edit {
	if s := w.system; !s.span.IsZero() && w.body[s.span.Start] == '"' && !isBlank(s.span.Of(w.body)[1:s.span.Len()-1]) {
		return markText(s.span, value)
	}
	for _, item := range slices.Backward(w.system.list.Items) {
		d := decoder{scanner: wire.NewScannerAt(plimsoll.Anthropic, w.body, item)}
		id := wire.NewIdentity()
		b := d.block(id)
		id.Sum()
		if b.carries() {
			return markObject(w.body, item, value)
		}
	}
	for _, item := range slices.Backward(w.tools.list.Items) {
		if w.body[item.Start] == '{' && !w.deferred(item) {
			return markObject(w.body, item, value)
		}
	}
	return nil
}

// deferred reports a tool that is loaded only when it is searched for. The API takes
// no mark on it.
func (w *writer) deferred(tool rawjson.Span) bool {
	s, deferred := rawjson.NewScannerAt(w.body, tool), false
	for key := range s.Members() {
		if string(key) == "defer_loading" {
			deferred, _ = s.Bool()
		}
	}
	return deferred
}
