package build

import (
	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/rawjson"
	"github.com/plimsoll/plimsoll/wire/internal/layout"
)

// source is what deferred parts read from. Each kind of part has its own way to
// read, so each has a type of its own.
type source struct{ body []byte }

type (
	textSource source
	callSource source
)

// packed is a span in one word, with a bit to spare. No body is longer than maxBody.
func packed(s rawjson.Span) uint64 { return uint64(s.Start)<<32 | uint64(s.End)<<1 }

// escaped is the spare bit: it says that the span is a string with escapes.
const escaped = 1

// DeferAt returns a part that its source reads later, from the span; see
// [plimsoll.Defer].
func (s *Scanner) DeferAt(outline plimsoll.Part, from plimsoll.Source, at rawjson.Span) plimsoll.Part {
	s.countPart()
	return plimsoll.Defer(outline, from, packed(at))
}

// SpanAt returns the span that a source was given by [Scanner.DeferAt].
func SpanAt(at uint64) rawjson.Span {
	return rawjson.Span{Start: int(at >> 32), End: int(at>>1) & maxBody}
}

// A part shares the bytes of the body where it can. A text with escapes is unescaped
// only when its part is read.

// TextPart returns a text.
func (s *Scanner) TextPart(t rawjson.Text) plimsoll.Part {
	if t.Escaped {
		return s.deferText(plimsoll.Text{}, (*textSource)(s.source), t)
	}
	s.countPart()
	return plimsoll.Text{Text: t.Decode(s.Body)}
}

// countPart stops the scanner at a body with too many parts.
func (s *Scanner) countPart() {
	s.parts++
	s.count(s.parts, "parts")
}

func (s *Scanner) deferText(outline plimsoll.Part, from plimsoll.Source, t rawjson.Text) plimsoll.Part {
	s.countPart()
	at := packed(t.Span)
	if t.Escaped {
		at |= escaped
	}
	return plimsoll.Defer(outline, from, at)
}

// LoadAt unescapes the text.
func (s *textSource) LoadAt(_ plimsoll.Part, at uint64) plimsoll.Part {
	return plimsoll.Text{Text: textAt(at).Decode(s.body)}
}

func textAt(at uint64) rawjson.Text {
	return rawjson.Text{Span: SpanAt(at), Escaped: at&escaped != 0}
}

// CallPart adds the arguments to a tool call. They are a JSON string in some dialects
// and an object in others.
func (s *Scanner) CallPart(call plimsoll.ToolCall, arguments rawjson.Text) plimsoll.Part {
	if arguments.Escaped {
		return s.deferText(call, (*callSource)(s.source), arguments)
	}
	s.countPart()
	call.Arguments = stringOrRaw(s.Body, arguments)
	return call
}

// LoadAt adds the arguments.
func (s *callSource) LoadAt(outline plimsoll.Part, at uint64) plimsoll.Part {
	call := outline.(plimsoll.ToolCall)
	call.Arguments = stringOrRaw(s.body, textAt(at))
	return call
}

// ResultPart returns a tool result, which is not deferred; its content may be.
func (s *Scanner) ResultPart(r plimsoll.ToolResult) plimsoll.Part {
	s.countPart()
	return r
}

// ReasoningPart returns thinking. Either text may be zero.
func (s *Scanner) ReasoningPart(text, signature rawjson.Text, redacted bool) plimsoll.Part {
	if text.Escaped || signature.Escaped {
		return s.deferText(plimsoll.Reasoning{Redacted: redacted}, &reasoningSource{s.source, signature}, text)
	}
	s.countPart()
	return plimsoll.Reasoning{Text: stringOrRaw(s.Body, text), Signature: stringOrRaw(s.Body, signature), Redacted: redacted}
}

type reasoningSource struct {
	*source
	signature rawjson.Text
}

// LoadAt reads text and signature.
func (s *reasoningSource) LoadAt(outline plimsoll.Part, at uint64) plimsoll.Part {
	r := outline.(plimsoll.Reasoning)
	r.Text, r.Signature = stringOrRaw(s.body, textAt(at)), stringOrRaw(s.body, s.signature)
	return r
}

// OpaquePart returns a part that is carried and weighed, never edited.
func (s *Scanner) OpaquePart(kind string, raw rawjson.Span) plimsoll.Part {
	s.countPart()
	return plimsoll.Opaque{Kind: kind, Raw: raw.View(s.Body)}
}

// MediaPart returns a picture, recording or document; data is its base64 string, or
// zero.
func (s *Scanner) MediaPart(m plimsoll.Media, data rawjson.Text) plimsoll.Part {
	if data.Escaped {
		return s.deferText(plimsoll.Media{Kind: m.Kind}, &mediaSource{s.source, m}, data)
	}
	s.countPart()
	m.Data = stringOrRaw(s.Body, data)
	return m
}

type mediaSource struct {
	*source
	media plimsoll.Media
}

// LoadAt adds the data.
func (s *mediaSource) LoadAt(_ plimsoll.Part, at uint64) plimsoll.Part {
	m := s.media
	m.Data = stringOrRaw(s.body, textAt(at))
	return m
}

// stringOrRaw returns the text of a JSON string, or any other value as it is.
func stringOrRaw(body []byte, t rawjson.Text) string {
	switch {
	case t.IsZero():
		return ""
	case body[t.Start] == '"':
		return t.Decode(body)
	}
	return t.View(body)
}

// Parts are those of a message, or of one list in it. The list is zero if they are elements
// of none.
type Parts struct {
	All    []plimsoll.Part
	Places []layout.Place
	List   rawjson.List
}

// Reset forgets the parts and keeps the room that they took.
func (p *Parts) Reset() {
	*p = Parts{p.All[:0], p.Places[:0], rawjson.List{Items: p.List.Items[:0]}}
}

// Add adds a part that stands at a place.
func (p *Parts) Add(part plimsoll.Part, at layout.Place) {
	p.All, p.Places = append(p.All, part), append(p.Places, at)
}

// AddAll adds the parts of a list.
func (p *Parts) AddAll(more *Parts) {
	p.All, p.Places = append(p.All, more.All...), append(p.Places, more.Places...)
}

// ReadList reads a list of parts, which is the given one of its message; see
// [layout.Located]. Anything but a list has no parts.
func (p *Parts) ReadList(s *Scanner, list int, read func() plimsoll.Part) {
	p.Reset()
	if s.Peek() != '[' {
		s.Value()
		return
	}
	p.List.Start = s.Offset()
	for i := range s.Elements() {
		s.Peek()
		begin := s.Offset()
		p.Add(read(), layout.Place{List: list, Index: i})
		p.List.Items = append(p.List.Items, s.Since(begin))
	}
	p.List.End = s.Offset()
}
