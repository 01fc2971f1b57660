package anthropic

import (
	"bytes"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/rawjson"
	"github.com/plimsoll/plimsoll/wire/internal/build"
	"github.com/plimsoll/plimsoll/wire/internal/layout"
)

// decoder fills a layout in one pass over the body.
type decoder struct {
	scanner *build.Scanner
	layout  *layout.Layout
	writer  *writer
	// marks are the cache marks of the value that is being read, and at is the
	// block that the next one belongs to.
	marks []mark
	at    plimsoll.PartRef
	// inner says that the block is inside a tool result.
	inner bool
	// parts are those of the message that is being read, and inside those of the result
	// in it.
	parts, inside []plimsoll.Part
	seen          bool // a messages list was found
}

func (d *decoder) request() error {
	err := build.ReadRoot(d.scanner, d.layout, d.member)
	if err == nil && !d.seen {
		return d.scanner.Wrong("messages", "a list of messages")
	}
	return err
}

func (d *decoder) member(key string) error {
	s := d.scanner
	switch key {
	case "model":
		d.layout.Model = d.scanner.Text()
	case "stream":
		d.layout.Stream, _ = s.Bool()
	case "max_tokens":
		if n, ok := s.Int(); ok {
			d.layout.MaxOutput = n
		}
	case "thinking":
		d.writer.thinking = d.kindOf()
		d.layout.Thinking = d.writer.thinking
	case "tool_choice":
		d.layout.Choice = s.Choice()
	case "output_format":
		d.layout.Output = build.Output(s.Value().Of(s.Body))
	case "output_config":
		if format := rawjson.Member(s.Value().Of(s.Body), "format"); format != nil {
			d.layout.Output = build.Output(format)
		}
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
			kind = d.scanner.Text()
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
	id := layout.NewIdentity()
	switch kind {
	case '"':
		d.systemText(id)
	case '[':
		for i := range s.Elements() {
			d.at.Part = i
			list.Items = append(list.Items, d.systemBlock(id))
		}
		list.Span = s.Since(start)
	case 'n':
		s.Value()
	default:
		id.Sum()
		return s.Wrong("system", "a string or a list of text blocks")
	}
	sum := id.Sum()
	if len(d.layout.System) > 0 {
		d.layout.SystemIdentity = sum
	}
	d.writer.system = value{s.Since(start), list}
	d.writer.marks.system = d.marks
	return nil
}

func (d *decoder) systemBlock(id layout.Identity) rawjson.Span {
	begin := d.scanner.Offset()
	own := layout.NewIdentity()
	b := d.block(own)
	sum := own.Sum()
	if b.kind != blockText || !bytes.HasPrefix(b.text.Raw(d.scanner.Body), []byte(billing)) {
		id.Field("block", sum[:])
	}
	d.layout.System = append(d.layout.System, b.part)
	return d.scanner.Since(begin)
}

// systemText is a bare string, which says the same as a list of one text.
func (d *decoder) systemText(id layout.Identity) {
	t, _ := d.scanner.String()
	own := layout.NewIdentity()
	own.Field("text", t.Raw(d.scanner.Body))
	sum := own.Sum()
	id.Field("block", sum[:])
	d.layout.System = []plimsoll.Part{d.scanner.TextPart(t)}
}

func (d *decoder) messages() error {
	s := d.scanner
	if s.Peek() != '[' {
		return s.Wrong("messages", "a list")
	}
	d.seen = true
	d.marks, d.writer.turns, d.writer.traits = nil, nil, nil
	err := build.ReadMessages(s, d.layout, "messages", "a message object", d.message)
	d.writer.marks.messages = d.marks
	return err
}

func (d *decoder) tools() error {
	s := d.scanner
	kind := s.Peek()
	start := s.Offset()
	d.marks, d.at = nil, plimsoll.PartRef{Message: -1}
	var list build.ToolList
	switch kind {
	case '[':
		list = build.ReadTools(s, func(i int, id layout.Identity) (plimsoll.Tool, bool) {
			d.at.Part = i
			return d.tool(id)
		})
	case 'n':
		s.Value()
	default:
		return s.Wrong("tools", "a list of tools")
	}
	d.layout.Tools, d.layout.ToolsIdentity = list.Tools, list.Identity
	d.writer.tools = value{s.Since(start), list.List}
	d.writer.marks.tools = d.marks
	return nil
}

// tool reads a declaration. It is plain if it is the client's own and not one of
// the provider's tools, which are known by their type.
func (d *decoder) tool(id layout.Identity) (t plimsoll.Tool, plain bool) {
	s, body := d.scanner, d.scanner.Body
	if s.Peek() != '{' {
		id.Field("tool", s.Value().Of(body))
		return t, false
	}
	kind := "custom"
	for key := range s.Members() {
		switch string(key) {
		case "type":
			kind = d.scanner.Text()
			id.Field("type", []byte(kind))
		case "name":
			t.Name = d.scanner.Text()
			id.Field("name", []byte(t.Name))
		case "description":
			t.Description = d.scanner.Text()
			id.Field("description", []byte(t.Description))
		case "input_schema":
			v := s.Value()
			t.Schema = v.View(body)
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
func (d *decoder) other(id layout.Identity, key []byte) {
	if v := d.scanner.Value(); !d.scanner.IsNull(v) {
		id.Field(rawjson.View(key), v.Of(d.scanner.Body))
	}
}
