package markdown

import (
	"strconv"
	"strings"

	"charm.land/lipgloss/v2"
	"charm.land/lipgloss/v2/table"
	"github.com/yuin/goldmark/ast"
	extended "github.com/yuin/goldmark/extension/ast"
)

// list draws items behind bullets or numbers. Numbers are aligned to the right.
func (d *drawing) list(n *ast.List, width int, style lipgloss.Style) []string {
	var lines []string
	number, digits := n.Start, len(strconv.Itoa(n.Start+max(0, n.ChildCount()-1)))
	for item := n.FirstChild(); item != nil; item = item.NextSibling() {
		mark := "• "
		if n.IsOrdered() {
			text := strconv.Itoa(number)
			mark = strings.Repeat(" ", max(0, digits-len(text))) + text + ". "
			number++
		}
		if len(lines) > 0 && !n.IsTight {
			lines = append(lines, "")
		}
		lines = append(lines, d.indented(item, mark, strings.Repeat(" ", cells(mark)), d.theme.Faint, width, style)...)
	}
	return lines
}

func tableOf(n ast.Node) (*extended.Table, bool) {
	t, ok := n.(*extended.Table)
	return t, ok
}

// table draws columns between rules. One that is wider than the screen has its cells
// wrapped; one with more columns than fit is drawn row by row.
func (d *drawing) table(n *extended.Table, width int, style lipgloss.Style) []string {
	var rows [][]string
	for row := n.FirstChild(); row != nil; row = row.NextSibling() {
		cellStyle := style
		if _, head := row.(*extended.TableHeader); head {
			cellStyle = style.Bold(true)
		}
		var columns []string
		for c := row.FirstChild(); c != nil; c = c.NextSibling() {
			columns = append(columns, join(d.inline(c, cellStyle, nil)))
		}
		rows = append(rows, columns)
	}
	const leastColumn = 10
	if len(rows) == 0 || len(rows[0])*leastColumn > width {
		return d.tableAsText(rows, width)
	}
	drawn := table.New().Headers(rows[0]...).Rows(rows[1:]...).
		Border(lipgloss.NormalBorder()).BorderStyle(d.theme.Faint).
		BorderTop(false).BorderBottom(false).BorderLeft(false).BorderRight(false).
		StyleFunc(func(_, column int) lipgloss.Style {
			return lipgloss.NewStyle().Padding(0, 1).Align(alignment(n, column))
		})
	text := drawn.String()
	if lipgloss.Width(text) > width {
		text = drawn.Width(width).String()
	}
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = clip(strings.TrimRight(line, " "), width)
	}
	return lines
}

func (d *drawing) tableAsText(rows [][]string, width int) []string {
	var lines []string
	for _, row := range rows {
		lines = append(lines, strings.Split(hardwrapStyled(strings.Join(row, " │ "), width), "\n")...)
	}
	return lines
}

func alignment(n *extended.Table, column int) lipgloss.Position {
	if column >= len(n.Alignments) {
		return lipgloss.Left
	}
	switch n.Alignments[column] {
	case extended.AlignRight:
		return lipgloss.Right
	case extended.AlignCenter:
		return lipgloss.Center
	}
	return lipgloss.Left
}
