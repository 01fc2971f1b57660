package embedding

import (
	"strings"
	"unicode/utf8"
)

// cut divides a text into pieces of at most so many bytes: behind a line break or
// a blank in the last quarter of a piece if there is one, and never inside a
// character. Pieces of white space alone are left out.
func cut(text string, most int) []string {
	var pieces []string
	for text != "" {
		n := border(text, most)
		if piece := text[:n]; strings.TrimSpace(piece) != "" {
			pieces = append(pieces, piece)
		}
		text = text[n:]
	}
	return pieces
}

// border returns where the first piece of a text ends.
func border(text string, most int) int {
	if len(text) <= most {
		return len(text)
	}
	least := most - most/4
	for _, mark := range []string{"\n", " "} {
		if i := strings.LastIndex(text[least:most], mark); i >= 0 {
			return least + i + 1
		}
	}
	n := most
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	if n == 0 { // a character that is larger than a piece, or none
		_, n = utf8.DecodeRuneInString(text)
	}
	return n
}
