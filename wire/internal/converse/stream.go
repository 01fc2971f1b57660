package converse

import (
	"maps"
	"slices"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/rawjson"
	"github.com/plimsoll/plimsoll/wire"
	"github.com/plimsoll/plimsoll/wire/internal/build"
)

// eventKind is what an event says. Each kind has a member that no other has.
type eventKind int

const (
	unknownEvent eventKind = iota
	messageStart
	blockStart
	blockDelta
	blockStop
	messageStop
	metadata
	failed
)

// answerEvent is what the data of an event says. It shares the bytes of the data.
type answerEvent struct {
	kind  eventKind
	index int
	at    rawjson.Span // of the index
	// value is that of the member by which the event is known.
	value []byte
}

var eventKinds = map[string]eventKind{
	"role": messageStart, "start": blockStart, "delta": blockDelta, "stopReason": messageStop, "usage": metadata, "error": failed,
}

func readEvent(data []byte) (e answerEvent) {
	s := rawjson.NewScanner(data)
	if s.Peek() != '{' {
		return e
	}
	for key := range s.Members() {
		if string(key) == "contentBlockIndex" {
			s.Peek()
			e.at.Start = s.Offset()
			e.index, _ = s.Int()
			e.at.End = s.Offset()
			continue
		}
		value := s.Value().Of(data)
		if kind := eventKinds[string(key)]; kind != unknownEvent {
			e.kind, e.value = kind, value
		}
	}
	if s.End() != nil {
		return answerEvent{}
	}
	if e.kind == unknownEvent && !e.at.IsZero() {
		e.kind = blockStop
	}
	return e
}

// begun returns the block that an event begins.
func (e answerEvent) begun() *answerBlock {
	use := rawjson.Member(e.value, "toolUse")
	if e.kind != blockStart || use == nil {
		return &answerBlock{}
	}
	return &answerBlock{call: plimsoll.ToolCall{ID: rawjson.MemberText(use, "toolUseId"), Name: rawjson.MemberText(use, "name")}}
}

// NewAssembler reads a streamed answer.
func (Codec) NewAssembler() wire.Assembler { return &assembler{blocks: map[int]*answerBlock{}} }

// assembler joins the deltas of each block.
type assembler struct {
	response wire.Response
	blocks   map[int]*answerBlock
	done     bool
}

var _ wire.Assembler = (*assembler)(nil)

// Event takes one event. A text has no event that begins it.
func (s *assembler) Event(_ string, data []byte) {
	e := readEvent(data)
	switch e.kind {
	case blockStart, blockDelta:
		if s.blocks[e.index] == nil || e.kind == blockStart {
			s.blocks[e.index] = e.begun()
		}
		if e.kind == blockDelta {
			s.blocks[e.index].add(e.value)
		}
	case messageStop:
		s.response.Stop, s.done = stopReason(rawjson.Unquoted(e.value)), true
	case metadata:
		build.Take(&s.response, "", e.value, nil)
	case failed:
		build.Take(&s.response, "", nil, e.value)
	}
}

// Response returns what has been said so far.
func (s *assembler) Response() wire.Response {
	var parts []plimsoll.Part
	for _, index := range slices.Sorted(maps.Keys(s.blocks)) {
		if p := s.blocks[index].part(); p != nil {
			parts = append(parts, p)
		}
	}
	r := s.response
	r.Message = plimsoll.NewMessage(plimsoll.Assistant, parts...)
	return r
}

// Done reports whether the message was ended. Its usage follows.
func (s *assembler) Done() bool { return s.done }
