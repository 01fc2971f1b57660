package anthropic

import (
	"bytes"
	"strconv"

	"github.com/plimsoll/plimsoll/internal/rawjson"
	"github.com/plimsoll/plimsoll/internal/sse"
	"github.com/plimsoll/plimsoll/wire/internal/build"
)

// eventJoiner joins streamed answers. Blocks of hidden calls do not pass, those behind
// them get other numbers, and once there was one, the events that end the message wait
// for Finish.
type eventJoiner struct {
	out    *build.Stream
	hidden func(string) bool
	// joining says that a block was held back, or that this is not the first answer.
	joining bool
	// shift is what the numbers of blocks differ by, top the first that is free.
	shift, top int
	answer     streamedAnswer
	// before is what earlier answers put out.
	before output
}

// streamedAnswer is the answer that is being read.
type streamedAnswer struct {
	blocks  []*answerBlock
	byIndex map[int]*answerBlock
	// begun is the usage that it began with; delta and stop are the data of the events
	// that end it.
	begun, delta, stop []byte
	failed             bool
}

// Event passes an event or keeps it. Unknown events pass.
func (r *eventJoiner) Event(raw sse.Event) {
	e := readEvent(raw.Name, raw.Data)
	switch e.kind {
	case "message_start":
		r.answer.begun = bytes.Clone(rawjson.Member(e.message, "usage"))
		if len(r.out.Rounds) == 0 {
			r.out.Pass(raw.Raw)
		}
	case "content_block_start":
		r.begin(raw, e)
	case "content_block_delta", "content_block_stop":
		r.goOn(raw, e)
	case "message_delta":
		r.answer.delta = bytes.Clone(raw.Data)
		r.passUnlessJoining(raw)
	case "message_stop":
		r.answer.stop = bytes.Clone(raw.Data)
		r.passUnlessJoining(raw)
	case "error":
		r.answer.failed = true
		r.out.Pass(raw.Raw)
	default:
		r.out.Pass(raw.Raw)
	}
}

func (r *eventJoiner) passUnlessJoining(raw sse.Event) {
	if !r.joining {
		r.out.Pass(raw.Raw)
	}
}

// blockBytes is about what a block takes beside its content.
const blockBytes = 400

// begin takes the start of a block.
func (r *eventJoiner) begin(raw sse.Event, e answerEvent) {
	if !r.out.Keep(blockBytes + len(e.block)) {
		r.out.Pass(raw.Raw)
		return
	}
	b := readBlock(bytes.Clone(e.block), r.hidden)
	if r.answer.byIndex == nil {
		r.answer.byIndex = map[int]*answerBlock{}
	}
	r.answer.byIndex[e.index] = b
	r.answer.blocks = append(r.answer.blocks, b)
	if b.hidden {
		r.joining = true
		r.shift--
		return
	}
	b.number = e.index + r.shift
	if r.joining {
		b.number = max(0, b.number)
	}
	r.top = max(r.top, b.number+1)
	r.numbered(raw, e, b.number)
}

// goOn takes what follows the start of a block.
func (r *eventJoiner) goOn(raw sse.Event, e answerEvent) {
	b := r.answer.byIndex[e.index]
	if b == nil {
		r.numbered(raw, e, e.index+r.shift)
		return
	}
	if r.out.Keep(len(e.delta)) {
		b.add(e.delta)
	} else { // the answer cannot be continued, so its texts are of no use
		b.text, b.thinking, b.input = nil, nil, nil
	}
	if !b.hidden {
		r.numbered(raw, e, b.number)
	}
}

// numbered lets the client have an event of the block with a number.
func (r *eventJoiner) numbered(raw sse.Event, e answerEvent, number int) {
	if number == e.index || e.at.IsZero() {
		r.out.Pass(raw.Raw)
		return
	}
	r.out.Send(raw.Name, rawjson.Replace(raw.Data, e.at, strconv.AppendInt(nil, int64(number), 10)))
}

// Flush has nothing to do: no event waits for another.
func (*eventJoiner) Flush() {}

// Answer implements [build.EventJoiner].
func (r *eventJoiner) Answer() build.Answer {
	a := roundOf(r.answer.blocks)
	a.Broken = r.answer.failed || r.answer.stop == nil
	return a
}

// Again implements [build.EventJoiner].
func (r *eventJoiner) Again() {
	r.before = r.before.plus(rawjson.Member(r.answer.delta, "usage"))
	r.answer = streamedAnswer{}
	r.joining = true
	r.shift = r.top
}

// Finish implements [build.EventJoiner].
func (r *eventJoiner) Finish() {
	if !r.joining {
		return
	}
	if r.answer.delta != nil {
		r.out.Send("message_delta", r.lastDelta())
	}
	if r.answer.stop != nil {
		r.out.Send("message_stop", r.lastStop())
	}
}

// lastStop repeats what Bedrock says there about the cost.
func (r *eventJoiner) lastStop() []byte {
	const key, tokens = "amazon-bedrock-invocationMetrics", "outputTokenCount"
	metrics := rawjson.Member(r.answer.stop, key)
	if !rawjson.IsObject(metrics) {
		return r.answer.stop
	}
	return rawjson.SetMember(r.answer.stop, key, rawjson.SetInt(metrics, tokens, r.before.tokens+rawjson.MemberInt(metrics, tokens)))
}

// lastDelta says why the reply ended, and what it cost.
func (r *eventJoiner) lastDelta() []byte {
	data := r.answer.delta
	if delta := rawjson.Member(data, "delta"); rawjson.IsObject(delta) && len(r.out.Rounds) > 0 {
		reason := endReason(rawjson.Member(delta, "stop_reason"), r.out.Rounds[len(r.out.Rounds)-1])
		if reason != nil {
			data = rawjson.SetMember(data, "delta", rawjson.SetMember(delta, "stop_reason", reason))
		}
	}
	if usage := rawjson.Member(data, "usage"); rawjson.IsObject(usage) {
		data = rawjson.SetMember(data, "usage", billed(usage, r.answer.begun, r.before))
	}
	return data
}
