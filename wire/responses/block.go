package responses

import (
	"bytes"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/rawjson"
	"github.com/plimsoll/plimsoll/wire"
)

// blocks are the parts of one content and where they stand.
type blocks struct {
	parts  []plimsoll.Part
	places []wire.Place
	list   rawjson.List
	// texts of all parts that have one, for reasoning.
	texts []rawjson.Text
	// said and heard are the first kinds of part that only an assistant, and only
	// anybody else, may use.
	said, heard string
}

func (b *blocks) add(p block, body []byte, raw rawjson.Span, at wire.Place) {
	b.parts = append(b.parts, p.part(body, raw))
	b.places = append(b.places, at)
	if p.isText {
		b.texts = append(b.texts, p.text)
	}
	switch p.kind {
	case "output_text", "refusal":
		b.said = p.kind
	case "input_text", "input_image", "input_file", "input_audio":
		b.heard = p.kind
	}
}

// foreign returns a kind of part that the role may not use, or "".
func (b *blocks) foreign(role string) string {
	if role == string(plimsoll.Assistant) {
		return b.heard
	}
	return b.said
}

// block holds the members of a part that are understood.
type block struct {
	kind   string
	text   rawjson.Text
	isText bool
	// url is where media is, or a data URL; file is its id on the server.
	url, file rawjson.Text
	data      rawjson.Text
	detail    string
	format    string
	// stdout and stderr of a shell.
	stdout, stderr rawjson.Text
	isChunk        bool
}

// block reads one part of a content list. Its kind may stand behind its content,
// so the members are gathered first.
func (d *decoder) block(id wire.Identity) block {
	s, body := d.scanner, d.layout.Body
	var b block
	for key := range s.Members() {
		name := string(key)
		start := s.Offset()
		d.blockMember(&b, name)
		switch {
		case name == "type" && isTextKind(b.kind):
		case (name == "text" || name == "refusal") && b.isText:
			id.Field("text", b.text.Raw(body))
		default:
			d.hash(id, name, rawjson.Span{Start: start, End: s.Offset()})
		}
	}
	return b
}

func (d *decoder) blockMember(b *block, key string) {
	s := d.scanner
	switch key {
	case "type":
		b.kind = d.text()
	case "text", "refusal":
		b.text, b.isText = s.String()
	case "image_url", "file_url":
		d.address(b)
	case "file_id":
		b.file, _ = s.String()
	case "file_data", "data":
		b.data, _ = s.String()
	case "detail":
		b.detail = d.text()
	case "format":
		b.format = d.text()
	case "input_audio":
		for inner := range s.Members() {
			d.blockMember(b, string(inner))
		}
	case "stdout":
		b.stdout, _ = s.String()
		b.isChunk = true
	case "stderr":
		b.stderr, _ = s.String()
		b.isChunk = true
	default:
		s.Value()
	}
}

// address reads a URL, or the object around it that Chat Completions uses and
// some servers accept.
func (d *decoder) address(b *block) {
	if d.scanner.Peek() != '{' {
		b.url, _ = d.scanner.String()
		return
	}
	for key := range d.scanner.Members() {
		if string(key) == "url" {
			b.url, _ = d.scanner.String()
		}
	}
}

func isTextKind(kind string) bool {
	switch kind {
	case "input_text", "output_text", "text":
		return true
	}
	return false
}

// isBlockKind tells parts of a content from items.
func isBlockKind(kind string) bool {
	switch kind {
	case "refusal", "input_image", "input_file", "input_audio", "output_audio", "summary_text", "reasoning_text", "encrypted_content":
		return true
	}
	return isTextKind(kind)
}

func (b *block) part(body []byte, raw rawjson.Span) plimsoll.Part {
	switch b.kind {
	case "", "input_text", "output_text", "text", "refusal", "summary_text", "reasoning_text":
		if b.isText {
			return wire.TextPart(body, b.text)
		}
	case "input_image", "computer_screenshot":
		return b.media(body, plimsoll.Media{Kind: plimsoll.Image, Detail: b.detail})
	case "input_file":
		return b.media(body, plimsoll.Media{Kind: plimsoll.Document, Detail: b.detail})
	case "input_audio":
		return b.media(body, plimsoll.Media{Kind: plimsoll.Audio, MIME: "audio/" + b.format})
	}
	return wire.OpaquePart(body, b.kind, raw)
}

func (b *block) media(body []byte, m plimsoll.Media) plimsoll.Part {
	switch {
	case !b.data.IsZero():
		return wire.MediaPart(body, m, b.data.Span)
	case bytes.HasPrefix(b.url.Raw(body), []byte("data:")):
		return wire.MediaPart(body, m, b.url.Span)
	case !b.url.IsZero():
		m.URL = b.url.Decode(body)
	case !b.file.IsZero():
		m.URL = b.file.Decode(body)
	}
	return wire.MediaPart(body, m, rawjson.Span{})
}

// chunk returns what a shell printed; a stream that stayed empty is left out.
func (b *block) chunk(body []byte) []plimsoll.Part {
	var parts []plimsoll.Part
	for _, t := range []rawjson.Text{b.stdout, b.stderr} {
		if t.Len() > 2 {
			parts = append(parts, wire.TextPart(body, t))
		}
	}
	return parts
}
