package wire

import (
	"iter"

	"github.com/plimsoll/plimsoll/internal/rawjson"
)

// Elements is the array of a body that holds the messages. Of each element only the
// end is kept, in four bytes: between two of them there is but a comma and white space,
// so the one before tells where an element begins.
type Elements struct {
	// Span of the whole, with its brackets.
	rawjson.Span
	body []byte
	ends []uint32
}

// Len returns the number of elements.
func (e *Elements) Len() int { return len(e.ends) }

// At returns where element i stands.
func (e *Elements) At(i int) rawjson.Span {
	start := e.Start + len("[")
	if i > 0 {
		start = int(e.ends[i-1])
	}
	for isBetween(e.body[start]) {
		start++
	}
	return rawjson.Span{Start: start, End: int(e.ends[i])}
}

// isBetween reports whether a byte can stand between two elements.
func isBetween(b byte) bool { return b == ',' || b == ' ' || b == '\n' || b == '\r' || b == '\t' }

// All goes through the elements with their indices.
func (e *Elements) All() iter.Seq2[int, rawjson.Span] {
	return func(yield func(int, rawjson.Span) bool) {
		for i := range e.ends {
			if !yield(i, e.At(i)) {
				return
			}
		}
	}
}

// List returns the array with the spans of its elements, four times as large.
func (e *Elements) List() rawjson.List {
	list := rawjson.List{Span: e.Span, Items: make([]rawjson.Span, 0, len(e.ends))}
	for _, at := range e.All() {
		list.Items = append(list.Items, at)
	}
	return list
}
