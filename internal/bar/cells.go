package bar

import (
	"strings"
	"unicode"

	"golang.org/x/text/width"
)

// Cells returns how many terminal cells a text takes: two for wide East Asian
// characters and emoji, none for combining marks and control characters.
func Cells(s string) int {
	n := 0
	for _, r := range s {
		n += runeCells(r)
	}
	return n
}

func runeCells(r rune) int {
	switch {
	case r >= ' ' && r < 0x7f:
		return 1
	case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cc, unicode.Cf):
		return 0
	}
	switch width.LookupRune(r).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return 2
	}
	return 1
}

// Pad appends spaces until the text takes the given cells.
func Pad(s string, cells int) string {
	return s + strings.Repeat(" ", max(0, cells-Cells(s)))
}

// PadLeft puts spaces in front until the text takes the given cells.
func PadLeft(s string, cells int) string {
	return strings.Repeat(" ", max(0, cells-Cells(s))) + s
}

// Clip shortens a text that takes more than the given cells and marks the cut
// with "~".
func Clip(s string, cells int) string {
	if Cells(s) <= cells {
		return s
	}
	used := 0
	for i, r := range s {
		if used+runeCells(r) > cells-1 {
			return s[:i] + strings.Repeat("~", min(1, max(0, cells)))
		}
		used += runeCells(r)
	}
	return s
}

// Clean makes foreign text fit for one line of a terminal: line breaks and
// control characters, which could move the cursor or change colours, become "?".
func Clean(s string) string {
	return strings.Map(func(r rune) rune {
		if r == unicode.ReplacementChar || unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Co, unicode.Cs) {
			return '?'
		}
		return r
	}, s)
}
