package openai

import (
	"fmt"
	"slices"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/rawjson"
	"github.com/plimsoll/plimsoll/wire"
	"github.com/plimsoll/plimsoll/wire/internal/build"
	"github.com/plimsoll/plimsoll/wire/internal/layout"
)

// fields are the members of a message, gathered before they are put in order:
// JSON gives them in any. A decoder uses one for all messages; what is kept of
// them is copied.
type fields struct {
	role, name, callID string
	members            []rawjson.Span
	content, calls     build.Parts
	contentValue       rawjson.Span
	oldCall            located
	others             []other
	// thought is the longest text of the reasoning, and thoughts are the indexes of
	// all members that hold it.
	thought  rawjson.Text
	thoughts []int
	// all is where the parts are put in order.
	all build.Parts
}

// reset forgets a message and keeps the room that it took.
func (f *fields) reset() {
	f.content.Reset()
	f.calls.Reset()
	f.all.Reset()
	*f = fields{
		members: f.members[:0], content: f.content, calls: f.calls, others: f.others[:0], thoughts: f.thoughts[:0], all: f.all,
	}
}

// located is a part and where it stands.
type located struct {
	part  plimsoll.Part
	place layout.Place
}

// Lists of a message, in the order of layout.Located.
const (
	listMembers = iota
	listContent
	listCalls
)

// message reads a message and leaves what it found in the fields.
func (d *decoder) message(i int) (m plimsoll.Message, identity plimsoll.Digest, err error) {
	s, f := d.scanner, &d.fields
	f.reset()
	d.index = i
	id := layout.NewIdentity()
	start := s.Offset()
	var failed error
	for key, at := range s.Members() {
		if err := d.messageMember(f, id, key); err != nil && failed == nil {
			failed = err
		}
		f.members = append(f.members, s.Since(at.Start))
	}
	identity = id.Sum()
	switch {
	case s.Err() != nil:
		return m, identity, s.Broken()
	case failed != nil:
		return m, identity, failed
	case f.role == "":
		return m, identity, &wire.DecodeError{
			Dialect: plimsoll.OpenAI, Offset: start, Path: fmt.Sprintf("messages[%d].role", i), Expected: "a role",
		}
	}
	return d.said(f), identity, nil
}

// Locate reads a message again.
func (w *writer) Locate(i int) layout.Located {
	at := w.layout.Messages.Items[i]
	if content, ok := plainOutput(w.layout.Body, at); ok {
		return layout.Located{Places: []layout.Place{{List: -1, Content: content}}}
	}
	return w.locate(i, at)
}

// plainOutput returns where the content of a message stands that is nothing but the
// output of a tool, as one string. Most of what is ever cut is that.
func plainOutput(body []byte, at rawjson.Span) (content rawjson.Span, ok bool) {
	s, isTool := rawjson.NewScannerAt(body, at), false
	for key := range s.Members() {
		v := s.Value()
		switch string(key) {
		case "role":
			isTool = string(v.Of(body)) == `"tool"`
		case "content":
			content = v
		case "tool_call_id":
		default:
			return content, false
		}
	}
	return content, isTool && content.Len() > 0 && body[content.Start] == '"'
}

func (w *writer) locate(i int, at rawjson.Span) layout.Located {
	d := decoder{scanner: build.NewScannerAt(plimsoll.OpenAI, w.layout.Body, at)}
	_, _, _ = d.message(i) // it was valid the first time
	f := &d.fields
	return layout.Located{Places: f.all.Places, Lists: []layout.PartList{
		listMembers: {List: rawjson.List{Span: at, Items: f.members}},
		listContent: {List: f.content.List, Empty: "null"},
		listCalls:   {List: f.calls.List},
	}}
}

