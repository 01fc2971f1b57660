package openai

import (
	"fmt"
	"slices"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/rawjson"
	"github.com/plimsoll/plimsoll/wire"
)

// fields are the members of a message, gathered before they are put in order:
// JSON gives them in any. A decoder uses one for all messages; what an item keeps
// is copied.
type fields struct {
	role, name, callID string
	members            []rawjson.Span
	content            []located
	contentValue       rawjson.Span
	reasoning          *located
	calls              []located
	oldCall            *located
	others             []other
	lists              []wire.PartList // nil as long as no part is an element of one
	// parts and all are where item puts things in order.
	parts []plimsoll.Part
	all   []located
}

// reset forgets a message and keeps the room that it took.
func (f *fields) reset() {
	*f = fields{members: f.members[:0], content: f.content[:0], calls: f.calls[:0], others: f.others[:0], parts: f.parts[:0], all: f.all[:0]}
}

// located is a part and where it stands.
type located struct {
	part  plimsoll.Part
	place wire.Place
}

// Lists of a message, in the order of wire.Item.Lists.
const (
	listMembers = iota
	listContent
	listCalls
)

func (d *decoder) message(i int) (wire.Item, error) {
	s, f := d.scanner, &d.fields
	f.reset()
	d.index = i
	id := wire.NewIdentity()
	start := s.Offset()
	var failed error
	for key, at := range s.Members() {
		if err := d.messageMember(f, id, key); err != nil && failed == nil {
			failed = err
		}
		f.members = append(f.members, rawjson.Span{Start: at.Start, End: s.Offset()})
	}
	identity := id.Sum()
	if s.Err() != nil {
		return wire.Item{}, d.broken(s.Err())
	}
	if failed != nil {
		return wire.Item{}, failed
	}
	if f.role == "" {
		return wire.Item{}, &wire.DecodeError{
			Dialect: plimsoll.OpenAI, Offset: start, Path: fmt.Sprintf("messages[%d].role", i), Expected: "a role",
		}
	}
	if f.reasoning != nil {
		d.list(listMembers, rawjson.Span{Start: start, End: s.Offset()}, f.members)
	}
	item := d.item(f)
	item.Identity = identity
	return item, nil
}

// list sets one of the lists that parts are elements of. It copies the items.
func (d *decoder) list(which int, span rawjson.Span, items []rawjson.Span) {
	f := &d.fields
	if f.lists == nil {
		f.lists = d.lists.take(listCalls + 1)
	}
	f.lists[which].List = rawjson.List{Span: span, Items: d.spans.keep(items)}
}

func (d *decoder) messageMember(f *fields, id wire.Identity, key []byte) error {
	s, body := d.scanner, d.layout.Body
	switch string(key) {
	case "role":
		f.role = d.text()
		id.Field("role", []byte(f.role))
	case "name":
		f.name = d.text()
		id.Field("name", []byte(f.name))
	case "tool_call_id":
		f.callID = d.text()
		id.Field("tool_call_id", []byte(f.callID))
	case "content":
		return d.content(f, id)
	case "tool_calls":
		d.calls(f, id)
	case "function_call":
		d.functionCall(f, id)
	case "reasoning_content", "reasoning":
		d.reasoning(f, id, string(key))
	case "cache_control":
		s.Value()
	default:
		v := s.Value()
		if string(v.Of(body)) != "null" {
			id.Field(string(key), v.Of(body))
		}
		d.other(f, string(key), v)
	}
	return nil
}

// other is a member of a message that is carried as it is.
type other struct {
	key   string
	value rawjson.Span
}

// other keeps a member that the model is given beside the content, so that it is
// weighed. Of two with the same key the later counts.
func (d *decoder) other(f *fields, key string, value rawjson.Span) {
	if !isSaid(key) {
		return
	}
	f.others = slices.DeleteFunc(f.others, func(o other) bool { return o.key == key })
	switch string(value.Of(d.layout.Body)) {
	case "null", `""`, "[]", "{}":
	default:
		f.others = append(f.others, other{key, value})
	}
}

// isSaid tells the members of a message, beyond those that parts are made of,
// that are part of what was said.
func isSaid(key string) bool { return isAnswer(key) || isRemark(key) }

// isAnswer tells those that stand in for content.
func isAnswer(key string) bool { return key == "refusal" || key == "audio" }

// isRemark tells those that only go along with content.
func isRemark(key string) bool {
	return key == "reasoning_details" || key == "thinking_blocks" || key == "annotations"
}

// content reads a string, null, or a list of parts.
func (d *decoder) content(f *fields, id wire.Identity) error {
	s := d.scanner
	kind := s.Peek()
	start := s.Offset()
	f.content = f.content[:0]
	switch kind {
	case '"':
		t, _ := s.String()
		f.content = append(f.content, located{wire.TextPart(d.layout.Body, t), wire.Fixed()})
		id.Field("text", t.Raw(d.layout.Body))
	case 'n':
		s.Value()
	case '[':
		d.blocks(f, id)
	default:
		return d.wrong(fmt.Sprintf("messages[%d].content", d.index), "a string, null or a list of parts")
	}
	f.contentValue = rawjson.Span{Start: start, End: s.Offset()}
	return nil
}

