package rawjson

import "unicode/utf8"

// AppendQuote appends s to dst as a JSON string. Only what must be escaped is
// escaped, in the short form if there is one; bytes that are not valid UTF-8 become
// U+FFFD, one each.
func AppendQuote(dst []byte, s string) []byte {
	dst = append(dst, '"')
	if utf8.ValidString(s) {
		dst = appendEscaped(dst, s)
	} else {
		dst = appendRepaired(dst, s)
	}
	return append(dst, '"')
}

func appendRepaired(dst []byte, s string) []byte {
	start := 0
	for i, r := range s {
		if r != utf8.RuneError {
			continue
		}
		if _, size := utf8.DecodeRuneInString(s[i:]); size == 1 {
			dst = appendEscaped(dst, s[start:i])
			dst = append(dst, "\ufffd"...)
			start = i + 1
		}
	}
	return appendEscaped(dst, s[start:])
}

func appendEscaped(dst []byte, s string) []byte {
	data := Bytes(s)
	for start := 0; ; {
		i := plain(data, start)
		dst = append(dst, data[start:i]...)
		if i == len(data) {
			return dst
		}
		dst = appendEscapeOf(dst, data[i])
		start = i + 1
	}
}

// appendEscapeOf escapes a quote, a backslash or a control character.
func appendEscapeOf(dst []byte, c byte) []byte {
	switch c {
	case '\b':
		c = 'b'
	case '\f':
		c = 'f'
	case '\n':
		c = 'n'
	case '\r':
		c = 'r'
	case '\t':
		c = 't'
	case '"', '\\':
	default:
		const digits = "0123456789abcdef"
		return append(dst, '\\', 'u', '0', '0', digits[c>>4], digits[c&15])
	}
	return append(dst, '\\', c)
}
