package markdown

import (
	"strings"
	"unicode/utf8"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"
)

// cluster is what a reader sees as one character.
type cluster struct {
	text  string
	width int
	run   int
}

// These characters begin no line, or end none, in Japanese and Chinese text.
const (
	notFirst = "、。，．・：；？！゛゜ヽヾゝゞ々ー）〕］｝〉》」』】ぁぃぅぇぉっゃゅょゎァィゥェォッャュョヮヵヶ…‥,.:;?!)]}％"
	notLast  = "（〔［｛〈《「『【([{"
)

// wrap breaks runs into lines of at most width cells: behind blanks, between wide
// characters, and anywhere where nothing else helps.
func wrap(runs []run, width int) []string {
	var lines []string
	for _, line := range split(runs) {
		for len(line) > 0 {
			end, next := fill(line, width)
			lines = append(lines, draw(line[:end], runs))
			line = line[next:]
		}
		if line == nil {
			lines = append(lines, "")
		}
	}
	return lines
}

// split gives the clusters of each line that the text itself has; nil is an empty one.
func split(runs []run) [][]cluster {
	var lines [][]cluster
	var line []cluster
	for i, r := range runs {
		for text := r.text; text != ""; {
			if text[0] == '\n' {
				lines, line, text = append(lines, line), nil, text[1:]
				continue
			}
			first, width := ansi.FirstGraphemeCluster(text, ansi.GraphemeWidth)
			line = append(line, cluster{first, width, i})
			text = text[len(first):]
		}
	}
	if line != nil || len(lines) == 0 {
		lines = append(lines, line)
	}
	return lines
}

// fill finds where a line ends and where the next one begins.
func fill(line []cluster, width int) (end, next int) {
	used, at := 0, 0
	for i, c := range line {
		if i > 0 && mayBreak(line[i-1], c) {
			at = i
		}
		if used += c.width; used > width && c.text != " " {
			if at == 0 {
				at = max(1, i)
			}
			return trimmed(line, at), at
		}
	}
	return trimmed(line, len(line)), len(line)
}

// trimmed leaves out the blanks at the end of a line, though not those of an indent.
func trimmed(line []cluster, end int) int {
	at := end
	for at > 0 && line[at-1].text == " " {
		at--
	}
	return at
}

func mayBreak(before, after cluster) bool {
	switch {
	case after.text == " ":
		return false
	case before.text == " ":
		return true
	case before.width < 2 && after.width < 2:
		return false
	}
	return !strings.Contains(notFirst, after.text) && !strings.Contains(notLast, before.text)
}

// draw puts clusters together, each stretch in its style.
func draw(line []cluster, runs []run) string {
	var b, stretch strings.Builder
	for i, c := range line {
		stretch.WriteString(c.text)
		if i+1 == len(line) || line[i+1].run != c.run {
			b.WriteString(runs[c.run].style.Render(stretch.String()))
			stretch.Reset()
		}
	}
	return b.String()
}

// join draws runs as one line.
func join(runs []run) string {
	var b strings.Builder
	for _, r := range runs {
		b.WriteString(r.style.Render(strings.ReplaceAll(r.text, "\n", " ")))
	}
	return b.String()
}

// hardwrap breaks one line of code wherever the width ends; blanks stay.
func hardwrap(r run, width int) []string {
	var lines []string
	var line strings.Builder
	used := 0
	for text := r.text; text != ""; {
		first, w := ansi.FirstGraphemeCluster(text, ansi.GraphemeWidth)
		if used+w > width && used > 0 {
			lines = append(lines, r.style.Render(line.String()))
			line.Reset()
			used = 0
		}
		line.WriteString(first)
		used += w
		text = text[len(first):]
	}
	return append(lines, r.style.Render(line.String()))
}

func hardwrapStyled(s string, width int) string { return ansi.Hardwrap(s, width, false) }

func clip(s string, width int) string { return ansi.Truncate(s, width, "") }

func cells(s string) int { return lipgloss.Width(s) }

func endsWide(b []byte) bool {
	r, _ := utf8.DecodeLastRune(b)
	return cells(string(r)) == 2
}

func beginsWide(b []byte) bool {
	r, _ := utf8.DecodeRune(b)
	return cells(string(r)) == 2
}
