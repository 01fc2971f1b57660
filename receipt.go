package plimsoll

import (
	"fmt"
	"strings"
)

// Every receipt begins and ends with these words, so that receipts are known when
// they come back and nobody's question is taken for one.
const (
	receiptOpening = "[plimsoll: "
	receiptClosing = " were removed to fit the context window]"
)

// EarlierReceipt is a receipt that names nothing: it lets the user speak where an API
// asks for that, before or behind a checkpoint.
const EarlierReceipt = receiptOpening + "earlier messages" + receiptClosing

// Receipt returns the message that stands where others were taken out; what names
// them. It speaks as
// the user, because that is valid anywhere between rounds, but opens no turn: the
// question that the user asked before it stays the newest.
func Receipt(what string) Message { return Say(User, receiptOpening+what+receiptClosing) }

// IsReceipt reports whether the message is a receipt.
func IsReceipt(m Message) bool {
	if m.Role != User || m.Parts.Len() != 1 || !Has[Text](m) {
		return false
	}
	text := m.Parts.At(0).(Text).Text
	return strings.HasPrefix(text, receiptOpening) && strings.HasSuffix(text, receiptClosing) && !strings.Contains(text, "\n")
}

// CheckpointReceipt returns the text of the receipt that belongs to a checkpoint: how
// many messages it stands for, how many of them still follow it, and where all of
// them can be read.
func CheckpointReceipt(messages, tokens, follow int, ref *Ref) string {
	what := fmt.Sprintf("%d earlier messages (%d tokens)", messages, tokens)
	if follow > 0 {
		what += fmt.Sprintf(followText, follow)
	}
	if ref != nil {
		what += ", kept as ref=" + ref.ID + ","
	}
	return receiptOpening + what + receiptClosing
}

// receiptIn reports whether the text begins with the receipt of a checkpoint.
func receiptIn(text string) bool {
	var messages, tokens int
	_, err := fmt.Sscanf(text, receiptOpening+"%d earlier messages (%d tokens)", &messages, &tokens)
	return err == nil && strings.Contains(text, receiptClosing)
}

// followText says how many of the messages that a receipt speaks of stand behind it.
const followText = ", of which the next %d still stand"

// followingOf returns how many messages still stand behind the receipt at the end of
// a text.
func followingOf(text string) int {
	_, receipt, ok := strings.Cut(text[max(0, strings.LastIndex(text, receiptOpening)):], "tokens)")
	n := 0
	if ok {
		if _, err := fmt.Sscanf(receipt, followText, &n); err != nil {
			return 0
		}
	}
	return max(0, n)
}
