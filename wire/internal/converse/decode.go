package converse

import (
	"fmt"
	"slices"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/rawjson"
	"github.com/plimsoll/plimsoll/wire"
	"github.com/plimsoll/plimsoll/wire/internal/build"
	"github.com/plimsoll/plimsoll/wire/internal/layout"
)

// decoder fills a layout in one pass over the body.
type decoder struct {
	*build.Scanner
	layout *layout.Layout
	writer *writer
	seen   bool // a messages list was found
	blank  bool // the text that was read has nothing but white space
	// locates says that the places of blocks are wanted, inner that the blocks are those of
	// a result.
	locates, inner bool
	// parts are those of the content that is being read, and inside those of the result in
	// it.
	parts, inside []plimsoll.Part
}

func (d *decoder) member(key string) error {
	switch key {
	case "messages":
		if d.Peek() != '[' {
			return d.Wrong("messages", "a list")
		}
		d.seen, d.writer.flaws = true, nil
		return build.ReadMessages(d.Scanner, d.layout, "messages", "a message object", d.message)
	case "system":
		return d.system()
	case "toolConfig":
		return d.toolConfig()
	case "model": // of the path
		d.layout.Model = d.Text()
	case "inferenceConfig":
		d.layout.MaxOutput = max(0, rawjson.MemberInt(d.Value().Of(d.Body), "maxTokens"))
	case "additionalModelRequestFields":
		d.layout.Thinking = rawjson.MemberText(rawjson.Member(d.Value().Of(d.Body), "thinking"), "type")
	case "outputConfig":
		format := rawjson.Member(d.Value().Of(d.Body), "textFormat")
		schema := rawjson.Member(rawjson.Member(format, "structure"), "jsonSchema")
		d.layout.Output = plimsoll.Tool{
			Name: rawjson.MemberText(schema, "name"), Description: rawjson.MemberText(schema, "description"), Schema: rawjson.MemberText(schema, "schema"),
		}
	default:
		d.Value()
	}
	return nil
}

// system reads a list of blocks.
func (d *decoder) system() error {
	kind, start := d.Peek(), d.Offset()
	d.layout.System, d.layout.SystemIdentity = nil, plimsoll.Digest{}
	switch kind {
	case '[':
		id := layout.NewIdentity()
		d.locates = true
		c := d.content(id)
		d.locates = false
		d.layout.System, d.writer.system.List = slices.Clone(c.parts), c.List
		if sum := id.Sum(); len(c.parts) > 0 {
			d.layout.SystemIdentity = sum
		}
	case 'n':
		d.Value()
		d.writer.system.List = rawjson.List{}
	default:
		return d.Wrong("system", "a list of blocks")
	}
	d.writer.system.span = d.Since(start)
	return nil
}

// toolConfig reads the tools, and whether the model must call one.
func (d *decoder) toolConfig() error {
	var list build.ToolList
	kind, start := d.Peek(), d.Offset()
	d.layout.Choice = ""
	if kind != '{' {
		d.Value()
		if kind != 'n' {
			return d.Wrong("toolConfig", "an object")
		}
	} else {
		for key := range d.Members() {
			switch {
			case string(key) == "tools" && d.Peek() == '[':
				list = build.ReadTools(d.Scanner, d.tool)
			case string(key) == "toolChoice":
				d.layout.Choice = choice(d.Value().Of(d.Body))
			default:
				d.Value()
			}
		}
	}
	tools := slices.DeleteFunc(list.Tools.Slice(), func(t plimsoll.Tool) bool {
		return t.Opaque != "" && rawjson.Member(rawjson.Bytes(t.Opaque), cachePoint) != nil
	})
	d.layout.Tools, d.layout.ToolsIdentity = plimsoll.ListOf(tools...), list.Identity
	d.writer.tools = value{d.Since(start), list.List}
	return nil
}

func choice(raw []byte) string {
	switch {
	case rawjson.Member(raw, "tool") != nil:
		return rawjson.MemberText(rawjson.Member(raw, "tool"), "name")
	case rawjson.Member(raw, "any") != nil:
		return "required"
	case rawjson.Member(raw, "auto") != nil:
		return "auto"
	}
	return ""
}

// tool reads a declaration. Those of the provider's own tools are no functions.
func (d *decoder) tool(_ int, id layout.Identity) (t plimsoll.Tool, function bool) {
	raw := d.Value().Of(d.Body)
	if rawjson.IsObject(raw) && rawjson.Member(raw, cachePoint) != nil {
		return t, false
	}
	id.Field("tool", raw)
	spec := rawjson.Member(raw, "toolSpec")
	if !rawjson.IsObject(spec) {
		return t, false
	}
	t = plimsoll.Tool{
		Name: rawjson.MemberText(spec, "name"), Description: rawjson.MemberText(spec, "description"),
		Schema: rawjson.View(rawjson.Member(rawjson.Member(spec, "inputSchema"), "json")),
	}
	return t, t.Name != ""
}

// message reads element i of the messages.
func (d *decoder) message(i int) (m plimsoll.Message, identity plimsoll.Digest, err error) {
	begin := d.Offset()
	c := content{flaw: flawEmpty}
	id := layout.NewIdentity()
	for key := range d.Members() {
		switch {
		case string(key) == "role":
			m.Role = plimsoll.Role(d.Text())
			id.Field("role", []byte(m.Role))
		case string(key) == "content" && d.Peek() == '[':
			c = d.content(id)
		case string(key) == "content" && d.Peek() != 'n':
			err = d.Wrong(fmt.Sprintf("messages[%d].content", i), "a list of blocks")
			d.Value()
		default:
			d.Value()
		}
	}
	identity = id.Sum()
	switch {
	case d.Err() != nil:
		err = d.Broken()
	case err == nil && m.Role == "":
		err = &wire.DecodeError{Dialect: plimsoll.Converse, Offset: begin, Path: fmt.Sprintf("messages[%d].role", i), Expected: "a role"}
	}
	m.Parts = plimsoll.ListOf(c.parts...)
	d.writer.flaws = append(d.writer.flaws, c.flaw)
	return m, identity, err
}

// locate reads the content of a message again.
func locate(body []byte, at rawjson.Span) (c content) {
	d := &decoder{Scanner: build.NewScannerAt(plimsoll.Converse, body, at), locates: true}
	id := layout.NewIdentity()
	for key := range d.Members() {
		if string(key) == "content" && d.Peek() == '[' {
			c = d.content(id)
		}
	}
	id.Sum()
	return c
}
