package converse

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/rawjson"
	"github.com/plimsoll/plimsoll/internal/sse"
	"github.com/plimsoll/plimsoll/wire"
	"github.com/plimsoll/plimsoll/wire/internal/build"
)

// NewReply joins answers by their blocks.
func (c Codec) NewReply(contentType string, hidden func(string) bool) wire.Reply {
	if framing, ok := sse.FramingOf(contentType); ok {
		return build.NewStream(c, framing, func(out *build.Stream) build.EventJoiner { return &eventJoiner{out: out, hidden: hidden} })
	}
	return build.NewWholeReply(c, hidden)
}

// Results makes one message of the user, which this API wants behind the calls.
func (c Codec) Results(results []wire.Result) ([][]byte, error) {
	blocks, err := c.ResultsBeside(results)
	if err != nil || len(blocks) == 0 {
		return nil, err
	}
	return [][]byte{message(plimsoll.User, blocks)}, nil
}

// ResultsBeside makes blocks.
func (Codec) ResultsBeside(results []wire.Result) ([][]byte, error) {
	parts := make([]plimsoll.Part, len(results))
	for i, r := range results {
		parts[i] = r.Part()
	}
	return render(parts)
}

// InsertResults puts blocks behind the results that the client's next message begins with,
// or at its beginning.
func (Codec) InsertResults(r *wire.Request, next int, results [][]byte) ([]rawjson.Edit, bool) {
	messages := r.Conversation().Messages
	if next >= messages.Len() || messages.At(next).Role != plimsoll.User {
		return nil, false
	}
	answers := build.LeadingResults(messages.At(next))
	where := r.Locate(next)
	blocks := where.Lists[0].List
	at := 0
	if answers > 0 {
		at = where.Places[answers-1].Index + 1
	}
	kept := make([]bool, len(blocks.Items))
	for i := range kept {
		kept[i] = true
	}
	return rawjson.Rearrange(blocks, kept, map[int][][]byte{at: results}), len(kept) > 0
}

// Restored puts a cache point that the client sent behind the last element.
func (Codec) Restored(elements [][]byte, sent []byte, withoutReasoning bool) [][]byte {
	elements = slices.Clone(elements)
	var point []byte
	for _, m := range rawjson.Items(rawjson.Array([][]byte{sent})) {
		for _, block := range rawjson.Items(rawjson.Member(m, "content")) {
			if rawjson.Member(block, cachePoint) != nil {
				point = block
			}
		}
	}
	for i, m := range elements {
		blocks := rawjson.Items(rawjson.Member(m, "content"))
		if withoutReasoning {
			blocks = slices.DeleteFunc(blocks, isReasoning)
		}
		marks := point != nil && i == len(elements)-1
		if marks {
			blocks = append(blocks, point)
		}
		if (withoutReasoning || marks) && len(blocks) > 0 {
			elements[i] = rawjson.SetMember(m, "content", rawjson.Array(blocks))
		}
	}
	return elements
}

// ReadRound reads a whole answer.
func (Codec) ReadRound(body []byte, hidden func(string) bool) (build.Answer, bool) {
	output := rawjson.Member(body, "output")
	if !json.Valid(body) || !rawjson.IsObject(output) {
		return build.Answer{}, false
	}
	return roundOf(readBlocks(output, hidden)), true
}

