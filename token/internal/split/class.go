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
	newline             // [\r\n]
	graphic             // \p{P}\p{S}
	mark                // \p{M}

	word     = upper | lower
	textual  = letter | digit | space
	noPrefix = letter | digit | newline // what [^\r\n\p{L}\p{N}] leaves out
)

// invalidClass is the class of every byte that is not part of a valid UTF-8
// sequence: that of U+FFFD, a symbol.
const invalidClass = graphic

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

func classWide(text string, pos int) (class uint8, width int) {
	r, width := utf8.DecodeRuneInString(text[pos:])
	if width == 1 {
		return invalidClass, 1
	}
	return classOf(r), width
}

// skip returns the end of the run of characters that have one of the flags in
// set, starting at pos.
func skip(text string, pos int, set uint8) int {
	for pos < len(text) {
		class, width := classAt(text, pos)
		if class&set == 0 {
			break
		}
		pos += width
	}
	return pos
}

// skipNot returns the end of the run of characters that have none of the
// flags in set, starting at pos.
func skipNot(text string, pos int, set uint8) int {
	for pos < len(text) {
		class, width := classAt(text, pos)
		if class&set != 0 {
			break
		}
		pos += width
	}
	return pos
}

// has reports whether there is a character at pos with one of the flags in set.
func has(text string, pos int, set uint8) bool {
	if pos >= len(text) {
		return false
	}
	class, _ := classAt(text, pos)
	return class&set != 0
}
