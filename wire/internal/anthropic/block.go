package anthropic

import (
	"strings"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/rawjson"
	"github.com/plimsoll/plimsoll/wire/internal/build"
	"github.com/plimsoll/plimsoll/wire/internal/layout"
)

// blockKind sorts blocks by what the API's rules ask of them.
type blockKind uint8

const (
	blockOther blockKind = iota
	blockText
	blockMedia
	blockCall
	blockResult
	blockThinking
	// The calls and results of tools that run on the provider's side stand in
	// the assistant's message.
	blockServerCall
	blockServerResult
)

// flaw is something in a block that the API refuses.
type flaw uint8

const (
	flawNone flaw = iota
	flawEmpty
	flawBlank // nothing but white space
	flawEmptyError
	flawEmptyInside
	flawInput
	flawType
)

// trait is what the writer keeps of a block.
type trait struct {
	kind blockKind
	flaw flaw
	// span is where the block stands, or zero for a bare string. ContentValue is where the
	// content of a result stands; one without content would have it behind its last member.
	span, contentValue rawjson.Span
}

// block is one element of a content, with the members that are understood. Its
// type may follow its content, so they are gathered first.
type block struct {
	trait
	part plimsoll.Part

	typ                       string
	text                      rawjson.Text
	isText                    bool
	thinking, signature, data rawjson.Text
	id, name, callID          string
	input                     rawjson.Text
	content                   []plimsoll.Part
	emptyInside               bool
	isError                   bool
	source                    source
}

// source says where a picture or document comes from.
type source struct {
	typ, mime string
	data      rawjson.Text
	url       string
}

// block reads one block.
func (d *decoder) block(id layout.Identity) block {
	s, body := d.scanner, d.scanner.Body
	var b block
	kind := s.Peek()
	begin := s.Offset()
	if kind != '{' {
		v := s.Value()
		id.Field("block", v.Of(body))
		b.part, b.flaw = s.OpaquePart("", v), flawType
		return b
	}
	end := begin // of the last member
	for key := range s.Members() {
		d.blockMember(&b, id, key)
		end = s.Offset()
	}
	if b.contentValue.IsZero() {
		b.contentValue = rawjson.Span{Start: end, End: end}
	}
	b.span = s.Since(begin)
	if d.inner && b.typ != "text" && b.typ != "image" && b.typ != "document" {
		b.opaque(s)
		return b
	}
	b.finish(s)
	return b
}

func (d *decoder) blockMember(b *block, id layout.Identity, key []byte) {
	s, body := d.scanner, d.scanner.Body
	switch string(key) {
	case "type":
		// A text is known by its text, so that a bare string is the same.
		if b.typ = s.Text(); b.typ != "text" {
			id.Field("type", []byte(b.typ))
		}
	case "text":
		if t, ok := s.String(); ok {
			b.text, b.isText = t, true
			id.Field("text", t.Raw(body))
		}
	case "thinking":
		b.thinking = d.verbatim(id, "thinking")
	case "signature":
		b.signature = d.verbatim(id, "signature")
	case "data":
		b.data = d.verbatim(id, "data")
	case "id":
		b.id = s.Text()
		id.Field("id", []byte(b.id))
	case "name":
		b.name = s.Text()
		id.Field("name", []byte(b.name))
	case "tool_use_id":
		b.callID = s.Text()
		id.Field("tool_use_id", []byte(b.callID))
	case "input":
		b.input = d.verbatim(id, "input")
	case "is_error":
		if b.isError, _ = s.Bool(); b.isError {
			id.Field("is_error", nil)
		}
	case "source":
		d.source(b, id)
	case "content":
		d.blockContent(b, id)
	case "cache_control":
		d.mark()
	default:
		d.other(id, key)
	}
}

// verbatim reads any value and adds it to an identity.
func (d *decoder) verbatim(id layout.Identity, name string) rawjson.Text {
	v := d.scanner.Verbatim()
	id.Field(name, v.Of(d.scanner.Body))
	return v
}

// source reads where media comes from: base64, a URL or a file.
func (d *decoder) source(b *block, id layout.Identity) {
	s := d.scanner
	kind := s.Peek()
	begin := s.Offset()
	b.source = source{}
	if kind != '{' {
		s.Value()
	}
	if kind == '{' {
		for key := range s.Members() {
			switch string(key) {
			case "type":
				b.source.typ = s.Text()
			case "media_type":
				b.source.mime = s.Text()
			case "data":
				b.source.data = s.Verbatim()
			case "url", "file_id":
				b.source.url = s.Text()
			}
		}
	}
	id.Field("source", s.Since(begin).Of(d.scanner.Body))
}