func (d *decoder) messageMember(f *fields, id layout.Identity, key []byte) error {
	s, body := d.scanner, d.scanner.Body
	switch string(key) {
	case "role":
		f.role = d.scanner.Text()
		id.Field("role", []byte(f.role))
	case "name":
		f.name = d.scanner.Text()
		id.Field("name", []byte(f.name))
	case "tool_call_id":
		f.callID = d.scanner.Text()
		id.Field("tool_call_id", []byte(f.callID))
	case "content":
		return d.content(f, id)
	case "tool_calls":
		d.calls(f, id)
	case "function_call":
		d.functionCall(f, id)
	case "reasoning_content", "reasoning":
		d.reasoning(f, id, rawjson.View(key))
	case "cache_control":
		s.Value()
	default:
		v := s.Value()
		if !s.IsNull(v) {
			id.Field(rawjson.View(key), v.Of(body))
		}
		d.other(f, rawjson.View(key), v)
		if isThought(rawjson.View(key)) {
			f.thoughts = append(f.thoughts, len(f.members))
		}
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
	switch string(value.Of(d.scanner.Body)) {
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
	return isThought(key) || key == "annotations"
}

// isThought tells the members that hold the reasoning in parts, some of them encrypted:
// OpenRouter's and LiteLLM's. Clients send them beside the text of the reasoning or without
// it.
func isThought(key string) bool { return key == "reasoning_details" || key == "thinking_blocks" }

// content reads a string, null, or a list of parts.
func (d *decoder) content(f *fields, id layout.Identity) error {
	s := d.scanner
	kind := s.Peek()
	start := s.Offset()
	f.content.Reset()
	switch kind {
	case '"':
		t, _ := s.String()
		f.content.Add(s.TextPart(t), layout.Fixed())
		id.Field("text", t.Raw(s.Body))
	case 'n':
		s.Value()
	case '[':
		f.content.ReadList(s, listContent, func() plimsoll.Part { return d.block(id) })
	default:
		return s.Wrong(fmt.Sprintf("messages[%d].content", d.index), "a string, null or a list of parts")
	}
	f.contentValue = s.Since(start)
	return nil
}

// calls reads tool_calls: functions and custom tools.
func (d *decoder) calls(f *fields, id layout.Identity) {
	if d.scanner.Peek() != '[' {
		d.scanner.Value()
		return
	}
	f.calls.ReadList(d.scanner, listCalls, func() plimsoll.Part { return d.call(id) })
}

func (d *decoder) call(id layout.Identity) plimsoll.Part {
	s := d.scanner
	var callID, name string
	var arguments rawjson.Text
	if s.Peek() != '{' {
		return s.OpaquePart("tool_call", s.Value())
	}
	for key := range s.Members() {
		switch string(key) {
		case "id":
			callID = d.scanner.Text()
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
	return s.CallPart(plimsoll.ToolCall{ID: callID, Name: name}, arguments)
}

func (d *decoder) function(id layout.Identity) (name string, arguments rawjson.Text) {
	s := d.scanner
	for key := range s.Members() {
		switch string(key) {
		case "name":
			name = d.scanner.Text()
			id.Field("function", []byte(name))
		case "arguments", "input":
			arguments = s.Verbatim()
			id.Field("arguments", arguments.Of(s.Body))
		default:
			s.Value()
		}
	}
	return name, arguments
}

// functionCall reads the function_call of clients older than tool calls.
func (d *decoder) functionCall(f *fields, id layout.Identity) {
	if d.scanner.Peek() != '{' {
		d.scanner.Value()
		return
	}
	name, arguments := d.function(id)
	f.oldCall = located{d.scanner.CallPart(plimsoll.ToolCall{Name: name}, arguments), layout.Fixed()}
}

// reasoning reads the text of the reasoning. Some clients send it under both names, but
// the model gets it once, so it weighs as much as the longest.
func (d *decoder) reasoning(f *fields, id layout.Identity, key string) {
	s := d.scanner
	t, ok := s.String()
	if !ok {
		return
	}
	id.Field(key, t.Raw(s.Body))
	if t.Len() > f.thought.Len() {
		f.thought = t
	}
	f.thoughts = append(f.thoughts, len(f.members))
}

// said puts the parts in order: reasoning, content, what else was said, calls. The
// reasoning is one part, and all its members go with it. Without a text, its details
// are carried as they are.
func (d *decoder) said(f *fields) plimsoll.Message {
	m := plimsoll.Message{Role: roleOf(f.role), Name: f.name}
	thinks := f.thought.Len() > len(`""`)
	if thinks {
		place := layout.Place{List: listMembers, Index: f.thoughts[0], With: f.thoughts[1:]}
		f.all.Add(d.scanner.ReasoningPart(f.thought, rawjson.Text{}, false), place)
	}
	if m.Role == plimsoll.ToolRole {
		f.all.Add(d.result(f), layout.Place{List: -1, Content: f.contentValue})
	} else {
		f.all.AddAll(&f.content)
	}
	for _, o := range f.others {
		if thinks && isThought(o.key) {
			continue
		}
		f.all.Add(d.scanner.OpaquePart(o.key, o.value), layout.Fixed())
	}
	f.all.AddAll(&f.calls)
	if f.oldCall.part != nil {
		f.all.Add(f.oldCall.part, f.oldCall.place)
	}
	m.Parts = plimsoll.ListOf(f.all.All...)
	return m
}

// result makes a tool message's content the content of one result. Without an id
// it answers the call of its name, as the old function messages do.
func (d *decoder) result(f *fields) plimsoll.Part {
	s := d.scanner
	return s.ResultPart(plimsoll.ToolResult{CallID: f.callID, Name: f.name, Content: plimsoll.ListOf(f.content.All...)})
}
