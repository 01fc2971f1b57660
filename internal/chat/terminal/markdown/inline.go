package markdown

import (
	"html"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/yuin/goldmark/ast"
	extended "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/util"
)

// run is text in one style. A line feed in it ends the line.
type run struct {
	text  string
	style lipgloss.Style
}

// inline appends what stands in a block, or in a part of its text, to the runs.
func (d *drawing) inline(parent ast.Node, style lipgloss.Style, runs []run) []run {
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		runs = d.part(n, style, runs)
	}
	return runs
}

func (d *drawing) part(n ast.Node, style lipgloss.Style, runs []run) []run {
	switch n := n.(type) {
	case *ast.Text:
		return append(runs, run{d.text(n), style})
	case *ast.String:
		return append(runs, run{cleanLine(string(n.Value)), style})
	case *ast.CodeSpan:
		return append(runs, run{d.literal(n), d.theme.Code})
	case *ast.Emphasis:
		if n.Level > 1 {
			return d.inline(n, style.Bold(true), runs)
		}
		return d.inline(n, style.Italic(true), runs)
	case *extended.Strikethrough:
		return d.inline(n, style.Strikethrough(true), runs)
	case *extended.TaskCheckBox:
		if n.IsChecked {
			return append(runs, run{"☑ ", style})
		}
		return append(runs, run{"☐ ", style})
	case *ast.Link:
		return d.link(n, string(n.Destination), runs)
	case *ast.Image:
		return d.link(n, string(n.Destination), append(runs, run{"picture: ", d.theme.Faint}))
	case *ast.AutoLink:
		return append(runs, run{cleanLine(string(n.Label(d.source))), d.theme.Link})
	case *ast.RawHTML:
		return append(runs, run{d.rawHTML(n), d.theme.Faint})
	}
	return d.inline(n, style, runs)
}

// text is that of a node with its escapes undone and the break behind it.
func (d *drawing) text(n *ast.Text) string {
	value := n.Segment.Value(d.source)
	if !n.IsRaw() {
		value = []byte(html.UnescapeString(string(util.UnescapePunctuations(value))))
	}
	text := cleanLine(string(value))
	switch {
	case n.HardLineBreak():
		return text + "\n"
	case n.SoftLineBreak():
		return text + d.softBreak(n)
	}
	return text
}

// softBreak is a blank, and nothing between two wide characters: Japanese has no
// blanks between words.
func (d *drawing) softBreak(n *ast.Text) string {
	next, ok := n.NextSibling().(*ast.Text)
	if ok && endsWide(n.Segment.Value(d.source)) && beginsWide(next.Segment.Value(d.source)) {
		return ""
	}
	return " "
}

func (d *drawing) literal(n ast.Node) string {
	var b strings.Builder
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if t, ok := c.(*ast.Text); ok {
			b.Write(t.Segment.Value(d.source))
		}
	}
	return cleanLine(strings.ReplaceAll(b.String(), "\n", " "))
}

// link shows where it leads unless its words are that already.
func (d *drawing) link(n ast.Node, destination string, runs []run) []run {
	from := len(runs)
	runs = d.inline(n, d.theme.Link, runs)
	shown := ""
	for _, r := range runs[from:] {
		shown += r.text
	}
	destination = cleanLine(destination)
	if destination == "" || shown == destination {
		return runs
	}
	return append(runs, run{" (" + destination + ")", d.theme.Faint})
}

func (d *drawing) rawHTML(n *ast.RawHTML) string {
	var b strings.Builder
	for i := range n.Segments.Len() {
		segment := n.Segments.At(i)
		b.Write(segment.Value(d.source))
	}
	return cleanLine(strings.ReplaceAll(b.String(), "\n", " "))
}
