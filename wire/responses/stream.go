package responses

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/plimsoll/plimsoll"
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

// streamed is an item in the making. Whole is the item once it is complete.
type streamed struct {
	whole        []byte
	Type         string `json:"type"`
	CallID       string `json:"call_id"`
	Name         string `json:"name"`
	text, hidden []byte
	arguments    []byte
}

// event is the union of the events that say something about the answer.
type event struct {
	Type         string          `json:"type"`
	OutputIndex  int             `json:"output_index"`
	SummaryIndex int             `json:"summary_index"`
	Delta        string          `json:"delta"`
	Arguments    string          `json:"arguments"`
	Input        string          `json:"input"`
	Item         json.RawMessage `json:"item"`
	Response     json.RawMessage `json:"response"`
	Error        json.RawMessage `json:"error"`
}

// Event takes one event. Its type is in the data; the name only repeats it.
func (s *assembler) Event(name string, data []byte) {
	if string(data) == "[DONE]" {
		s.done = true
		return
	}
	var e event
	if json.Unmarshal(data, &e) != nil {
		return
	}
	if e.Type == "" {
		e.Type = name
	}
	switch e.Type {
	case "error":
		s.fail(reportedError(e, data))
		s.done = true
	case "response.completed", "response.incomplete", "response.failed", "response.cancelled":
		s.take(e.Response)
		s.done = true
	case "response.created", "response.in_progress", "response.queued":
		s.take(e.Response)
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
func reportedError(e event, data []byte) *wire.APIError {
	if nested := wire.ParseAPIError(e.Error); nested != nil {
		return nested
	}
	flat := wire.ParseAPIError(data)
	if flat.Type == e.Type {
		flat.Type = ""
	}
	return flat
}

// maxItems bounds what a stream can make us keep.
const maxItems = 4096

func (s *assembler) itemEvent(e event) {
	item, ok := s.items[e.OutputIndex]
	if !ok && len(s.items) >= maxItems {
		return
	}
	if !ok {
		item = &streamed{}
	}
	switch e.Type {
	case "response.output_item.added":
		_ = json.Unmarshal(e.Item, item)
	case "response.output_item.done":
		if !readable(e.Item) {
			return
		}
		item.whole = e.Item
	case "response.output_text.delta", "response.refusal.delta":
		item.text = append(item.text, e.Delta...)
	case "response.reasoning_summary_part.added":
		if e.SummaryIndex > 0 {
			item.hidden = append(item.hidden, "\n\n"...)
		}
	case "response.reasoning_summary_text.delta", "response.reasoning_text.delta":
		item.hidden = append(item.hidden, e.Delta...)
	case "response.function_call_arguments.delta", "response.custom_tool_call_input.delta":
		item.arguments = append(item.arguments, e.Delta...)
	case "response.function_call_arguments.done":
		item.arguments = []byte(e.Arguments)
	case "response.custom_tool_call_input.done":
		item.arguments = []byte(e.Input)
	default:
		return
	}
	s.items[e.OutputIndex] = item
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
	case len(i.arguments) > 0 || i.CallID != "":
		return plimsoll.ToolCall{ID: i.CallID, Name: i.Name, Arguments: string(i.arguments)}
	case len(i.hidden) > 0:
		return plimsoll.Reasoning{Text: string(i.hidden)}
	case len(i.text) > 0:
		return plimsoll.Text{Text: string(i.text)}
	}
	return nil
}

// Done reports whether the answer or an error ended the stream.
func (s *assembler) Done() bool { return s.done }
