package token

import (
	"encoding/json/jsontext"
	"strings"
)

// schema is a JSON schema as far as it has a form that the model is shown.
type schema struct {
	kinds       []string
	description string
	enum        []string // JSON texts
	fallback    string   // the default, as JSON text
	reference   string
	properties  []property
	required    map[string]bool
	additional  *schema
	items       *schema
	alternative []*schema
	all         []*schema
	rest        []string // members that were not read, as JSON texts
}

type property struct {
	name string
	*schema
}

// maxSchemaDepth bounds recursion; what lies deeper is kept as JSON.
const maxSchemaDepth = 32

// schemaReader reads a schema in one pass, because properties are shown in their order. It
// gathers definitions from everywhere, and keeps the first error.
type schemaReader struct {
	json        *jsontext.Decoder
	definitions []property
	err         error
}

func readSchema(text string) (*schema, []property, error) {
	r := &schemaReader{json: jsontext.NewDecoder(strings.NewReader(text),
		jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))}
	s := r.schema(0)
	return s, r.definitions, r.err
}

func (r *schemaReader) schema(depth int) *schema {
	s := &schema{required: map[string]bool{}}
	switch kind := r.json.PeekKind(); {
	case kind == 't' || kind == 'f':
		r.value()
		return s
	case kind != '{' || depth > maxSchemaDepth:
		s.rest = []string{r.value()}
		return s
	}
	nested := func() *schema { return r.schema(depth + 1) }
	r.each(func(name string) {
		switch kind := r.json.PeekKind(); {
		case name == "type" && kind == '"':
			s.kinds = []string{r.text()}
		case name == "type" && kind == '[':
			s.kinds = r.texts()
		case name == "description" && kind == '"':
			s.description = r.text()
		case name == "$ref" && kind == '"':
			s.reference = r.text()
		case name == "required" && kind == '[':
			for _, name := range r.texts() {
				s.required[name] = true
			}
		case name == "enum" && kind == '[':
			s.enum = nil
			r.each(func(string) { s.enum = append(s.enum, r.value()) })
		case name == "const":
			s.enum = []string{r.value()}
		case name == "default":
			s.fallback = r.value()
		case name == "items" && kind == '{':
			s.items = nested()
		case name == "additionalProperties" && kind == '{':
			s.additional = nested()
		case (name == "anyOf" || name == "oneOf") && kind == '[':
			r.each(func(string) { s.alternative = append(s.alternative, nested()) })
		case name == "allOf" && kind == '[':
			r.each(func(string) { s.all = append(s.all, nested()) })
		case name == "properties" && kind == '{':
			r.each(func(name string) { s.properties = append(s.properties, property{name, nested()}) })
		case (name == "$defs" || name == "definitions") && kind == '{':
			r.each(func(name string) {
				definition := property{name, nested()} // it may have definitions itself
				r.definitions = append(r.definitions, definition)
			})
		case name == "$schema", name == "$id", name == "$comment",
			name == "additionalProperties" && (kind == 't' || kind == 'f'):
			r.value() // directed at validators, never at models
		default:
			s.rest = append(s.rest, `"`+name+`":`+compactJSON(r.value()))
		}
	})
	return s
}

// each visits the members of an object, or the elements of an array, which have no names.
func (r *schemaReader) each(visit func(name string)) {
	named := r.json.PeekKind() == '{'
	r.text()
	for kind := r.json.PeekKind(); kind != '}' && kind != ']' && r.err == nil; kind = r.json.PeekKind() {
		name := ""
		if named {
			name = r.text()
		}
		visit(name)
	}
	r.text()
}

// texts returns the strings of an array.
func (r *schemaReader) texts() (all []string) {
	r.each(func(string) {
		if r.json.PeekKind() == '"' {
			all = append(all, r.text())
		} else {
			r.value()
		}
	})
	return all
}

// text reads a token, and returns its text if it is a string.
func (r *schemaReader) text() string {
	t, err := r.json.ReadToken()
	if err != nil {
		r.fail(err)
		return ""
	}
	return t.String()
}

// value returns the next value as JSON.
func (r *schemaReader) value() string {
	v, err := r.json.ReadValue()
	r.fail(err)
	return v.String()
}

func (r *schemaReader) fail(err error) {
	if r.err == nil {
		r.err = err
	}
}
