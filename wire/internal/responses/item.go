package responses

import (
	"fmt"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/rawjson"
	"github.com/plimsoll/plimsoll/wire"
	"github.com/plimsoll/plimsoll/wire/internal/layout"
)

// Kinds of items that are treated in a way of their own.
const (
	kindMessage   = "message"
	kindReasoning = "reasoning"
	kindReference = "item_reference"
)

// fields are the members of an item, gathered before they are put in order: its
// type may follow its content.
type fields struct {
	raw                        rawjson.Span
	identity                   plimsoll.Digest
	kind, role                 string
	id, callID, name, approval string
	status                     string
	paired                     bool // it answers a late call
	content                    blocks
	summary                    blocks
	// arguments of a call, whatever the kind of item calls them.
	arguments rawjson.Text
	output    output
}

// output is what a tool returned.
type output struct {
	parts []plimsoll.Part
	value rawjson.Span
}

// reset forgets an item and keeps the room that it took.
func (f *fields) reset() {
	f.content.reset()
	f.summary.reset()
	*f = fields{content: f.content, summary: f.summary, output: output{parts: f.output.parts[:0]}}
}

// fields reads the members of an item. They are valid until the next item is
// read.
func (d *decoder) fields() (*fields, error) {
	s := d.scanner
	f := &d.current
	f.reset()
	id := layout.NewIdentity()
	start := s.Offset()
	var failed error
	for key := range s.Members() {
		if err := d.itemMember(f, id, rawjson.View(key)); err != nil && failed == nil {
			failed = err
		}
	}
	if f.kind == "" && f.role == "" && f.id != "" {
		f.kind = kindReference
	}
	if f.kind == "" && f.role != "" {
		f.kind = kindMessage
	}
	if !f.interchangeable() {
		id.Field("id", []byte(f.id))
	}
	f.identity, f.raw = id.Sum(), s.Since(start)
	switch {
	case s.Err() != nil:
		return nil, s.Broken()
	case failed != nil:
		return nil, failed
	case f.kind == "":
		return nil, &wire.DecodeError{
			Dialect: plimsoll.Responses, Offset: start, Path: fmt.Sprintf("%s[%d]", d.list, d.index), Expected: "a type or a role",
		}
	}
	return f, nil
}

// interchangeable reports whether two items that differ in nothing but their id
// say the same. Of other items the id may be all that is known: their content is
// on the server.
func (f *fields) interchangeable() bool {
	_, isCall := callName(f)
	return isCall || isOutput(f.kind) || f.kind == kindMessage
}

func (d *decoder) itemMember(f *fields, id layout.Identity, key string) error {
	s := d.scanner
	start := s.Offset()
	switch key {
	case "content":
		return d.content(&f.content, id, key)
	case "summary":
		return d.content(&f.summary, id, key)
	case "output", "result":
		d.output(&f.output, id)
		return nil
	case "id":
		f.id = s.Text()
		return nil
	case "status":
		f.status = s.Text()
		return nil
	case "type":
		f.kind = s.Text()
		if f.kind == kindMessage {
			return nil
		}
	case "role":
		f.role = s.Text()
	case "call_id":
		f.callID = s.Text()
	case "approval_request_id":
		f.approval = s.Text()
	case "name":
		f.name = s.Text()
	case "arguments", "input", "action", "actions", "operation", "code":
		f.arguments = s.Verbatim()
	default:
		s.Value()
	}
	if key == "role" {
		id.Field(key, []byte(f.role))
		return nil
	}
	d.hash(id, key, s.Since(start))
	return nil
}

// content reads a string, null, or a list of parts.
func (d *decoder) content(b *blocks, id layout.Identity, key string) error {
	s := d.scanner
	b.reset()
	switch s.Peek() {
	case '"':
		t, _ := s.String()
		d.add(b, block{text: t, isText: true}, rawjson.Span{}, layout.Fixed())
		id.Field("text", t.Raw(s.Body))
	case 'n':
		s.Value()
	case '[':
		return d.contentList(b, id, key)
	default:
		return d.wrongItem("."+key, "a string or a list of parts")
	}
	return nil
}

func (d *decoder) contentList(b *blocks, id layout.Identity, key string) error {
	s := d.scanner
	b.list.Start = s.Offset()
	var failed error
	for i := range s.Elements() {
		if s.Peek() != '{' {
			failed = d.wrongItem(fmt.Sprintf(".%s[%d]", key, i), "a part object")
			break
		}
		begin := s.Offset()
		part := d.block(id)
		raw := s.Since(begin)
		if d.locating {
			b.list.Items = append(b.list.Items, raw)
		}
		d.add(b, part, raw, layout.Place{Index: i})
	}
	b.list.End = s.Offset()
	return failed
}

// output reads what a tool returned: a string, a list of parts, the chunks of a
// shell, or a screenshot.
func (d *decoder) output(o *output, id layout.Identity) {
	s := d.scanner
	*o = output{parts: o.parts[:0], value: rawjson.Span{Start: s.Offset()}}
	switch s.Peek() {
	case '"':
		t, _ := s.String()
		o.parts = append(o.parts, s.TextPart(t))
		id.Field("text", t.Raw(s.Body))
	case '{':
		part := d.block(id)
		o.parts = append(o.parts, part.part(s, s.Since(o.value.Start)))
	case '[':
		for range s.Elements() {
			d.outputElement(o, id)
		}
	default:
		d.hash(id, "output", s.Value())
	}
	o.value.End = s.Offset()
}

func (d *decoder) outputElement(o *output, id layout.Identity) {
	s := d.scanner
	if s.Peek() != '{' {
		v := s.Value()
		id.Field("part", v.Of(s.Body))
		o.parts = append(o.parts, s.OpaquePart("", v))
		return
	}
	begin := s.Offset()
	part := d.block(id)
	if !part.isChunk {
		o.parts = append(o.parts, part.part(s, s.Since(begin)))
		return
	}
	// A stream that stayed empty is left out.
	for _, t := range [...]rawjson.Text{part.stdout, part.stderr} {
		if t.Len() > 2 {
			o.parts = append(o.parts, s.TextPart(t))
		}
	}
}

// note keeps what a check must know of an item beyond its message.
func (f *fields) note() note {
	n := note{class: classOf(f.kind), id: f.id, part: f.kind == "image" || isBlockKind(f.kind)}
	if f.kind == "local_shell_call_output" {
		n.id = "" // it may be the id of the call
	}
	if f.kind == kindMessage {
		n.blank = len(f.content.parts) == 0
		n.foreign = f.content.foreign(f.role)
	}
	return n
}
