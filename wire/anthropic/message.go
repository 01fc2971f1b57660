package anthropic

import (
	"fmt"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/rawjson"
	"github.com/plimsoll/plimsoll/wire"
)

// turn is what the writer keeps of a message beside its layout.
type turn struct {
	// blocks run in parallel with the parts.
	blocks []trait
	// text is the content if it is a bare string.
	text rawjson.Span
	// configured says that a system turn sets options of the answer. Then it
	// need not say anything.
	configured bool
}

// message reads element i of the messages and returns where it stands.
func (d *decoder) message(i int) (rawjson.Span, *wire.DecodeError) {
	s, body := d.scanner, d.layout.Body
	if s.Peek() != '{' {
		return rawjson.Span{}, d.wrong("", "a message object")
	}
	begin := s.Offset()
	d.at.Message = i
	d.layout.AddItem(wire.Item{})
	d.writer.turns = append(d.writer.turns, turn{})
	id := wire.NewIdentity()
	failed := d.messageMembers(i, id)
	item := &d.layout.Items[i]
	item.Identity = id.Sum()
	if s.Err() != nil {
		return rawjson.Span{}, d.wrong("", "")
	}
	if failed != nil {
		return rawjson.Span{}, failed
	}
	if item.Message.Role == "" {
		return rawjson.Span{}, &wire.DecodeError{Dialect: plimsoll.Anthropic, Offset: begin, Path: ".role", Expected: "a role"}
	}
	span := rawjson.Span{Start: begin, End: s.Offset()}
	item.Message.Digest = wire.DigestOf(span.Of(body))
	return span, nil
}

func (d *decoder) messageMembers(i int, id wire.Identity) *wire.DecodeError {
	item := &d.layout.Items[i]
	var failed *wire.DecodeError
	for key := range d.scanner.Members() {
		switch string(key) {
		case "role":
			role := d.text()
			item.Message.Role = plimsoll.Role(role)
			id.Field("role", []byte(role))
		case "content":
			if err := d.content(i, id); err != nil && failed == nil {
				failed = err
			}
		case "output_config":
			d.writer.turns[i].configured = d.scanner.Peek() == '{'
			d.other(id, key)
		default:
			d.other(id, key)
		}
	}
	return failed
}

// content reads a string, nothing, or a list of blocks. A string and a list of
// one text are the same to the API, and have the same identity.
func (d *decoder) content(i int, id wire.Identity) *wire.DecodeError {
	s, body := d.scanner, d.layout.Body
	item, t := &d.layout.Items[i], &d.writer.turns[i]
	item.Message.Parts, item.Places, item.Lists = plimsoll.List[plimsoll.Part]{}, nil, nil
	t.blocks, t.text = nil, rawjson.Span{}
	d.forget(i)
	switch s.Peek() {
	case '"':
		text, _ := s.String()
		id.Field("text", text.Raw(body))
		t.text = text.Span
		t.blocks = []trait{traitOfText(body, text)}
		item.Places = []wire.Place{wire.Fixed()}
		item.Message.Parts = plimsoll.ListOf(wire.TextPart(body, text))
	case 'n':
		s.Value()
	case '[':
		return d.blocks(item, t, id)
	default:
		return d.wrong(".content", "a string or a list of content blocks")
	}
	return nil
}

// forget takes out the marks of a content that a second one follows.
func (d *decoder) forget(i int) {
	for n := len(d.marks); n > 0 && d.marks[n-1].at.Message == i; n-- {
		d.marks = d.marks[:n-1]
	}
}

func (d *decoder) blocks(item *wire.Item, t *turn, id wire.Identity) *wire.DecodeError {
	s := d.scanner
	list := wire.PartList{}
	list.Start = s.Offset()
	d.parts = d.parts[:0]
	for j := range s.Elements() {
		if s.Peek() != '{' {
			return d.wrong(fmt.Sprintf(".content[%d]", j), "a content block")
		}
		d.at.Part = j
		begin := s.Offset()
		b := d.block(id)
		list.Items = append(list.Items, rawjson.Span{Start: begin, End: s.Offset()})
		d.parts = append(d.parts, b.part)
		t.blocks = append(t.blocks, b.trait)
		item.Places = append(item.Places, b.place(j))
	}
	list.End = s.Offset()
	item.Lists = []wire.PartList{list}
	item.Message.Parts = plimsoll.ListOf(d.parts...)
	return nil
}
