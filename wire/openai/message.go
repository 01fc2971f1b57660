package openai

import (
	"fmt"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/rawjson"
	"github.com/plimsoll/plimsoll/wire"
)

// fields are the members of a message, gathered before they are put in order:
// JSON gives them in any.
type fields struct {
	role, name, callID string
	content            []located
	contentValue       rawjson.Span
	reasoning          *located
	calls              []located
	lists              []wire.PartList
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

// maxMembers is how many members a message may have before they count against
// the budget.
const maxMembers = 64

func (d *decoder) message(i int) (wire.Item, error) {
	s, body := d.scanner, d.layout.Body
	f := fields{lists: make([]wire.PartList, 3)}
	id := wire.NewIdentity()
	start := s.Offset()
	var failed error
	for key, at := range s.Members() {
		if len(f.lists[listMembers].Items) > maxMembers && !d.budget.Take() {
			break
		}
		if err := d.messageMember(&f, id, string(key)); err != nil && failed == nil {
			failed = fmt.Errorf("messages[%d]: %w", i, err)
		}
		f.lists[listMembers].Items = append(f.lists[listMembers].Items, rawjson.Span{Start: at.Start, End: s.Offset()})
	}
	f.lists[listMembers].Span = rawjson.Span{Start: start, End: s.Offset()}
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
	item := f.item(body)
	item.Identity = identity
	return item, nil
}

func (d *decoder) messageMember(f *fields, id wire.Identity, key string) error {
	s, body := d.scanner, d.layout.Body
	switch key {
	case "role":
		f.role = d.text()
		id.Field(key, []byte(f.role))
	case "name":
		f.name = d.text()
		id.Field(key, []byte(f.name))
	case "tool_call_id":
		f.callID = d.text()
		id.Field(key, []byte(f.callID))
	case "content":
		return d.content(f, id)
	case "tool_calls":
		d.calls(f, id)
	case "function_call":
		d.oldCall(f, id)
	case "reasoning_content", "reasoning":
		d.reasoning(f, id, key)
	case "cache_control":
		s.Value()
	default:
		if v := s.Value(); string(v.Of(body)) != "null" {
			id.Field(key, v.Of(body))
		}
	}
	return nil
}

// content reads a string, null, or a list of parts.
func (d *decoder) content(f *fields, id wire.Identity) error {
	s := d.scanner
	kind := s.Peek()
	start := s.Offset()
	f.content = nil
	switch kind {
	case '"':
		t, _ := s.String()
		f.content = []located{{wire.TextPart(d.layout.Body, t), wire.Fixed}}
		id.Field("text", t.Raw(d.layout.Body))
	case 'n':
		s.Value()
	case '[':
		f.lists[listContent] = wire.PartList{Empty: "null"}
		for i := range s.Elements() {
			if !d.budget.Take() {
				break
			}
			s.Peek()
			begin := s.Offset()
			part := d.block(id)
			f.lists[listContent].Items = append(f.lists[listContent].Items, rawjson.Span{Start: begin, End: s.Offset()})
			f.content = append(f.content, located{part, wire.Place{List: listContent, Index: i}})
		}
		f.lists[listContent].Span = rawjson.Span{Start: start, End: s.Offset()}
	default:
		return d.wrong("content", "a string, null or a list of parts")
	}
	f.contentValue = rawjson.Span{Start: start, End: s.Offset()}
	return nil
}

// calls reads tool_calls: functions and custom tools.
func (d *decoder) calls(f *fields, id wire.Identity) {
	s := d.scanner
	if s.Peek() != '[' {
		s.Value()
		return
	}
	start := s.Offset()
	list := wire.PartList{}
	f.calls = nil
	for i := range s.Elements() {
		if !d.budget.Take() {
			break
		}
		s.Peek()
		begin := s.Offset()
		part := d.call(id)
		list.Items = append(list.Items, rawjson.Span{Start: begin, End: s.Offset()})
		f.calls = append(f.calls, located{part, wire.Place{List: listCalls, Index: i}})
	}
	list.Span = rawjson.Span{Start: start, End: s.Offset()}
	f.lists[listCalls] = list
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

// oldCall reads the function_call of clients older than tool calls.
func (d *decoder) oldCall(f *fields, id wire.Identity) {
	if d.scanner.Peek() != '{' {
		d.scanner.Value()
		return
	}
	name, arguments := d.function(id)
	f.calls = append(f.calls, located{wire.CallPart(d.layout.Body, "", name, arguments), wire.Fixed})
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
		wire.Place{List: listMembers, Index: len(f.lists[listMembers].Items)},
	}
}

// item puts the parts in order: reasoning, content, calls.
func (f *fields) item(body []byte) wire.Item {
	item := wire.Item{Lists: f.lists}
	m := plimsoll.Message{Role: role(f.role), Name: f.name}
	var all []located
	if f.reasoning != nil {
		all = append(all, *f.reasoning)
	}
	if m.Role == plimsoll.ToolRole {
		all = append(all, f.result())
	} else {
		all = append(all, f.content...)
	}
	all = append(all, f.calls...)
	parts := make([]plimsoll.Part, len(all))
	item.Places = make([]wire.Place, len(all))
	for i, l := range all {
		parts[i], item.Places[i] = l.part, l.place
	}
	m.Parts = plimsoll.ListOf(parts...)
	item.Message = m
	return item
}

// result makes a tool message's content the content of one result. Without an id
// it answers the call of its name, as the old function messages do.
func (f *fields) result() located {
	content := make([]plimsoll.Part, len(f.content))
	for i, l := range f.content {
		content[i] = l.part
	}
	return located{
		plimsoll.ToolResult{CallID: f.callID, Name: f.name, Content: plimsoll.ListOf(content...)},
		wire.Place{List: -1, Content: f.contentValue},
	}
}
