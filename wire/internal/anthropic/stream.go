package anthropic

import (
	"bytes"
	"maps"
	"slices"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/rawjson"
	"github.com/plimsoll/plimsoll/wire"
)

// answerEvent is what the data of an event says. It shares the bytes of the data.
type answerEvent struct {
	kind                                  string
	index                                 int
	at                                    rawjson.Span // of the index
	message, block, delta, usage, failure []byte
}

// readEvent reads an event. Its data repeats its name.
func readEvent(name string, data []byte) answerEvent {
	e := answerEvent{kind: name}
	s := rawjson.NewScanner(data)
	if s.Peek() != '{' {
		return answerEvent{}
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
		case "error":
			e.failure = s.Value().Of(data)
		}
	}
	if s.End() != nil {
		return answerEvent{}
	}
	return e
}

// NewAssembler reads a streamed answer.
func (Codec) NewAssembler() wire.Assembler { return &assembler{blocks: map[int]*answerBlock{}} }

// assembler joins the deltas of each block.
type assembler struct {
	response wire.Response
	bill     usage
	blocks   map[int]*answerBlock
	done     bool
}

var _ wire.Assembler = (*assembler)(nil)

// Event takes one event.
func (s *assembler) Event(name string, data []byte) {
	e := readEvent(name, data)
	switch e.kind {
	case "message_start":
		s.response.Model = rawjson.MemberText(e.message, "model")
		s.bill.merge(rawjson.Member(e.message, "usage"))
	case "content_block_start":
		s.start(e)
	case "content_block_delta":
		if b, ok := s.blocks[e.index]; ok {
			b.add(e.delta)
		}
	case "message_delta":
		if reason := rawjson.MemberText(e.delta, "stop_reason"); reason != "" {
			s.response.Stop = stopReason(reason)
		}
		s.bill.merge(e.usage)
	case "message_stop":
		s.done = true
	case "error":
		s.response.Error = apiError(e.failure)
	}
}

// start begins a block. A fallback names the model that goes on with the answer.
func (s *assembler) start(e answerEvent) {
	b := readBlock(bytes.Clone(e.block), func(string) bool { return false })
	if b.kind == "" {
		return
	}
	if model := rawjson.MemberText(rawjson.Member(b.raw, "to"), "model"); b.kind == "fallback" && model != "" {
		s.response.Model = model
	}
	s.blocks[e.index] = b
}

// Response returns what has been said so far.
func (s *assembler) Response() wire.Response {
	var parts []plimsoll.Part
	for _, index := range slices.Sorted(maps.Keys(s.blocks)) {
		if p, ok := s.blocks[index].part(); ok {
			parts = append(parts, p)
		}
	}
	r := s.response
	r.Message = plimsoll.NewMessage(plimsoll.Assistant, parts...)
	r.Usage, r.HasUsage = s.bill.total()
	return r
}

// Done reports whether the message was ended.
func (s *assembler) Done() bool { return s.done }
