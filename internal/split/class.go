package split

import "unicode/utf8"

// Character classes as bit flags. They are the sets that the patterns are
// made of, so that a test for membership is one AND.
const (
	upper   = 1 << iota // \p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}: may stand in the upper-case part of a word
	lower               // \p{Ll}\p{Lm}\p{Lo}\p{M}: may stand in the lower-case part of a word
	letter              // \p{L}
	digit               // \p{N}
	space               // \s, the property White_Space
	symbol              // [^\s\p{L}\p{N}]
	graphic             // \p{P}\p{S}
	mark                // \p{M}

	word = upper | lower
)

// invalidClass is the class of every byte that is not part of a valid UTF-8
// sequence: that of U+FFFD.
const invalidClass = symbol | graphic

// classOf returns the class flags of r.
func classOf(r rune) uint8 {
	return classBlocks[int(classIndex[r>>7])<<7|int(r&127)]
}

// classAt returns the class flags and the length in bytes of the character at
// text[pos]. An invalid byte is one character of class invalidClass.
func classAt(text string, pos int) (class uint8, width int) {
	if b := text[pos]; b < utf8.RuneSelf {
		return classBlocks[b], 1
	}
	return classWide(text, pos)
}

// classWide is classAt for characters outside ASCII.
func classWide(text string, pos int) (class uint8, width int) {
	if pos+2 < len(text) {
		if r, ok := decode2(text[pos], text[pos+1]); ok {
			return classBlocks[r], 2
		}
		if r, ok := decode3(text[pos], text[pos+1], text[pos+2]); ok {
			return classOf(r), 3
		}
	}
	r, width := utf8.DecodeRuneInString(text[pos:])
	if width == 1 {
		return invalidClass, 1
	}
	return classOf(r), width
}

// decode3 returns the character that three bytes encode, and false if they do
// not encode one.
func decode3(b0, b1, b2 byte) (r rune, ok bool) {
	r = rune(b0&0x0F)<<12 | rune(b1&0x3F)<<6 | rune(b2&0x3F)
	return r, b0>>4 == 0xE && (b1^0x80)|(b2^0x80) < 0x40 && r >= 0x800 && uint32(r-0xD800) >= 0x800
}

// decode2 returns the character that two bytes encode, and false if they do
// not encode one.
func decode2(b0, b1 byte) (r rune, ok bool) {
	r = rune(b0&0x1F)<<6 | rune(b1&0x3F)
	return r, b0^0xC0 < 0x20 && b1^0x80 < 0x40 && r >= 0x80
}

// skip returns the end of the run of characters that have one of the flags in
// set, starting at pos.
func skip(text string, pos int, set uint8) int {
	for {
		for pos < len(text) && text[pos] < utf8.RuneSelf && classBlocks[text[pos]]&set != 0 {
			pos++
		}
		if pos == len(text) || text[pos] < utf8.RuneSelf {
			return pos
		}
		class, width := classWide(text, pos)
		if class&set == 0 {
			return pos
		}
		pos += width
	}
}

// skipLetters is skip for letters.
func skipLetters(text string, pos int) int {
	for {
		for pos < len(text) && isASCIILetter(text[pos]) {
			pos++
		}
		for pos+1 < len(text) {
			r, ok := decode2(text[pos], text[pos+1])
			if !ok || classBlocks[r]&letter == 0 {
				break
			}
			pos += 2
		}
		pos = skipCaseless(text, pos)
		if pos == len(text) {
			return pos
		}
		class, width := classAt(text, pos)
		if class&letter == 0 {
			return pos
		}
		pos += width
	}
}

// skipCaseless skips letters without case that take three bytes, such as kana,
// Han and Hangul, of which there are long runs. It may stop early.
func skipCaseless(text string, pos int) int {
	const (
		shape = 0x8080E0 // three bytes of one character, the first one lowest
		mask  = 0xC0C0F0
	)
	for ; pos+4 <= len(text); pos += 3 {
		w := uint32(text[pos]) | uint32(text[pos+1])<<8 | uint32(text[pos+2])<<16 | uint32(text[pos+3])<<24
		row := w&0xF<<6 | w>>8&0x3F
		if w&mask != shape || caseless[row]>>(w>>16&63)&1 == 0 {
			break
		}
	}
	return pos
}

func isASCIILetter(b byte) bool {
	b |= 0x20
	return 'a' <= b && b <= 'z'
}

// has reports whether there is a character at pos with one of the flags in set.
func has(text string, pos int, set uint8) bool {
	if pos >= len(text) {
		return false
	}
	class, _ := classAt(text, pos)
	return class&set != 0
}

func isNewline(b byte) bool { return b == '\n' || b == '\r' }
