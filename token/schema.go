package token

import (
	"encoding/json/jsontext"
	"strings"

	"github.com/plimsoll/plimsoll"
)

// typeScript writes a tool declaration in the form that OpenAI's models are
// shown: a TypeScript function type with comments. A schema that cannot be read
// is written as it is.
func typeScript(t plimsoll.Tool) string {
	var b strings.Builder
	writeComment(&b, t.Description)
	b.WriteString("type ")
	b.WriteString(t.Name)
	b.WriteString(" = (")
	if t.Schema != "" {
		root, err := readSchema(t.Schema)
		switch {
		case err != nil:
			b.WriteString(t.Schema)
		case len(root.properties) > 0:
			b.WriteString("_: ")
			root.write(&b, 0)
		}
	}
	b.WriteString(") => any;\n\n")
	return b.String()
}

func writeComment(b *strings.Builder, text string) {
	if text == "" {
		return
	}
	for line := range strings.SplitSeq(text, "\n") {
		b.WriteString("// ")
		b.WriteString(line)
		b.WriteByte('\n')
	}
}

// schema is the part of a JSON schema that is shown to the model.
type schema struct {
	kinds       []string
	description string
	enum        []string // JSON texts
	fallback    string   // the default, as JSON text
	properties  []property
	required    map[string]bool
	items       *schema
	alternative []*schema
}

type property struct {
	name string
	*schema
}

// maxSchemaDepth bounds recursion; deeper schemas are written as "any".
const maxSchemaDepth = 32

func readSchema(text string) (*schema, error) {
	d := jsontext.NewDecoder(strings.NewReader(text), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	return readSchemaFrom(d, 0)
}

func readSchemaFrom(d *jsontext.Decoder, depth int) (*schema, error) {
	s := &schema{required: map[string]bool{}}
	if d.PeekKind() != '{' || depth > maxSchemaDepth {
		return s, d.SkipValue()
	}
	return s, eachMember(d, func(name string) error { return s.member(d, name, depth) })
}

func (s *schema) member(d *jsontext.Decoder, name string, depth int) error {
	var err error
	switch name {
	case "type":
		s.kinds, err = readStrings(d)
	case "description":
		var all []string
		all, err = readStrings(d)
		s.description = strings.Join(all, " ")
	case "required":
		var all []string
		all, err = readStrings(d)
		for _, r := range all {
			s.required[r] = true
		}
	case "enum":
		s.enum, err = readRaw(d)
	case "default":
		var v jsontext.Value
		v, err = d.ReadValue()
		s.fallback = v.String()
	case "items":
		s.items, err = readSchemaFrom(d, depth+1)
	case "anyOf", "oneOf":
		err = eachElement(d, func() error {
			alt, err := readSchemaFrom(d, depth+1)
			s.alternative = append(s.alternative, alt)
			return err
		})
	case "properties":
		if d.PeekKind() != '{' {
			return d.SkipValue()
		}
		err = eachMember(d, func(name string) error {
			sub, err := readSchemaFrom(d, depth+1)
			s.properties = append(s.properties, property{name, sub})
			return err
		})
	default:
		err = d.SkipValue()
	}
	return err
}

// write writes the type of a value of this schema.
func (s *schema) write(b *strings.Builder, depth int) {
	switch {
	case len(s.enum) > 0:
		b.WriteString(strings.Join(s.enum, " | "))
	case len(s.alternative) > 0:
		for i, alt := range s.alternative {
			if i > 0 {
				b.WriteString(" | ")
			}
			alt.write(b, depth+1)
		}
	case len(s.properties) > 0:
		s.writeObject(b, depth)
	default:
		s.writeKinds(b, depth)
	}
}

func (s *schema) writeObject(b *strings.Builder, depth int) {
	b.WriteString("{\n")
	for _, p := range s.properties {
		writeComment(b, p.description)
		b.WriteString(p.name)
		if !s.required[p.name] {
			b.WriteByte('?')
		}
		b.WriteString(": ")
		p.write(b, depth+1)
		b.WriteByte(',')
		if p.fallback != "" {
			b.WriteString(" // default: ")
			b.WriteString(p.fallback)
		}
		b.WriteByte('\n')
	}
	b.WriteByte('}')
}

func (s *schema) writeKinds(b *strings.Builder, depth int) {
	if len(s.kinds) == 0 {
		b.WriteString("any")
		return
	}
	for i, kind := range s.kinds {
		if i > 0 {
			b.WriteString(" | ")
		}
		switch kind {
		case "integer":
			b.WriteString("number")
		case "array":
			if s.items == nil {
				b.WriteString("any[]")
				continue
			}
			s.items.write(b, depth+1)
			b.WriteString("[]")
		default:
			b.WriteString(kind)
		}
	}
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
