package responses

import (
	"bytes"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/rawjson"
	"github.com/plimsoll/plimsoll/wire/internal/build"
	"github.com/plimsoll/plimsoll/wire/internal/layout"
)

// blocks are the parts of one content and, if the decoder is locating, where they
// stand.
type blocks struct {
	parts  []plimsoll.Part
	places []layout.Place
	list   rawjson.List
	// said and heard are kinds of part that only an assistant, and only anybody
	// else, may use.
	said, heard sided
}

// reset forgets a content and keeps the room that it took.
func (b *blocks) reset() {
	*b = blocks{parts: b.parts[:0], places: b.places[:0], list: rawjson.List{Items: b.list.Items[:0]}}
}

func (d *decoder) add(b *blocks, p block, raw rawjson.Span, at layout.Place) {
	b.parts = append(b.parts, p.part(d.scanner, raw))
	if d.locating {
		b.places = append(b.places, at)
	}
	switch kind := sidedOf(p.kind); {
	case kind >= inputText:
		b.heard = kind
	case kind > 0:
		b.said = kind
	}
}

// foreign returns a kind of part that the role may not use, or 0.
func (b *blocks) foreign(role string) sided {
	if role == string(plimsoll.Assistant) {
		return b.heard
	}
	return b.said
}

// sided is a kind of part that only one side of a conversation may use.
type sided uint8

const (
	outputText sided = iota + 1
	refusal
	inputText // and those behind it are not the assistant's
	inputImage
	inputFile
	inputAudio
)

func sidedOf(kind string) sided {
	for s := outputText; s <= inputAudio; s++ {
		if kind == s.String() {
			return s
		}
	}
	return 0
}

// String returns the API's name.
func (s sided) String() string {
	return [...]string{"", "output_text", "refusal", "input_text", "input_image", "input_file", "input_audio"}[s]
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

// block reads one part of a content list. Its kind may follow its content,
// so the members are gathered first.
func (d *decoder) block(id layout.Identity) block {
	s := d.scanner
	var b block
	for key := range s.Members() {
		name := rawjson.View(key)
		start := s.Offset()
		d.blockMember(&b, name)
		switch {
		case name == "type" && isTextKind(b.kind):
		case (name == "text" || name == "refusal") && b.isText:
			id.Field("text", b.text.Raw(s.Body))
		default:
			d.hash(id, name, s.Since(start))
		}
	}
	return b
}

func (d *decoder) blockMember(b *block, key string) {
	s := d.scanner
	switch key {
	case "type":
		b.kind = s.Text()
	case "text", "refusal":
		b.text, b.isText = s.String()
	case "image_url", "file_url":
		d.address(b)
	case "file_id":
		b.file, _ = s.String()
	case "file_data", "data":
		b.data, _ = s.String()
	case "detail":
		b.detail = s.Text()
	case "format":
		b.format = s.Text()
	case "input_audio":
		for inner := range s.Members() {
			d.blockMember(b, rawjson.View(inner))
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

func (b *block) part(s *build.Scanner, raw rawjson.Span) plimsoll.Part {
	switch b.kind {
	case "", "input_text", "output_text", "text", "refusal", "summary_text", "reasoning_text":
		if b.isText {
			return s.TextPart(b.text)
		}
	case "input_image", "computer_screenshot":
		return b.media(s, plimsoll.Media{Kind: plimsoll.Image, Detail: b.detail})
	case "input_file":
		return b.media(s, plimsoll.Media{Kind: plimsoll.Document, Detail: b.detail})
	case "input_audio":
		return b.media(s, plimsoll.Media{Kind: plimsoll.Audio, MIME: "audio/" + b.format})
	}
	return s.OpaquePart(b.kind, raw)
}

func (b *block) media(s *build.Scanner, m plimsoll.Media) plimsoll.Part {
	switch {
	case !b.data.IsZero():
		return s.MediaPart(m, b.data)
	case bytes.HasPrefix(b.url.Raw(s.Body), []byte("data:")):
		return s.MediaPart(m, b.url)
	case !b.url.IsZero():
		m.URL = s.Decode(b.url)
	case !b.file.IsZero():
		m.URL = s.Decode(b.file)
	}
	return s.MediaPart(m, rawjson.Text{})
}
