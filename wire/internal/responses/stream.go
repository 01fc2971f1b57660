package responses

import (
	"bytes"
	"maps"
	"slices"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/rawjson"
	"github.com/plimsoll/plimsoll/wire"
)

// NewAssembler reads a streamed answer.
func (Codec) NewAssembler() wire.Assembler { return &assembler{items: map[int]*streamed{}} }

// assembler keeps the items of a streamed answer by their place in the output.
// The event at the end has the whole answer and replaces what was put together.
type assembler struct {
	response       wire.Response
	status, reason string
	items          map[int]*streamed
	done           bool
}

var _ wire.Assembler = (*assembler)(nil)

// streamed is an item in the making: as it began, and whole once it is complete.
type streamed struct {
	begun        answerItem
	whole        []byte
	text, hidden []byte
	arguments    []byte
}

// answerEvent is what an event says. It shares the bytes of the data. A span is zero if
// the figure is not there.
type answerEvent struct {
	name, kind              string
	data                    []byte
	number, place, summary  int
	numberAt, placeAt       rawjson.Span
	item, response, failure []byte
	delta, arguments, input []byte
}

// readEvent reads an event. Its type is in the data; the name only repeats it.
func readEvent(name string, data []byte) answerEvent {
	unknown := answerEvent{name: name, kind: name, data: data}
	e := unknown
	s := rawjson.NewScanner(data)
	if s.Peek() != '{' {
		return unknown
	}
	broken := false
	figure := func(value *int, at *rawjson.Span) {
		raw := s.Value()
		n, ok := rawjson.NewScannerAt(data, raw).Int()
		if *value, *at = n, raw; !ok {
			broken = true
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
		case "summary_index":
			e.summary, _ = s.Int()
		case "item":
			e.item = s.Value().Of(data)
		case "response":
			e.response = s.Value().Of(data)
		case "error":
			e.failure = s.Value().Of(data)
		case "delta":
			e.delta = s.Value().Of(data)
		case "arguments":
			e.arguments = s.Value().Of(data)
		case "input":
			e.input = s.Value().Of(data)
		}
	}
	if s.End() != nil || broken {
		return unknown
	}
	return e
}

// Event takes one event.
func (s *assembler) Event(name string, data []byte) {
	if string(data) == "[DONE]" {
		s.done = true
		return
	}
	e := readEvent(name, data)
	switch e.kind {
	case "error":
		s.fail(reportedError(e))
		s.done = true
	case "response.completed", "response.incomplete", "response.failed", "response.cancelled":
		s.take(bytes.Clone(e.response))
		s.done = true
	case "response.created", "response.in_progress", "response.queued":
		s.take(bytes.Clone(e.response))
	default:
		s.itemEvent(e)
	}
}

// take reads what an event tells of the whole answer. Some servers leave the
// output out at the end; then what was put together stands.
func (s *assembler) take(raw []byte) {
	a, err := readAnswer(raw)
	if err != nil {
		return
	}
	s.status, s.reason = a.status, a.reason
	if a.response.Model != "" {
		s.response.Model = a.response.Model
	}
	if a.response.HasUsage {
		s.response.Usage, s.response.HasUsage = a.response.Usage, true
	}
	s.fail(a.response.Error)
	items := a.items.layout.Messages.Items
	if len(items) == 0 {
		return
	}
	s.items = map[int]*streamed{}
	for i, span := range items {
		s.items[i] = &streamed{whole: span.Of(a.items.layout.Body)}
	}
}

// fail keeps an error. A stream reports one twice; the first that has a code
// stands.
func (s *assembler) fail(e *wire.APIError) {
	if e != nil && (s.response.Error == nil || s.response.Error.Code == "") {
		s.response.Error = e
	}
}

// reportedError reads both forms of an error event: with an error object, and
// with its members in the event itself.
func reportedError(e answerEvent) *wire.APIError {
	if nested := wire.ParseAPIError(e.failure); nested != nil {
		return nested
	}
	flat := wire.ParseAPIError(e.data)
	if flat != nil && flat.Type == e.kind {
		flat.Type = ""
	}
	return flat
}

// maxItems bounds what a stream can make us keep.
const maxItems = 4096

func (s *assembler) itemEvent(e answerEvent) {
	item, ok := s.items[e.place]
	if !ok && len(s.items) >= maxItems {
		return
	}
	if !ok {
		item = &streamed{}
	}
	switch e.kind {
	case "response.output_item.added":
		item.begun = readItem(bytes.Clone(e.item))
	case "response.output_item.done":
		if !readable(e.item) {
			return
		}
		item.whole = bytes.Clone(e.item)
	case "response.output_text.delta", "response.refusal.delta":
		item.text = append(item.text, rawjson.Unquoted(e.delta)...)
	case "response.reasoning_summary_part.added":
		if e.summary > 0 {
			item.hidden = append(item.hidden, "\n\n"...)
		}
	case "response.reasoning_summary_text.delta", "response.reasoning_text.delta":
		item.hidden = append(item.hidden, rawjson.Unquoted(e.delta)...)
	case "response.function_call_arguments.delta", "response.custom_tool_call_input.delta":
		item.arguments = append(item.arguments, rawjson.Unquoted(e.delta)...)
	case "response.function_call_arguments.done":
		item.arguments = []byte(rawjson.Unquoted(e.arguments))
	case "response.custom_tool_call_input.done":
		item.arguments = []byte(rawjson.Unquoted(e.input))
	default:
		return
	}
	s.items[e.place] = item
}

// Response returns what has been said so far.
func (s *assembler) Response() wire.Response {
	r := s.response
	r.Message = plimsoll.NewMessage(plimsoll.Assistant, s.parts()...)
	r.Stop = stopReason(s.status, s.reason, r.Message)
	return r
}

// parts reads the items that are complete as one answer, so that calls find the
// outputs that the server made, and puts what is there of the others between.
func (s *assembler) parts() []plimsoll.Part {
	order := slices.Sorted(maps.Keys(s.items))
	var whole [][]byte
	for _, i := range order {
		if item := s.items[i]; item.whole != nil {
			whole = append(whole, item.whole)
		}
	}
	d := newDecoder(array(whole))
	if d.items("output") != nil {
		return nil
	}
	read := partsOf(d)
	var all []plimsoll.Part
	for _, i := range order {
		if item := s.items[i]; item.whole != nil {
			all = append(all, read[0]...)
			read = read[1:]
		} else if p := item.part(); p != nil {
			all = append(all, p)
		}
	}
	return all
}

// part returns what is there of an item that is not complete.
func (i *streamed) part() plimsoll.Part {
	switch {
	case len(i.arguments) > 0 || i.begun.callID != "":
		return plimsoll.ToolCall{ID: i.begun.callID, Name: i.begun.name, Arguments: string(i.arguments)}
	case len(i.hidden) > 0:
		return plimsoll.Reasoning{Text: string(i.hidden)}
	case len(i.text) > 0:
		return plimsoll.Text{Text: string(i.text)}
	}
	return nil
}

// Done reports whether the answer or an error ended the stream.
func (s *assembler) Done() bool { return s.done }
