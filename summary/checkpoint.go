package summary

import (
	"fmt"
	"slices"
	"strings"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/refname"
)

// The tags that the messages of a checkpoint begin with. Only an assistant's message
// can begin with the first, only a user's with the others.
const (
	CheckpointTag = "<plimsoll_checkpoint>"
	RetainTag     = "<retain>"
	SummaryTag    = "<summary>"
	SnapshotTag   = "<state_snapshot>"
)

// IsCheckpoint reports whether the message has the form of a checkpoint's message; the
// receipt after it has not. Users may quote that form and models may imitate it;
// [CheckpointAt] tells them apart.
func IsCheckpoint(m plimsoll.Message) bool {
	if m.Parts.Len() != 1 || !plimsoll.Has[plimsoll.Text](m) {
		return false
	}
	text := m.Parts.At(0).(plimsoll.Text).Text
	switch m.Role {
	case plimsoll.Assistant:
		return strings.HasPrefix(text, CheckpointTag)
	case plimsoll.User:
		for _, tag := range []string{RetainTag, SummaryTag, SnapshotTag} {
			if strings.HasPrefix(text, tag) {
				return strings.Contains(text, "</"+tag[1:])
			}
		}
	}
	return false
}

// CheckpointAt reports whether message i belongs to a checkpoint: it has the form, and
// its end or the next message is the receipt, or after a snapshot the fixed answer. A
// summary without tags looks like any message of the user.
func CheckpointAt(c plimsoll.Conversation, i int) bool {
	m := c.Messages.At(i)
	if !IsCheckpoint(m) {
		return false
	}
	text := m.Parts.At(0).(plimsoll.Text).Text
	next := ""
	if i+1 < c.Messages.Len() && c.Messages.At(i+1).Role == plimsoll.User {
		next = c.Messages.At(i + 1).Text()
	}
	switch {
	case m.Role == plimsoll.Assistant:
		// Some clients append the user's next message to the receipt.
		return receiptIn(next)
	case strings.HasPrefix(text, RetainTag):
		return strings.HasPrefix(next, SummaryTag) && CheckpointAt(c, i+1)
	case strings.HasPrefix(text, SnapshotTag) && i+1 < c.Messages.Len() && answersSnapshot(c.Messages.At(i+1)):
		return true
	}
	return strings.HasSuffix(text, plimsoll.ReceiptClosing) && receiptIn(text[max(0, strings.LastIndex(text, plimsoll.ReceiptOpening)):])
}

func answersSnapshot(m plimsoll.Message) bool {
	return m.Role == plimsoll.Assistant && m.Text() == SnapshotAnswer
}

// In returns where a conversation has the messages of the checkpoint and those of its span
// that stay, behind the leading instructions; false if it does not begin with them.
func (cp *Checkpoint) In(c plimsoll.Conversation) (plimsoll.Span, bool) {
	span := plimsoll.Span{Start: c.Outline().Head}
	span.End = span.Start + len(cp.Messages) + len(cp.Kept)
	if span.End > c.Messages.Len() {
		return span, false
	}
	for i, m := range cp.Messages {
		if has := c.Messages.At(span.Start + i); has.Role != m.Role || has.Text() != m.Text {
			return span, false
		}
	}
	return span, len(cp.Messages) > 0
}

// Checkpoint replaces old messages.
type Checkpoint struct {
	// Old is the span of the original that it replaces. Kept are the messages of the
	// span that stay, in order.
	Old  plimsoll.Span `json:"old"`
	Kept []int         `json:"kept,omitempty"`
	// Messages are the inserted messages, in order.
	Messages []CheckpointMessage `json:"messages"`
	// Ref is where the old messages can be read; nil without an archive. Refs are
	// all references that the checkpoint names.
	Ref  *plimsoll.Ref `json:"ref,omitempty"`
	Refs []string      `json:"refs,omitempty"`
	// User, Ledger, Retain, Summary and Passages are its parts, as in the new history.
	// Passages are the sentences that its notes quote.
	User     string `json:"user"`
	Ledger   string `json:"ledger"`
	Retain   string `json:"retain,omitempty"`
	Summary  string `json:"summary"`
	Passages string `json:"passages,omitempty"`
	// By names the summariser, Notes say what it did.
	By    string   `json:"by"`
	Notes []string `json:"notes,omitempty"`
	// Usage is what Model billed for the summary.
	Usage plimsoll.Usage `json:"usage"`
	Model string         `json:"model,omitempty"`
	// Saved is how many tokens it saved.
	Saved int `json:"saved"`
}

