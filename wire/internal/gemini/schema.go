package gemini

import (
	"slices"

	"github.com/plimsoll/plimsoll/internal/rawjson"
)

// schemaMembers are the members of the API's Schema. The API refuses a request with
// any other member.
var schemaMembers = []string{
	"type", "format", "title", "description", "nullable", "enum", "maxItems", "minItems", "properties", "required",
	"minProperties", "maxProperties", "minLength", "maxLength", "pattern", "example", "anyOf", "propertyOrdering",
	"default", "items", "minimum", "maximum",
}

// parameters translates a JSON schema into the API's Schema: it leaves out, at every
// depth, the members that Schema does not have.
func parameters(schema string) string {
	data := []byte(schema)
	return string(appendSchema(nil, rawjson.NewScanner(data), data))
}

func appendSchema(out []byte, s *rawjson.Scanner, data []byte) []byte {
	return appendObject(out, s, func(out []byte, key string) ([]byte, bool) {
		switch {
		case !slices.Contains(schemaMembers, key):
			return out, false
		case key == "items":
			return appendSchema(out, s, data), true
		case key == "properties":
			return appendObject(out, s, func(out []byte, _ string) ([]byte, bool) {
				return appendSchema(out, s, data), true
			}), true
		case key == "anyOf" && s.Peek() == '[':
			var all [][]byte
			for range s.Elements() {
				all = append(all, appendSchema(nil, s, data))
			}
			return append(out, joined("[", all, "]")...), true
		default:
			return append(out, s.Value().Of(data)...), true
		}
	})
}

// appendObject copies an object member by member, in their order. Value appends a
// member's value, or reports that the member is left out. What is no object becomes an
// empty one.
func appendObject(out []byte, s *rawjson.Scanner, value func(out []byte, key string) ([]byte, bool)) []byte {
	out = append(out, '{')
	if s.Peek() != '{' {
		s.Value()
		return append(out, '}')
	}
	first := len(out)
	for key := range s.Members() {
		before := len(out)
		if before > first {
			out = append(out, ',')
		}
		name := string(key)
		out = append(rawjson.AppendQuote(out, name), ':')
		var kept bool
		if out, kept = value(out, name); !kept {
			out = out[:before]
		}
	}
	return append(out, '}')
}
