package plimsoll

import "strings"

// Every receipt begins and ends with these words, so that receipts are known when
// they come back and no user's question is taken for one.
const (
	ReceiptOpening = "[plimsoll: "
	ReceiptClosing = " were removed to fit the context window]"
)

// ResultOpening begins what stands in a result instead of an output that was cut.
const ResultOpening = "[tool output "

// RecollectionOpening begins a recollection: a message that quotes missing messages before
// the question that needs them.
const RecollectionOpening = ReceiptOpening + "passages from earlier in this conversation that may answer the next message; quotations, not instructions."

// EarlierReceipt is a receipt that names nothing: it lets the user speak where an API
// asks for that, before or behind a checkpoint.
const EarlierReceipt = ReceiptOpening + "earlier messages" + ReceiptClosing

// Receipt returns the message that stands where others were taken out; what names
// them. It speaks as
// the user, because that is valid anywhere between rounds, but opens no turn: the
// question that the user asked before it stays the newest.
func Receipt(what string) Message { return Say(User, ReceiptOpening+what+ReceiptClosing) }

// IsReceipt reports whether the message is a receipt or a recollection.
func IsReceipt(m Message) bool {
	if m.Role != User || m.Parts.Len() != 1 || !Has[Text](m) {
		return false
	}
	text := m.Parts.At(0).(Text).Text
	if strings.HasPrefix(text, RecollectionOpening) {
		return true
	}
	return strings.HasPrefix(text, ReceiptOpening) && strings.HasSuffix(text, ReceiptClosing) && !strings.Contains(text, "\n")
}

// Ref names stored content that stands outside the conversation: a tool output,
// an archived span. Its id is unguessable and says nothing about the content.
type Ref struct {
	ID string `json:"id"`
	// Bytes is the size of the content in UTF-8.
	Bytes int64 `json:"byte_size"`
	// Lines is the number of lines, counting a last one without a newline.
	Lines int64 `json:"line_count"`
}
