package bar

import "strings"

// Wrap breaks a text into lines of at most the given cells: at blanks, and between
// characters that are two cells wide, which need no blanks between words. Lines behind
// the first begin with indent spaces. A word that is longer than a line has one to
// itself; blanks within a line stay as they are.
func Wrap(s string, cells, indent int) []string {
	var lines []string
	for Cells(s) > cells {
		at := breakAt(s, cells, indent*min(1, len(lines)))
		if at < 0 {
			break
		}
		lines = append(lines, strings.TrimRight(s[:at], " "))
		s = strings.Repeat(" ", indent) + strings.TrimLeft(s[at:], " ")
	}
	return append(lines, s)
}

// breakAt finds the last place to break that leaves a line within the cells, else the
// first one at all, behind the indent; -1 where there is none. Blanks that the line
// begins with are no place to break.
func breakAt(s string, cells, indent int) int {
	at, used, word, before := -1, 0, false, ' '
	for i, r := range s {
		if word && i > indent && (r == ' ' || breaksBetween(before, r)) {
			if used > cells && at >= 0 {
				return at
			}
			at = i
			if used > cells {
				return at
			}
		}
		word, before = word || r != ' ', r
		used += runeCells(r)
	}
	return at
}

// Characters that no line begins with, and none ends with.
const (
	noneBegins = "、。，．・：；！？）」』】〉》〕ーぁぃぅぇぉっゃゅょァィゥェォッャュョ々…"
	noneEnds   = "（「『【〈《〔"
)

// breaksBetween reports whether a line may end between two characters that are no
// blanks.
func breaksBetween(before, after rune) bool {
	return before != ' ' && (runeCells(before) == 2 || runeCells(after) == 2) &&
		!strings.ContainsRune(noneBegins+",.:;!?)]}", after) && !strings.ContainsRune(noneEnds+"([{", before)
}
