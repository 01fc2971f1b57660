package wire

import (
	"maps"
	"slices"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/rawjson"
)

// Restore puts what a client was not shown back into its request, so that the model sees
// what it said, the provider's prompt cache still matches, and signed reasoning stays
// where it was signed. Records are given by the index of the first message that the
// assistant said in their reply. A record that does not match what the client sent is
// left out, and so is one whose calls the client has not answered. If the client has
// dropped all reasoning of a reply that it was shown, the reply comes back without any.
// Without records Restore returns the body itself; else everything but the replies keeps
// its bytes. The same records give the same bytes.
func Restore(c Codec, r *Request, records map[int]Record) ([]byte, error) {
	if r.layout.Messages.Len() == 0 {
		return r.Body(), nil
	}
	var edits []rawjson.Edit
	done := 0
	for _, first := range slices.Sorted(maps.Keys(records)) {
		if first < done {
			continue
		}
		if more, next, ok := restore(c, r, first, records[first]); ok {
			edits, done = append(edits, more...), next
		}
	}
	return rawjson.Splice(r.Body(), edits)
}

// Stands reports whether the reply that begins with a message is the one that shown
// identifies.
func Stands(r *Request, first int, shown plimsoll.Digest) bool {
	_, ok := endOfReply(r, first, shown)
	return ok
}

// restore returns the edits that put one record into a request, and the index of the
// message behind the reply.
func restore(c Codec, r *Request, first int, record Record) ([]rawjson.Edit, int, bool) {
	next, ok := endOfReply(r, first, record.Shown)
	if !ok {
		return nil, 0, false
	}
	var edits []rawjson.Edit
	if len(record.Results) > 0 {
		if edits, ok = c.InsertResults(r, next, record.Results); !ok {
			return nil, 0, false
		}
	}
	list := r.layout.Messages
	span := rawjson.Span{Start: list.Items[first].Start, End: list.Items[next-1].End}
	elements := c.Restored(record.Elements, span.Of(r.Body()), record.Thought && !thinks(r, first, next))
	if len(elements) > 0 {
		return append(edits, rawjson.Edit{Span: span, Text: joined(elements)}), next, true
	}
	kept := make([]bool, len(list.Items))
	for i := range kept {
		kept[i] = i < first || i >= next
	}
	return append(edits, rawjson.Rearrange(list, kept, nil)...), next, true
}

// thinks reports whether there is reasoning in some messages.
func thinks(r *Request, first, next int) bool {
	for i := first; i < next; i++ {
		if plimsoll.Has[plimsoll.Reasoning](r.conversation.Messages.At(i)) {
			return true
		}
	}
	return false
}

// endOfReply finds the end of the reply that begins with a message: the assistant's
// messages in a row, as many of them as were shown.
func endOfReply(r *Request, first int, want plimsoll.Digest) (next int, ok bool) {
	messages := r.conversation.Messages
	if first < 0 {
		return 0, false
	}
	s := newShown()
	for i := first; i < messages.Len() && messages.At(i).Role == plimsoll.Assistant; i++ {
		s.add(messages.At(i))
		if s.digest() == want {
			next, ok = i+1, true
		}
	}
	return next, ok
}
