package rawjson

import (
	"bytes"
	"math/bits"
	"unicode/utf16"
	"unicode/utf8"
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
func (t Text) Decode(data []byte) string { return View(t.bytes(data)) }

// bytes is Decode for those who want bytes. They may be shared with data.
func (t Text) bytes(data []byte) []byte {
	raw := t.Raw(data)
	if !t.Escaped {
		return raw
	}
	return unescape(make([]byte, len(raw)), raw)
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

// unescape writes what the inside of a valid string stands for to dst, which is as long
// as raw: no escape is shorter than what it stands for. It finds the escapes of a block at
// once, as skipString does.
func unescape(dst, raw []byte) []byte {
	const short = 16
	n, i := 0, 0 // written to dst, and read from raw
	for start := 0; start+blockSize+short <= len(raw); start += blockSize {
		for hits := specials(raw[start:]); hits != 0; hits &= hits - 1 {
			at := start + bits.TrailingZeros64(hits)
			if at < i {
				continue // the letter of an escape
			}
			if at-i <= short {
				copy(dst[n:n+short], raw[i:i+short]) // of a known size; what is too much is written over
			} else {
				copy(dst[n:], raw[i:at])
			}
			n += at - i
			if c := letters[raw[at+1]]; c != 0 {
				dst[n] = c
				n, i = n+1, at+2
			} else {
				r, length := decodeUnit(raw[at:])
				n, i = n+utf8.EncodeRune(dst[n:], r), at+length
			}
		}
	}
	for {
		at := bytes.IndexByte(raw[i:], '\\')
		if at < 0 {
			n += copy(dst[n:], raw[i:])
			return dst[:n:n]
		}
		n += copy(dst[n:], raw[i:i+at])
		i += at
		r, length := rune(letters[raw[i+1]]), 2
		if r == 0 {
			r, length = decodeUnit(raw[i:])
		}
		n, i = n+utf8.EncodeRune(dst[n:], r), i+length
	}
}

// letters are what escapes of one letter stand for.
var letters = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

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
