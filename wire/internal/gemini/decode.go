package gemini

import (
	"fmt"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/rawjson"
	"github.com/plimsoll/plimsoll/wire"
	"github.com/plimsoll/plimsoll/wire/internal/build"
	"github.com/plimsoll/plimsoll/wire/internal/layout"
)

// decoder fills a layout in one pass over the body.
type decoder struct {
	scanner *build.Scanner
	layout  *layout.Layout
	writer  *writer
	seen    bool // contents were found
	// read are the parts of the content that is being read, and inside those of
	// the function response in it, behind a place for its text.
	read   content
	inside []plimsoll.Part
	texts  *responseTexts
	open   build.OpenCalls
	// locating says that it is to be known where the parts of a content stand.
	locating bool
	// declared are the tools so far.
	declared []plimsoll.Tool
}

// content are parts and, if the decoder is locating, where they stand. A decoder uses one for all contents;
// what is kept of it is copied.
type content struct {
	parts  []plimsoll.Part
	places []layout.Place
	list   repeated
}

func (c *content) reset() {
	*c = content{c.parts[:0], c.places[:0], repeated{List: rawjson.List{Items: c.list.Items[:0]}}}
}

func newDecoder(body []byte) *decoder {
	l := &layout.Layout{Body: body}
	return &decoder{scanner: build.NewScanner(plimsoll.Gemini, body), layout: l, writer: &writer{layout: l}, texts: &responseTexts{body}}
}

func (d *decoder) request() error {
	err := build.ReadRoot(d.scanner, d.layout, func(key string) error { return d.member(camel(key)) })
	if err == nil && !d.seen {
		return d.scanner.Wrong("contents", "a list of contents")
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
		d.layout.Model = d.scanner.Text()
	case "generationConfig":
		d.generation()
	case "cachedContent":
		d.writer.cached = d.scanner.Text() != ""
	case "toolConfig":
		d.writer.toolConfig = !d.scanner.IsNull(d.scanner.Value())
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
		switch camel(rawjson.View(key)) {
		case "maxOutputTokens":
			d.layout.MaxOutput, _ = s.Int()
		case "responseSchema", "responseJsonSchema":
			if v := s.Value(); !s.IsNull(v) {
				d.layout.Output.Schema = v.View(s.Body)
			}
		}
	}
}

// contents reads the list of contents, or the one that stands for it.
func (d *decoder) contents() error {
	s := d.scanner
	kind := s.Peek()
	if kind != '[' && kind != '{' {
		err := s.Wrong("contents", "a list of contents")
		s.Value()
		return err
	}
	d.seen, d.writer.lone = true, kind == '{'
	d.writer.found, d.open = found{}, build.OpenCalls{}
	if kind == '[' {
		return build.ReadMessages(s, d.layout, "contents", "a content object", d.content)
	}
	d.layout.Reset()
	begin := s.Offset()
	m, identity, err := d.content(0)
	d.layout.AddBare(m, identity, s.Since(begin))
	return err
}

// content reads a content and leaves where its parts stand in read.
func (d *decoder) content(i int) (m plimsoll.Message, identity plimsoll.Digest, err error) {
	s := d.scanner
	d.read.reset()
	role := ""
	id := layout.NewIdentity()
	var failed error
	for key := range s.Members() {
		switch camel(rawjson.View(key)) {
		case "role":
			role = s.Text()
		case "parts":
			if kind := s.Peek(); kind != '[' && kind != '{' && kind != 'n' {
				failed = s.Wrong(fmt.Sprintf("contents[%d].parts", i), "a list of parts")
				s.Value()
				continue
			}
			d.parts(i, id)
		default:
			d.unknown(id, rawjson.View(key))
		}
	}
	speaker := d.speaker(i, role)
	if speaker == plimsoll.User {
		d.open.Close()
	}
	id.Field("role", []byte(speaker))
	identity = id.Sum()
	if s.Err() != nil {
		return m, identity, s.Broken()
	}
	return plimsoll.Message{Role: speaker, Parts: plimsoll.ListOf(d.read.parts...)}, identity, failed
}

// Locate reads a content again.
func (w *writer) Locate(i int) layout.Located {
	d := decoder{
		scanner: build.NewScannerAt(plimsoll.Gemini, w.layout.Body, w.layout.Messages.Items[i]),
		writer:  &writer{},

		locating: true,
	}
	_, _, _ = d.content(i) // it was valid the first time
	return layout.Located{Places: d.read.places, Lists: []layout.PartList{{List: d.read.list.List}}}
}

// speaker translates the role of content i; a content without one is the user's.
func (d *decoder) speaker(i int, role string) plimsoll.Role {
	switch role {
	case "model":
		return plimsoll.Assistant
	case "", "user", "function":
		return plimsoll.User
	}
	if found := &d.writer.found; len(found.roles) < wire.MaxViolations {
		found.roles = append(found.roles, badRole{i, role})
	}
	return plimsoll.Role(role)
}

// parts reads a list of parts into read. Message is the content that
// has them, or -1 for the system instruction. A lone part cannot be removed: its
// message would be empty.
func (d *decoder) parts(message int, id layout.Identity) {
	c := &d.read
	c.reset()
	read := func(i int) {
		part, content := d.part(plimsoll.PartRef{Message: message, Part: i}, id)
		c.parts = append(c.parts, part)
		if d.locating {
			c.places = append(c.places, layout.Place{Index: i, Content: content})
		}
	}
	if d.locating || message < 0 {
		c.list = d.repeated(c.list.Items, read)
	} else {
		d.walk(read)
	}
	if c.list.lone && len(c.places) > 0 {
		c.places[0].List = layout.Fixed().List
	}
}

// system reads the system instruction: a content, or a bare string as some
// libraries take it.
func (d *decoder) system() {
	s := d.scanner
	id := layout.NewIdentity()
	d.layout.System = nil
	kind := s.Peek()
	in := instruction{value: rawjson.Span{Start: s.Offset()}}
	switch kind {
	case '"':
		t, _ := s.String()
		in.text = t.Span
		d.layout.System = []plimsoll.Part{s.TextPart(t)}
		id.Field("part", nil)
		id.Field("text", t.Raw(s.Body))
	case '{':
		in.object.Start = s.Offset()
		for key, at := range s.Members() {
			if camel(rawjson.View(key)) == "parts" {
				d.parts(-1, id)
				d.layout.System, in.parts = d.read.parts, d.read.list
				d.read = content{}
			} else {
				s.Value()
			}
			in.object.Items = append(in.object.Items, s.Since(at.Start))
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
func sum(id layout.Identity, n int) plimsoll.Digest {
	digest := id.Sum()
	if n == 0 {
		return plimsoll.Digest{}
	}
	return digest
}

// unknown reads a value that is not understood: it counts for the identity, and
// null is the same as nothing.
func (d *decoder) unknown(id layout.Identity, key string) (null bool) {
	v := d.scanner.Value()
	if d.scanner.IsNull(v) {
		return true
	}
	id.Field(key, v.Of(d.scanner.Body))
	return false
}
