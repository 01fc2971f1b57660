package store

import (
	"encoding/binary"
	"fmt"
	"math"
	"strings"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/fit"
)

// storedContent is content as it is stored: a text, and for [KindParts] what else it takes
// to have the parts back, which follows the text. Both are in pieces, so that
// nothing long is copied to name it.
type storedContent struct {
	kind         Kind
	text, rest   []string
	bytes, lines int64
	stored       int64
}

// sourceOf says how content is stored. A single text is stored as it is,
// and so are archived messages.
func sourceOf(content plimsoll.List[plimsoll.Part]) (storedContent, error) {
	if content.Len() == 1 {
		switch p := content.At(0).(type) {
		case plimsoll.Text:
			return textSource(p.Text), nil
		case plimsoll.Opaque:
			if p.Kind == fit.SpanKind {
				s := textSource(p.Raw)
				s.kind = KindSpan
				return s, nil
			}
		}
	}
	var e partsEncoder
	if err := e.list(content, 0); err != nil {
		return storedContent{}, err
	}
	e.flush()
	s := storedContent{kind: KindParts, text: e.text, bytes: e.size, lines: 1}
	s.rest = append([]string{string(binary.AppendUvarint([]byte{partsVersion}, uint64(e.size)))}, e.done...)
	s.stored = s.bytes
	for _, piece := range s.text {
		s.lines += int64(strings.Count(piece, "\n"))
	}
	for _, piece := range s.rest {
		s.stored += int64(len(piece))
	}
	return s, nil
}

func textSource(text string) storedContent {
	n := int64(len(text))
	return storedContent{kind: KindText, text: []string{text}, bytes: n, stored: n, lines: int64(strings.Count(text, "\n")) + 1}
}

// partsVersion is the first byte behind the text of an object of parts. Behind it
// stand the length of the text and a list of parts. A part is a letter and its
// fields, a number is a varint, a text is twice its length and the text itself, or
// one more than that and where it stands in the object's text.
const partsVersion = 1

// The letters of parts.
const (
	tagText      = 't'
	tagCall      = 'c'
	tagResult    = 'r'
	tagReasoning = 'k'
	tagMedia     = 'm'
	tagOpaque    = 'o'
)

// maxNesting is how deep results may stand in results. None does in any API.
const maxNesting = 8

// partsEncoder writes parts. Their texts go to text, the rest to done and, while it
// is short, to open.
type partsEncoder struct {
	text []string
	size int64
	done []string
	open []byte
}

func (e *partsEncoder) list(parts plimsoll.List[plimsoll.Part], depth int) error {
	if depth > maxNesting {
		return fmt.Errorf("results stand in results more than %d deep: %w", maxNesting, plimsoll.ErrInvalid)
	}
	e.number(int64(parts.Len()))
	for i, p := range parts.All() {
		if i > 0 {
			e.show("\n")
		}
		if err := e.part(p, depth); err != nil {
			return err
		}
	}
	return nil
}

func (e *partsEncoder) part(p plimsoll.Part, depth int) error {
	switch p := p.(type) {
	case plimsoll.Text:
		e.tag(tagText)
		e.shown(p.Text)
	case plimsoll.ToolCall:
		e.tag(tagCall)
		e.strings(p.ID)
		e.shown(p.Name)
		e.show(" ")
		e.shown(p.Arguments)
	case plimsoll.ToolResult:
		return e.result(p, depth)
	case plimsoll.Reasoning:
		e.tag(tagReasoning)
		e.shown(p.Text)
		e.strings(p.Signature)
		e.bool(p.Redacted)
	case plimsoll.Media:
		e.show(wordFor(p.Kind))
		e.tag(tagMedia)
		e.strings(string(p.Kind), p.MIME, p.Data, p.URL, p.Detail)
		e.number(int64(p.Width))
		e.number(int64(p.Height))
		e.number(int64(p.Pages))
		e.open = binary.BigEndian.AppendUint64(e.open, math.Float64bits(p.Seconds))
	case plimsoll.Opaque:
		e.show(wordForOpaque(p.Kind))
		e.tag(tagOpaque)
		e.strings(p.Kind, p.Raw)
	default:
		return fmt.Errorf("a part of type %T: %w", p, plimsoll.ErrInvalid)
	}
	return nil
}

func (e *partsEncoder) result(r plimsoll.ToolResult, depth int) error {
	e.tag(tagResult)
	e.strings(r.CallID, r.Name)
	e.bool(r.IsError)
	e.bool(r.Ref != nil)
	if r.Ref != nil {
		e.strings(r.Ref.ID)
		e.number(r.Ref.Bytes)
		e.number(r.Ref.Lines)
	}
	return e.list(r.Content, depth+1)
}

// wordFor stands for a media part in the text.
func wordFor(kind plimsoll.MediaKind) string {
	switch kind {
	case plimsoll.Image, plimsoll.Audio, plimsoll.Video, plimsoll.Document:
		return "[" + string(kind) + "]"
	default:
		return "[content]"
	}
}

func wordForOpaque(kind string) string {
	if kind == "" {
		return "[content]"
	}
	return "[other:" + kind + "]"
}

// show adds to the text only.
func (e *partsEncoder) show(s string) {
	if s != "" {
		e.text = append(e.text, s)
		e.size += int64(len(s))
	}
}

// shown adds to the text and writes where it stands there.
func (e *partsEncoder) shown(s string) {
	e.open = binary.AppendUvarint(e.open, uint64(len(s))<<1|1)
	e.open = binary.AppendUvarint(e.open, uint64(e.size))
	e.show(s)
}

func (e *partsEncoder) strings(all ...string) {
	const long = 4 << 10
	for _, s := range all {
		e.open = binary.AppendUvarint(e.open, uint64(len(s))<<1)
		if len(s) < long {
			e.open = append(e.open, s...)
			continue
		}
		e.flush()
		e.done = append(e.done, s)
	}
}

func (e *partsEncoder) flush() {
	e.done = append(e.done, string(e.open))
	e.open = e.open[:0]
}

func (e *partsEncoder) tag(b byte)     { e.open = append(e.open, b) }
func (e *partsEncoder) number(n int64) { e.open = binary.AppendVarint(e.open, n) }

func (e *partsEncoder) bool(b bool) {
	if b {
		e.number(1)
	} else {
		e.number(0)
	}
}
