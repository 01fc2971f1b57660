package gemini

import (
	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/rawjson"
	"github.com/plimsoll/plimsoll/wire"
)

// tools reads the list of tools: each has function declarations, or is one of
// Google's own.
func (d *decoder) tools() {
	id := wire.NewIdentity()
	d.layout.Tools = nil
	d.writer.declarations = repeated{}
	d.writer.tools = d.repeated(func(int) { d.tool(id) })
	d.layout.ToolsIdentity = sum(id, len(d.layout.Tools))
}

func (d *decoder) tool(id wire.Identity) {
	s, body := d.scanner, d.layout.Body
	if s.Peek() != '{' {
		s.Value()
		return
	}
	for key, at := range s.Members() {
		if camel(key) == "functionDeclarations" {
			d.declarations(id)
			continue
		}
		if d.unknown(id, string(key)) {
			continue
		}
		member := rawjson.Span{Start: at.Start, End: s.Offset()}
		d.layout.Tools = append(d.layout.Tools, plimsoll.Tool{Opaque: "{" + string(member.Of(body)) + "}"})
	}
}

// declarations reads functions; more of them are added to the first list.
func (d *decoder) declarations(id wire.Identity) {
	list := d.repeated(func(int) {
		d.layout.Tools = append(d.layout.Tools, d.declaration(id))
	})
	if d.writer.declarations.IsZero() {
		d.writer.declarations = list
	}
}

func (d *decoder) declaration(id wire.Identity) plimsoll.Tool {
	s, body := d.scanner, d.layout.Body
	var t plimsoll.Tool
	if s.Peek() != '{' {
		t.Opaque = string(s.Value().Of(body))
		return t
	}
	id.Field("function", nil)
	for key := range s.Members() {
		switch name := camel(key); name {
		case "name":
			t.Name = d.named(id, name)
		case "description":
			t.Description = d.named(id, name)
		case "parameters", "parametersJsonSchema":
			v := s.Value()
			if d.null(v) {
				continue
			}
			t.Schema = string(v.Of(body))
			id.Field(name, v.Of(body))
		default:
			d.unknown(id, name)
		}
	}
	return t
}
