package responses

import (
	"bytes"
	"strings"

	"github.com/plimsoll/plimsoll/internal/rawjson"
	"github.com/plimsoll/plimsoll/internal/sse"
	"github.com/plimsoll/plimsoll/wire/internal/build"
)

// eventJoiner joins streamed answers. Events about hidden calls do not pass, those
// behind them get other numbers, and once there was one, the events that end the answer
// wait for Finish. Reasoning waits until it is known what it led to.
type eventJoiner struct {
	out *build.Stream
	// answers are all of them; the last is being read.
	answers []*answerItems
	// ended says that the last answer is complete.
	ended bool
	// joining says that something was held back, or that this is not the first answer.
	joining bool
	// places are those of hidden calls in the output of this answer.
	places map[int]bool
	// base is how many items of earlier answers the client has, top how many it has.
	base, top int
	// sequence is the number of the last event that the client has.
	sequence int
	// held are the events that end the answer.
	held []answerEvent
	// thoughts are events of reasoning that waits.
	thoughts heldReasoning
}

var _ build.EventJoiner = (*eventJoiner)(nil)

// maxHeld bounds the events that end an answer.
const maxHeld = 16

func newEventJoiner(out *build.Stream, hidden func(string) bool) *eventJoiner {
	return &eventJoiner{out: out, answers: []*answerItems{{hidden: hidden}}, places: map[int]bool{}, sequence: -1}
}

func (r *eventJoiner) answer() *answerItems { return r.answers[len(r.answers)-1] }

func (e *answerEvent) begins() bool {
	switch e.kind {
	case "response.created", "response.queued", "response.in_progress":
		return true
	}
	return false
}

func (e *answerEvent) ends() bool {
	switch e.kind {
	case "response.completed", "response.incomplete", "response.failed", "response.cancelled", "error":
		return true
	}
	return string(e.data) == "[DONE]"
}

// Event passes to the client what it may have.
func (r *eventJoiner) Event(raw sse.Event) {
	e := readEvent(raw.Name, raw.Data)
	item := r.note(e)
	if !r.ponder(raw, e, item) {
		r.hand(raw, e)
	}
}

// hand lets the client have an event, unless it is about a hidden call, or must wait.
func (r *eventJoiner) hand(raw sse.Event, e answerEvent) {
	switch {
	case r.isHidden(e):
		r.joining = true
	case !r.joining || !raw.HasData():
		r.out.Pass(raw.Raw)
		if !e.numberAt.IsZero() {
			r.sequence = e.number
		}
		r.reach(e, e.place)
	case len(r.answers) > 1 && e.begins():
	case len(r.held) > 0 || e.ends():
		r.hold(e)
	default:
		r.numbered(e)
	}
}

// note keeps what the answer says. It returns the item that the event is about, if it
// tells one.
func (r *eventJoiner) note(e answerEvent) (item answerItem) {
	a := r.answer()
	switch e.kind {
	case "response.created":
		a.id = rawjson.MemberText(e.response, "id")
	case "response.output_item.added":
		item = a.item(e.item)
		r.locate(e, item)
	case "response.output_item.done":
		item = a.item(e.item)
		r.locate(e, item)
		if len(a.items) < maxItems && r.out.Keep(len(item.raw)) {
			item.raw = bytes.Clone(item.raw)
			a.items = append(a.items, item)
		}
	case "response.completed", "response.incomplete", "response.failed", "response.cancelled":
		a.read(bytes.Clone(e.response))
		a.cut = e.kind == "response.incomplete"
		r.ended = a.cut || e.kind == "response.completed"
		r.joining = r.joining || len(a.shown()) < len(a.items)
	case "error":
		r.ended = false
	}
	return item
}

// locate notes whether the item at a place is hidden. There are servers that use one
// place for several items, one after the other.
func (r *eventJoiner) locate(e answerEvent, item answerItem) {
	switch {
	case !item.hidden:
		delete(r.places, e.place)
	case len(r.places) < maxItems:
		r.places[e.place] = true
	}
}

// isOurs reports whether an event is about a hidden call.
func (r *eventJoiner) isHidden(e answerEvent) bool {
	return (!e.placeAt.IsZero() || e.item != nil) && r.places[e.place]
}

// hold keeps an event until it is known how the reply goes on.
func (r *eventJoiner) hold(e answerEvent) {
	if len(r.held) == maxHeld {
		return
	}
	e = readEvent(strings.Clone(e.name), bytes.Clone(e.data))
	r.held = append(r.held, e)
}

// reach notes that the client knows of an item.
func (r *eventJoiner) reach(e answerEvent, place int) {
	if !e.placeAt.IsZero() && e.place < maxItems {
		r.top = max(r.top, place+1)
	}
}

// numbered lets the client have an event with the numbers that it has in this reply.
func (r *eventJoiner) numbered(e answerEvent) {
	data := e.data
	if !e.numberAt.IsZero() {
		r.sequence++
		data = rawjson.SetInt(data, "sequence_number", r.sequence)
	}
	if !e.placeAt.IsZero() {
		place := r.base + e.place
		for hidden := range r.places {
			if hidden < e.place {
				place--
			}
		}
		r.reach(e, place)
		data = rawjson.SetInt(data, "output_index", place)
	}
	r.out.Send(e.name, data)
}

// Answer implements [build.EventJoiner].
func (r *eventJoiner) Answer() build.Answer {
	a := r.answer().round()
	a.Broken = !r.ended || !a.Sendable(Codec{})
	return a
}

// Again implements [build.EventJoiner].
func (r *eventJoiner) Again() {
	shown := 0
	for _, a := range r.answers {
		shown += len(a.shown())
	}
	r.top = max(r.top, shown)
	r.base, r.places, r.held, r.joining, r.ended = r.top, map[int]bool{}, nil, true, false
	r.answers = append(r.answers, &answerItems{hidden: r.answer().hidden})
}

// Finish implements [build.EventJoiner].
func (r *eventJoiner) Finish() {
	for _, e := range r.held {
		if rawjson.IsObject(e.response) {
			e.data = rawjson.SetMember(e.data, "response", joinedResponse(r.answers, e.response))
		}
		r.numbered(e)
	}
	r.held = nil
}
