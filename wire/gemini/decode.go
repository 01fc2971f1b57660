package gemini

import (
	"fmt"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/rawjson"
	"github.com/plimsoll/plimsoll/wire"
)

// decoder fills a layout in one pass over the body.
type decoder struct {
	scanner *rawjson.Scanner
	layout  *wire.Layout
	writer  *writer
	seen    bool // contents were found
}

func newDecoder(body []byte) *decoder {
	layout := &wire.Layout{Body: body}
	return &decoder{scanner: wire.NewScanner(body), layout: layout, writer: &writer{layout: layout}}
}

func (d *decoder) request() error {
	err := wire.ReadRoot(plimsoll.Gemini, d.scanner, d.layout, func(key []byte) error { return d.member(camel(key)) })
	if err == nil && !d.seen {
		return d.wrong("contents", "a list of contents")
	}
	return err
}

// member reads the value of a member of the request.
func (d *decoder) member(key string) error {
	switch key {
	case "contents":
		return d.contents()
	case "systemInstruction":
		d.system()
	case "tools":
		d.tools()
	case "model":
		d.layout.Model = d.text()
	case "generationConfig":
		d.generation()
	case "cachedContent":
		d.writer.cached = d.text() != ""
	case "toolConfig":
		d.writer.toolConfig = !d.null(d.scanner.Value())
	default:
		d.scanner.Value()
	}
	return nil
}

func (d *decoder) generation() {
	s := d.scanner
	if s.Peek() != '{' {
		s.Value()
		return
	}
	for key := range s.Members() {
		if camel(key) == "maxOutputTokens" {
			d.layout.MaxOutput, _ = s.Int()
		}
	}
}

// contents reads the list of contents, or the one that stands for it.
func (d *decoder) contents() error {
	kind := d.scanner.Peek()
	if kind != '[' && kind != '{' {
		err := d.wrong("contents", "a list of contents")
		d.scanner.Value()
		return err
	}
	d.seen = true
	d.layout.Items = nil
	d.writer.found = found{}
	var failed error
	list := d.repeated(func(i int) {
		if err := d.element(i); err != nil && failed == nil {
			failed = err
		}
	})
	d.layout.Messages = list.List
	d.writer.lone = list.lone
	if list.lone {
		d.layout.Messages.Items = nil
	}
	return failed
}

// element reads a content and fingerprints it.
func (d *decoder) element(i int) error {
	s := d.scanner
	if s.Peek() != '{' {
		err := d.wrong(fmt.Sprintf("contents[%d]", i), "a content object")
		s.Value()
		return err
	}
	begin := s.Offset()
	item, err := d.content(i)
	if err != nil {
		return err
	}
	item.Message.Digest = wire.DigestOf(rawjson.Span{Start: begin, End: s.Offset()}.Of(d.layout.Body))
	d.layout.AddItem(item)
	return nil
}

func (d *decoder) content(i int) (wire.Item, error) {
	s := d.scanner
	var item wire.Item
	var parts []plimsoll.Part
	role := ""
	id := wire.NewIdentity()
	var failed error
	for key := range s.Members() {
		switch camel(key) {
		case "role":
			role = d.text()
		case "parts":
			if kind := s.Peek(); kind != '[' && kind != '{' && kind != 'n' {
				failed = d.wrong(fmt.Sprintf("contents[%d].parts", i), "a list of parts")
				s.Value()
				continue
			}
			var list repeated
			parts, item.Places, list = d.parts(i, id)
			item.Lists = []wire.PartList{{List: list.List}}
		default:
			d.unknown(id, string(key))
		}
	}
	speaker := d.speaker(i, role)
	id.Field("role", []byte(speaker))
	item.Identity = id.Sum()
	item.Message = plimsoll.Message{Role: speaker, Parts: plimsoll.ListOf(parts...)}
	if s.Err() != nil {
		return item, wire.Broken(plimsoll.Gemini, s.Err())
	}
	return item, failed
}

// speaker translates the role of content i; a content without one is the user's.
func (d *decoder) speaker(i int, role string) plimsoll.Role {
	switch role {
	case "model":
		return plimsoll.Assistant
	case "", "user", "function":
		return plimsoll.User
	}
	d.writer.found.roles = append(d.writer.found.roles, badRole{i, role})
	return plimsoll.Role(role)
}

// parts reads a list of parts and where each stands. Message is the content that
// has them, or -1 for the system instruction. A lone part cannot be removed: its
// message would be empty.
func (d *decoder) parts(message int, id wire.Identity) ([]plimsoll.Part, []wire.Place, repeated) {
	var parts []plimsoll.Part
	var places []wire.Place
	list := d.repeated(func(i int) {
		part, content := d.part(plimsoll.PartRef{Message: message, Part: i}, id)
		parts = append(parts, part)
		places = append(places, wire.Place{Index: i, Content: content})
	})
	if list.lone && len(places) > 0 {
		places[0].List = wire.Fixed().List
	}
	return parts, places, list
}

// system reads the system instruction: a content, or a bare string as some
// libraries take it.
func (d *decoder) system() {
	s, body := d.scanner, d.layout.Body
	id := wire.NewIdentity()
	d.layout.System = nil
	kind := s.Peek()
	in := instruction{value: rawjson.Span{Start: s.Offset()}}
	switch kind {
	case '"':
		t, _ := s.String()
		in.text = t.Span
		d.layout.System = []plimsoll.Part{wire.TextPart(body, t)}
		id.Field("part", nil)
		id.Field("text", t.Raw(body))
	case '{':
		in.object.Start = s.Offset()
		for key, at := range s.Members() {
			if camel(key) == "parts" {
				d.layout.System, _, in.parts = d.parts(-1, id)
			} else {
				s.Value()
			}
			in.object.Items = append(in.object.Items, rawjson.Span{Start: at.Start, End: s.Offset()})
		}
		in.object.End = s.Offset()
	default:
		s.Value()
	}
	in.value.End = s.Offset()
	d.writer.instruction = in
	d.layout.SystemIdentity = sum(id, len(d.layout.System))
}

// sum ends an identity; that of nothing is the same in whatever form it stands.
func sum(id wire.Identity, n int) plimsoll.Digest {
	digest := id.Sum()
	if n == 0 {
		return plimsoll.Digest{}
	}
	return digest
}

// unknown reads a value that is not understood: it counts for the identity, and
// null is the same as nothing.
func (d *decoder) unknown(id wire.Identity, key string) (null bool) {
	v := d.scanner.Value()
	if d.null(v) {
		return true
	}
	id.Field(key, v.Of(d.layout.Body))
	return false
}

func (d *decoder) null(v rawjson.Span) bool { return string(v.Of(d.layout.Body)) == "null" }

// text reads a string, or skips anything else.
func (d *decoder) text() string {
	t, ok := d.scanner.String()
	if !ok {
		return ""
	}
	return t.Decode(d.layout.Body)
}

func (d *decoder) wrong(path, expected string) error {
	return wire.Unexpected(plimsoll.Gemini, d.scanner, path, expected)
}
