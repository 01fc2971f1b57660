package token

import (
	"strings"

	"github.com/plimsoll/plimsoll"
)

// typeScript writes a tool declaration in the form that OpenAI's models are
// shown: a TypeScript function type with comments. What this form has no place
// for is written as JSON, so that the weight errs on the heavy side; so is a
// schema that cannot be read.
func typeScript(t plimsoll.Tool) string {
	w := &schemaWriter{open: map[string]bool{}, used: map[string]bool{}}
	w.comment(t.Description)
	w.WriteString("type ")
	w.WriteString(t.Name)
	w.WriteString(" = (")
	if t.Schema != "" {
		w.parameters(t.Schema)
	}
	w.WriteString(") => any;\n\n")
	return w.String()
}

// schemaWriter writes schemas as TypeScript types.
type schemaWriter struct {
	strings.Builder
	definitions map[string]*schema
	// open are the definitions being written, which must not be entered again;
	// used those that were written at least once.
	open, used map[string]bool
	// limit is the length from which on definitions are only named: a few that
	// use each other several times can unfold to any size.
	limit int
}

func (w *schemaWriter) parameters(text string) {
	root, definitions, err := readSchema(text)
	if err != nil {
		w.WriteString(text)
		return
	}
	w.definitions = make(map[string]*schema, len(definitions))
	for _, d := range definitions {
		w.definitions[d.name] = d.schema
	}
	w.limit = w.Len() + 8*len(text)
	// An object without members has no parameters to show.
	shown := len(root.enum)+len(root.properties)+len(root.alternative)+len(root.all)+len(root.rest)+
		len(root.description)+len(root.reference) > 0
	if shown || root.additional != nil || root.items != nil {
		w.WriteString("_: ")
		w.value(root)
	}
	for _, d := range definitions {
		if !w.used[d.name] {
			w.definition(d.name, d.schema)
		}
	}
}

func (w *schemaWriter) comment(text string) {
	if text == "" {
		return
	}
	for line := range strings.SplitSeq(text, "\n") {
		w.WriteString("// ")
		w.WriteString(line)
		w.WriteByte('\n')
	}
}

// value writes a schema that is no property, with all that is said about it.
func (w *schemaWriter) value(s *schema) {
	w.comment(s.description)
	w.kind(s)
	w.remarks(s)
}

// kind writes the type of a value; what must hold together is joined by "&".
func (w *schemaWriter) kind(s *schema) {
	start := w.Len()
	and := func() {
		if w.Len() > start {
			w.WriteString(" & ")
		}
	}
	if len(s.enum) > 0 {
		w.WriteString(strings.Join(s.enum, " | "))
	}
	if s.reference != "" {
		and()
		w.refer(s.reference)
	}
	for _, sub := range s.all {
		and()
		w.value(sub)
	}
	if len(s.alternative) > 0 {
		and()
		w.alternatives(s.alternative)
	}
	if len(s.properties) > 0 || s.additional != nil {
		and()
		w.object(s)
	}
	if w.Len() == start || s.items != nil {
		and()
		w.kinds(s)
	}
}

func (w *schemaWriter) alternatives(all []*schema) {
	for i, alt := range all {
		if i > 0 {
			w.WriteString(" | ")
		}
		w.value(alt)
	}
}

func (w *schemaWriter) object(s *schema) {
	w.WriteString("{\n")
	for _, p := range s.properties {
		w.comment(p.description)
		w.WriteString(p.name)
		if !s.required[p.name] {
			w.WriteByte('?')
		}
		w.WriteString(": ")
		w.kind(p.schema)
		w.WriteByte(',')
		w.remarks(p.schema)
		w.WriteByte('\n')
	}
	if s.additional != nil {
		w.WriteString("[key: string]: ")
		w.value(s.additional)
		w.WriteString(",\n")
	}
	w.WriteByte('}')
}

// remarks writes the default and what has no place in a type.
func (w *schemaWriter) remarks(s *schema) {
	if s.fallback != "" {
		w.WriteString(" // default: ")
		w.WriteString(s.fallback)
	}
	if len(s.rest) > 0 {
		w.WriteString(" // ")
		w.WriteString(strings.Join(s.rest, ","))
	}
}

func (w *schemaWriter) kinds(s *schema) {
	kinds := s.kinds
	switch {
	case len(kinds) == 0 && s.items != nil:
		kinds = []string{"array"}
	case len(kinds) == 0:
		kinds = []string{"any"}
	}
	for i, kind := range kinds {
		if i > 0 {
			w.WriteString(" | ")
		}
		switch {
		case kind == "integer":
			w.WriteString("number")
		case kind == "array" && s.items != nil:
			w.value(s.items)
			w.WriteString("[]")
		case kind == "array":
			w.WriteString("any[]")
		default:
			w.WriteString(kind)
		}
	}
}

// refer writes the definition that a reference stands for, or the reference.
func (w *schemaWriter) refer(reference string) {
	name := reference[strings.LastIndexByte(reference, '/')+1:]
	if s, ok := w.definitions[name]; ok && !w.open[name] && w.Len() < w.limit {
		w.definition(name, s)
		return
	}
	w.WriteString(reference)
}

func (w *schemaWriter) definition(name string, s *schema) {
	w.open[name], w.used[name] = true, true
	w.value(s)
	delete(w.open, name)
}
