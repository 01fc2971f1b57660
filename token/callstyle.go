package token

import (
	"bytes"
	"encoding/json"
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

// listElement writes the result of a parallel call as it stands in the list that
// the model reads: JSON with a space behind commas and colons and everything
// beyond ASCII escaped. A result that is no JSON becomes a string.
func listElement(s string) string {
	if json.Valid([]byte(s)) {
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