// blocks reads a list of parts.
func (d *decoder) blocks(f *fields, id wire.Identity) {
	s := d.scanner
	start := s.Offset()
	d.elements = d.elements[:0]
	for i := range s.Elements() {
		s.Peek()
		begin := s.Offset()
		part := d.block(id)
		d.elements = append(d.elements, rawjson.Span{Start: begin, End: s.Offset()})
		f.content = append(f.content, located{part, wire.Place{List: listContent, Index: i}})
	}
	d.list(listContent, rawjson.Span{Start: start, End: s.Offset()}, d.elements)
	f.lists[listContent].Empty = "null"
}

// calls reads tool_calls: functions and custom tools.
func (d *decoder) calls(f *fields, id wire.Identity) {
	s := d.scanner
	if s.Peek() != '[' {
		s.Value()
		return
	}
	start := s.Offset()
	f.calls, d.elements = f.calls[:0], d.elements[:0]
	for i := range s.Elements() {
		s.Peek()
		begin := s.Offset()
		part := d.call(id)
		d.elements = append(d.elements, rawjson.Span{Start: begin, End: s.Offset()})
		f.calls = append(f.calls, located{part, wire.Place{List: listCalls, Index: i}})
	}
	d.list(listCalls, rawjson.Span{Start: start, End: s.Offset()}, d.elements)
}

func (d *decoder) call(id wire.Identity) plimsoll.Part {
	s, body := d.scanner, d.layout.Body
	var callID, name string
	var arguments rawjson.Span
	if s.Peek() != '{' {
		return wire.OpaquePart(body, "tool_call", s.Value())
	}
	for key := range s.Members() {
		switch string(key) {
		case "id":
			callID = d.text()
			id.Field("call", []byte(callID))
		case "function", "custom":
			if s.Peek() != '{' {
				s.Value()
				continue
			}
			name, arguments = d.function(id)
		default:
			s.Value()
		}
	}
	return wire.CallPart(body, callID, name, arguments)
}

func (d *decoder) function(id wire.Identity) (name string, arguments rawjson.Span) {
	s := d.scanner
	for key := range s.Members() {
		switch string(key) {
		case "name":
			name = d.text()
			id.Field("function", []byte(name))
		case "arguments", "input":
			arguments = s.Value()
			id.Field("arguments", arguments.Of(d.layout.Body))
		default:
			s.Value()
		}
	}
	return name, arguments
}

// functionCall reads the function_call of clients older than tool calls.
func (d *decoder) functionCall(f *fields, id wire.Identity) {
	if d.scanner.Peek() != '{' {
		d.scanner.Value()
		return
	}
	name, arguments := d.function(id)
	f.oldCall = &located{wire.CallPart(d.layout.Body, "", name, arguments), wire.Fixed()}
}

func (d *decoder) reasoning(f *fields, id wire.Identity, key string) {
	s := d.scanner
	t, ok := s.String()
	if !ok {
		return
	}
	id.Field(key, t.Raw(d.layout.Body))
	f.reasoning = &located{
		wire.ReasoningPart(d.layout.Body, t.Span, rawjson.Span{}, false),
		wire.Place{List: listMembers, Index: len(f.members)},
	}
}

// item puts the parts in order: reasoning, content, what else was said, calls.
func (d *decoder) item(f *fields) wire.Item {
	m := plimsoll.Message{Role: role(f.role), Name: f.name}
	if f.reasoning != nil {
		f.all = append(f.all, *f.reasoning)
	}
	if m.Role == plimsoll.ToolRole {
		f.all = append(f.all, f.result())
	} else {
		f.all = append(f.all, f.content...)
	}
	for _, o := range f.others {
		f.all = append(f.all, located{wire.OpaquePart(d.layout.Body, o.key, o.value), wire.Fixed()})
	}
	f.all = append(f.all, f.calls...)
	if f.oldCall != nil {
		f.all = append(f.all, *f.oldCall)
	}
	places := d.places.take(len(f.all))
	for i, l := range f.all {
		places[i] = l.place
	}
	m.Parts = f.listOf(f.all)
	return wire.Item{Message: m, Places: places, Lists: f.lists}
}

func (f *fields) listOf(all []located) plimsoll.List[plimsoll.Part] {
	f.parts = f.parts[:0]
	for _, l := range all {
		f.parts = append(f.parts, l.part)
	}
	return plimsoll.ListOf(f.parts...)
}

// result makes a tool message's content the content of one result. Without an id
// it answers the call of its name, as the old function messages do.
func (f *fields) result() located {
	return located{
		plimsoll.ToolResult{CallID: f.callID, Name: f.name, Content: f.listOf(f.content)},
		wire.Place{List: -1, Content: f.contentValue},
	}
}
