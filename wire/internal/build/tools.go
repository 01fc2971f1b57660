package build

import (
	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/rawjson"
	"github.com/plimsoll/plimsoll/wire/internal/layout"
)

// ToolList is a list of tools and where it stands. The zero ToolList is for a
// request that has none.
type ToolList struct {
	List     rawjson.List
	Tools    plimsoll.List[plimsoll.Tool]
	Identity plimsoll.Digest
}

// ReadTools reads the list of tools that the scanner stands at. Read reads one of
// them, adds it to the identity and reports whether it is a function of the client;
// any other tool is carried whole.
func ReadTools(s *Scanner, read func(i int, id layout.Identity) (t plimsoll.Tool, function bool)) ToolList {
	var l ToolList
	var tools []plimsoll.Tool
	l.List.Start = s.Offset()
	id := layout.NewIdentity()
	for i := range s.Elements() {
		s.Peek()
		begin := s.Offset()
		tool, function := read(i, id)
		span := s.Since(begin)
		if !function {
			tool = plimsoll.Tool{Name: tool.Name, Opaque: span.View(s.Body)}
		}
		l.List.Items = append(l.List.Items, span)
		tools = append(tools, tool)
		s.CountTools(len(tools))
	}
	l.List.End = s.Offset()
	l.Tools, l.Identity = plimsoll.ListOf(tools...), id.Sum()
	return l
}

// AppendFunction writes the members of a function that most dialects have: name,
// description and parameters.
func AppendFunction(out []byte, t plimsoll.Tool) []byte {
	out = rawjson.AppendQuote(append(out, `"name":`...), t.Name)
	if t.Description != "" {
		out = rawjson.AppendQuote(append(out, `,"description":`...), t.Description)
	}
	if t.Schema != "" {
		out = append(append(out, `,"parameters":`...), t.Schema...)
	}
	return out
}
