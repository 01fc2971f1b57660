//go:build unix

package main

import (
	"fmt"
	"html"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// shot writes the terminal as a picture into the directory that PLIMSOLL_SHOTS names;
// without it, nothing. Those of the documents are made so:
//
//	PLIMSOLL_SHOTS=$PWD/docs/images go test ./cmd/plimsoll -run Terminal
func (p *pane) shot(name string, light bool) {
	p.t.Helper()
	dir := os.Getenv("PLIMSOLL_SHOTS")
	if dir == "" {
		return
	}
	picture := drawPicture(p.tmux("capture-pane", "-p", "-e"), light)
	if err := os.WriteFile(filepath.Join(dir, name+".svg"), []byte(picture), 0o600); err != nil {
		p.t.Fatal(err)
	}
}

// pen is how characters look.
type pen struct {
	color                            string
	bold, italic, underline, reverse bool
}

// Sizes of a picture in pixels.
const (
	cellWidth  = 8.4
	cellHeight = 18.0
	margin     = 10.0
)

// drawPicture turns lines with colours into an SVG document.
func drawPicture(screen string, light bool) string {
	background, foreground := "#0d1117", "#e6edf3"
	if light {
		background, foreground = "#ffffff", "#1f2328"
	}
	lines := strings.Split(strings.TrimRight(screen, "\n"), "\n")
	widest := 0
	var body strings.Builder
	d := drawer{Builder: &body, foreground: foreground, background: background}
	for i, line := range lines {
		widest = max(widest, ansi.StringWidth(line))
		d.line(line, margin+cellHeight*float64(i))
	}
	width, height := 2*margin+cellWidth*float64(widest), 2*margin+cellHeight*float64(len(lines))
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" width="%.0f" height="%.0f" viewBox="0 0 %.0f %.0f" font-family="ui-monospace, 'DejaVu Sans Mono', 'Noto Sans Mono CJK JP', monospace" font-size="14">
<style>text{white-space:pre}</style>
<rect width="100%%" height="100%%" rx="6" fill="%s"/>
%s</svg>
`, width, height, width, height, background, body.String())
}

// drawer draws lines; how characters look goes on from one to the next.
type drawer struct {
	*strings.Builder
	look                   pen
	foreground, background string
}

// line draws stretches of one look, each as wide as its cells.
func (d *drawer) line(line string, top float64) {
	column := 0
	for line != "" {
		text, rest, found := strings.Cut(line, "\x1b[")
		for text != "" {
			stretch := text[:sameWidth(text)]
			if strings.TrimSpace(stretch) != "" || d.look.reverse {
				d.stretch(stretch, margin+cellWidth*float64(column), top)
			}
			column += ansi.StringWidth(stretch)
			text = text[len(stretch):]
		}
		if !found {
			return
		}
		codes, after, _ := strings.Cut(rest, "m")
		d.look.set(codes)
		line = after
	}
}

// sameWidth finds where characters of another width begin, or words behind an
// indent: fonts differ in how wide they draw them.
func sameWidth(text string) int {
	first, size := utf8.DecodeRuneInString(text)
	for i, r := range text {
		if i >= size && (ansi.StringWidth(string(r)) != ansi.StringWidth(string(first)) || first == ' ' && r != ' ') {
			return i
		}
	}
	return len(text)
}

func (d *drawer) stretch(text string, x, top float64) {
	look, color := d.look, d.foreground
	if look.color != "" {
		color = look.color
	}
	width := cellWidth * float64(ansi.StringWidth(text))
	if look.reverse {
		fmt.Fprintf(d, `<rect x="%.1f" y="%.1f" width="%.1f" height="%.0f" fill="%s"/>`+"\n", x, top, width, cellHeight, color)
		color = d.background
	}
	style := ""
	for _, s := range []struct {
		on   bool
		text string
	}{{look.bold, ` font-weight="bold"`}, {look.italic, ` font-style="italic"`}, {look.underline, ` text-decoration="underline"`}} {
		if s.on {
			style += s.text
		}
	}
	fmt.Fprintf(d, `<text x="%.1f" y="%.1f" fill="%s"%s textLength="%.1f" lengthAdjust="spacingAndGlyphs">%s</text>`+"\n",
		x, top+13.5, color, style, width, html.EscapeString(text))
}

// set takes the codes of one sequence.
func (look *pen) set(codes string) {
	all := strings.FieldsFunc(codes, func(r rune) bool { return r == ';' || r == ':' })
	if len(all) == 0 {
		*look = pen{}
	}
	for i := 0; i < len(all); i++ {
		switch all[i] {
		case "0":
			*look = pen{}
		case "1":
			look.bold = true
		case "3":
			look.italic = true
		case "4":
			look.underline = true
		case "7":
			look.reverse = true
		case "39":
			look.color = ""
		case "38":
			if i+2 < len(all) && all[i+1] == "5" {
				look.color = indexed(number(all[i+2]))
				i += 2
			}
		}
	}
}

// indexed is a colour of the cube or the greys that terminals of 256 colours have.
func indexed(n int) string {
	if n >= 232 {
		grey := 8 + 10*(n-232)
		return fmt.Sprintf("#%02x%02x%02x", grey, grey, grey)
	}
	steps := [6]int{0, 95, 135, 175, 215, 255}
	n = max(0, n-16)
	return fmt.Sprintf("#%02x%02x%02x", steps[n/36], steps[n/6%6], steps[n%6])
}

func number(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		return 0
	}
	return n
}

func TestPicturesAreDrawnFromColouredLines(t *testing.T) {
	t.Parallel()
	got := drawPicture("a\x1b[1;38;5;196m<b>\n\x1b[0m\x1b[7m日本\x1b[0m\n", false)
	for _, want := range []string{`>a</text>`, `fill="#ff0000" font-weight="bold" textLength="25.2" lengthAdjust="spacingAndGlyphs">&lt;b&gt;</text>`, `<rect x="10.0" y="28.0" width="33.6"`} {
		if !strings.Contains(got, want) {
			t.Errorf("the picture lacks %s:\n%s", want, got)
		}
	}
}
