package token

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/plimsoll/plimsoll"
)

// What stands around the declarations of all tools.
const (
	toolsHead = "# Tools\n\n## functions\n\nnamespace functions {\n\n"
	toolsTail = "\n\n} // namespace functions"
	toolsGap  = "\n\n"
)

// typeScript writes a tool declaration as OpenAI's models are shown it: a TypeScript function
// type with comments. The form was read off bills; docs/decisions/003-openai-framing.md has it.
// A schema that cannot be read is written as it is.
func typeScript(t plimsoll.Tool) string {
	var b strings.Builder
	writeComment(&b, strings.TrimSpace(t.Description))
	b.WriteString("type ")
	b.WriteString(t.Name)
	b.WriteString(" = (")
	if t.Schema != "" {
		b.WriteString(parameters(t.Schema))
	}
	b.WriteString(") => any;")
	return b.String()
}

func parameters(text string) string {
	root, definitions, err := readSchema(text)
	if err != nil {
		return text
	}
	w := &schemaWriter{definitions: definitions, open: map[*schema]bool{}, room: 4 * len(text)}
	root = w.resolved(root)
	if len(root.properties) == 0 {
		return "" // an object without members has no parameters to show
	}
	return "_: " + w.comments(root) + w.object(root, 0)
}

// schemaWords returns the names, descriptions and values of a schema, and how many properties
// it has, how many objects and lists are nested in it, and how many values its choices have.
// References are not followed.
func schemaWords(text string) (words string, properties, nested, values int) {
	root, definitions, err := readSchema(text)
	if err != nil {
		return text, 0, 0, 0
	}
	var b strings.Builder
	var walk func(*schema)
	walk = func(s *schema) {
		for _, word := range append([]string{s.title, s.description}, s.enum...) {
			if word != "" {
				b.WriteString(word + " ")
			}
		}
		values += len(s.enum)
		if s != root && (len(s.properties) > 0 || s.items != nil) {
			nested++
		}
		for _, p := range s.properties {
			properties++
			b.WriteString(p.name + " ")
			walk(p.schema)
		}
		for _, sub := range append(s.alternative, s.all...) {
			walk(sub)
		}
		if s.items != nil {
			walk(s.items)
		}
	}
	walk(root)
	for _, name := range slices.Sorted(maps.Keys(definitions)) {
		walk(definitions[name])
	}
	return b.String(), properties, nested, values
}

// schemaWriter writes schemas as TypeScript types.
type schemaWriter struct {
	definitions map[string]*schema
	// open are the schemas being written, which are not entered again.
	open map[*schema]bool
	// room is how many bytes of types may still be written. A few definitions that use each
	// other several times can unfold to any size; what is left of them is any value.
	room int
}

const anyType = "any"

// resolved returns what a reference stands for, with what is said beside the reference. An
// allOf of one is that one.
func (w *schemaWriter) resolved(s *schema) *schema {
	for range maxSchemaDepth {
		var of *schema
		switch {
		case s.reference != "":
			of = w.definitions[s.reference[strings.LastIndexByte(s.reference, '/')+1:]]
			if of == nil || w.open[of] {
				return &schema{title: s.title, description: s.description, fallback: s.fallback}
			}
		case len(s.all) == 1:
			of = s.all[0]
		default:
			return s
		}
		joined := *of
		joined.title, joined.description = cmp.Or(s.title, of.title), cmp.Or(s.description, of.description)
		joined.fallback, joined.origin = cmp.Or(s.fallback, of.fallback), of
		s = &joined
	}
	return s
}

// comments writes what is said about a value, a line each.
func (w *schemaWriter) comments(s *schema) string {
	if w.room <= 0 {
		return ""
	}
	var b strings.Builder
	writeComment(&b, s.title)
	writeComment(&b, s.description)
	for _, name := range limitNames {
		if limit, ok := s.limits[name]; ok && len(s.kinds) < 2 && (name != "format" || !slices.Contains(s.kinds, "number") && !slices.Contains(s.kinds, "integer")) {
			b.WriteString("// " + name + ": " + limit + "\n")
		}
	}
	w.room -= b.Len()
	return b.String()
}

