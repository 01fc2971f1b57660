package weave

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/rawjson"
	"github.com/plimsoll/plimsoll/wire"
)

// Restore puts what a client was not shown back into its request. Records are given by
// the index of the first message that the assistant said in their reply. One that does
// not match what stands there is left out, and so is one whose calls the client has not
// answered. If the client has dropped all reasoning of a reply that it was shown, the reply
// comes back without any. Without records it returns the body itself; else everything but
// the replies keeps its bytes. The same records give the same bytes.
func Restore(r *wire.Request, records map[int]Record) ([]byte, error) {
	l := loomOf(r.Dialect())
	if l == nil || len(r.Layout().Messages.Items) == 0 {
		return r.Body(), nil
	}
	var edits []rawjson.Edit
	done := 0
	for _, first := range slices.Sorted(maps.Keys(records)) {
		if first < done {
			continue
		}
		if more, next, ok := restored(l, r, first, records[first]); ok {
			edits, done = append(edits, more...), next
		}
	}
	return rawjson.Splice(r.Body(), edits)
}

// Stands reports whether the reply that begins with a message is the one that shown
// identifies.
func Stands(r *wire.Request, first int, shown plimsoll.Digest) bool {
	_, ok := endOf(r, first, shown)
	return ok
}

// restored returns the edits that put one record into a request, and the index of the
// message behind the reply.
func restored(l loom, r *wire.Request, first int, record Record) ([]rawjson.Edit, int, bool) {
	next, ok := endOf(r, first, record.Shown)
	if !ok {
		return nil, 0, false
	}
	var edits []rawjson.Edit
	if len(record.Results) > 0 {
		if edits, ok = l.put(r, next, record.Results); !ok {
			return nil, 0, false
		}
	}
	list, elements := r.Layout().Messages, record.Elements
	if f, ok := l.(forgetter); ok && record.Thought && !thinks(r, first, next) {
		elements = f.forget(elements)
	}
	if len(elements) == 0 {
		return append(edits, removed(list, first, next)...), next, true
	}
	span := rawjson.Span{Start: list.Items[first].Start, End: list.Items[next-1].End}
	if a, ok := l.(adapter); ok {
		elements = a.adapt(span.Of(r.Body()), elements)
	}
	return append(edits, rawjson.Edit{Span: span, Text: joined(elements)}), next, true
}

// removed returns the edits that take elements out of a list.
func removed(l rawjson.List, first, next int) []rawjson.Edit {
	kept := make([]bool, len(l.Items))
	for i := range kept {
		kept[i] = i < first || i >= next
	}
	return rawjson.Rearrange(l, kept, nil)
}

// adapter is a loom of a dialect whose clients do something to messages that they have
// got.
type adapter interface {
	// adapt does to elements what the client did to those in whose place they are put:
	// stood is some elements, with what is between them.
	adapt(stood []byte, elements []json.RawMessage) []json.RawMessage
}

// forgetter is a loom of a dialect in which clients drop reasoning that they have got.
type forgetter interface {
	// forget returns elements without reasoning, as the API takes them.
	forget(elements []json.RawMessage) []json.RawMessage
}

// thinks reports whether there is reasoning in some messages.
func thinks(r *wire.Request, first, next int) bool {
	for i := first; i < next; i++ {
		if plimsoll.Has[plimsoll.Reasoning](r.Conversation().Messages.At(i)) {
			return true
		}
	}
	return false
}

func joined(elements []json.RawMessage) []byte {
	all := make([][]byte, len(elements))
	for i, e := range elements {
		all[i] = e
	}
	return bytes.Join(all, []byte{','})
}

// endOf finds the end of the reply that begins with a message: the assistant's messages
// in a row, as many of them as were shown.
func endOf(r *wire.Request, first int, want plimsoll.Digest) (next int, ok bool) {
	messages := r.Conversation().Messages
	if first < 0 {
		return 0, false
	}
	s := newShown()
	for i := first; i < messages.Len() && messages.At(i).Role == plimsoll.Assistant; i++ {
		for _, p := range messages.At(i).Parts.All() {
			switch p := p.(type) {
			case plimsoll.Text:
				s.text(p.Text)
			case plimsoll.ToolCall:
				s.call(p)
			}
		}
		if s.digest() == want {
			next, ok = i+1, true
		}
	}
	return next, ok
}
