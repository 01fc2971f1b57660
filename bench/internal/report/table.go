// Package report turns the result of a run into tables, into a verdict on the
// goals, and into the page of the documentation. It measures nothing.
package report

import (
	"strings"
	"unicode/utf8"
)

// table is a Markdown table that also reads well in a terminal: the first column
// is aligned to the left, the others to the right.
type table struct {
	head []string
	rows [][]string
	// text marks further columns that are aligned to the left.
	text []int
}

func (t *table) add(cells ...string) { t.rows = append(t.rows, cells) }

func (t *table) String() string {
	widths := make([]int, len(t.head))
	for _, row := range append([][]string{t.head}, t.rows...) {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	var b strings.Builder
	t.line(&b, t.head, widths)
	for i, w := range widths {
		if t.left(i) {
			b.WriteString("| " + strings.Repeat("-", w) + " ")
		} else {
			b.WriteString("| " + strings.Repeat("-", w-1) + ": ")
		}
	}
	b.WriteString("|\n")
	for _, row := range t.rows {
		t.line(&b, row, widths)
	}
	return b.String()
}

func (t *table) line(b *strings.Builder, row []string, widths []int) {
	for i, w := range widths {
		cell := ""
		if i < len(row) {
			cell = row[i]
		}
		pad := strings.Repeat(" ", w-utf8.RuneCountInString(cell))
		if t.left(i) {
			b.WriteString("| " + cell + pad + " ")
		} else {
			b.WriteString("| " + pad + cell + " ")
		}
	}
	b.WriteString("|\n")
}

func (t *table) left(column int) bool {
	if column == 0 {
		return true
	}
	for _, c := range t.text {
		if c == column {
			return true
		}
	}
	return false
}
