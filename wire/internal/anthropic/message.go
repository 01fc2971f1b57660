package anthropic

import (
	"fmt"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/rawjson"
	"github.com/plimsoll/plimsoll/wire"
	"github.com/plimsoll/plimsoll/wire/internal/build"
	"github.com/plimsoll/plimsoll/wire/internal/layout"
)

// turn is what the writer keeps of a message beside its layout.
type turn struct {
	// first is the index of its first block among the traits of all.
	first int
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

// content is what is in a message and, if the decoder is locating, where it stands. A decoder
// uses one for all messages; what is kept of it is copied.
type content struct {
	// text is the content if it is a bare string, list if it is a list.
	text   rawjson.Span
	list   rawjson.List
	parts  []plimsoll.Part
	places []layout.Place
}

func (c *content) reset() {
	*c = content{list: rawjson.List{Items: c.list.Items[:0]}, parts: c.parts[:0], places: c.places[:0]}
}

// message reads element i of the messages.
func (d *decoder) message(i int) (plimsoll.Message, plimsoll.Digest, error) {
	s := d.scanner
	begin := s.Offset()
	d.at.Message = i
	d.content.reset()
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
	m.Parts = plimsoll.ListOf(d.content.parts...)
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
	s, c := d.scanner, &d.content
	c.reset()
	d.forget()
	switch s.Peek() {
	case '"':
		text, _ := s.String()
		id.Field("text", text.Raw(s.Body))
		c.text = text.Span
		d.keep(s.TextPart(text), traitOfText(s.Body, text), layout.Fixed())
	case 'n':
		s.Value()
	case '[':
		return d.blocks(id)
	default:
		return s.Wrong(".content", "a string or a list of content blocks")
	}
	return nil
}

// forget takes out the marks and traits of a content that a second one follows.
func (d *decoder) forget() {
	for n := len(d.marks); n > 0 && d.marks[n-1].at.Message == d.at.Message; n-- {
		d.marks = d.marks[:n-1]
	}
	d.writer.traits = d.writer.traits[:d.writer.turns[len(d.writer.turns)-1].first]
}

func (d *decoder) keep(p plimsoll.Part, t trait, at layout.Place) {
	c := &d.content
	c.parts = append(c.parts, p)
	if d.locating {
		c.places = append(c.places, at)
	}
	d.writer.traits = append(d.writer.traits, t)
}

func (d *decoder) blocks(id layout.Identity) *wire.DecodeError {
	s, list := d.scanner, &d.content.list
	list.Start = s.Offset()
	for j := range s.Elements() {
		if s.Peek() != '{' {
			return s.Wrong(fmt.Sprintf(".content[%d]", j), "a content block")
		}
		d.at.Part = j
		begin := s.Offset()
		b := d.block(id)
		if d.locating {
			list.Items = append(list.Items, s.Since(begin))
		}
		d.keep(b.part, b.trait, b.place(j))
	}
	list.End = s.Offset()
	return nil
}

// again reads a message that was valid the first time.
func (w *writer) again(message int) *content {
	d := decoder{
		scanner: build.NewScannerAt(plimsoll.Anthropic, w.layout.Body, w.layout.Messages.Items[message]),
		layout:  &layout.Layout{},
		writer:  &writer{},

		locating: true,
	}
	_, _, _ = d.message(message)
	return &d.content
}

// reread reads a message that this package has written.
func reread(element []byte) (plimsoll.Role, []trait, *content) {
	d := newDecoder(element)
	d.locating = true
	m, _, _ := d.message(0)
	return m.Role, d.writer.traits, &d.content
}

// Locate reads a message again.
func (w *writer) Locate(i int) layout.Located {
	c := w.again(i)
	return layout.Located{Places: c.places, Lists: []layout.PartList{{List: c.list}}}
}
