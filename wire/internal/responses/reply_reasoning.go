package responses

import (
	"bytes"
	"strings"

	"github.com/plimsoll/plimsoll/internal/sse"
)

// Reasoning that led to nothing but hidden calls is hidden with them. The API refuses
// reasoning without the item that it led to, and a client whose record is not found again
// would send it so, for good.
//
// In a stream it is not known what reasoning leads to before the next item begins. So its
// events wait until then, and whatever comes between them, because events are numbered in
// the order in which they pass. The wait ends with the thought: a client gets its summary
// at once and not word by word, and waits no longer than one does that asked for no
// summary. Reasoning that becomes too long passes, and is shown whatever it leads to.

// maxThought bounds the bytes of events that wait.
const maxThought = 1 << 20

// shown returns the items that the client may have.
func (a *answerItems) shown() (items []answerItem) {
	concealed := a.concealed()
	for i, item := range a.items {
		if !item.hidden && !concealed[i] {
			items = append(items, item)
		}
	}
	return items
}

// concealed says of each item whether it is reasoning that led to hidden calls alone.
// What reasoning led to ends where there is more of it.
func (a *answerItems) concealed() []bool {
	concealed := make([]bool, len(a.items))
	hidden, open, before := false, false, false
	for i := len(a.items) - 1; i >= 0; i-- {
		item := a.items[i]
		if item.kind == "reasoning" {
			concealed[i] = hidden && !open && !a.handed[item.id]
			before = true
			continue
		}
		if before {
			hidden, open, before = false, false, false
		}
		hidden, open = hidden || item.hidden, open || !item.hidden
	}
	return concealed
}

// hand notes that the client has got reasoning.
func (a *answerItems) hand(id string) {
	if a.handed == nil {
		a.handed = map[string]bool{}
	}
	if len(a.handed) < maxItems {
		a.handed[id] = true
	}
}

// heldReasoning are events that wait: those of reasoning, and others among them.
type heldReasoning struct {
	events []heldEvent
	bytes  int
	// ids are those of the reasoning.
	ids map[string]bool
	// led says that a hidden call followed.
	led bool
}

type heldEvent struct {
	raw sse.Event
	answerEvent
	// id is that of the item that the event tells. Own says that the event is about
	// reasoning; others at its place go the same way.
	id  string
	own bool
}

// ponder takes an event, and reports whether it waits. Item is what the event tells.
func (r *eventJoiner) ponder(raw sse.Event, e answerEvent, item answerItem) bool {
	t := &r.thoughts
	switch {
	case item.kind == "reasoning":
		if r.answer().handed[item.id] {
			return len(t.events) > 0 && r.wait(raw, e, item.id, false)
		}
		if t.led && !t.ids[item.id] {
			r.Flush()
			r.locate(e, item)
		}
		return r.wait(raw, e, item.id, true)
	case len(t.events) == 0:
		return false
	case item.hidden:
		t.led = true
		return false
	case r.isHidden(e):
		return false
	case e.ends():
		t.led = t.led || r.answer().endsConcealed()
		r.Flush()
		return false
	case item.kind != "":
		t.led = false
		r.Flush()
		return false
	}
	return r.wait(raw, e, "", e.placeAt.IsZero() && strings.HasPrefix(e.kind, "response.reasoning"))
}

// endsConcealed reports whether the last reasoning of the answer is hidden.
func (a *answerItems) endsConcealed() bool {
	concealed := a.concealed()
	for i := len(a.items) - 1; i >= 0; i-- {
		if a.items[i].kind == "reasoning" {
			return concealed[i]
		}
	}
	return false
}

// wait keeps an event. If there is no room, everything that waits passes.
func (r *eventJoiner) wait(raw sse.Event, e answerEvent, id string, own bool) bool {
	t := &r.thoughts
	raw = sse.Event{Name: strings.Clone(raw.Name), Data: bytes.Clone(raw.Data), Raw: bytes.Clone(raw.Raw)}
	t.events = append(t.events, heldEvent{raw, readEvent(raw.Name, raw.Data), id, own})
	if own && e.item != nil {
		if t.ids == nil {
			t.ids = map[string]bool{}
		}
		t.ids[id] = true
	}
	if t.bytes += len(raw.Raw); t.bytes > maxThought {
		t.led = false
		r.Flush()
	}
	return true
}

// Flush passes what waits: without the reasoning, if that led to hidden calls alone.
func (r *eventJoiner) Flush() {
	t := r.thoughts
	r.thoughts = heldReasoning{}
	for _, e := range t.events {
		switch {
		case !e.own:
			r.hand(e.raw, e.answerEvent)
		case t.led:
			r.conceal(e.answerEvent)
		default:
			if e.item != nil {
				r.answer().hand(e.id)
			}
			r.hand(e.raw, e.answerEvent)
		}
	}
}

// conceal notes that the client does not get an event of reasoning.
func (r *eventJoiner) conceal(e answerEvent) {
	r.joining = true
	if !e.placeAt.IsZero() && len(r.places) < maxItems {
		r.places[e.place] = true
	}
}
