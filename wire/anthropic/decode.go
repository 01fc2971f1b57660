package anthropic

import (
	"bytes"
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
	// marks are the cache marks of the value that is being read, and at is the
	// block that the next one belongs to.
	marks []mark
	at    plimsoll.PartRef
	// inner says that the block is inside a tool result.
	inner bool
	// parts are those of the content that is being read.
	parts []plimsoll.Part
	seen  bool // a messages list was found
}

func (d *decoder) request() error {
	err := wire.ReadRoot(plimsoll.Anthropic, d.scanner, d.layout, func(key []byte) error { return d.member(string(key)) })
	if err == nil && !d.seen {
		return d.wrong("messages", "a list of messages")
	}
	return err
}

func (d *decoder) member(key string) error {
	s := d.scanner
	switch key {
	case "model":
		d.layout.Model = d.text()
	case "stream":
		d.layout.Stream, _ = s.Bool()
	case "max_tokens":
		if n, ok := s.Int(); ok {
			d.layout.MaxOutput = n
		}
	case "thinking":
		d.writer.thinking = d.kindOf()
	case "cache_control":
		d.marks, d.at = nil, plimsoll.PartRef{Message: -1, Part: -1}
		d.mark()
		d.writer.marks.request = d.marks
	case "system":
		return d.system()
	case "messages":
		return d.messages()
	case "tools":
		return d.tools()
	default:
		s.Value()
	}
	return nil
}

// kindOf reads an object and returns its type.
func (d *decoder) kindOf() string {
	kind := ""
	if d.scanner.Peek() != '{' {
		d.scanner.Value()
		return kind
	}
	for key := range d.scanner.Members() {
		if string(key) == "type" {
			kind = d.text()
		}
	}
	return kind
}

// billing begins a block by which Claude Code accounts for a request. It holds a
// checksum of the body, so it differs every time and says nothing to the model.
const billing = "x-anthropic-billing-header:"

// system reads a string or a list of text blocks.
func (d *decoder) system() error {
	s := d.scanner
	kind := s.Peek()
	start := s.Offset()
	d.layout.System, d.layout.SystemIdentity = nil, plimsoll.Digest{}
	d.marks, d.at = nil, plimsoll.PartRef{Message: -1}
	list := rawjson.List{}
	id := wire.NewIdentity()
	switch kind {
	case '"':
		d.systemText(id)
	case '[':
		for i := range s.Elements() {
			d.at.Part = i
			list.Items = append(list.Items, d.systemBlock(id))
		}
		list.Span = rawjson.Span{Start: start, End: s.Offset()}
	case 'n':
		s.Value()
	default:
		id.Sum()
		return d.wrong("system", "a string or a list of text blocks")
	}
	sum := id.Sum()
	if len(d.layout.System) > 0 {
		d.layout.SystemIdentity = sum
	}
	d.writer.system = value{rawjson.Span{Start: start, End: s.Offset()}, list}
	d.writer.marks.system = d.marks
	return nil
}

func (d *decoder) systemBlock(id wire.Identity) rawjson.Span {
	begin := d.scanner.Offset()
	own := wire.NewIdentity()
	b := d.block(own)
	sum := own.Sum()
	if b.kind != blockText || !bytes.HasPrefix(b.text.Raw(d.layout.Body), []byte(billing)) {
		id.Field("block", sum[:])
	}
	d.layout.System = append(d.layout.System, b.part)
	return rawjson.Span{Start: begin, End: d.scanner.Offset()}
}

// systemText is a bare string, which says the same as a list of one text.
func (d *decoder) systemText(id wire.Identity) {
	t, _ := d.scanner.String()
	own := wire.NewIdentity()
	own.Field("text", t.Raw(d.layout.Body))
	sum := own.Sum()
	id.Field("block", sum[:])
	d.layout.System = []plimsoll.Part{wire.TextPart(d.layout.Body, t)}
}

func (d *decoder) messages() error {
	s := d.scanner
	if s.Peek() != '[' {
		return d.wrong("messages", "a list")
	}
	d.seen = true
	d.layout.Items, d.writer.turns = nil, nil
	d.marks = nil
	start := s.Offset()
	var items []rawjson.Span
	var failed *wire.DecodeError
	for i := range s.Elements() {
		span, err := d.message(i)
		if err != nil {
			failed = err
			failed.Path = fmt.Sprintf("messages[%d]%s", i, failed.Path)
			break
		}
		items = append(items, span)
	}
	d.layout.Messages = rawjson.List{Span: rawjson.Span{Start: start, End: s.Offset()}, Items: items}
	d.writer.marks.messages = d.marks
	if failed != nil {
		return failed
	}
	return nil
}

func (d *decoder) tools() error {
	s, body := d.scanner, d.layout.Body
	kind := s.Peek()
	start := s.Offset()
	d.layout.Tools, d.layout.ToolsIdentity = nil, plimsoll.Digest{}
	d.marks, d.at = nil, plimsoll.PartRef{Message: -1}
	list := rawjson.List{}
	switch kind {
	case '[':
		id := wire.NewIdentity()
		for i := range s.Elements() {
			d.at.Part = i
			begin := s.Offset()
			tool, plain := d.tool(id)
			span := rawjson.Span{Start: begin, End: s.Offset()}
			if !plain {
				tool = plimsoll.Tool{Name: tool.Name, Opaque: string(span.Of(body))}
			}
			list.Items = append(list.Items, span)
			d.layout.Tools = append(d.layout.Tools, tool)
		}
		d.layout.ToolsIdentity = id.Sum()
		list.Span = rawjson.Span{Start: start, End: s.Offset()}
	case 'n':
		s.Value()
	default:
		return d.wrong("tools", "a list of tools")
	}
	d.writer.tools = value{rawjson.Span{Start: start, End: s.Offset()}, list}
	d.writer.marks.tools = d.marks
	return nil
}

// tool reads a declaration. It is plain if it is the client's own and not one of
// the provider's tools, which are known by their type.
func (d *decoder) tool(id wire.Identity) (t plimsoll.Tool, plain bool) {
	s, body := d.scanner, d.layout.Body
	if s.Peek() != '{' {
		id.Field("tool", s.Value().Of(body))
		return t, false
	}
	kind := "custom"
	for key := range s.Members() {
		switch string(key) {
		case "type":
			kind = d.text()
			id.Field("type", []byte(kind))
		case "name":
			t.Name = d.text()
			id.Field("name", []byte(t.Name))
		case "description":
			t.Description = d.text()
			id.Field("description", []byte(t.Description))
		case "input_schema":
			v := s.Value()
			t.Schema = string(v.Of(body))
			id.Field("input_schema", v.Of(body))
		case "cache_control":
			d.mark()
		default:
			d.other(id, key)
		}
	}
	id.Field("end", nil)
	return t, t.Name != "" && (kind == "custom" || kind == "")
}

// other adds a member that is not understood to an identity; null is as good as
// none.
func (d *decoder) other(id wire.Identity, key []byte) {
	name := string(key)
	if v := d.scanner.Value().Of(d.layout.Body); string(v) != "null" {
		id.Field(name, v)
	}
}

// text reads a string, or skips anything else.
func (d *decoder) text() string {
	t, ok := d.scanner.String()
	if !ok {
		return ""
	}
	return t.Decode(d.layout.Body)
}

func (d *decoder) wrong(path, expected string) *wire.DecodeError {
	return wire.Unexpected(plimsoll.Anthropic, d.scanner, path, expected)
}
