package openai

import (
	"strings"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/rawjson"
	"github.com/plimsoll/plimsoll/wire"
)

// blockFields are the members of a content part that are understood.
type blockFields struct {
	kind   string
	text   rawjson.Text
	isText bool
	url    rawjson.Text
	detail string
	data   rawjson.Text
	format string
	media  bool
}

// block reads one part of a content list. Its kind may stand behind its content,
// so the members are gathered first.
func (d *decoder) block(id wire.Identity) plimsoll.Part {
	s, body := d.scanner, d.layout.Body
	begin := s.Offset()
	if s.Peek() == '"' {
		t, _ := s.String()
		id.Field("text", t.Raw(body))
		return wire.TextPart(body, t)
	}
	if s.Peek() != '{' {
		v := s.Value()
		id.Field("part", v.Of(body))
		return wire.OpaquePart(body, "", v)
	}
	var b blockFields
	for key := range s.Members() {
		d.blockMember(&b, id, string(key))
	}
	return b.part(body, rawjson.Span{Start: begin, End: s.Offset()})
}

func (d *decoder) blockMember(b *blockFields, id wire.Identity, key string) {
	s, body := d.scanner, d.layout.Body
	switch key {
	case "type":
		b.kind = d.text()
		if b.kind != "text" {
			id.Field(key, []byte(b.kind))
		}
	case "text":
		if t, ok := s.String(); ok {
			b.text, b.isText = t, true
			id.Field(key, t.Raw(body))
		}
	case "image_url", "input_audio", "file":
		s.Peek()
		begin := s.Offset()
		d.mediaMember(b)
		id.Field(key, rawjson.Span{Start: begin, End: s.Offset()}.Of(body))
	case "cache_control":
		s.Value()
	default:
		id.Field(key, s.Value().Of(body))
	}
}

// mediaMember reads the object that holds a picture, recording or file, or the
// bare URL that some servers accept.
func (d *decoder) mediaMember(b *blockFields) {
	s := d.scanner
	b.media = true
	if t, ok := peekString(s); ok {
		b.url = t
		return
	}
	if s.Peek() != '{' {
		s.Value()
		return
	}
	for key := range s.Members() {
		switch string(key) {
		case "url", "file_id":
			b.url, _ = s.String()
		case "detail":
			b.detail = d.text()
		case "data", "file_data":
			b.data, _ = s.String()
		case "format":
			b.format = d.text()
		default:
			s.Value()
		}
	}
}

func peekString(s *rawjson.Scanner) (rawjson.Text, bool) {
	if s.Peek() != '"' {
		return rawjson.Text{}, false
	}
	return s.String()
}

func (b *blockFields) part(body []byte, raw rawjson.Span) plimsoll.Part {
	switch {
	case (b.kind == "text" || b.kind == "input_text" || b.kind == "output_text") && b.isText:
		return wire.TextPart(body, b.text)
	case b.media && b.kind == "image_url":
		return b.image(body)
	case b.media && b.kind == "input_audio":
		return wire.MediaPart(body, plimsoll.Media{Kind: plimsoll.Audio, MIME: "audio/" + b.format}, b.data.Span)
	case b.media && b.kind == "file":
		return wire.MediaPart(body, plimsoll.Media{Kind: plimsoll.Document, URL: b.url.Decode(body)}, b.data.Span)
	default:
		return wire.OpaquePart(body, b.kind, raw)
	}
}

func (b *blockFields) image(body []byte) plimsoll.Part {
	m := plimsoll.Media{Kind: plimsoll.Image, Detail: b.detail}
	if strings.HasPrefix(string(b.url.Raw(body)[:min(5, len(b.url.Raw(body)))]), "data:") {
		return wire.MediaPart(body, m, b.url.Span)
	}
	if !b.url.IsZero() {
		m.URL = b.url.Decode(body)
	}
	return wire.MediaPart(body, m, rawjson.Span{})
}
