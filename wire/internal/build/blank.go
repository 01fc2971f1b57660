package build

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// IsBlank reports whether an escaped text has nothing but white space. It looks
// no further than the first other character.
func IsBlank(raw []byte) bool {
	for len(raw) > 0 {
		r, n := utf8.DecodeRune(raw)
		if r == '\\' {
			r, n = unescaped(raw)
		}
		if !unicode.IsSpace(r) {
			return false
		}
		raw = raw[n:]
	}
	return true
}

// unescaped returns what a valid escape stands for, as far as white space goes.
func unescaped(raw []byte) (rune, int) {
	switch raw[1] {
	case 'n', 't', 'r', 'f':
		return ' ', 2
	case 'u':
		var r rune
		for _, c := range string(raw[2:6]) {
			r = r<<4 | rune(strings.IndexRune("0123456789abcdef", unicode.ToLower(c)))
		}
		return r, 6
	}
	return rune(raw[1]), 2
}
