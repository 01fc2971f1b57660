package replay

import (
	"crypto/sha256"
	"encoding/json"
	"hash"
	"io"
	"time"

	"github.com/plimsoll/plimsoll"
)

// Session is a recorded conversation.
type Session struct {
	// ID as the record has it, or the file's name with a number.
	ID string
	// Model that was asked last; empty if the record does not say.
	Model   string
	Dialect plimsoll.Dialect
	// System and Tools stand where the record is of requests. Sessions that agents
	// keep have neither; then the first bill tells what they weigh.
	System plimsoll.List[plimsoll.Part]
	Tools  plimsoll.List[plimsoll.Tool]
	// Complete says that the record is of requests: what is not in them was not sent.
	Complete bool
	// Entries, oldest first.
	Entries []Entry
	// Unanswered says that the record ends with a request.
	Unanswered bool
}

// Entry is a message with what is recorded beside it.
type Entry struct {
	Message plimsoll.Message
	// Time at which it was said; zero if unknown.
	Time time.Time
	// Bill is what the call was billed with that the message answers; zero if
	// unknown.
	Bill plimsoll.Usage
	// Summary marks a message with which the recording program itself replaced
	// everything before it. It is no part of the history that is replayed.
	Summary bool
}

// entryOf completes a message: what was only indexed is read, so that it need not be
// read again for every call, and its digest is taken.
func entryOf(m plimsoll.Message) Entry {
	m = solid(m)
	m.Digest = digestOf(m)
	return Entry{Message: m}
}

// solid loads all parts of a message.
func solid(m plimsoll.Message) plimsoll.Message {
	m.Parts = solidParts(m.Parts)
	return m
}

func solidParts(parts plimsoll.List[plimsoll.Part]) plimsoll.List[plimsoll.Part] {
	all := parts.Slice()
	for i, p := range all {
		if r, ok := p.(plimsoll.ToolResult); ok {
			r.Content = solidParts(r.Content)
			all[i] = r
		}
	}
	return plimsoll.ListOf(all...)
}

// digestOf is the fingerprint of what a message says.
func digestOf(m plimsoll.Message) plimsoll.Digest {
	h := sha256.New()
	field(h, string(m.Role))
	field(h, m.Name)
	writeParts(h, m.Parts)
	return plimsoll.Digest(h.Sum(nil)[:16])
}

func writeParts(h hash.Hash, parts plimsoll.List[plimsoll.Part]) {
	for _, p := range parts.All() {
		switch p := p.(type) {
		case plimsoll.Text:
			field(h, "text", p.Text)
		case plimsoll.ToolCall:
			field(h, "call", p.ID, p.Name, p.Arguments)
		case plimsoll.ToolResult:
			field(h, "result", p.CallID)
			writeParts(h, p.Content)
			field(h, "end of result")
		default:
			_ = json.NewEncoder(h).Encode(p) // a hash takes everything
		}
	}
}

// field writes texts so that no two lists of them run into each other.
func field(h hash.Hash, texts ...string) {
	for _, text := range texts {
		n := len(text)
		h.Write([]byte{byte(n), byte(n >> 8), byte(n >> 16), byte(n >> 24)})
		_, _ = io.WriteString(h, text) // a hash takes everything
	}
}
