package plimsoll

import "strings"

// receiptOpening begins every receipt, so that receipts are known when they come
// back.
const receiptOpening = "[plimsoll: "

// Receipt returns the message that stands where others were taken out. It speaks as
// the user, because that is valid anywhere between rounds, but opens no turn: the
// question that the user asked before it stays the newest.
func Receipt(text string) Message { return Say(User, receiptOpening+text+"]") }

// IsReceipt reports whether the message is a receipt.
func IsReceipt(m Message) bool {
	if m.Role != User || m.Parts.Len() != 1 || !Has[Text](m) {
		return false
	}
	return strings.HasPrefix(m.Parts.At(0).(Text).Text, receiptOpening)
}
