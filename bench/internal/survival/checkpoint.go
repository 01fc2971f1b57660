package survival

import (
	"context"
	"slices"
	"strings"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/summary"
)

// Sizes of a checkpoint in tokens.
const (
	most       = 6000
	userTokens = 2000
	ledgerSize = 2500
)

// Checkpoint is what stands in the place of the old messages, without the tail.
type Checkpoint struct{ User, Ledger, Summary string }

func (c Checkpoint) whole() string { return c.User + "\n" + c.Ledger + "\n" + c.Summary }

// NewCheckpoint makes the checkpoint of the old messages without a model.
func NewCheckpoint(c plimsoll.Conversation, old plimsoll.Span, count func(string) int) (Checkpoint, error) {
	cp := Checkpoint{
		User:   userMessages(c.Messages.Slice()[old.Start:old.End], count),
		Ledger: summary.WriteLedger(c, old, summary.LedgerOptions{Budget: ledgerSize, Count: count}),
	}
	s, err := summary.Extract{}.Summarize(context.Background(), &summary.Request{
		Conversation: c, Old: old, Count: count, Budget: most - count(cp.User+"\n"+cp.Ledger+"\n") - 1, Required: summary.Required(c, old, summary.Summary{}),
	})
	cp.Summary = s.Text
	return cp, err
}

// userMessages takes what the user said: the first and the newest message, then as
// many others as fit, newest first. Of a message that is too long by itself the
// beginning and the end stay.
func userMessages(messages []plimsoll.Message, count func(string) int) string {
	var texts []string
	for _, m := range messages {
		if m.Role == plimsoll.User && !plimsoll.Has[plimsoll.ToolResult](m) && m.Text() != "" {
			texts = append(texts, m.Text())
		}
	}
	if len(texts) == 0 {
		return ""
	}
	left := userTokens
	kept := map[int]string{}
	for _, i := range []int{0, len(texts) - 1} {
		if _, ok := kept[i]; !ok {
			kept[i] = excerpt(texts[i], userTokens/2, count)
			left -= count(kept[i]) + 2
		}
	}
	for i := len(texts) - 2; i > 0; i-- {
		if n := count(texts[i]) + 2; n <= left {
			left -= n
			kept[i] = texts[i]
		}
	}
	var said []string
	for i := range texts {
		if text, ok := kept[i]; ok {
			said = append(said, text)
		}
	}
	return strings.Join(said, "\n\n")
}

// excerpt shortens a text to a number of tokens.
func excerpt(text string, size int, count func(string) int) string {
	runes := []rune(text)
	cut := text
	for n := len(runes); count(cut) > size; n = n * 9 / 10 {
		cut = string(slices.Concat(runes[:n/2], []rune("\n…\n"), runes[len(runes)-n/2:]))
	}
	return cut
}
