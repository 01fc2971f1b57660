package converse

import (
	"strings"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/rawjson"
	"github.com/plimsoll/plimsoll/wire/internal/build"
	"github.com/plimsoll/plimsoll/wire/internal/layout"
)

// cachePoint is the block that marks where a cached prefix ends. It says nothing, so it is
// no part and does not identify a message.
const cachePoint = "cachePoint"

// content is a list of blocks.
type content struct {
	// parts are what the blocks say, until the next list is read.
	parts []plimsoll.Part
	flaw  flaw
	// List and places, which run in parallel with the parts, are filled if the decoder
	// locates.
	rawjson.List
	places []layout.Place
}

// flaw is what the API refuses in a content.
type flaw uint8

const (
	flawNone flaw = iota
	flawEmpty
	flawBlank // a text has nothing but white space
)

// content reads the list of blocks that the scanner is at.
func (d *decoder) content(id layout.Identity) (c content) {
	buffer := &d.parts
	if d.inner {
		buffer = &d.inside
	}
	*buffer, c.flaw = (*buffer)[:0], flawEmpty
	c.Start = d.Offset()
	for i := range d.Elements() {
		d.Peek()
		begin := d.Offset()
		d.blank = false
		part, place := d.block(id)
		switch {
		case d.blank:
			c.flaw = flawBlank
		case c.flaw == flawEmpty:
			c.flaw = flawNone
		}
		if part != nil {
			*buffer = append(*buffer, part)
		}
		if !d.locates {
			continue
		}
		c.Items = append(c.Items, d.Since(begin))
		if part != nil {
			place.Index = i
			c.places = append(c.places, place)
		}
	}
	c.End, c.parts = d.Offset(), *buffer
	return c
}

// block reads one block; its part is nil if it says nothing. A block of several members is
// none that the API knows.
func (d *decoder) block(id layout.Identity) (part plimsoll.Part, place layout.Place) {
	if d.Peek() != '{' {
		v := d.Value()
		id.Field("", v.Of(d.Body))
		return d.OpaquePart("", v), place
	}
	begin, n, kind := d.Offset(), 0, ""
	for key := range d.Members() {
		if d.Peek() == 'n' {
			d.Value()
			continue
		}
		n, kind = n+1, string(key)
		from := d.Offset()
		part, place = d.value(kind)
		if kind != cachePoint {
			id.Field(kind, d.Since(from).Of(d.Body))
		}
	}
	if n == 1 && (part != nil || kind == cachePoint) {
		return part, place
	}
	return d.OpaquePart(kind, d.Since(begin)), layout.Place{}
}

// value reads the member of a block. The part is nil if it is not understood.
func (d *decoder) value(kind string) (part plimsoll.Part, place layout.Place) {
	if kind == "text" && d.Peek() == '"' {
		t, _ := d.String()
		d.blank = build.IsBlank(t.Raw(d.Body))
		return d.TextPart(t), place
	}
	if kind == "json" { // a result that a program wrote, which the model reads as text
		return plimsoll.Text{Text: d.OpaquePart(kind, d.Value()).(plimsoll.Opaque).Raw}, place
	}
	if d.Peek() != '{' {
		d.Value()
		return nil, place
	}
	if d.inner && kind != "image" && kind != "document" && kind != "video" {
		d.Value()
		return nil, place
	}
	switch kind {
	case "toolUse":
		return d.call(), place
	case "toolResult":
		return d.result()
	case "reasoningContent":
		return d.reasoning(), place
	case "image", "document", "video", "audio":
		return d.media(plimsoll.MediaKind(kind)), place
	}
	d.Value()
	return nil, place
}

func (d *decoder) call() plimsoll.Part {
	var call plimsoll.ToolCall
	var input rawjson.Text
	for key := range d.Members() {
		switch string(key) {
		case "toolUseId":
			call.ID = d.Text()
		case "name":
			call.Name = d.Text()
		case "input":
			input = d.Verbatim()
		default:
			d.Value()
		}
	}
	return d.CallPart(call, input)
}

func (d *decoder) result() (plimsoll.Part, layout.Place) {
	var r plimsoll.ToolResult
	var at rawjson.Span
	for key := range d.Members() {
		switch {
		case string(key) == "toolUseId":
			r.CallID = d.Text()
		case string(key) == "status":
			r.IsError = d.Text() == "error"
		case string(key) == "content" && d.Peek() == '[':
			id := layout.NewIdentity()
			d.inner = true
			inside := d.content(id)
			d.inner, d.blank = false, false
			id.Sum()
			r.Content, at = plimsoll.ListOf(inside.parts...), inside.Span
		default:
			d.Value()
		}
	}
	return d.ResultPart(r), layout.Place{Content: at}
}

func (d *decoder) reasoning() plimsoll.Part {
	var text, signature rawjson.Text
	redacted := false
	for key := range d.Members() {
		switch {
		case string(key) == "redactedContent":
			signature, redacted = d.Verbatim(), true
		case string(key) == "reasoningText" && d.Peek() == '{':
			for key := range d.Members() {
				switch string(key) {
				case "text":
					text = d.Verbatim()
				case "signature":
					signature = d.Verbatim()
				}
			}
		default:
			d.Value()
		}
	}
	return d.ReasoningPart(text, signature, redacted)
}

// media reads a picture, document or recording: in base64, or at Amazon S3. Nil means that
// it is given in another way, such as by its text, and weighs what it has.
func (d *decoder) media(kind plimsoll.MediaKind) plimsoll.Part {
	m := plimsoll.Media{Kind: kind}
	var data rawjson.Text
	for key := range d.Members() {
		switch {
		case string(key) == "format":
			m.MIME = mimeOf(kind, d.Text())
		case string(key) == "source" && d.Peek() == '{':
			for key := range d.Members() {
				switch string(key) {
				case "bytes":
					data = d.Verbatim()
				case "s3Location":
					m.URL = rawjson.MemberText(d.Value().Of(d.Body), "uri")
				default:
					d.Value()
				}
			}
		default:
			d.Value()
		}
	}
	if data.IsZero() && m.URL == "" {
		return nil
	}
	return d.MediaPart(m, data)
}

// mimeOf returns the type of a format, which is a file's ending; formatOf the reverse.
func mimeOf(kind plimsoll.MediaKind, format string) string {
	if kind == plimsoll.Document {
		return "application/" + format
	}
	return string(kind) + "/" + format
}

func formatOf(mime string) string {
	_, format, _ := strings.Cut(mime, "/")
	return format
}
