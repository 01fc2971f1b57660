package markdown

import (
	"strings"

	"github.com/plimsoll/plimsoll/internal/bar"
)

// The joiners are format characters that emoji, Persian and Indic scripts need, and
// that move nothing.
const (
	zeroWidthNonJoiner = '\u200c'
	zeroWidthJoiner    = '\u200d'
)

// cleanLine makes a text fit for one line: tabs become blanks, and whatever could
// move the cursor, turn the writing direction or change colours becomes "?".
func cleanLine(s string) string {
	s = strings.ReplaceAll(s, "\t", "    ")
	from := 0
	var b strings.Builder
	for i, r := range s {
		if r == zeroWidthJoiner || r == zeroWidthNonJoiner {
			b.WriteString(bar.Clean(s[from:i]))
			b.WriteRune(r)
			from = i + 3
		}
	}
	if from == 0 {
		return bar.Clean(s)
	}
	b.WriteString(bar.Clean(s[from:]))
	return b.String()
}

// cleanLines does the same for text of several lines. Tabs stay, because Markdown
// counts them; they are replaced when a line is drawn.
func cleanLines(s string) string {
	s = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(s)
	lines := strings.Split(s, "\n")
	for i, line := range lines {
		parts := strings.Split(line, "\t")
		for j, part := range parts {
			parts[j] = cleanLine(part)
		}
		lines[i] = strings.Join(parts, "\t")
	}
	return strings.Join(lines, "\n")
}
