package plimsoll

import (
	"slices"
	"strings"
)

// The tags that the messages of a checkpoint begin with. Only an assistant's message
// can begin with the first, only a user's with the others.
const (
	CheckpointTag = "<plimsoll_checkpoint>"
	RetainTag     = "<retain>"
	SummaryTag    = "<summary>"
	SnapshotTag   = "<state_snapshot>"
)

// IsCheckpoint reports whether the message has the form of one that belongs to a
// checkpoint: one that carries the knowledge of old messages, not the receipt behind
// it. Users may quote that form and models may imitate it; [Conversation.CheckpointAt]
// tells them apart.
func IsCheckpoint(m Message) bool {
	if m.Parts.Len() != 1 || !Has[Text](m) {
		return false
	}
	text := m.Parts.At(0).(Text).Text
	switch m.Role {
	case Assistant:
		return strings.HasPrefix(text, CheckpointTag)
	case User:
		for _, tag := range []string{RetainTag, SummaryTag, SnapshotTag} {
			if strings.HasPrefix(text, tag) {
				return strings.Contains(text, "</"+tag[1:])
			}
		}
	}
	return false
}

// CheckpointAt reports whether message i belongs to a checkpoint: it has the form, and
// the receipt for what was taken out stands at its end or in the message behind it.
func (c Conversation) CheckpointAt(i int) bool { return checkpointAt(c.Messages.items, i) }

func checkpointAt(messages []Message, i int) bool {
	m := messages[i]
	if !IsCheckpoint(m) {
		return false
	}
	text := m.Parts.At(0).(Text).Text
	behind := i+1 < len(messages) && messages[i+1].Role == User
	switch {
	case m.Role == Assistant:
		// Some clients join what the user says next to the receipt.
		return behind && receiptIn(messages[i+1].Text())
	case strings.HasPrefix(text, RetainTag):
		return behind && strings.HasPrefix(messages[i+1].Text(), SummaryTag) && checkpointAt(messages, i+1)
	}
	return strings.HasSuffix(text, receiptClosing) && receiptIn(text[max(0, strings.LastIndex(text, receiptOpening)):])
}

// Lay puts a checkpoint into the draft: in the place of the span that it stands for,
// and of the checkpoint that was there before.
func (w *Work) Lay(cp *Checkpoint, why Why) error {
	why.Ref = cp.Ref
	for _, id := range w.laid {
		if err := w.draft.Withdraw(id, Why{Rung: why.Rung, Reason: "the new checkpoint takes its place", Ref: w.checkpoint.Ref}); err != nil {
			return err
		}
	}
	start := cp.Old.Start
	for _, kept := range append(slices.Clip(cp.Kept), cp.Old.End) {
		if err := w.draft.Drop(Span{start, kept}, why); err != nil {
			return err
		}
		start = kept + 1
	}
	laid := make([]InsertID, 0, len(cp.Messages))
	for _, m := range cp.Messages {
		id, err := w.draft.Insert(m.Before, Say(m.Role, m.Text), why)
		if err != nil {
			return err
		}
		laid = append(laid, id)
	}
	w.laid, w.checkpoint = laid, cp
	return nil
}

// opensWith reports whether original message i is the one that speaks before the
// checkpoint: without it the assistant would speak first, which most APIs refuse.
func (cp *Checkpoint) opensWith(i int) bool {
	return cp != nil && len(cp.Kept) > 0 && cp.Kept[0] == i && len(cp.Messages) > 0 && cp.Messages[0].Role != User
}

// Checkpoint returns the one that an earlier request was given and this one begins
// with, or nil.
func (w *Work) Checkpoint() *Checkpoint { return w.checkpoint }

// Sent returns a new draft that is cut as an earlier request was, and no further.
func (w *Work) Sent() *Draft {
	sent := &Work{draft: NewDraft(w.draft.base, nil), kept: make([]standing, len(w.kept))}
	if w.sent != nil {
		// It was laid into the same conversation before.
		_ = w.sent.lay(sent)
	}
	return sent.draft
}

// Count returns the tokens of a text as the meter counts them in a message.
func (w *Work) Count(text string) int {
	load := w.draft.meter.WeighMessage(w.draft.base, Say(Assistant, text), 0)
	return load.Tokens - load.Framing
}

// Weight returns what original message i weighs now; 0 if it is out.
func (w *Work) Weight(i int) int {
	s := &w.draft.slots()[i]
	switch {
	case s.dropped:
		return 0
	case !s.edited:
		return w.before.Messages[i].Tokens
	}
	n := w.before.Messages[i].Framing
	for _, load := range w.draft.loads(i) {
		n += load
	}
	return n
}

// Encode writes a draft as a request body, or says that the task has none.
func (w *Work) Encode() func(*Draft) ([]byte, error) { return w.encode }

// DryRun reports whether nothing outside the draft may notice the work.
func (w *Work) DryRun() bool { return w.dry }

// compactName stands in the edits that lay a checkpoint again.
const compactName = "compact"
