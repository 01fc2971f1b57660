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

// ObjectOf returns the arguments of a call as an object, for APIs that ask for one.
func ObjectOf(arguments string) string {
	if arguments == "" {
		return "{}"
	}
	if rawjson.IsObject([]byte(arguments)) {
		return arguments
	}
	return `{"input":` + string(rawjson.AppendQuote(nil, arguments)) + `}`
}

// ReadFunctions reads a list of {"type":"function","function":{…}} or of the functions
// alone. Other values have no tools.
func ReadFunctions(s *Scanner) ToolList {
	if s.Peek() != '[' {
		s.Value()
		return ToolList{}
	}
	return ReadTools(s, func(_ int, id layout.Identity) (plimsoll.Tool, bool) {
		t := s.function(id)
		return t, t.Name != ""
	})
}

func (s *Scanner) function(id layout.Identity) plimsoll.Tool {
	var t plimsoll.Tool
	if s.Peek() != '{' {
		s.Value()
		return t
	}
	for key := range s.Members() {
		name := rawjson.View(key)
		switch name {
		case "function":
			if s.Peek() == '{' {
				t = s.function(id)
				continue
			}
			s.Value()
		case "name":
			t.Name = s.Text()
			id.Field(name, []byte(t.Name))
		case "description":
			t.Description = s.Text()
			id.Field(name, []byte(t.Description))
		case "parameters":
			v := s.Value()
			t.Schema = v.View(s.Body)
			id.Field(name, v.Of(s.Body))
		case "cache_control":
			s.Value()
		default:
			id.Field(name, s.Value().Of(s.Body))
		}
	}
	return t
}

// AddFunctions returns the edits that append to such a list, or that add it to the request.
func AddFunctions(root, list rawjson.List, tools plimsoll.List[plimsoll.Tool]) []rawjson.Edit {
	elements := make([][]byte, 0, tools.Len())
	for _, t := range tools.All() {
		element := []byte(t.Opaque)
		if t.Opaque == "" {
			element = append(AppendFunction([]byte(`{"type":"function","function":{`), t), "}}"...)
		}
		elements = append(elements, element)
	}
	if list.IsZero() {
		return rawjson.Append(root, append([]byte(`"tools":`), rawjson.Array(elements)...))
	}
	return rawjson.Append(list, elements...)
}
