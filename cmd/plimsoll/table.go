package main

import (
	"cmp"
	"slices"
	"strings"

	"github.com/plimsoll/plimsoll/internal/bar"
)

// column is a column of a table.
type column struct {
	title string
	right bool
	// least is how wide the column is where there is room, so that the numbers of
	// one run stand where those of another did.
	least int
	// floor is how narrow its texts may be clipped; 0 means not at all.
	floor int
	// drop is when the column is left out of a table that is too wide, lowest
	// first; 0 means never.
	drop int
	// words says that its texts are the program's own, not data.
	words bool
}

// table is text in columns. Lines that a terminal would break in mid-word cannot
// be read, so it gives up width in this order: long texts down to their floors,
// the spare room of numbers, whole columns, and then what is left of the texts.
type table struct {
	columns []column
	rows    [][]string
}

const columnGap = 2

// lines draws the table, the titles first; no line is wider than the width while
// there is anything left to give up.
func (t table) lines(width int) []string {
	widths := t.fit(width)
	titles := make([]string, len(t.columns))
	for i, c := range t.columns {
		titles[i] = c.title
	}
	out := []string{t.line(titles, widths)}
	for _, row := range t.rows {
		out = append(out, t.line(row, widths))
	}
	return out
}

// lines draws a table with its titles, and the texts that are words, in the language.
func (d display) lines(t table, width int) []string {
	said := table{columns: slices.Clone(t.columns)}
	for i := range said.columns {
		said.columns[i].title = d.lang.Say(said.columns[i].title)
	}
	for _, row := range t.rows {
		row = slices.Clone(row)
		for i, c := range t.columns {
			if c.words {
				row[i] = d.lang.Say(row[i])
			}
		}
		said.rows = append(said.rows, row)
	}
	return said.lines(width)
}

// fit returns the widths of the columns, 0 for those that are left out.
func (t table) fit(width int) []int {
	clipped := t.clip(t.widths(true), width, 0)
	if span(clipped) <= width {
		return clipped
	}
	widths := t.widths(false)
	for {
		clipped = t.clip(widths, width, 0)
		if span(clipped) <= width {
			return clipped
		}
		if !t.drop(widths) {
			return t.clip(widths, width, 1)
		}
	}
}

// widths are those of the longest texts, with or without spare room.
func (t table) widths(spare bool) []int {
	widths := make([]int, len(t.columns))
	for i, c := range t.columns {
		widths[i] = bar.Cells(c.title)
		if spare {
			widths[i] = max(widths[i], c.least)
		}
		for _, row := range t.rows {
			widths[i] = max(widths[i], bar.Cells(row[i]))
		}
	}
	return widths
}

// clip takes from the columns that may be clipped, the first one first, down to
// their floors or to the one that is given.
func (t table) clip(widths []int, width, floor int) []int {
	widths = slices.Clone(widths)
	for i, c := range t.columns {
		if over := span(widths) - width; over > 0 && c.floor > 0 && widths[i] > 0 {
			widths[i] = max(min(widths[i], cmp.Or(floor, c.floor)), widths[i]-over)
		}
	}
	return widths
}

// drop leaves out one more column, if there is one to leave out.
func (t table) drop(widths []int) bool {
	next := -1
	for i, c := range t.columns {
		if c.drop > 0 && widths[i] > 0 && (next < 0 || c.drop < t.columns[next].drop) {
			next = i
		}
	}
	if next < 0 {
		return false
	}
	widths[next] = 0
	return true
}

// span is how wide a line is; columns without width are left out.
func span(widths []int) int {
	sum := -columnGap
	for _, w := range widths {
		if w > 0 {
			sum += w + columnGap
		}
	}
	return sum
}

func (t table) line(row []string, widths []int) string {
	var cells []string
	for i, w := range widths {
		switch text := bar.Clip(row[i], w); {
		case w == 0:
		case t.columns[i].right:
			cells = append(cells, bar.PadLeft(text, w))
		default:
			cells = append(cells, bar.Pad(text, w))
		}
	}
	return strings.TrimRight(strings.Join(cells, strings.Repeat(" ", columnGap)), " ")
}
