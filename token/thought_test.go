package token_test

import (
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/token"
)

func TestShownThinkingOfClaudeWeighsMoreThanItsText(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("the tide falls, so the line must be checked again; ", 40)
	weigh := func(model string, p plimsoll.Part) int {
		c := plimsoll.Conversation{Dialect: plimsoll.Anthropic, Model: model, Messages: plimsoll.ListOf(plimsoll.NewMessage(plimsoll.Assistant, p))}
		return token.NewMeter(nil).Weigh(c).Messages[0].Parts[0]
	}
	for model, percent := range map[string]int{
		"claude-opus-4-5": 115, "claude-sonnet-4-5-20250929": 115, "claude-opus-4-6": 175, "claude-opus-4-7": 175, "deepseek-v3": 100, "gpt-5": 100,
	} {
		thought, said := weigh(model, plimsoll.Reasoning{Text: text}), weigh(model, plimsoll.Text{Text: text})
		if want := (said*percent + 99) / 100; thought != want {
			t.Errorf("%s: thinking weighs %d, want %d, %d %% of the text's %d", model, thought, want, percent, said)
		}
	}
}
