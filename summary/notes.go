package summary

import (
	"slices"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/passage"
)

// NotesOptions say how notes are made.
type NotesOptions struct {
	// Budget is the most tokens that the notes may have.
	Budget int
	// Count counts tokens; required.
	Count func(text string) int
	// Previous are the notes of checkpoints in the old part. Their sentences compete with
	// the new ones.
	Previous string
	// Kept are messages of the old part that stay, in order; notes need not quote them.
	Kept []int
}

// WriteNotes returns the sentences that carry most of the old part of a conversation, with
// speakers and dates. The result is empty if nothing fits. It holds no tags, and nothing
// that the assistant repeated from a tool result.
func WriteNotes(c plimsoll.Conversation, old plimsoll.Span, o NotesOptions) string {
	if o.Budget <= 0 {
		return ""
	}
	// Passages of one conversation share the labels of its speakers, so the earlier notes
	// are read as its first message.
	messages := []plimsoll.Message{plimsoll.Say(plimsoll.Assistant, o.Previous)}
	for i := old.Start; i < old.End; i++ {
		messages = append(messages, c.Messages.At(i))
	}
	whole := plimsoll.Conversation{Messages: plimsoll.ListOf(messages...)}
	all := passage.Of(whole, func(i int) bool {
		if i == 0 {
			return true
		}
		_, kept := slices.BinarySearch(o.Kept, old.Start+i-1)
		return !kept && !CheckpointAt(c, old.Start+i-1)
	})
	span := plimsoll.Span{Start: 0, End: len(messages)}
	all = withoutEchoes(whole, span, all, func(p passage.Passage) string {
		if messages[p.Message].Role == plimsoll.User {
			return "" // the user's words stay
		}
		return p.Text
	})
	for i := range all {
		p := &all[i]
		p.Date, p.Speaker, p.Text = escape(p.Date), escape(p.Speaker), escape(p.Text)
	}
	return passage.Notes(all, o.Budget, o.Count)
}
