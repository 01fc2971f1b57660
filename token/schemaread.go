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

// empty reports whether the schema says nothing but that there is an object.
func (s *schema) empty() bool {
	return len(s.enum)+len(s.properties)+len(s.alternative)+len(s.all)+len(s.rest) == 0 &&
		s.description == "" && s.reference == "" && s.additional == nil && s.items == nil
}

// maxSchemaDepth bounds recursion; what lies deeper is kept as JSON.
const maxSchemaDepth = 32

// schemaReader gathers definitions wherever they stand.
type schemaReader struct {
	*jsontext.Decoder
	definitions []property
}

func readSchema(text string) (*schema, []property, error) {
	r := &schemaReader{Decoder: jsontext.NewDecoder(strings.NewReader(text),
		jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))}
	s, err := r.schema(0)
	return s, r.definitions, err
}

func (r *schemaReader) schema(depth int) (*schema, error) {
	s := &schema{required: map[string]bool{}}
	switch kind := r.PeekKind(); {
	case kind == 't' || kind == 'f':
		return s, r.SkipValue()
	case kind != '{' || depth > maxSchemaDepth:
		v, err := r.ReadValue()
		s.rest = append(s.rest, v.String())
		return s, err
	}
	return s, eachMember(r.Decoder, func(name string) error { return r.member(s, name, depth+1) })
}

func (r *schemaReader) member(s *schema, name string, depth int) (err error) {
	switch kind := r.PeekKind(); {
	case name == "type" && (kind == '"' || kind == '['):
		s.kinds, err = readStrings(r.Decoder)
	case name == "description" && kind == '"':
		s.description, err = r.text()
	case name == "$ref" && kind == '"':
		s.reference, err = r.text()
	case name == "required" && kind == '[':
		var all []string
		all, err = readStrings(r.Decoder)
		for _, one := range all {
			s.required[one] = true
		}
	case name == "enum" && kind == '[':
		s.enum, err = readRaw(r.Decoder)
	case name == "const":
		s.enum = make([]string, 1)
		s.enum[0], err = r.value()
	case name == "default":
		s.fallback, err = r.value()
	default:
		return r.nested(s, name, kind, depth)
	}
	return err
}

// nested reads members that hold schemas, and keeps all others as they are.
func (r *schemaReader) nested(s *schema, name string, kind jsontext.Kind, depth int) (err error) {
	switch {
	case name == "items" && kind == '{':
		s.items, err = r.schema(depth)
	case (name == "anyOf" || name == "oneOf") && kind == '[':
		s.alternative, err = r.list(s.alternative, depth)
	case name == "allOf" && kind == '[':
		s.all, err = r.list(s.all, depth)
	case name == "properties" && kind == '{':
		s.properties, err = r.named(s.properties, depth)
	case (name == "$defs" || name == "definitions") && kind == '{':
		var all []property
		all, err = r.named(nil, depth)
		r.definitions = append(r.definitions, all...)
	case name == "additionalProperties" && kind == '{':
		s.additional, err = r.schema(depth)
	case name == "$schema", name == "$id", name == "$comment",
		name == "additionalProperties" && (kind == 't' || kind == 'f'):
		err = r.SkipValue() // directed at validators, never at models
	default:
		var v string
		v, err = r.value()
		s.rest = append(s.rest, `"`+name+`":`+compactJSON(v))
	}
	return err
}

func (r *schemaReader) list(all []*schema, depth int) ([]*schema, error) {
	err := eachElement(r.Decoder, func() error {
		sub, err := r.schema(depth)
		all = append(all, sub)
		return err
	})
	return all, err
}

func (r *schemaReader) named(all []property, depth int) ([]property, error) {
	err := eachMember(r.Decoder, func(name string) error {
		sub, err := r.schema(depth)
		all = append(all, property{name, sub})
		return err
	})
	return all, err
}

func (r *schemaReader) text() (string, error) {
	t, err := r.ReadToken()
	return t.String(), err
}

func (r *schemaReader) value() (string, error) {
	v, err := r.ReadValue()
	return v.String(), err
}

func eachMember(d *jsontext.Decoder, visit func(name string) error) error {
	if _, err := d.ReadToken(); err != nil {
		return err
	}
	for d.PeekKind() != '}' {
		name, err := d.ReadToken()
		if err != nil {
			return err
		}
		if err := visit(name.String()); err != nil {
			return err
		}
	}
	_, err := d.ReadToken()
	return err
}

func eachElement(d *jsontext.Decoder, visit func() error) error {
	if d.PeekKind() != '[' {
		return d.SkipValue()
	}
	if _, err := d.ReadToken(); err != nil {
		return err
	}
	for d.PeekKind() != ']' {
		if err := visit(); err != nil {
			return err
		}
	}
	_, err := d.ReadToken()
	return err
}

// readStrings reads a string or the strings of an array.
func readStrings(d *jsontext.Decoder) ([]string, error) {
	if d.PeekKind() == '"' {
		t, err := d.ReadToken()
		return []string{t.String()}, err
	}
	var all []string
	err := eachElement(d, func() error {
		if d.PeekKind() != '"' {
			return d.SkipValue()
		}
		t, err := d.ReadToken()
		all = append(all, t.String())
		return err
	})
	return all, err
}

func readRaw(d *jsontext.Decoder) ([]string, error) {
	var all []string
	err := eachElement(d, func() error {
		v, err := d.ReadValue()
		all = append(all, v.String())
		return err
	})
	return all, err
}