// JoinRounds returns the last answer with the blocks of all.
func (Codec) JoinRounds(bodies [][]byte, rounds []build.Answer, hidden func(string) bool) []byte {
	var shown [][]byte
	before := 0
	for i, body := range bodies {
		for _, b := range readBlocks(rawjson.Member(body, "output"), hidden) {
			if !b.hidden {
				shown = append(shown, b.raw)
			}
		}
		if i < len(bodies)-1 {
			before += rawjson.MemberInt(rawjson.Member(body, "usage"), "outputTokens")
		}
	}
	out := bytes.TrimSpace(bodies[len(bodies)-1])
	output := rawjson.Member(out, "output")
	message := rawjson.SetMember(rawjson.Member(output, "message"), "content", rawjson.Array(shown))
	out = rawjson.SetMember(out, "output", rawjson.SetMember(output, "message", message))
	if reason := rawjson.Member(out, "stopReason"); reason != nil {
		out = rawjson.SetMember(out, "stopReason", endReason(reason, rounds[len(rounds)-1]))
	}
	if usage := rawjson.Member(out, "usage"); rawjson.IsObject(usage) {
		out = rawjson.SetMember(out, "usage", billed(usage, before))
	}
	return out
}

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
	// before is how many tokens earlier answers put out.
	before int
	// The rest is the answer that is being read. Stop and meta are the data of the events
	// that end it.
	blocks     []*answerBlock
	byIndex    map[int]*answerBlock
	stop, meta []byte
	failed     bool
}

// Event passes an event or keeps it. Unknown events pass.
func (r *eventJoiner) Event(raw sse.Event) {
	e := readEvent(raw.Data)
	switch e.kind {
	case messageStart:
		if len(r.out.Rounds) == 0 {
			r.out.Pass(raw.Raw)
		}
	case blockStart, blockDelta, blockStop:
		r.block(raw, e)
	case messageStop:
		r.stop = bytes.Clone(raw.Data)
		r.passUnlessJoining(raw)
	case metadata:
		r.meta = bytes.Clone(raw.Data)
		r.passUnlessJoining(raw)
	default:
		r.failed = r.failed || e.kind == failed
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

// block takes an event of a block. A text has none that begins it.
func (r *eventJoiner) block(raw sse.Event, e answerEvent) {
	b := r.byIndex[e.index]
	if e.kind == blockStart || b == nil && e.kind == blockDelta {
		if !r.out.Keep(blockBytes + len(e.value)) {
			r.out.Pass(raw.Raw)
			return
		}
		b = r.begin(e)
	}
	switch {
	case b == nil:
		r.numbered(raw, e, e.index+r.shift)
		return
	case e.kind == blockDelta && r.out.Keep(len(e.value)):
		b.add(e.value)
	}
	if !b.hidden {
		r.numbered(raw, e, b.number)
	}
}

func (r *eventJoiner) begin(e answerEvent) *answerBlock {
	b := e.begun()
	b.hidden = b.call.Name != "" && r.hidden(b.call.Name)
	if r.byIndex == nil {
		r.byIndex = map[int]*answerBlock{}
	}
	r.byIndex[e.index] = b
	r.blocks = append(r.blocks, b)
	if b.hidden {
		r.joining = true
		r.shift--
		return b
	}
	b.number = e.index + r.shift
	if r.joining {
		b.number = max(0, b.number)
	}
	r.top = max(r.top, b.number+1)
	return b
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
	a := roundOf(r.blocks)
	a.Broken = r.failed || r.stop == nil
	return a
}

// Again implements [build.EventJoiner].
func (r *eventJoiner) Again() {
	r.before += rawjson.MemberInt(rawjson.Member(r.meta, "usage"), "outputTokens")
	r.blocks, r.byIndex, r.stop, r.meta, r.failed = nil, nil, nil, nil, false
	r.joining, r.shift = true, r.top
}

// Finish implements [build.EventJoiner].
func (r *eventJoiner) Finish() {
	if !r.joining {
		return
	}
	if r.stop != nil && len(r.out.Rounds) > 0 {
		reason := endReason(rawjson.Member(r.stop, "stopReason"), r.out.Rounds[len(r.out.Rounds)-1])
		r.out.Send("messageStop", rawjson.SetMember(r.stop, "stopReason", reason))
	}
	if usage := rawjson.Member(r.meta, "usage"); rawjson.IsObject(usage) {
		r.out.Send("metadata", rawjson.SetMember(r.meta, "usage", billed(usage, r.before)))
	}
}
