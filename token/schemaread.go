package token

import (
	"encoding/json/jsontext"
	"slices"
	"strings"
)

// schema is a JSON schema as far as models are shown it.
type schema struct {
	kinds       []string
	title       string
	description string
	limits      map[string]string
	enum        []string // JSON texts
	fallback    string   // the default, as JSON text
	reference   string
	properties  []property
	required    map[string]bool
	items       *schema
	alternative []*schema
	all         []*schema
	// origin is the definition that this is a copy of; nil if it is none.
	origin *schema
}

type property struct {
	name string
	*schema
}

// maxSchemaDepth bounds recursion; what lies deeper is any value.
const maxSchemaDepth = 32

// limitNames are the members that become comments of their own, in the order in which models
// are shown them.
var limitNames = []string{
	"format", "minimum", "maximum", "pattern", "minLength", "maxLength", "minItems", "maxItems",
	"exclusiveMinimum", "exclusiveMaximum", "multipleOf",
}

// schemaReader reads a schema in one pass, because properties are shown in their order. It
// gathers definitions from everywhere, and keeps the first error.
type schemaReader struct {
	json        *jsontext.Decoder
	definitions map[string]*schema
	err         error
}

func readSchema(text string) (*schema, map[string]*schema, error) {
	r := &schemaReader{
		json: jsontext.NewDecoder(strings.NewReader(text),
			jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)),
		definitions: map[string]*schema{},
	}
	s := r.schema(0)
	return s, r.definitions, r.err
}

func (r *schemaReader) schema(depth int) *schema {
	s := &schema{}
	if r.json.PeekKind() != '{' || depth > maxSchemaDepth {
		r.value()
		return s
	}
	nested := func() *schema { return r.schema(depth + 1) }
	r.each(func(name string) {
		switch kind := r.json.PeekKind(); {
		case name == "type" && kind == '"':
			s.kinds = []string{r.text()}
		case name == "type" && kind == '[':
			s.kinds = r.texts()
		case name == "title" && kind == '"':
			s.title = strings.TrimSpace(r.text())
		case name == "description" && kind == '"':
			s.description = strings.TrimSpace(r.text())
		case name == "$ref" && kind == '"':
			s.reference = r.text()
		case name == "required" && kind == '[':
			s.required = map[string]bool{}
			for _, name := range r.texts() {
				s.required[name] = true
			}
		case name == "enum" && kind == '[':
			s.enum = nil
			r.each(func(string) { s.enum = append(s.enum, r.shown()) })
		case name == "const":
			s.enum = []string{r.shown()}
		case name == "default":
			s.fallback = r.shown()
		case name == "items" && kind == '{':
			s.items = nested()
		case (name == "anyOf" || name == "oneOf") && kind == '[':
			s.alternative = nil
			r.each(func(string) { s.alternative = append(s.alternative, nested()) })
		case name == "allOf" && kind == '[':
			r.each(func(string) { s.all = append(s.all, nested()) })
		case name == "properties" && kind == '{':
			r.each(func(name string) { s.properties = append(s.properties, property{name, nested()}) })
		case (name == "$defs" || name == "definitions") && kind == '{':
			r.each(func(name string) { r.definitions[name] = nested() })
		default:
			r.limit(s, name)
		}
	})
	return s
}

// limit keeps a member that becomes a comment, and skips any other: models are not shown it.
func (r *schemaReader) limit(s *schema, name string) {
	if !slices.Contains(limitNames, name) {
		r.value()
		return
	}
	if s.limits == nil {
		s.limits = map[string]string{}
	}
	if r.json.PeekKind() == '"' {
		s.limits[name] = r.text()
	} else {
		s.limits[name] = r.shown()
	}
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

// shown returns the next value as models are shown it.
func (r *schemaReader) shown() string { return shownJSON(r.value()) }

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
