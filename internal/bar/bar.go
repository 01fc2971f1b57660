// Package bar draws horizontal bar charts and gauges as lines of text, and
// measures how many terminal cells a text takes. It exists so that every view in
// a terminal draws alike; it knows nothing of conversations, and it neither asks
// the terminal for its width nor writes to it.
package bar

import (
	"strings"
)

// Row is one bar.
type Row struct {
	// Label stands in front of the bar.
	Label string
	// Value is the length of the bar; a negative value draws none.
	Value int
	// Note follows the bar, aligned to the right.
	Note string
	// Style is an SGR parameter such as "36" for the bar's colour; empty for none.
	Style string
}

// Options say how to draw. The zero value draws with block characters, 80 cells
// wide, without colour.
type Options struct {
	// Width in cells, labels and notes included; 0 means 80.
	Width int
	// ASCII draws with characters that every terminal has.
	ASCII bool
	// Color uses the rows' styles.
	Color bool
}

// leastBar keeps bars readable; labels are shortened rather than bars.
const leastBar = 8

// Chart draws the rows as one line each. The longest bar fills the space between
// labels and notes, the others are in proportion, and whatever has a value has a
// mark. No line is wider than the width as long as the notes leave room for it.
func Chart(rows []Row, o Options) []string {
	labels, notes, most := 0, 0, 0
	for _, r := range rows {
		labels = max(labels, Cells(r.Label))
		notes = max(notes, Cells(r.Note))
		most = max(most, r.Value)
	}
	const gaps = 4
	labels = min(labels, max(leastBar, o.width()-notes-gaps-leastBar))
	space := max(leastBar, o.width()-labels-notes-gaps)
	lines := make([]string, len(rows))
	for i, r := range rows {
		drawn := o.draw(r.Value, most, space)
		lines[i] = Pad(Clip(r.Label, labels), labels) + "  " +
			o.paint(drawn, r.Style) + strings.Repeat(" ", space-Cells(drawn)) + "  " +
			PadLeft(r.Note, notes)
	}
	return lines
}

// Gauge draws how much of a whole is used as one line of the width. More than the
// whole fills it.
func Gauge(value, whole int, style string, o Options) string {
	space := max(leastBar, o.width()-2)
	drawn := o.draw(min(value, whole), whole, space)
	rest := "·"
	if o.ASCII {
		rest = "."
	}
	return "[" + o.paint(drawn, style) + strings.Repeat(rest, space-Cells(drawn)) + "]"
}

func (o Options) width() int {
	if o.Width <= 0 {
		return 80
	}
	return o.Width
}

// blocks fill a cell from the left by eighths.
const blocks = "▏▎▍▌▋▊▉█"

// draw gives a bar of value out of most in the given cells. Anything above zero
// is visible.
func (o Options) draw(value, most, cells int) string {
	if value <= 0 || most <= 0 {
		return ""
	}
	share := float64(value) / float64(most)
	if o.ASCII {
		return strings.Repeat("#", max(1, int(share*float64(cells)+0.5)))
	}
	eighths := max(1, int(share*float64(cells*8)+0.5))
	bar := strings.Repeat("█", eighths/8)
	if part := eighths % 8; part > 0 {
		bar += string([]rune(blocks)[part-1])
	}
	return bar
}

func (o Options) paint(s, style string) string {
	if !o.Color || style == "" || s == "" {
		return s
	}
	return "\x1b[" + style + "m" + s + "\x1b[0m"
}
