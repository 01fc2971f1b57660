package weave

import (
	"bytes"
	"strings"

	"github.com/plimsoll/plimsoll/internal/rawjson"
	"github.com/plimsoll/plimsoll/internal/sse"
	"github.com/plimsoll/plimsoll/wire/responses"
)

// responsesStream weaves streamed answers. Events about our calls do not pass, those
// behind them get other numbers, and once there was one, the events that end the answer
// wait for Finish. Reasoning waits until it is known what it led to.
type responsesStream struct {
	stream
	history
	// answers are all of them; the last is being read.
	answers []*responsesAnswer
	// ended says that the last answer is complete.
	ended bool
	// woven says that something was held back, or that this is not the first answer.
	woven bool
	// hidden are the places of our calls in the output of this answer.
	hidden map[int]bool
	// base is how many items of earlier answers the client has, top how many it has.
	base, top int
	// sequence is the number of the last event that the client has.
	sequence int
	// held are the events that end the answer.
	held []responsesEvent
	// thoughts are events of reasoning that waits.
	thoughts responsesThoughts
}

var _ Reply = (*responsesStream)(nil)

const (
	// maxItems bounds the items of an answer.
	maxItems = 4096
	// maxHeld bounds the events that end an answer.
	maxHeld = 16
)

func newResponsesStream(l loom, ours func(string) bool) *responsesStream {
	r := &responsesStream{
		history: newHistory(l), answers: []*responsesAnswer{{ours: ours}},
		hidden: map[int]bool{}, sequence: -1,
	}
	r.each, r.spill = r.event, r.release
	return r
}

func (r *responsesStream) answer() *responsesAnswer { return r.answers[len(r.answers)-1] }

// Write implements [Reply].
func (r *responsesStream) Write(p []byte) []byte {
	r.write(p)
	return r.taken()
}

// responsesEvent is what an event says. A span is zero if the figure is not there.
type responsesEvent struct {
	name, kind        string
	data              []byte
	number, place     int
	numberAt, placeAt rawjson.Span
	item, response    []byte
}

func readResponsesEvent(name string, data []byte) responsesEvent {
	unknown := responsesEvent{name: name, kind: name, data: data}
	e := unknown
	s := rawjson.NewScanner(data)
	if s.Peek() != '{' {
		return unknown
	}
	figure := func(value *int, at *rawjson.Span) {
		raw := s.Value()
		if n, ok := rawjson.NewScannerAt(data, raw).Int(); ok {
			*value, *at = n, raw
		}
	}
	for key := range s.Members() {
		switch string(key) {
		case "type":
			t, _ := s.String()
			e.kind = t.Decode(data)
		case "sequence_number":
			figure(&e.number, &e.numberAt)
		case "output_index":
			figure(&e.place, &e.placeAt)
		case "item":
			e.item = s.Value().Of(data)
		case "response":
			e.response = s.Value().Of(data)
		}
	}
	if s.End() != nil {
		return unknown
	}
	return e
}

func (e *responsesEvent) begins() bool {
	switch e.kind {
	case "response.created", "response.queued", "response.in_progress":
		return true
	}
	return false
}

func (e *responsesEvent) ends() bool {
	switch e.kind {
	case "response.completed", "response.incomplete", "response.failed", "response.cancelled", "error":
		return true
	}
	return string(e.data) == "[DONE]"
}

// event lets the client have what it may.
func (r *responsesStream) event(raw sse.Event) {
	e := readResponsesEvent(raw.Name, raw.Data)
	item := r.note(e)
	if !r.ponder(raw, e, item) {
		r.hand(raw, e)
	}
}

// hand lets the client have an event, unless it is about a call of ours, or must wait.
func (r *responsesStream) hand(raw sse.Event, e responsesEvent) {
	switch {
	case r.isOurs(e):
		r.woven = true
	case !r.woven || !raw.HasData():
		r.pass(raw)
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
func (r *responsesStream) note(e responsesEvent) (item responsesItem) {
	a := r.answer()
	switch e.kind {
	case "response.created":
		a.id = stringOf(e.response, "id")
	case "response.output_item.added":
		item = a.item(e.item)
		r.locate(e, item)
	case "response.output_item.done":
		item = a.item(e.item)
		r.locate(e, item)
		if len(a.items) < maxItems && r.keep(len(item.raw)) {
			item.raw = bytes.Clone(item.raw)
			a.items = append(a.items, item)
		}
	case "response.completed", "response.incomplete", "response.failed", "response.cancelled":
		a.read(bytes.Clone(e.response))
		a.cut = e.kind == "response.incomplete"
		r.ended = a.cut || e.kind == "response.completed"
		r.woven = r.woven || len(a.shown()) < len(a.items)
	case "error":
		r.ended = false
	}
	return item
}

// locate notes whether the item at a place is ours. There are servers that use one
// place for several items, one after the other.
func (r *responsesStream) locate(e responsesEvent, item responsesItem) {
	switch {
	case !item.ours:
		delete(r.hidden, e.place)
	case len(r.hidden) < maxItems:
		r.hidden[e.place] = true
	}
}

// isOurs reports whether an event is about a call of ours.
func (r *responsesStream) isOurs(e responsesEvent) bool {
	return (!e.placeAt.IsZero() || e.item != nil) && r.hidden[e.place]
}

// hold keeps an event until it is known how the reply goes on.
func (r *responsesStream) hold(e responsesEvent) {
	if len(r.held) == maxHeld {
		return
	}
	e = readResponsesEvent(strings.Clone(e.name), bytes.Clone(e.data))
	r.held = append(r.held, e)
}

// reach notes that the client knows of an item.
func (r *responsesStream) reach(e responsesEvent, place int) {
	if !e.placeAt.IsZero() && e.place < maxItems {
		r.top = max(r.top, place+1)
	}
}

// numbered lets the client have an event with the numbers that it has in this reply.
func (r *responsesStream) numbered(e responsesEvent) {
	data := e.data
	if !e.numberAt.IsZero() {
		r.sequence++
		data = withNumber(data, "sequence_number", r.sequence)
	}
	if !e.placeAt.IsZero() {
		place := r.base + e.place
		for hidden := range r.hidden {
			if hidden < e.place {
				place--
			}
		}
		r.reach(e, place)
		data = withNumber(data, "output_index", place)
	}
	r.send(e.name, data)
}

// End implements [Reply].
func (r *responsesStream) End() Round {
	r.end()
	r.release()
	a := r.answer().round()
	a.Broken = !r.ended || r.lost || !a.sendable(responses.Codec{}, "input")
	r.answer().show(r.seen)
	r.rounds = append(r.rounds, a)
	return a.Round
}

// Again implements [Reply].
func (r *responsesStream) Again() {
	shown := 0
	for _, a := range r.answers {
		shown += len(a.shown())
	}
	r.top = max(r.top, shown)
	r.base, r.hidden, r.held, r.woven, r.ended = r.top, map[int]bool{}, nil, true, false
	r.answers = append(r.answers, &responsesAnswer{ours: r.answer().ours})
}

// Finish implements [Reply].
func (r *responsesStream) Finish() []byte {
	for _, e := range r.held {
		if isObject(e.response) {
			e.data = withMember(e.data, "response", wovenResponse(r.answers, e.response))
		}
		r.numbered(e)
	}
	r.held = nil
	return r.taken()
}

// Record implements [Reply].
func (r *responsesStream) Record(results [][]Result) (Record, bool) { return r.record(results) }
