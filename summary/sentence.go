package summary

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/plimsoll/plimsoll/internal/passage"
)

// sentences splits prose into sentences. A sentence ends with its line at the latest. It
// skips code blocks.
func sentences(text string) []string {
	var all []string
	inCode := false
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "```") || strings.HasPrefix(line, "~~~") {
			inCode = !inCode
			continue
		}
		if line = trimBullet(line); !inCode && line != "" {
			all = passage.SplitLine(all, line)
		}
	}
	return all
}

// trimBullet removes the mark of a heading or of a list item.
func trimBullet(line string) string {
	line = strings.TrimLeft(line, "#>・●○■◆ \t")
	for _, bullet := range [...]string{"- ", "* ", "+ ", "• ", "– "} {
		line = strings.TrimPrefix(line, bullet)
	}
	if rest, ok := numberedLine(line); ok {
		return rest
	}
	return strings.TrimSpace(line)
}

// script is a kind of writing system.
type script uint8

const (
	noScript script = iota
	alphabetic
	ideographic // kanji, kana, hangul
)

func scriptOf(r rune) script {
	switch {
	case r < utf8.RuneSelf:
		if classOf[r]&wordByte != 0 {
			return alphabetic
		}
		return noScript
	case r >= 0x3041 && r <= 0x30ff, r >= 0x3400 && r <= 0x9fff, r >= 0xf900 && r <= 0xfaff, r >= 0xac00 && r <= 0xd7a3, r >= 0x20000 && r <= 0x3ffff, r == '々', r == '〆':
		return ideographic
	case unicode.IsLetter(r), unicode.IsDigit(r), unicode.IsMark(r):
		return alphabetic
	}
	return noScript
}