// blockContent reads the content of a tool result: a string or a list of blocks.
// That of anything else is skipped, if the type is known by now.
func (d *decoder) blockContent(b *block, id layout.Identity) {
	s, body := d.scanner, d.scanner.Body
	kind := s.Peek()
	begin := s.Offset()
	b.content, b.emptyInside = nil, false
	switch {
	case d.inner || b.typ != "" && b.typ != "tool_result":
		id.Field("content", s.Value().Of(body))
	case kind == '"':
		t, _ := s.String()
		id.Field("text", t.Raw(body))
		d.inside = append(d.inside[:0], s.TextPart(t))
		b.content = d.inside
	case kind == '[':
		d.inner, d.inside = true, d.inside[:0]
		for range s.Elements() {
			nested := d.block(id)
			d.inside = append(d.inside, nested.part)
			b.emptyInside = b.emptyInside || nested.kind == blockText && nested.text.Len() == 2
		}
		d.inner, b.content = false, d.inside
	default:
		d.other(id, []byte("content"))
	}
	b.contentValue = s.Since(begin)
	id.Field("end", nil)
}

// finish makes the part out of the members.
func (b *block) finish(s *build.Scanner) {
	switch {
	case b.typ == "text" && b.isText:
		b.kind, b.flaw = blockText, flawOfText(s.Body, b.text)
		b.part = s.TextPart(b.text)
	case b.typ == "thinking":
		b.kind = blockThinking
		b.part = s.ReasoningPart(b.thinking, b.signature, false)
	case b.typ == "redacted_thinking":
		b.kind = blockThinking
		b.part = s.ReasoningPart(rawjson.Text{}, b.data, true)
	case b.typ == "tool_use":
		b.call(s)
	case b.typ == "tool_result":
		b.result(s)
	case b.typ == "image" && b.source.known():
		b.media(s, plimsoll.Image)
	case b.typ == "document" && b.source.known():
		b.media(s, plimsoll.Document)
	default:
		b.opaque(s)
	}
}

func (b *block) call(s *build.Scanner) {
	b.kind = blockCall
	if b.input.IsZero() || s.Body[b.input.Start] != '{' {
		b.flaw = flawInput
	}
	b.part = s.CallPart(plimsoll.ToolCall{ID: b.id, Name: b.name}, b.input)
}

func (b *block) result(s *build.Scanner) {
	b.kind = blockResult
	switch {
	case b.emptyInside:
		b.flaw = flawEmptyInside
	case b.isError && (len(b.content) == 0 || b.contentValue.Len() == 2):
		b.flaw = flawEmptyError
	}
	b.part = s.ResultPart(plimsoll.ToolResult{CallID: b.callID, Content: plimsoll.ListOf(b.content...), IsError: b.isError})
}

// known reports a source that is not text itself: text is weighed as it stands.
func (s source) known() bool {
	return s.typ == "base64" || s.typ == "url" || s.typ == "file"
}

func (b *block) media(s *build.Scanner, kind plimsoll.MediaKind) {
	b.kind = blockMedia
	b.part = s.MediaPart(plimsoll.Media{Kind: kind, MIME: b.source.mime, URL: b.source.url}, b.source.data)
}

func (b *block) opaque(s *build.Scanner) {
	switch {
	case b.typ == "":
		b.flaw = flawType
	case b.typ == "server_tool_use" || b.typ == "mcp_tool_use":
		b.kind = blockServerCall
	case strings.HasSuffix(b.typ, "_tool_result"):
		b.kind = blockServerResult
	}
	b.part = s.OpaquePart(b.typ, b.span)
}

// place says where a block stands. A bare string and one half of a server tool cannot be
// removed alone.
func (t trait) place(index int) layout.Place {
	switch {
	case t.span.IsZero(), t.kind == blockServerCall, t.kind == blockServerResult:
		return layout.Fixed()
	case t.kind == blockResult:
		return layout.Place{Index: index, Content: t.contentValue}
	}
	return layout.Place{Index: index}
}

func flawOfText(body []byte, t rawjson.Text) flaw {
	switch raw := t.Raw(body); {
	case len(raw) == 0:
		return flawEmpty
	case build.IsBlank(raw):
		return flawBlank
	}
	return flawNone
}
