package rung

import (
	"testing"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/corpora"
)

// TestRecordedTextsAreSeenAsByPlainLooks looks at everything that was said and printed in
// recorded sessions, in quick and in plain ways.
func TestRecordedTextsAreSeenAsByPlainLooks(t *testing.T) {
	t.Parallel()
	for _, file := range []string{
		"aider-chats/chats.jsonl.gz", "entire-claude-code/sessions.jsonl.gz", "swe-agent/trajs.jsonl.gz", "tau-bench/airline_gpt-4o.jsonl.gz",
		"tau2-bench/simulations.jsonl.gz", "mt-bench-ja/chats.jsonl.gz", "asdc-ja/dialogs.jsonl.gz", "realpersonachat-llm-ja/chats.jsonl.gz",
	} {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			seen := 0
			for _, r := range corpora.Spread(t, file, 60) {
				for _, m := range r.Conversation.Messages.All() {
					for _, text := range textsIn(m.Parts) {
						compareLooks(t, text)
						seen += len(text)
					}
				}
			}
			if seen == 0 {
				t.Error("nothing was looked at")
			}
		})
	}
}

func textsIn(parts plimsoll.List[plimsoll.Part]) (texts []string) {
	for _, p := range parts.All() {
		switch p := p.(type) {
		case plimsoll.Text:
			texts = append(texts, p.Text)
		case plimsoll.ToolResult:
			texts = append(texts, textsIn(p.Content)...)
		}
	}
	return texts
}

// FuzzLooks compares quick and plain looks at whatever tools print.
func FuzzLooks(f *testing.F) {
	for _, piece := range outputPieces {
		f.Add(piece + "\n\t" + piece)
	}
	f.Fuzz(func(t *testing.T, text string) { compareLooks(t, text) })
}
