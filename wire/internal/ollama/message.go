package ollama

import (
	"cmp"
	"fmt"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/rawjson"
	"github.com/plimsoll/plimsoll/wire"
	"github.com/plimsoll/plimsoll/wire/internal/build"
	"github.com/plimsoll/plimsoll/wire/internal/layout"
)

// fields are the members of a message, gathered before they are put in order: JSON gives
// them in any. A decoder uses one for all messages; what is kept of them is copied.
type fields struct {
	role, name, toolName, callID string
	members                      []rawjson.Span
	text, thought                rawjson.Text
	content                      rawjson.Span
	// thoughts are the indexes of the members that hold the thinking.
	thoughts      []int
	images, calls build.Parts
	// asked are the calls as results name them.
	asked []plimsoll.ToolCall
	all   build.Parts
}

// reset forgets a message and keeps the room that it took.
func (f *fields) reset() {
	f.images.Reset()
	f.calls.Reset()
	f.all.Reset()
	*f = fields{
		members: f.members[:0], thoughts: f.thoughts[:0], images: f.images, calls: f.calls, asked: f.asked[:0], all: f.all,
	}
}

// Lists of a message, in the order of layout.Located.
const (
	listMembers = iota
	listImages
	listCalls
)

// message reads a message and leaves what it found in the fields.
func (d *decoder) message(i int) (m plimsoll.Message, identity plimsoll.Digest, err error) {
	s, f := d.scanner, &d.fields
	f.reset()
	d.index = i
	id := layout.NewIdentity()
	s.Peek()
	var failed error
	for key, at := range s.Members() {
		if err := d.messageMember(id, key); err != nil && failed == nil {
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
		return m, identity, s.Wrong(fmt.Sprintf("messages[%d].role", i), "a role")
	}
	return d.said(), identity, nil
}

// Locate reads a message again.
func (w *writer) Locate(i int) layout.Located {
	at := w.layout.Messages.Items[i]
	d := decoder{scanner: build.NewScannerAt(plimsoll.Ollama, w.layout.Body, at), writer: &writer{}}
	_, _, _ = d.message(i) // it was valid the first time
	f := &d.fields
	return layout.Located{Places: f.all.Places, Lists: []layout.PartList{
		listMembers: {List: rawjson.List{Span: at, Items: f.members}},
		listImages:  {List: f.images.List},
		listCalls:   {List: f.calls.List},
	}}
}

func (d *decoder) messageMember(id layout.Identity, key []byte) error {
	s, f := d.scanner, &d.fields
	switch string(key) {
	case "role":
		f.role = s.Text()
		id.Field("role", []byte(roleOf(f.role)))
	case "content":
		return d.content(id)
	case "thinking":
		f.thought = d.text(id, "thinking")
		f.thoughts = append(f.thoughts, len(f.members))
	case "images":
		f.images.ReadList(s, listImages, func() plimsoll.Part { return d.image(id) })
	case "tool_calls":
		f.asked = f.asked[:0]
		f.calls.ReadList(s, listCalls, func() plimsoll.Part { return d.call(id) })
	case "tool_name":
		f.toolName = s.Decode(d.text(id, "tool_name"))
	case "tool_call_id":
		f.callID = s.Decode(d.text(id, "tool_call_id"))
	case "name": // the server does not know it, but clients name the tool so
		f.name = s.Decode(d.text(id, "name"))
	default:
		if v := s.Value(); !s.IsNull(v) {
			id.Field(rawjson.View(key), v.Of(s.Body))
		}
	}
	return nil
}

// text reads a string that counts for the identity, unless it is empty.
func (d *decoder) text(id layout.Identity, key string) rawjson.Text {
	t, ok := d.scanner.String()
	if !ok || t.Len() <= len(`""`) {
		return rawjson.Text{}
	}
	id.Field(key, t.Raw(d.scanner.Body))
	return t
}

// content reads a string or null.
func (d *decoder) content(id layout.Identity) error {
	s := d.scanner
	kind := s.Peek()
	if kind != '"' && kind != 'n' {
		err := s.Wrong(fmt.Sprintf("messages[%d].content", d.index), "a string")
		s.Value()
		return err
	}
	start := s.Offset()
	d.fields.text = d.text(id, "text")
	d.fields.content = s.Since(start)
	return nil
}

// image reads a picture in base64.
func (d *decoder) image(id layout.Identity) plimsoll.Part {
	s := d.scanner
	v := s.Verbatim()
	id.Field("image", v.Of(s.Body))
	if s.Body[v.Start] != '"' {
		return s.OpaquePart("image", v.Span)
	}
	return s.MediaPart(plimsoll.Media{Kind: plimsoll.Image}, v)
}

func (d *decoder) call(id layout.Identity) plimsoll.Part {
	s := d.scanner
	var call plimsoll.ToolCall
	var arguments rawjson.Text
	if s.Peek() != '{' {
		v := s.Value()
		id.Field("call", v.Of(s.Body))
		return s.OpaquePart("tool_call", v)
	}
	id.Field("call", nil)
	for key := range s.Members() {
		switch string(key) {
		case "id":
			call.ID = s.Decode(d.text(id, "id"))
		case "function":
			if s.Peek() != '{' {
				s.Value()
				continue
			}
			call.Name, arguments = d.function(id)
		}
	}
	d.fields.asked = append(d.fields.asked, call)
	if bad := &d.writer.badArguments; !arguments.IsZero() && s.Body[arguments.Start] != '{' && len(*bad) < wire.MaxViolations {
		*bad = append(*bad, d.index)
	}
	return s.CallPart(call, arguments)
}

// function reads what is called. The number of a call says nothing about it.
func (d *decoder) function(id layout.Identity) (name string, arguments rawjson.Text) {
	s := d.scanner
	for key := range s.Members() {
		switch string(key) {
		case "name":
			name = s.Decode(d.text(id, "function"))
		case "arguments":
			if v := s.Verbatim(); !s.IsNull(v.Span) {
				arguments = v
				id.Field("arguments", v.Of(s.Body))
			}
		}
	}
	return name, arguments
}

// said puts the parts in order: thinking, text or result, pictures, calls.
func (d *decoder) said() plimsoll.Message {
	s, f := d.scanner, &d.fields
	m := plimsoll.Message{Role: roleOf(f.role)}
	if f.thought.Len() > 0 {
		place := layout.Place{List: listMembers, Index: f.thoughts[0], With: f.thoughts[1:]}
		f.all.Add(s.ReasoningPart(f.thought, rawjson.Text{}, false), place)
	}
	switch {
	case m.Role == plimsoll.ToolRole:
		f.all.Add(d.result(), layout.Place{List: -1, Content: f.content})
		d.open.Close()
	case f.text.Len() > 0:
		f.all.Add(s.TextPart(f.text), layout.Fixed())
	}
	f.all.AddAll(&f.images)
	f.all.AddAll(&f.calls)
	for _, call := range f.asked {
		d.open.Ask(call.ID, call.Name)
	}
	if m.Role == plimsoll.User {
		d.open.Close()
	}
	m.Parts = plimsoll.ListOf(f.all.All...)
	return m
}

// result makes a tool message's content the content of one result.
func (d *decoder) result() plimsoll.Part {
	s, f := d.scanner, &d.fields
	var content plimsoll.List[plimsoll.Part]
	if f.text.Len() > 0 {
		content = plimsoll.ListOf(s.TextPart(f.text))
	}
	id, name := d.open.Answer(f.callID, cmp.Or(f.toolName, f.name))
	return s.ResultPart(plimsoll.ToolResult{CallID: id, Name: name, Content: content})
}
