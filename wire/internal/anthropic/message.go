package anthropic

import (
	"fmt"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/rawjson"
	"github.com/plimsoll/plimsoll/wire"
	"github.com/plimsoll/plimsoll/wire/internal/layout"
)

// turn is what the writer keeps of a message beside its layout.
type turn struct {
	// first is the index of its first block among the traits of all.
	first int
	// content is where its content stands: a string, or a list of blocks.
	content rawjson.Span
	// configured says that a system turn sets options of the answer. Then it need not
	// say anything.
	configured bool
}

// blocks returns the traits of a message's blocks, in parallel with its parts.
func (w *writer) blocks(message int) []trait {
	end := len(w.traits)
	if message+1 < len(w.turns) {
		end = w.turns[message+1].first
	}
	return w.traits[w.turns[message].first:end]
}

// message reads element i of the messages.
func (d *decoder) message(i int) (plimsoll.Message, plimsoll.Digest, error) {
	s := d.scanner
	begin := s.Offset()
	d.at.Message = i
	d.parts = d.parts[:0]
	d.writer.turns = append(d.writer.turns, turn{first: len(d.writer.traits)})
	id := layout.NewIdentity()
	m, failed := d.messageMembers(id)
	identity := id.Sum()
	switch {
	case s.Err() != nil:
		failed = s.Broken()
	case failed == nil && m.Role == "":
		failed = &wire.DecodeError{Dialect: plimsoll.Anthropic, Offset: begin, Path: ".role", Expected: "a role"}
	}
	if failed != nil {
		failed.Path = fmt.Sprintf("messages[%d]%s", i, failed.Path)
		return m, identity, failed
	}
	m.Parts = plimsoll.ListOf(d.parts...)
	return m, identity, nil
}

func (d *decoder) messageMembers(id layout.Identity) (m plimsoll.Message, failed *wire.DecodeError) {
	s := d.scanner
	for key := range s.Members() {
		switch string(key) {
		case "role":
			role := s.Text()
			m.Role = plimsoll.Role(role)
			id.Field("role", []byte(role))
		case "content":
			if err := d.messageContent(id); err != nil && failed == nil {
				failed = err
			}
		case "output_config":
			d.writer.turns[len(d.writer.turns)-1].configured = s.Peek() == '{'
			d.other(id, key)
		default:
			d.other(id, key)
		}
	}
	return m, failed
}

// messageContent reads a string, nothing, or a list of blocks. A string and a list
// of one text are the same to the API, and have the same identity.
func (d *decoder) messageContent(id layout.Identity) *wire.DecodeError {
	s := d.scanner
	d.forget()
	kind := s.Peek()
	begin := s.Offset()
	switch kind {
	case '"':
		text, _ := s.String()
		id.Field("text", text.Raw(s.Body))
		d.keep(s.TextPart(text), trait{kind: blockText, flaw: flawOfText(s.Body, text)})
	case 'n':
		s.Value()
	case '[':
		if err := d.blocks(id); err != nil {
			return err
		}
	default:
		return s.Wrong(".content", "a string or a list of content blocks")
	}
	d.writer.turns[len(d.writer.turns)-1].content = s.Since(begin)
	return nil
}

// forget takes out the parts, marks and traits of a content that a second one follows.
func (d *decoder) forget() {
	d.parts = d.parts[:0]
	for n := len(d.marks); n > 0 && d.marks[n-1].at.Message == d.at.Message; n-- {
		d.marks = d.marks[:n-1]
	}
	d.writer.traits = d.writer.traits[:d.writer.turns[len(d.writer.turns)-1].first]
}

func (d *decoder) keep(p plimsoll.Part, t trait) {
	d.parts = append(d.parts, p)
	d.writer.traits = append(d.writer.traits, t)
}

func (d *decoder) blocks(id layout.Identity) *wire.DecodeError {
	s := d.scanner
	for j := range s.Elements() {
		if s.Peek() != '{' {
			return s.Wrong(fmt.Sprintf(".content[%d]", j), "a content block")
		}
		d.at.Part = j
		b := d.block(id)
		d.keep(b.part, b.trait)
	}
	return nil
}

// reread reads a message that this package has written.
func reread(element []byte) (plimsoll.Role, *writer) {
	d := newDecoder(element)
	m, _, _ := d.message(0)
	return m.Role, d.writer
}

// Locate returns where the blocks of a message stand.
func (w *writer) Locate(i int) layout.Located {
	list := layout.PartList{List: rawjson.List{Span: w.turns[i].content}}
	var places []layout.Place
	for j, b := range w.blocks(i) {
		list.Items = append(list.Items, b.span)
		places = append(places, b.place(j))
	}
	return layout.Located{Places: places, Lists: []layout.PartList{list}}
}
