package rawjson

import (
	"bytes"
	"unicode/utf16"
	"unicode/utf8"
	"unsafe"
)

// Text is a JSON string that has not been unescaped.
type Text struct {
	// Span of the string with its quotes.
	Span
	// Escaped reports whether there is a backslash in it.
	Escaped bool
}

// Raw returns what stands between the quotes, still escaped. It shares the bytes
// of data.
func (t Text) Raw(data []byte) []byte {
	if t.Len() < 2 {
		return nil
	}
	return Span{t.Start + 1, t.End - 1}.Of(data)
}

// Decode returns the string that the text stands for. Without an escape it shares
// the bytes of data, which must not change as long as the string is in use. An
// escape of half a surrogate pair becomes U+FFFD; bytes that are not valid UTF-8
// stay as they are.
func (t Text) Decode(data []byte) string { return view(t.bytes(data)) }

// bytes is Decode for those who want bytes. They may be shared with data.
func (t Text) bytes(data []byte) []byte {
	raw := t.Raw(data)
	if !t.Escaped {
		return raw
	}
	return unescape(raw)
}

// Unquote returns the string that the span of data stands for, and false if the
// span does not hold one whole, valid JSON string. Memory and invalid text are
// treated as by Text.Decode.
func Unquote(data []byte, s Span) (string, bool) {
	if s.Start < 0 || s.Len() < 2 || s.End > len(data) || data[s.Start] != '"' {
		return "", false
	}
	scanner := Scanner{data: data[:s.End], pos: s.Start}
	t, ok := scanner.text()
	if !ok || t.End != s.End {
		return "", false
	}
	return t.Decode(data), true
}

func view(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// unescape resolves the escapes of a valid string. No escape is shorter than what
// it stands for, so one allocation is enough.
func unescape(raw []byte) []byte {
	dst := make([]byte, 0, len(raw))
	for {
		i := bytes.IndexByte(raw, '\\')
		if i < 0 {
			return append(dst, raw...)
		}
		dst = append(dst, raw[:i]...)
		var n int
		dst, n = appendEscape(dst, raw[i:])
		raw = raw[i+n:]
	}
}

// appendEscape appends what the escape at the start of raw stands for and returns
// the escape's length.
func appendEscape(dst, raw []byte) ([]byte, int) {
	switch c := raw[1]; c {
	case 'b':
		return append(dst, '\b'), 2
	case 'f':
		return append(dst, '\f'), 2
	case 'n':
		return append(dst, '\n'), 2
	case 'r':
		return append(dst, '\r'), 2
	case 't':
		return append(dst, '\t'), 2
	case 'u':
		r, n := decodeUnit(raw)
		return utf8.AppendRune(dst, r), n
	default:
		return append(dst, c), 2
	}
}

// decodeUnit reads \uXXXX, or two of them if they are a surrogate pair.
func decodeUnit(raw []byte) (rune, int) {
	r := unit(raw)
	if !utf16.IsSurrogate(r) {
		return r, 6
	}
	if len(raw) >= 12 && raw[6] == '\\' && raw[7] == 'u' {
		if pair := utf16.DecodeRune(r, unit(raw[6:])); pair != utf8.RuneError {
			return pair, 12
		}
	}
	return utf8.RuneError, 6
}

func unit(raw []byte) rune {
	return rune(hex(raw[2])<<12 | hex(raw[3])<<8 | hex(raw[4])<<4 | hex(raw[5]))
}
