package summary

import (
	"strings"

	"github.com/plimsoll/plimsoll"
)

// said is a text of a message with its position.
type said struct {
	message int
	text    string
}

// saidByUser returns what the user wrote in a span, oldest first. It leaves out tool
// results, receipts, checkpoints, and what programs put into the user's messages.
func saidByUser(c plimsoll.Conversation, span plimsoll.Span) []said {
	var all []said
	for i := span.Start; i < span.End; i++ {
		m := c.Messages.At(i)
		if m.Role != plimsoll.User || plimsoll.Has[plimsoll.ToolResult](m) || plimsoll.IsReceipt(m) || CheckpointAt(c, i) {
			continue
		}
		if text := ownWords(m.Text()); text != "" && !isNote(text) {
			all = append(all, said{i, text})
		}
	}
	return all
}

// isNote reports whether a program wrote a message of the user. Such a message is a
// remark in brackets, or the summary of a client that compacts by itself.
func isNote(text string) bool {
	bracketed := strings.HasPrefix(text, "[") && strings.HasSuffix(text, "]") && !strings.Contains(text, "\n")
	return bracketed || strings.HasPrefix(text, "This session is being continued from a previous conversation")
}

// saidByAgent returns the texts of the assistant in a span, oldest first.
func saidByAgent(c plimsoll.Conversation, span plimsoll.Span) []said {
	var all []said
	for i := span.Start; i < span.End; i++ {
		if m := c.Messages.At(i); m.Role == plimsoll.Assistant && !CheckpointAt(c, i) {
			if text := ownWords(m.Text()); text != "" {
				all = append(all, said{i, text})
			}
		}
	}
	return all
}

// notOwn are the tags of blocks that programs put into messages: earlier checkpoints,
// fences, and notes of the harness.
var notOwn = [...]string{"plimsoll_checkpoint", snapshotTag, retainTag, summaryTag, "ledger", fenceTag, "scratchpad", "system-reminder", "local-command-stdout", "command-name", "command-message"}

// ownWords returns a text without such blocks and without ledgers. A block without an end
// reaches to the end of the text.
func ownWords(text string) string {
	if before, ledger, found := strings.Cut(text, ledgerOpening); found {
		_, after, _ := strings.Cut(ledger, "\n\n")
		text = before + after
	}
	for _, name := range notOwn {
		text = withoutTag(text, name)
	}
	return strings.TrimSpace(text)
}

// withoutTag drops the blocks of a tag.
func withoutTag(text, name string) string {
	var kept strings.Builder
	from := 0
	for {
		open, found := findTag(text, name, from)
		if !found {
			break
		}
		kept.WriteString(text[from:open.start])
		end, closed := open, open.alone
		if !closed {
			end, closed = findTag(text, "/"+name, open.end)
		}
		if !closed {
			return kept.String()
		}
		from = end.end
	}
	if from == 0 {
		return text
	}
	kept.WriteString(text[from:])
	return kept.String()
}
