// Package markdown draws Markdown as lines of styled text for a terminal. It exists
// because answers are foreign text: whatever they contain, no control character gets
// through, no line is wider than the terminal, and Japanese breaks where it may. It
// knows nothing of chats.
package markdown

import (
	"strings"
	"unicode/utf8"

	"charm.land/lipgloss/v2"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// Theme is how the kinds of text look. [NewTheme] makes one.
type Theme struct {
	Text, Heading, Code, Link, Quote, Faint lipgloss.Style
}

// NewTheme returns the styles for a dark or a light background.
func NewTheme(dark bool) *Theme {
	pick := lipgloss.LightDark(dark)
	plain := lipgloss.NewStyle()
	return &Theme{
		Text:    plain,
		Heading: plain.Bold(true).Foreground(pick(lipgloss.Color("#005faf"), lipgloss.Color("#5fafff"))),
		Code:    plain.Foreground(pick(lipgloss.Color("#af5f00"), lipgloss.Color("#ffaf5f"))),
		Link:    plain.Underline(true).Foreground(pick(lipgloss.Color("#005faf"), lipgloss.Color("#5fafff"))),
		Quote:   plain.Foreground(pick(lipgloss.Color("#585858"), lipgloss.Color("#a8a8a8"))),
		Faint:   plain.Foreground(pick(lipgloss.Color("#6c6c6c"), lipgloss.Color("#8a8a8a"))),
	}
}

// leastWidth is the narrowest that text is set; deeper indents are left out.
const leastWidth = 10

// Bounds of what is read as Markdown at once: parsers take long for text that is made
// to keep them busy. What exceeds them is shown as it is, wrapped.
const (
	mostBytes   = 1 << 15
	mostNesting = 50
)

// Render draws a text in lines of at most width cells; a width below 2 counts as 2.
// A long text is drawn in parts, between which references to links are not resolved.
func Render(source string, width int, theme *Theme) []string {
	width = max(width, 2)
	var lines []string
	for len(source) > mostBytes {
		if at := settledUpTo(source[:mostBytes]); at > 0 {
			lines = appendBlock(lines, render(source[:at], width, theme))
			source = source[at:]
			continue
		}
		at := cutBehindLine(source, mostBytes)
		lines = append(lines, Plain(strings.TrimSuffix(source[:at], "\n"), width, theme.Text)...)
		source = source[at:]
	}
	return appendBlock(lines, render(source, width, theme))
}

// cutBehindLine finds the end of a line within the bytes, else of a character.
func cutBehindLine(source string, most int) int {
	if at := strings.LastIndexByte(source[:most], '\n'); at >= 0 {
		return at + 1
	}
	for most > 1 && !utf8.RuneStart(source[most]) {
		most--
	}
	return most
}

func render(source string, width int, theme *Theme) []string {
	if nestsDeep(source) {
		return Plain(source, width, theme.Text)
	}
	source = cleanLines(source)
	d := &drawing{source: []byte(source), theme: theme}
	root := newParser().Parse(text.NewReader(d.source))
	return d.blocks(root, width, d.theme.Text)
}

// nestsDeep reports lines that open more quotes and lists than anybody writes.
func nestsDeep(source string) bool {
	for line := range strings.Lines(source) {
		marks := 0
		for _, c := range line {
			if c == '>' || c == '-' || c == '+' || c == '*' || c == '.' || c == ')' {
				marks++
			} else if c != ' ' && c != '\t' && (c < '0' || c > '9') {
				break
			}
			if marks > mostNesting && strings.ContainsAny(line[:min(len(line), 8*mostNesting)], " >") {
				return true
			}
		}
	}
	return false
}

// Plain draws a text as it is, in one style, in lines of at most width cells.
func Plain(source string, width int, style lipgloss.Style) []string {
	return wrap([]run{{strings.ReplaceAll(cleanLines(source), "\t", "    "), style}}, max(width, 2))
}

// Line makes a text fit for one line of a terminal: line breaks, and control
// characters that could move the cursor or change colours, become "?".
func Line(source string) string { return cleanLine(source) }

func newParser() parser.Parser {
	return goldmark.New(goldmark.WithExtensions(
		extension.Table, extension.Strikethrough, extension.TaskList, extension.Linkify,
	)).Parser()
}

// drawing is one document being drawn.
type drawing struct {
	source []byte
	theme  *Theme
}

// blocks draws the children of a block, with a blank line between two of them.
func (d *drawing) blocks(parent ast.Node, width int, style lipgloss.Style) []string {
	var lines []string
	tight := isTight(parent)
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		drawn := d.block(n, width, style)
		if len(drawn) == 0 {
			continue
		}
		if len(lines) > 0 && !tight {
			lines = append(lines, "")
		}
		lines = append(lines, drawn...)
	}
	return lines
}

