package terminal

import (
	"context"
	"errors"
	"slices"
	"testing"

	tea "charm.land/bubbletea/v2"
	"pgregory.net/rapid"

	"github.com/plimsoll/plimsoll/internal/chat"
)

// TestTheScreenIsAlwaysWhole does anything in any order: every screen has its lines,
// none is too wide, and nothing but text and colours is in it.
func TestTheScreenIsAlwaysWhole(t *testing.T) {
	t.Parallel()
	keys := []string{}
	for name := range keysByName {
		if name != "ctrl+c" && name != "ctrl+d" {
			keys = append(keys, name)
		}
	}
	slices.Sort(keys)
	pieces := []string{"word ", "日本語、", "\n\n- item", "```\ncode\n", "|a|b|\n|-|-|\n", "\x1b[2J", "👨‍👩‍👧", "\t", "/ex", "@ge", "# Title\n"}
	rapid.Check(t, func(rt *rapid.T) {
		engine := &played{participants: two(), gauges: []chat.Gauge{calm("gemini"), calm("openai")}}
		engine.do = func(_ context.Context, line string, tell func(chat.Event)) error {
			if rapid.Bool().Draw(rt, "refused") {
				return errors.New("refused")
			}
			tell(chat.Asked{Text: line, To: []string{"gemini"}})
			tell(chat.Said{Participant: "gemini", Text: line})
			return nil
		}
		g := newStage(t, engine, 40, 14)
		for range rapid.IntRange(1, 40).Draw(rt, "steps") {
			text := rapid.SampledFrom(pieces).Draw(rt, "text")
			switch rapid.IntRange(0, 8).Draw(rt, "what") {
			case 0, 1:
				g.press(rapid.SampledFrom(keys).Draw(rt, "key"))
			case 2:
				g.send(tea.KeyPressMsg{Code: []rune(text)[0], Text: text})
			case 3:
				g.send(tea.PasteMsg{Content: text})
			case 4:
				g.send(tea.WindowSizeMsg{Width: rapid.IntRange(1, 120).Draw(rt, "width"), Height: rapid.IntRange(1, 50).Draw(rt, "height")})
			case 5:
				g.send(eventMsg{chat.Said{Participant: "openai", Text: text}})
			case 6:
				g.send(confirmMsg{ask: chat.Confirmation{Tool: "run", Action: text}, reply: make(chan bool, 1), ctx: t.Context()})
			case 8:
				g.send(eventMsg{chat.Notice{Kind: chat.NoticeText, Text: text + "  " + text + "\n\n" + text}})
			case 7:
				g.send(eventMsg{chat.Answered{Participant: "openai", Text: text}})
			}
			g.pass()
			g.seen()
			if t.Failed() {
				rt.Fatal("see above")
			}
		}
	})
}
