package anthropic

import (
	"bytes"
	"slices"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/rawjson"
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
	d.marks = append(d.marks, m)
}

// Adjust moves the cache marks of what goes to what takes its place: to the message
// that is inserted there, or else to the nearest block before it, so that the provider
// keeps and finds the prefix that stays. Marks on instructions and tools are not
// touched. There are never more marks than before, and their order stays, so that an
// hour does not come behind five minutes.
func (w *writer) Adjust(d *plimsoll.Draft, kept []bool, inserts map[int][][]byte) ([]rawjson.Edit, error) {
	v := mover{w: w, kept: kept, inserts: inserts, changed: changesOf(d), marked: map[place]bool{}}
	var lost []mark
	for _, m := range w.marks.messages {
		if v.loses(m) {
			lost = append(lost, m)
		} else {
			v.marked[place{m.at, -1}] = true
		}
	}
	var edits []rawjson.Edit
	// More marks than the API takes are refused with or without us.
	for _, m := range lost[:min(len(lost), maxMarks)] {
		to, ok := v.carrier(m)
		if !ok {
			continue
		}
		v.marked[to] = true
		added, err := v.put(to, m.value.Of(w.body))
		if err != nil {
			return nil, err
		}
		edits = append(edits, added...)
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

// mover finds new places for marks.
type mover struct {
	w       *writer
	kept    []bool
	inserts map[int][][]byte
	changed map[plimsoll.PartRef]plimsoll.EditKind
	// marked are the blocks that have a mark, on them or in them.
	marked map[place]bool
}

// place is a block: of a message that stays, or of the one with this number among
// those that are inserted before it; -1 means the message itself.
type place struct {
	at     plimsoll.PartRef
	insert int
}

// loses reports whether the edits take the mark out.
func (v *mover) loses(m mark) bool {
	changed := v.changed[m.at]
	return !v.kept[m.at.Message] || changed == plimsoll.EditRemove || m.inner && changed == plimsoll.EditReplace
}

// carrier finds the block that is to carry a lost mark. A message that went is
// replaced by what is inserted up to the next one that stays; before that, it is the
// nearest block that can carry it. A block that has a mark already will do for both.
func (v *mover) carrier(m mark) (to place, ok bool) {
	at := m.at
	if !v.kept[at.Message] {
		for at.Part = -1; at.Message < len(v.kept) && !v.kept[at.Message]; {
			at.Message++
		}
	}
	for ; at.Message >= 0; at.Message-- {
		if at.Message < m.at.Message {
			at.Part = len(v.w.blocks(at.Message)) - 1
		}
		if at.Part >= 0 && v.kept[at.Message] {
			instructs := v.w.layout.Parsed[at.Message].Role.Instructs()
			if to, found := v.among(place{at, -1}, v.w.blocks(at.Message), instructs); found {
				return to, !v.marked[to]
			}
		}
		for k := len(v.inserts[at.Message]) - 1; k >= 0; k-- {
			role, inserted := reread(v.inserts[at.Message][k])
			last := plimsoll.PartRef{Message: at.Message, Part: len(inserted.traits) - 1}
			if to, found := v.among(place{last, k}, inserted.traits, role.Instructs()); found {
				return to, !v.marked[to]
			}
		}
	}
	return place{}, false
}

// among looks backwards from a block for one that has a mark or can carry one. Turns
// of instructions are given none: some take no marks, and a user's message stands
// before them anyway.
func (v *mover) among(from place, blocks []trait, instructs bool) (place, bool) {
	for ; from.at.Part >= 0; from.at.Part-- {
		stays := from.insert >= 0 || v.changed[from.at] != plimsoll.EditRemove
		if v.marked[from] || stays && !instructs && blocks[from.at.Part].carries() {
			return from, true
		}
	}
	return from, false
}

// put marks a block: by edits, or in the message that is inserted.
func (v *mover) put(to place, value []byte) ([]rawjson.Edit, error) {
	if to.insert < 0 {
		return v.w.markEdits(to.at, value), nil
	}
	element := v.inserts[to.at.Message][to.insert]
	_, inserted := reread(element)
	marked, err := rawjson.Splice(element, inserted.markEdits(plimsoll.PartRef{Part: to.at.Part}, value))
	v.inserts[to.at.Message][to.insert] = marked
	return nil, err
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
	b := w.blocks(at.Message)[at.Part]
	if b.span.IsZero() {
		return markText(w.turns[at.Message].content, value)
	}
	return markObject(w.body, b.span, value)
}

// markText makes a list of one text with a mark out of a string.
func markText(s rawjson.Span, value []byte) []rawjson.Edit {
	return []rawjson.Edit{
		{Span: rawjson.Span{Start: s.Start, End: s.Start}, Text: []byte(`[{"type":"text","text":`)},
		{Span: rawjson.Span{Start: s.End, End: s.End}, Text: append(append([]byte{','}, markMember(value)...), `}]`...)},
	}
}

// markObject puts a mark on an object that has none.
func markObject(body []byte, span rawjson.Span, value []byte) []rawjson.Edit {
	member := markMember(value)
	list := rawjson.NewScannerAt(body, span).List()
	for _, m := range list.Items {
		if bytes.HasPrefix(m.Of(body), []byte(`"cache_control"`)) {
			return []rawjson.Edit{{Span: m, Text: member}} // it was null
		}
	}
	return rawjson.Append(list, member)
}

func markMember(value []byte) []byte { return append([]byte(`"cache_control":`), value...) }