// writeComment writes a text as comments, with the blanks around each line taken off.
func writeComment(b *strings.Builder, text string) {
	if text == "" {
		return
	}
	for line := range strings.SplitSeq(text, "\n") {
		b.WriteString("//")
		if line = strings.TrimSpace(line); line != "" {
			b.WriteByte(' ')
			b.WriteString(line)
		}
		b.WriteByte('\n')
	}
}

// kind writes the type of a resolved schema.
func (w *schemaWriter) kind(s *schema, depth int) string {
	if w.room -= len(anyType); w.room <= 0 || depth > maxSchemaDepth {
		return anyType
	}
	if s.origin != nil {
		w.open[s.origin] = true
		defer delete(w.open, s.origin)
	}
	switch {
	case len(s.alternative) > 0:
		return w.union(s.alternative, depth)
	case len(s.kinds) > 1 && len(s.enum) == 0:
		// A list of types is a choice of copies that each have the comments again.
		var each []*schema
		for _, kind := range s.kinds {
			one := *s
			one.kinds, one.origin = []string{kind}, nil
			if kind == "null" {
				one.limits = nil
			}
			each = append(each, &one)
		}
		return w.union(each, depth)
	case len(s.all) > 0:
		var each []string
		for _, sub := range s.all {
			each = append(each, w.kind(w.resolved(sub), depth+1))
		}
		return strings.Join(each, " & ")
	case len(s.enum) > 0:
		types := strings.Join(s.enum, " | ")
		w.room -= len(types)
		return types
	}
	name := ""
	if len(s.kinds) > 0 {
		name = s.kinds[0]
	}
	switch {
	case name == "integer" || name == "number":
		return "number"
	case name == "string" || name == "boolean" || name == "null":
		return name
	case name == "array":
		return w.array(s, depth)
	case len(s.properties) > 0:
		return w.object(s, depth)
	case name == "object":
		return name
	}
	return anyType
}

func (w *schemaWriter) union(each []*schema, depth int) string {
	comments, types, said := make([]string, len(each)), make([]string, len(each)), false
	for i, one := range each {
		one = w.resolved(one)
		comments[i], types[i] = w.comments(one), w.kind(one, depth+1)
		said = said || comments[i] != ""
	}
	if !said {
		return strings.Join(types, " | ")
	}
	for i := range types {
		types[i] = comments[i] + types[i]
	}
	return "\n" + strings.Join(types, "\n| ")
}

func (w *schemaWriter) array(s *schema, depth int) string {
	if s.items == nil {
		return "any[]"
	}
	items := w.resolved(s.items)
	comments, kind := w.comments(items), w.kind(items, depth+1)
	switch {
	case comments != "" || strings.Contains(kind, "\n"):
		return "Array<\n" + comments + kind + "\n>"
	case strings.Contains(kind, " | ") && !strings.HasPrefix(kind, "{"):
		return "Array<" + kind + ">"
	}
	return kind + "[]"
}

// object writes an object in one line if nothing is said about its properties.
func (w *schemaWriter) object(s *schema, depth int) string {
	type row struct{ comments, member, fallback string }
	rows, plain := make([]row, 0, len(s.properties)), true
	for _, p := range s.properties {
		one := w.resolved(p.schema)
		r := row{comments: w.comments(one), member: p.name}
		if !s.required[p.name] {
			r.member += "?"
		}
		r.member += ": " + w.kind(one, depth+1)
		if one.fallback != "" && w.room > 0 {
			r.fallback = " // default: " + one.fallback
		}
		w.room -= len(p.name) + len(r.fallback) + len("?: , ")
		plain = plain && r.comments == "" && r.fallback == "" && !strings.Contains(r.member, "\n")
		rows = append(rows, r)
	}
	if plain {
		members := make([]string, len(rows))
		for i, r := range rows {
			members[i] = r.member
		}
		return "{ " + strings.Join(members, ", ") + " }"
	}
	var b strings.Builder
	b.WriteString("{\n")
	for _, r := range rows {
		b.WriteString(r.comments + r.member + "," + r.fallback + "\n")
	}
	return b.String() + "}"
}
