package anthropic

import (
	"bytes"
	"slices"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/rawjson"
	"github.com/plimsoll/plimsoll/wire"
)

// maxMarks is how many cache marks a request may have.
const maxMarks = 4

// mark is a cache_control: the provider keeps everything up to its block.
type mark struct {
	at plimsoll.PartRef
	// inner says that it stands inside the content of the tool result at that
	// place, not on the result.
	inner bool
	// hour says that it asks for an hour, not for five minutes.
	hour  bool
	value rawjson.Span
}

// marks of a request in the order in which the API goes through them.
type marks struct{ tools, system, messages, request []mark }

func (m *marks) all() []mark {
	return slices.Concat(m.tools, m.system, m.messages, m.request)
}

// mark reads a cache_control.
func (d *decoder) mark() {
	s := d.scanner
	kind := s.Peek()
	m := mark{at: d.at, inner: d.inner, value: rawjson.Span{Start: s.Offset()}}
	if kind != '{' {
		s.Value()
		return
	}
	for key := range s.Members() {
		if string(key) == "ttl" {
			m.hour = s.Text() == "1h"
		}
	}
	m.value.End = s.Offset()
	d.marks = wire.Gather(s, d.marks, m)
}

var _ wire.Adjuster = (*writer)(nil)

// Adjust moves the cache marks of what goes to the nearest block before it that
// stays, so that the provider still finds the prefix it knows. There are never
// more marks than before, and their order stays, so that an hour does not come
// behind five minutes.
func (w *writer) Adjust(d *plimsoll.Draft, kept []bool) ([]rawjson.Edit, error) {
	changed := changesOf(d)
	marked := map[plimsoll.PartRef]bool{}
	var lost []mark
	for _, m := range w.marks.messages {
		switch {
		case !kept[m.at.Message], changed[m.at] == plimsoll.EditRemove, m.inner && changed[m.at] == plimsoll.EditReplace:
			lost = append(lost, m)
		case !m.inner:
			marked[m.at] = true
		}
	}
	var edits []rawjson.Edit
	// More marks than the API takes are refused with or without us.
	for _, m := range lost[:min(len(lost), maxMarks)] {
		at, ok := w.carrier(m, kept, changed)
		if ok && !marked[at] {
			marked[at] = true
			edits = append(edits, w.markEdits(at, m.value.Of(w.body))...)
		}
	}
	return edits, nil
}

// changesOf says what the draft did to which part.
func changesOf(d *plimsoll.Draft) map[plimsoll.PartRef]plimsoll.EditKind {
	changed := map[plimsoll.PartRef]plimsoll.EditKind{}
	for _, e := range d.Edits() {
		if e.Kind == plimsoll.EditRemove || e.Kind == plimsoll.EditReplace {
			changed[plimsoll.PartRef{Message: e.Message, Part: e.Part}] = e.Kind
		}
	}
	return changed
}

// carrier finds the nearest block at or before a lost mark that stays and can
// carry it. Turns of instructions are passed over: some take no marks, and a
// user's message stands before them anyway.
func (w *writer) carrier(m mark, kept []bool, changed map[plimsoll.PartRef]plimsoll.EditKind) (plimsoll.PartRef, bool) {
	at := m.at
	for ; at.Message >= 0; at.Message-- {
		if at.Message < m.at.Message {
			at.Part = len(w.blocks(at.Message)) - 1
		}
		if !kept[at.Message] || w.layout.Message(at.Message).Role.Instructs() {
			continue
		}
		for ; at.Part >= 0; at.Part-- {
			if changed[at] != plimsoll.EditRemove && w.blocks(at.Message)[at.Part].carries() {
				return at, true
			}
		}
	}
	return at, false
}

// carries reports whether the API takes a cache mark on the block.
func (t trait) carries() bool {
	switch t.kind {
	case blockText, blockMedia, blockCall, blockResult:
		return t.flaw == flawNone
	}
	return false
}

// markEdits puts a mark on a block. A bare string becomes a list of one text,
// which is the same to the provider's cache.
func (w *writer) markEdits(at plimsoll.PartRef, value []byte) []rawjson.Edit {
	member := append([]byte(`"cache_control":`), value...)
	content := w.again(at.Message)
	if s := content.text; !s.IsZero() {
		return []rawjson.Edit{
			{Span: rawjson.Span{Start: s.Start, End: s.Start}, Text: []byte(`[{"type":"text","text":`)},
			{Span: rawjson.Span{Start: s.End, End: s.End}, Text: append(append([]byte{','}, member...), `}]`...)},
		}
	}
	span := content.list.Items[at.Part]
	var last rawjson.Span
	for _, m := range rawjson.NewScanner(span.Of(w.body)).List().Items {
		last = rawjson.Span{Start: span.Start + m.Start, End: span.Start + m.End}
		if bytes.HasPrefix(last.Of(w.body), []byte(`"cache_control"`)) {
			return []rawjson.Edit{{Span: last, Text: member}} // it was null
		}
	}
	return wire.AddMember(rawjson.List{Span: span, Items: []rawjson.Span{last}}, member)
}
