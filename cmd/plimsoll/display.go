package main

import (
	"os"
	"runtime"
	"strconv"
	"strings"

	"golang.org/x/term"

	"github.com/plimsoll/plimsoll/internal/bar"
	"github.com/plimsoll/plimsoll/internal/lang"
)

// display says how text may look where it goes.
type display struct {
	width int
	// known says that someone looks at lines of this width; otherwise it is a
	// guess, for which nothing is left out and no sentence broken.
	known        bool
	ascii, color bool
	// lang is the language of sentences and titles.
	lang lang.Printer
}

// defaultWidth is that of output which is no terminal.
const defaultWidth = 80

// minWidth is the narrowest that is drawn; terminals below it have to wrap.
const minWidth = 20

// newDisplay looks at the terminal and the environment. A width that is given and
// a colour other than "auto" win over both.
func newDisplay(p *process, width *int, color string) display {
	columns, known := p.widthOr(width)
	return display{
		width: max(minWidth, columns),
		known: known,
		ascii: !p.speaksUTF8(),
		color: color == "always" || color == "auto" && p.wantsColor(),
		lang:  p.lang,
	}
}

func (p *process) widthOr(width *int) (columns int, known bool) {
	if width != nil {
		return *width, true
	}
	if f, ok := p.stdout.(*os.File); ok {
		if columns, _, err := term.GetSize(int(f.Fd())); err == nil && columns > 0 {
			return columns, true
		}
	}
	if columns, err := strconv.Atoi(p.getenv("COLUMNS")); err == nil && columns > 0 {
		return columns, true
	}
	return defaultWidth, false
}

// wantsColor follows the conventions of NO_COLOR, CLICOLOR_FORCE and TERM.
func (p *process) wantsColor() bool {
	if p.getenv("NO_COLOR") != "" {
		return false
	}
	if force := p.getenv("CLICOLOR_FORCE"); force != "" && force != "0" {
		return true
	}
	return p.getenv("TERM") != "dumb" && isTerminal(p.stdout)
}

// speaksUTF8 reads the locale as a C library does: the first that is set decides.
func (p *process) speaksUTF8() bool {
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if locale := strings.ToLower(p.getenv(name)); locale != "" {
			return strings.Contains(locale, "utf-8") || strings.Contains(locale, "utf8")
		}
	}
	return runtime.GOOS == "windows" || runtime.GOOS == "darwin"
}

func isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

func (d display) chart() bar.Options {
	return bar.Options{Width: d.width, ASCII: d.ascii, Color: d.color}
}

// paint sets text in an SGR style where colour is wanted.
func (d display) paint(text, style string) string {
	if !d.color {
		return text
	}
	return "\x1b[" + style + "m" + text + "\x1b[0m"
}

// titled makes the first line of a table faint.
func (d display) titled(i int, line string) string {
	if i == 0 {
		return d.paint(line, styleFaint)
	}
	return line
}

// wrap says a sentence in the language and breaks it between words where the terminal would within them. The
// lines behind the first are indented.
func (d display) wrap(text string, indent int) string {
	text = d.lang.Error(text)
	if !d.known {
		return text
	}
	return strings.Join(bar.Wrap(text, d.width, indent), "\n")
}

// band writes an error band.
func (d display) band(tokens int) string {
	if d.ascii {
		return "+/- " + grouped(tokens)
	}
	return "±" + grouped(tokens)
}

// The styles of texts.
const (
	styleStrong = "1"
	styleFaint  = "2"
	styleAlarm  = "1;31"
)

// grouped writes a number with commas between the thousands.
func grouped(n int) string {
	digits := strconv.Itoa(n)
	sign := ""
	if n < 0 {
		sign, digits = "-", digits[1:]
	}
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return sign + digits
}

// percent writes a share with one digit behind the point.
func percent(part, whole int) string {
	if whole <= 0 {
		return "-"
	}
	return strconv.FormatFloat(100*float64(part)/float64(whole), 'f', 1, 64) + " %"
}

// plural writes a number with its noun.
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return grouped(n) + " " + noun + "s"
}
