package openai

import (
	"bytes"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/rawjson"
	"github.com/plimsoll/plimsoll/wire/internal/build"
	"github.com/plimsoll/plimsoll/wire/internal/layout"
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

// block reads one part of a content list. Its kind may follow its content,
// so the members are gathered first.
func (d *decoder) block(id layout.Identity) plimsoll.Part {
	s, body := d.scanner, d.scanner.Body
	begin := s.Offset()
	if s.Peek() == '"' {
		t, _ := s.String()
		id.Field("text", t.Raw(body))
		return s.TextPart(t)
	}
	if s.Peek() != '{' {
		v := s.Value()
		id.Field("part", v.Of(body))
		return s.OpaquePart("", v)
	}
	var b blockFields
	for key := range s.Members() {
		d.blockMember(&b, id, rawjson.View(key))
	}
	return b.part(s, s.Since(begin))
}

func (d *decoder) blockMember(b *blockFields, id layout.Identity, key string) {
	s, body := d.scanner, d.scanner.Body
	switch key {
	case "type":
		b.kind = d.scanner.Text()
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
		id.Field(key, s.Since(begin).Of(body))
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
			b.detail = d.scanner.Text()
		case "data", "file_data":
			b.data, _ = s.String()
		case "format":
			b.format = d.scanner.Text()
		default:
			s.Value()
		}
	}
}

func peekString(s *build.Scanner) (rawjson.Text, bool) {
	if s.Peek() != '"' {
		return rawjson.Text{}, false
	}
	return s.String()
}

func (b *blockFields) part(s *build.Scanner, raw rawjson.Span) plimsoll.Part {
	switch {
	case (b.kind == "text" || b.kind == "input_text" || b.kind == "output_text") && b.isText:
		return s.TextPart(b.text)
	case b.media && b.kind == "image_url":
		return b.image(s)
	case b.media && b.kind == "input_audio":
		return s.MediaPart(plimsoll.Media{Kind: plimsoll.Audio, MIME: "audio/" + b.format}, b.data)
	case b.media && b.kind == "file":
		return s.MediaPart(plimsoll.Media{Kind: plimsoll.Document, URL: s.Decode(b.url)}, b.data)
	default:
		return s.OpaquePart(b.kind, raw)
	}
}

func (b *blockFields) image(s *build.Scanner) plimsoll.Part {
	m := plimsoll.Media{Kind: plimsoll.Image, Detail: b.detail}
	if bytes.HasPrefix(b.url.Raw(s.Body), []byte("data:")) {
		return s.MediaPart(m, b.url)
	}
	m.URL = s.Decode(b.url)
	return s.MediaPart(m, rawjson.Text{})
}
