package trim

import (
	"fmt"
	"iter"
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/plimsoll/plimsoll/internal/rawjson"
)

// This file writes JSON values as Python prints them. The trimming that this
// package answers for was defined in Python, where the text of a content that is
// no string is str() of it; counts agree only if the text does.

// maxNesting is how deep a content may be nested. Python reads no deeper either.
const maxNesting = 1000

var errNesting = fmt.Errorf("the content is nested deeper than %d", maxNesting)

// pythonText returns str() of a JSON value as Python reads it: a string is
// itself, null is None, a list of parts is its repr. The value has been validated.
func pythonText(value []byte) (string, error) {
	r := repr{scanner: rawjson.NewScanner(value), data: value}
	if r.scanner.Peek() == '"' {
		t, _ := r.scanner.String()
		return t.Decode(value), nil
	}
	r.value(maxNesting)
	return string(r.out), r.err
}

// repr writes values in the order of the text.
type repr struct {
	scanner *rawjson.Scanner
	data    []byte
	out     []byte
	err     error
}

// value writes the next value, which may hold others down to a depth.
func (r *repr) value(depth int) {
	switch r.scanner.Peek() {
	case '{', '[':
		if depth == 0 {
			r.scanner.Value()
			r.err = errNesting
			return
		}
		r.container(depth - 1)
	case '"':
		t, _ := r.scanner.String()
		r.out = appendString(r.out, t.Raw(r.data))
	case '0':
		r.out = appendNumber(r.out, string(r.scanner.Value().Of(r.data)))
	case 't':
		r.literal("True")
	case 'f':
		r.literal("False")
	default:
		r.literal("None")
	}
}

func (r *repr) literal(text string) {
	r.scanner.Value()
	r.out = append(r.out, text...)
}

func (r *repr) container(depth int) {
	if r.scanner.Peek() == '{' {
		r.dict(depth)
		return
	}
	r.out = append(r.out, '[')
	for i := range r.scanner.Elements() {
		if i > 0 {
			r.out = append(r.out, ", "...)
		}
		r.value(depth)
	}
	r.out = append(r.out, ']')
}

// dict writes an object. Of members with equal keys the first one's place and the
// last one's value count.
func (r *repr) dict(depth int) {
	begin, repeated := len(r.out), false
	var fields []field
	at := map[string]int{}
	r.out = append(r.out, '{')
	for _, span := range r.scanner.Members() {
		if len(fields) > 0 {
			r.out = append(r.out, ", "...)
		}
		key := len(r.out)
		r.out = append(appendString(r.out, span.Of(r.data)[1:span.Len()-1]), ": "...)
		value := len(r.out)
		r.value(depth)
		name := string(r.out[key:value])
		if first, again := at[name]; again {
			fields[first].value, fields[first].end = value, len(r.out)
			repeated = true
			continue
		}
		at[name] = len(fields)
		fields = append(fields, field{name, value, len(r.out)})
	}
	r.out = append(r.out, '}')
	if repeated {
		r.out = append(r.out[:begin], joinFields(r.out, fields)...)
	}
}

// field is a member of an object: its name with a colon, and where its value
// stands in the output.
type field struct {
	name       string
	value, end int
}

// joinFields writes an object again, from values that may stand anywhere.
func joinFields(out []byte, fields []field) []byte {
	dst := []byte{'{'}
	for i, f := range fields {
		if i > 0 {
			dst = append(dst, ", "...)
		}
		dst = append(append(dst, f.name...), out[f.value:f.end]...)
	}
	return append(dst, '}')
}

// appendNumber appends a number: whole ones as they are, all others as the
// shortest decimal that reads back as the same float.
func appendNumber(dst []byte, literal string) []byte {
	if !strings.ContainsAny(literal, ".eE") {
		if literal == "-0" {
			literal = "0"
		}
		return append(dst, literal...)
	}
	f, _ := strconv.ParseFloat(literal, 64) // out of range is infinite, as in Python
	return appendFloat(dst, f)
}

// appendFloat writes exponents of ten from -4 to 15 out and others with an e.
func appendFloat(dst []byte, f float64) []byte {
	switch {
	case math.IsNaN(f):
		return append(dst, "nan"...)
	case math.IsInf(f, 1):
		return append(dst, "inf"...)
	case math.IsInf(f, -1):
		return append(dst, "-inf"...)
	}
	scientific := strconv.FormatFloat(f, 'e', -1, 64)
	_, digits, _ := strings.Cut(scientific, "e")
	if exponent, _ := strconv.Atoi(digits); exponent < -4 || exponent >= 16 {
		return append(dst, scientific...)
	}
	plain := strconv.FormatFloat(f, 'f', -1, 64)
	dst = append(dst, plain...)
	if !strings.Contains(plain, ".") {
		dst = append(dst, ".0"...)
	}
	return dst
}

// appendString appends what stands between the quotes of a JSON string, in single
// quotes, or in double quotes if it has single ones and no double ones. What
// cannot be printed is escaped.
func appendString(dst, raw []byte) []byte {
	quote := quoteFor(raw)
	dst = append(dst, byte(quote))
	for r := range codePoints(raw) {
		switch {
		case r == quote || r == '\\':
			dst = append(dst, '\\', byte(r))
		case r == '\n':
			dst = append(dst, `\n`...)
		case r == '\r':
			dst = append(dst, `\r`...)
		case r == '\t':
			dst = append(dst, `\t`...)
		case unicode.IsPrint(r):
			dst = utf8.AppendRune(dst, r)
		case r <= 0xff:
			dst = fmt.Appendf(dst, `\x%02x`, r)
		case r <= 0xffff:
			dst = fmt.Appendf(dst, `\u%04x`, r)
		default:
			dst = fmt.Appendf(dst, `\U%08x`, r)
		}
	}
	return append(dst, byte(quote))
}

func quoteFor(raw []byte) rune {
	single, double := false, false
	for r := range codePoints(raw) {
		single = single || r == '\''
		double = double || r == '"'
	}
	if single && !double {
		return '"'
	}
	return '\''
}

// codePoints unescapes what stands between the quotes of a JSON string. Halves of
// surrogate pairs that stand alone are kept, as Python keeps them; they have an
// escape of their own.
func codePoints(raw []byte) iter.Seq[rune] {
	return func(yield func(rune) bool) {
		for i := 0; i < len(raw); {
			r, size := nextCodePoint(raw[i:])
			if !yield(r) {
				return
			}
			i += size
		}
	}
}

func nextCodePoint(raw []byte) (rune, int) {
	if raw[0] != '\\' {
		return utf8.DecodeRune(raw)
	}
	r, size := unescape(raw)
	if low, more := unescape(raw[size:]); utf16.DecodeRune(r, low) != unicode.ReplacementChar {
		return utf16.DecodeRune(r, low), size + more
	}
	return r, size
}

// unescape reads the escape that the text begins with, and its size; nothing if
// it begins with none.
func unescape(raw []byte) (rune, int) {
	if len(raw) < 2 || raw[0] != '\\' {
		return 0, 0
	}
	switch raw[1] {
	case 'u':
		n, _ := strconv.ParseUint(string(raw[2:6]), 16, 32) // valid, as all of it
		return rune(n), 6
	case 'n':
		return '\n', 2
	case 'r':
		return '\r', 2
	case 't':
		return '\t', 2
	case 'b':
		return '\b', 2
	case 'f':
		return '\f', 2
	default:
		return rune(raw[1]), 2
	}
}
