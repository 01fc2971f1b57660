package token

import (
	"bytes"
	"encoding/json"
	"encoding/json/jsontext"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// compactJSON removes the white space between the tokens of a JSON text. What is
// no JSON stays as it is.
func compactJSON(s string) string {
	if !strings.ContainsAny(s, " \t\r\n") {
		return s
	}
	var b bytes.Buffer
	b.Grow(len(s))
	if json.Compact(&b, []byte(s)) != nil {
		return s
	}
	return b.String()
}

// arguments returns how many members a JSON object has; 0 if the text is none.
func arguments(s string) int {
	d := jsontext.NewDecoder(strings.NewReader(s), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	if d.PeekKind() != '{' {
		return 0
	}
	_, _ = d.ReadToken()
	n := 0
	for ; d.PeekKind() == '"'; n++ {
		if _, err := d.ReadToken(); err != nil || d.SkipValue() != nil {
			break
		}
	}
	return n
}

// shownJSON writes a value as it stands in a declaration: a string without needless escapes,
// anything else with a space behind commas and colons.
func shownJSON(s string) string {
	if strings.HasPrefix(s, `"`) {
		if text, err := jsontext.AppendUnquote(nil, s); err == nil {
			if quoted, err := jsontext.AppendQuote(nil, text); err == nil {
				return string(quoted)
			}
		}
		return s
	}
	return spacedJSON(s)
}

// outputSchema returns a schema as the model is shown the form of its answer: compact, and
// without what only validators read. What is no JSON stays as it is.
func outputSchema(s string) string {
	d := jsontext.NewDecoder(strings.NewReader(s), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	var b strings.Builder
	if copySchema(&b, d, false) != nil {
		return s
	}
	return b.String()
}

// unshown are members of schemas that models are not shown.
var unshown = map[string]bool{
	"additionalProperties": true, "required": true, "$schema": true, "strict": true, "default": true,
	"format": true, "pattern": true, "minLength": true, "maxLength": true, "minItems": true, "maxItems": true,
	"minimum": true, "maximum": true, "exclusiveMinimum": true, "exclusiveMaximum": true, "multipleOf": true,
}

// copySchema copies the next value. Names says that the members of it are names of properties
// or definitions, which are all shown.
func copySchema(b *strings.Builder, d *jsontext.Decoder, names bool) error {
	kind := d.PeekKind()
	if kind != '{' && kind != '[' {
		v, err := d.ReadValue()
		b.WriteString(shownJSON(v.String()))
		return err
	}
	open, err := d.ReadToken()
	b.WriteString(open.String())
	for first := true; err == nil && d.PeekKind() != '}' && d.PeekKind() != ']'; {
		name := ""
		if kind == '{' {
			var t jsontext.Token
			if t, err = d.ReadToken(); err != nil {
				break
			}
			if name = t.String(); !names && unshown[name] {
				err = d.SkipValue()
				continue
			}
		}
		if !first {
			b.WriteByte(',')
		}
		first = false
		if kind == '{' {
			quoted, _ := jsontext.AppendQuote(nil, name)
			b.Write(quoted)
			b.WriteByte(':')
		}
		err = copySchema(b, d, !names && (name == "properties" || name == "$defs" || name == "definitions"))
	}
	if err == nil {
		_, err = d.ReadToken()
	}
	b.WriteByte(byte(kind) + 2) // the closing bracket
	return err
}

// listElement writes the result of a parallel call as it stands in the list that
// the model reads: JSON with a space behind commas and colons and everything
// beyond ASCII escaped. A result that is no object and no list becomes a string.
func listElement(s string) string {
	if t := strings.TrimLeft(s, " \t\r\n"); t != "" && (t[0] == '{' || t[0] == '[') && json.Valid([]byte(s)) {
		return spacedJSON(s)
	}
	var b strings.Builder
	b.Grow(len(s) + len(s)/8 + 2)
	b.WriteByte('"')
	for _, r := range s {
		writeEscaped(&b, r)
	}
	b.WriteByte('"')
	return b.String()
}

const hexDigits = "0123456789abcdef"

func writeEscaped(b *strings.Builder, r rune) {
	switch {
	case r == '"' || r == '\\':
		b.WriteByte('\\')
		b.WriteByte(byte(r))
	case r == '\n':
		b.WriteString(`\n`)
	case r == '\r':
		b.WriteString(`\r`)
	case r == '\t':
		b.WriteString(`\t`)
	case r == '\b':
		b.WriteString(`\b`)
	case r == '\f':
		b.WriteString(`\f`)
	case r >= ' ' && r < utf8.RuneSelf:
		b.WriteByte(byte(r))
	case r > 0xffff:
		high, low := utf16.EncodeRune(r)
		writeUnit(b, high)
		writeUnit(b, low)
	default:
		writeUnit(b, r)
	}
}

func writeUnit(b *strings.Builder, u rune) {
	b.WriteString(`\u`)
	for shift := 12; shift >= 0; shift -= 4 {
		b.WriteByte(hexDigits[u>>shift&15])
	}
}

// spacedJSON rewrites valid JSON with a space behind commas and colons, no other
// white space, and escapes beyond ASCII.
func spacedJSON(s string) string {
	var b strings.Builder
	b.Grow(len(s) + len(s)/8)
	inString := false
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case inString && c == '\\':
			b.WriteByte(c)
			i++
			b.WriteByte(s[i])
		case inString && c >= utf8.RuneSelf:
			r, size := utf8.DecodeRuneInString(s[i:])
			writeEscaped(&b, r)
			i += size - 1
		case c == '"':
			inString = !inString
			b.WriteByte(c)
		case inString:
			b.WriteByte(c)
		case c == ',' || c == ':':
			b.WriteByte(c)
			b.WriteByte(' ')
		case c != ' ' && c != '\t' && c != '\r' && c != '\n':
			b.WriteByte(c)
		}
	}
	return b.String()
}
