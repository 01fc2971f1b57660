package scripted

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
)

// schemaMembers are the members that Gemini's Schema has, in both spellings.
var schemaMembers = []string{
	"type", "format", "title", "description", "nullable", "enum", "properties", "required", "pattern", "example",
	"default", "items", "minimum", "maximum",
	"maxItems", "minItems", "minProperties", "maxProperties", "minLength", "maxLength", "anyOf", "propertyOrdering",
	"max_items", "min_items", "min_properties", "max_properties", "min_length", "max_length", "any_of", "property_ordering",
}

// checkDeclarations refuses parameters of functions that have members unknown to
// Gemini's Schema. A parametersJsonSchema may have any.
func checkDeclarations(body []byte) *Fault {
	var root map[string]any
	if json.Unmarshal(body, &root) != nil {
		return nil // the codec has read it, so a member is there twice or in another form
	}
	for i, tool := range listOf(root["tools"]) {
		t, _ := tool.(map[string]any)
		for k, declaration := range listOf(either(t, "functionDeclarations", "function_declarations")) {
			d, _ := declaration.(map[string]any)
			at, name := unknownMember(d["parameters"], fmt.Sprintf("tools[%d].function_declarations[%d].parameters", i, k))
			if name != "" {
				return &Fault{Status: http.StatusBadRequest, Message: fmt.Sprintf(
					"Invalid JSON payload received. Unknown name %q at '%s': Cannot find field.", name, at)}
			}
		}
	}
	return nil
}

// unknownMember returns the first member that Schema does not have, and where it is.
func unknownMember(schema any, path string) (at, name string) {
	s, ok := schema.(map[string]any)
	if !ok {
		return "", ""
	}
	for _, key := range slices.Sorted(maps.Keys(s)) {
		if !slices.Contains(schemaMembers, key) {
			return path, key
		}
	}
	properties, _ := s["properties"].(map[string]any)
	for i, key := range slices.Sorted(maps.Keys(properties)) {
		if at, name := unknownMember(properties[key], fmt.Sprintf("%s.properties[%d].value", path, i)); name != "" {
			return at, name
		}
	}
	for i, alternative := range listOf(either(s, "anyOf", "any_of")) {
		if at, name := unknownMember(alternative, fmt.Sprintf("%s.any_of[%d]", path, i)); name != "" {
			return at, name
		}
	}
	return unknownMember(s["items"], path+".items")
}

// either returns a member under one of the two spellings of its name.
func either(o map[string]any, camel, snake string) any {
	if v, ok := o[camel]; ok {
		return v
	}
	return o[snake]
}

// listOf returns the elements of a list, or a lone value that the API takes for one.
func listOf(v any) []any {
	if list, ok := v.([]any); ok || v == nil {
		return list
	}
	return []any{v}
}