// isTight reports lists, and items of lists, that have no blank lines in them.
func isTight(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.List:
		return n.IsTight
	case *ast.ListItem:
		return isTight(n.Parent())
	}
	return false
}

func (d *drawing) block(n ast.Node, width int, style lipgloss.Style) []string {
	switch n := n.(type) {
	case *ast.Heading:
		return d.heading(n, width)
	case *ast.Paragraph, *ast.TextBlock:
		return wrap(d.inline(n, style, nil), width)
	case *ast.ThematicBreak:
		return []string{d.theme.Faint.Render(strings.Repeat("─", width))}
	case *ast.FencedCodeBlock:
		return d.code(n, string(n.Language(d.source)), width)
	case *ast.CodeBlock:
		return d.code(n, "", width)
	case *ast.Blockquote:
		return d.indented(n, "│ ", "│ ", d.theme.Quote, width, d.theme.Quote)
	case *ast.List:
		return d.list(n, width, style)
	case *ast.HTMLBlock:
		return d.raw(n, width)
	case *ast.LinkReferenceDefinition:
		return nil
	}
	if table, ok := tableOf(n); ok {
		return d.table(table, width, style)
	}
	return d.blocks(n, width, style)
}

func (d *drawing) heading(n *ast.Heading, width int) []string {
	style := d.theme.Heading
	if n.Level == 1 {
		style = style.Underline(true)
	}
	return wrap(d.inline(n, style, nil), width)
}

// code draws lines of code behind a rule; long ones are broken, not cut.
func (d *drawing) code(n ast.Node, language string, width int) []string {
	var lines []string
	if language != "" {
		lines = wrap([]run{{"╭ " + cleanLine(language), d.theme.Faint}}, width)
	}
	edge := d.theme.Faint.Render("│ ")
	inside := width - 2
	if width < leastWidth {
		edge, inside = "", width
	}
	for i := range n.Lines().Len() {
		segment := n.Lines().At(i)
		line := strings.TrimRight(string(segment.Value(d.source)), "\n")
		for _, l := range hardwrap(run{cleanLine(line), d.theme.Code}, inside) {
			lines = append(lines, edge+l)
		}
	}
	return lines
}

// raw draws a block of HTML as the text that it is.
func (d *drawing) raw(n *ast.HTMLBlock, width int) []string {
	var b strings.Builder
	for i := range n.Lines().Len() {
		segment := n.Lines().At(i)
		b.Write(segment.Value(d.source))
	}
	if n.HasClosure() {
		b.Write(n.ClosureLine.Value(d.source))
	}
	return Plain(strings.TrimRight(b.String(), "\n"), width, d.theme.Faint)
}

// indented draws the children of a block behind a mark on the first line and
// another one on the others.
func (d *drawing) indented(n ast.Node, first, rest string, marks lipgloss.Style, width int, style lipgloss.Style) []string {
	inside := width - cells(first)
	if inside < leastWidth {
		return d.blocks(n, width, style)
	}
	lines := d.blocks(n, inside, style)
	if len(lines) == 0 {
		lines = []string{""}
	}
	for i, line := range lines {
		mark := rest
		if i == 0 {
			mark = first
		}
		if line == "" {
			mark = strings.TrimRight(mark, " ")
		}
		lines[i] = marks.Render(mark) + line
	}
	return lines
}
