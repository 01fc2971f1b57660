//go:build unix

package main

import (
	"strconv"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/internal/bar"
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

// TestTheTerminalSpeaksJapanese looks at every part of the screen that the chat itself
// writes: the placeholder, the menu, notices, tables, failures and gauges. None of them
// is wider than the terminal.
func TestTheTerminalSpeaksJapanese(t *testing.T) {
	t.Parallel()
	for _, width := range []int{40, 80, 140} {
		t.Run(strconv.Itoa(width), func(t *testing.T) {
			t.Parallel()
			p := newPane(t, &scripted.Options{Script: func(c *scripted.Call) (scripted.Step, bool) {
				return scripted.Say("「" + c.Text() + "」ですね。"), true
			}}, width, 30, "--lang", "ja", "-m", "openai:gpt-4o@{model}", "-m", "gemini:gemini-2.5-flash@{model}")
			fits := func(seen string) {
				t.Helper()
				for line := range strings.Lines(seen) {
					if bar.Cells(strings.TrimRight(line, "\n")) > width {
						t.Errorf("a line is wider than the terminal: %q", line)
					}
				}
			}
			fits(p.wait("メッセージ、@名前、@all、/help"))
			p.keys("-l", "/co")
			fits(p.wait("古いターンを"))
			p.keys("C-u")
			p.say("@all こんにちは")
			fits(p.wait("あなた → openai, gemini", "「こんにちは」ですね。", "入力"))
			p.idle()
			p.say("/prune 9x")
			fits(p.wait(`/prune: "9x" はターン数ではありません`, "削除するターン数を指定してください"))
			p.keys("C-u")
			p.say("/context")
			fits(p.wait("ターン 1: こんにちは"))
			p.keys("C-u")
			p.say("/undo")
			fits(p.wait("取り消せる操作がありません"))
			t.Log("\n" + p.wait("取り消せる"))
		})
	}
}
