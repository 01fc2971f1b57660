package hf

import (
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// isInert reports whether a composing form leaves a character alone and never joins it to the one
// before. It knows the bulk of common text and says no for the rest, which costs time only.
func isInert(r rune, compatible bool) bool {
	switch {
	case r < 0x80:
		return true
	case r < 0x300:
		return !compatible
	case r < 0x2010:
		return r >= 0x400 && r <= 0x482 || r >= 0x48A && r <= 0x52F || // Cyrillic
			r >= 0x5D0 && r <= 0x5EA || r >= 0x621 && r <= 0x64A // Hebrew, Arabic
	case r < 0x3000:
		return r >= 0x2500 && r < 0x2700 || // boxes and symbols
			!compatible && (r <= 0x2027 || r >= 0x2190 && r <= 0x21FF && !isNegatedArrow(r)) // punctuation, arrows
	case r < 0x3100:
		return r >= 0x3001 && r <= 0x3029 || r >= 0x3041 && r <= 0x3096 || r >= 0x30A1 && r <= 0x30FE // kana
	case r < 0xA000:
		return r >= 0x4E00 // Han
	case r < 0x10000:
		return r >= 0xAC00 && r <= 0xD7A3 || !compatible && r >= 0xFF01 && r <= 0xFF9D // Hangul, full width
	}
	return r >= 0x1F300 && r < 0x1FB00 // pictures
}

// isNegatedArrow tells the arrows that decompose into an arrow and a stroke.
func isNegatedArrow(r rune) bool {
	return r == 0x219A || r == 0x219B || r == 0x21AE || r >= 0x21CD && r <= 0x21CF
}

// inertSpan returns how much of text a form leaves alone for sure. The decomposing forms touch too
// much for more than ASCII to be worth a look.
func inertSpan(form norm.Form, text string) int {
	composes := form == norm.NFC || form == norm.NFKC
	for i := 0; i < len(text); {
		if text[i] < utf8.RuneSelf {
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(text[i:])
		if !composes || !isInert(r, form == norm.NFKC) {
			return i
		}
		i += n
	}
	return len(text)
}

// activeSpan returns how far the characters at the start of text may be touched.
func activeSpan(form norm.Form, text string) int {
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRuneInString(text[i:])
		inert := r < utf8.RuneSelf
		if form == norm.NFC || form == norm.NFKC {
			inert = isInert(r, form == norm.NFKC)
		}
		if inert {
			return i
		}
		i += n
	}
	return len(text)
}
