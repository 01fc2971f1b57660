package weave

import (
	"bytes"
	"strconv"

	"github.com/plimsoll/plimsoll/internal/rawjson"
	"github.com/plimsoll/plimsoll/internal/sse"
)

// anthropicStream weaves streamed answers. Blocks of ours do not pass, those behind
// them get other numbers, and once there was one, the events that end the message wait
// for Finish.
type anthropicStream struct {
	stream
	history
	ours func(string) bool
	// woven says that a block was held back, or that this is not the first answer.
	woven bool
	// shift is what the numbers of blocks differ by, top the first that is free.
	shift, top int
	answer     anthropicAnswer
	// before is what earlier answers put out.
	before anthropicOutput
}

// anthropicAnswer is the answer that is being read.
type anthropicAnswer struct {
	blocks  []*anthropicBlock
	byIndex map[int]*anthropicBlock
	// begun is the usage that it began with; delta and stop are the data of the events
	// that end it.
	begun, delta, stop []byte
	failed             bool
}

func newAnthropicStream(l loom, ours func(string) bool) *anthropicStream {
	r := &anthropicStream{history: newHistory(l), ours: ours}
	r.each = r.event
	return r
}

// Write implements [Reply].
func (r *anthropicStream) Write(p []byte) []byte {
	r.write(p)
	return r.taken()
}

// anthropicEvent is what the data of an event says.
type anthropicEvent struct {
	kind                         string
	index                        int
	at                           rawjson.Span // of the index
	message, block, delta, usage []byte
}

func readAnthropicEvent(name string, data []byte) anthropicEvent {
	e := anthropicEvent{kind: name}
	s := rawjson.NewScanner(data)
	if s.Peek() != '{' {
		return anthropicEvent{}
	}
	for key := range s.Members() {
		switch string(key) {
		case "type":
			if t, ok := s.String(); ok {
				e.kind = t.Decode(data)
			}
		case "index":
			e.at = rawjson.Span{Start: s.Offset()}
			e.index, _ = s.Int()
			e.at.End = s.Offset()
		case "message":
			e.message = s.Value().Of(data)
		case "content_block":
			e.block = s.Value().Of(data)
		case "delta":
			e.delta = s.Value().Of(data)
		case "usage":
			e.usage = s.Value().Of(data)
		}
	}
	if s.End() != nil {
		return anthropicEvent{}
	}
	return e
}

// event hands on an event or keeps it. What is not known passes.
func (r *anthropicStream) event(raw sse.Event) {
	e := readAnthropicEvent(raw.Name, raw.Data)
	switch e.kind {
	case "message_start":
		r.answer.begun = bytes.Clone(memberOf(e.message, "usage"))
		if len(r.rounds) == 0 {
			r.pass(raw)
		}
	case "content_block_start":
		r.begin(raw, e)
	case "content_block_delta", "content_block_stop":
		r.goOn(raw, e)
	case "message_delta":
		r.answer.delta = bytes.Clone(raw.Data)
		r.passUnlessWoven(raw)
	case "message_stop":
		r.answer.stop = bytes.Clone(raw.Data)
		r.passUnlessWoven(raw)
	case "error":
		r.answer.failed = true
		r.pass(raw)
	default:
		r.pass(raw)
	}
}

func (r *anthropicStream) passUnlessWoven(raw sse.Event) {
	if !r.woven {
		r.pass(raw)
	}
}

// blockBytes is about what a block takes beside its content.
const blockBytes = 400

// begin takes the start of a block.
func (r *anthropicStream) begin(raw sse.Event, e anthropicEvent) {
	if !r.keep(blockBytes + len(e.block)) {
		r.pass(raw)
		return
	}
	b := readBlock(bytes.Clone(e.block), r.ours)
	if r.answer.byIndex == nil {
		r.answer.byIndex = map[int]*anthropicBlock{}
	}
	r.answer.byIndex[e.index] = b
	r.answer.blocks = append(r.answer.blocks, b)
	if b.ours {
		r.woven = true
		r.shift--
		return
	}
	b.number = e.index + r.shift
	if r.woven {
		b.number = max(0, b.number)
	}
	r.top = max(r.top, b.number+1)
	r.numbered(raw, e, b.number)
}

// goOn takes what follows the start of a block.
func (r *anthropicStream) goOn(raw sse.Event, e anthropicEvent) {
	b := r.answer.byIndex[e.index]
	if b == nil {
		r.numbered(raw, e, e.index+r.shift)
		return
	}
	if r.keep(len(e.delta)) {
		b.add(e.delta)
	}
	if !b.ours {
		r.numbered(raw, e, b.number)
	}
}

// numbered lets the client have an event of the block with a number.
func (r *anthropicStream) numbered(raw sse.Event, e anthropicEvent, number int) {
	if number == e.index || e.at.IsZero() {
		r.pass(raw)
		return
	}
	r.send(raw.Name, splice(raw.Data, e.at, strconv.AppendInt(nil, int64(number), 10)))
}

// End implements [Reply].
func (r *anthropicStream) End() Round {
	r.end()
	a := anthropicRound(r.answer.blocks)
	a.Broken = r.answer.failed || r.answer.stop == nil || r.lost
	r.seen.see(r.answer.blocks)
	r.rounds = append(r.rounds, a)
	return a.Round
}

// Again implements [Reply].
func (r *anthropicStream) Again() {
	r.before = r.before.plus(memberOf(r.answer.delta, "usage"))
	r.answer = anthropicAnswer{}
	r.woven = true
	r.shift = r.top
}

// Finish implements [Reply].
func (r *anthropicStream) Finish() []byte {
	if !r.woven {
		return r.taken()
	}
	if r.answer.delta != nil {
		r.send("message_delta", r.lastDelta())
	}
	if r.answer.stop != nil {
		r.send("message_stop", r.answer.stop)
	}
	return r.taken()
}

// lastDelta says why the reply ended, and what it cost.
func (r *anthropicStream) lastDelta() []byte {
	data := r.answer.delta
	if delta := memberOf(data, "delta"); isObject(delta) && len(r.rounds) > 0 {
		reason := anthropicStop(memberOf(delta, "stop_reason"), r.rounds[len(r.rounds)-1])
		if reason != nil {
			data = withMember(data, "delta", withMember(delta, "stop_reason", reason))
		}
	}
	if usage := memberOf(data, "usage"); isObject(usage) {
		data = withMember(data, "usage", anthropicUsage(usage, r.answer.begun, r.before))
	}
	return data
}

// Record implements [Reply].
func (r *anthropicStream) Record(results [][]Result) (Record, bool) { return r.record(results) }
