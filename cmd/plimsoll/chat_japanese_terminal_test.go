//go:build unix

package main

import (
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/internal/scripted"
)

// cursor waits until the cursor stands in a column, where an input method would show its
// candidates.
func (p *pane) cursor(column string) {
	p.t.Helper()
	p.until("has its cursor in column "+column, func(string) bool {
		return p.tmux("display-message", "-p", "#{cursor_x}") == column+"\n"
	})
}

// TestJapaneseIsTypedInTheTerminal types as an input method does, which hands over whole
// words at once and writes wide signs.
func TestJapaneseIsTypedInTheTerminal(t *testing.T) {
	t.Parallel()
	p := newPane(t, &scripted.Options{Script: func(c *scripted.Call) (scripted.Step, bool) {
		return scripted.Say("「" + c.Text() + "」ですね。"), true
	}}, 40, 24, "-m", "openai:gpt-4o@{model}", "-m", "gemini:gemini-2.5-flash@{model}")
	p.keys("-l", "＠gemini、喫水線")
	p.cursor("18")
	p.keys("Left", "Left")
	p.cursor("14")
	p.keys("-l", "水")
	p.keys("BSpace")
	p.cursor("14")
	p.keys("End")
	p.keys("-l", "は船の積荷の限度を示す線ですか")
	seen := p.wait("> ＠gemini、喫水線は船の積荷の限度を示す", "\n  線ですか")
	for line := range strings.Lines(seen) {
		if len([]rune(line)) > 41 {
			t.Errorf("a line is wider than the terminal: %q", line)
		}
	}
	p.keys("Enter")
	p.wait("you → gemini", "「喫水線は船の積荷の限度を示す線です", "か」ですね。")
	p.idle()
	p.say("／context")
	p.wait("> ／context", "gemini (gemini-2.5-flash)")
}