// CheckpointMessage is a message of a checkpoint, and the original message that it comes
// before.
type CheckpointMessage struct {
	Before int           `json:"before"`
	Role   plimsoll.Role `json:"role"`
	Text   string        `json:"text"`
}

// SnapshotAnswer is the assistant's answer to a snapshot in layouts that have one.
const SnapshotAnswer = "Got it. Thanks for the additional context!"

// CheckpointReceipt returns the receipt of a checkpoint. It says how many messages the
// checkpoint replaces, how many of them follow it, and the reference to all of them.
func CheckpointReceipt(messages, tokens, follow int, ref *plimsoll.Ref) string {
	what := fmt.Sprintf("%d earlier messages (%d tokens)", messages, tokens)
	if follow > 0 {
		what += fmt.Sprintf(followText, follow)
	}
	if ref != nil {
		what += ", kept as " + refname.Ref + ref.ID + ","
	}
	return plimsoll.ReceiptOpening + what + plimsoll.ReceiptClosing
}

// receiptIn reports whether the text begins with the receipt of a checkpoint.
func receiptIn(text string) bool {
	var messages, tokens int
	_, err := fmt.Sscanf(text, plimsoll.ReceiptOpening+"%d earlier messages (%d tokens)", &messages, &tokens)
	return err == nil && strings.Contains(text, plimsoll.ReceiptClosing)
}

// followText says how many of the replaced messages come after the receipt.
const followText = ", of which the next %d still stand"

// followingOf reads how many of the replaced messages come after the receipt at the end
// of a text.
func followingOf(text string) int {
	_, receipt, ok := strings.Cut(text[max(0, strings.LastIndex(text, plimsoll.ReceiptOpening)):], "tokens)")
	n := 0
	if ok {
		if _, err := fmt.Sscanf(receipt, followText, &n); err != nil {
			return 0
		}
	}
	return max(0, n)
}

// CheckpointSpan returns the span of the checkpoint that names the reference, from the
// end of the leading instructions on. The archived messages replace the whole span.
func CheckpointSpan(c plimsoll.Conversation, ref string) (plimsoll.Span, bool) {
	messages := c.Messages.Slice()
	for i, m := range slices.Backward(messages) {
		// The receipts of other cuts do not say where what they speak of began.
		receipt := plimsoll.IsReceipt(m) && receiptIn(m.Text())
		if m.Role != plimsoll.User && m.Role != plimsoll.Assistant || !receipt && !CheckpointAt(c, i) || !namesRef(m.Text(), ref) {
			continue
		}
		end := i + 1
		if end < len(messages) && answersSnapshot(messages[end]) {
			end++
			if end < len(messages) && plimsoll.IsReceipt(messages[end]) && messages[end].Text() == plimsoll.EarlierReceipt {
				end++
			}
		}
		return plimsoll.Span{Start: c.Outline().Head, End: min(len(messages), end+followingOf(m.Text()))}, true
	}
	return plimsoll.Span{}, false
}

// namesRef reports whether the reference is the last in the text: a ledger may name
// others before it.
func namesRef(text, ref string) bool {
	rest, marked := refname.Last(text)
	rest, found := strings.CutPrefix(rest, ref)
	return marked && found && (rest == "" || !isRefByte(rest[0]))
}

func isRefByte(b byte) bool {
	return b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= '0' && b <= '9' || b == '_' || b == '-'
}
