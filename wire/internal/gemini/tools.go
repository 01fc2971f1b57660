package gemini

import (
	"strings"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/rawjson"
	"github.com/plimsoll/plimsoll/wire/internal/layout"
)

// tools reads the list of tools: each has function declarations, or is one of
// Google's own.
func (d *decoder) tools() {
	id := layout.NewIdentity()
	d.declared = nil
	d.writer.declarations = repeated{}
	d.writer.tools = d.repeated(nil, func(int) { d.tool(id) })
	d.layout.Tools = plimsoll.ListOf(d.declared...)
	d.layout.ToolsIdentity = sum(id, d.layout.Tools.Len())
}

func (d *decoder) tool(id layout.Identity) {
	s := d.scanner
	if s.Peek() != '{' {
		s.Value()
		return
	}
	for key, at := range s.Members() {
		if camel(rawjson.View(key)) == "functionDeclarations" {
			d.declarations(id)
			continue
		}
		if d.unknown(id, rawjson.View(key)) {
			continue
		}
		member := s.Since(at.Start)
		d.declare(plimsoll.Tool{Opaque: "{" + member.View(s.Body) + "}"})
	}
}

// declare adds a tool.
func (d *decoder) declare(t plimsoll.Tool) {
	d.declared = append(d.declared, t)
	d.scanner.CountTools(len(d.declared))
}

// declarations reads functions; more of them are added to the first list.
func (d *decoder) declarations(id layout.Identity) {
	list := d.repeated(nil, func(int) { d.declare(d.declaration(id)) })
	if d.writer.declarations.IsZero() {
		d.writer.declarations = list
	}
}

func (d *decoder) declaration(id layout.Identity) plimsoll.Tool {
	s := d.scanner
	var t plimsoll.Tool
	if s.Peek() != '{' {
		t.Opaque = s.Value().View(s.Body)
		return t
	}
	id.Field("function", nil)
	for key := range s.Members() {
		switch name := camel(rawjson.View(key)); name {
		case "name":
			t.Name = d.named(id, name)
		case "description":
			t.Description = d.named(id, name)
		case "parameters", "parametersJsonSchema", "response", "responseJsonSchema":
			v := s.Value()
			if s.IsNull(v) {
				continue
			}
			if strings.HasPrefix(name, "parameters") {
				t.Schema = v.View(s.Body)
			} else {
				t.Result = v.View(s.Body)
			}
			id.Field(name, v.Of(s.Body))
		default:
			d.unknown(id, name)
		}
	}
	return t
}
