package wire

import (
	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/rawjson"
)

// What parts take in memory. With calls and results it is also what an outline
// keeps of them: whoever decodes a request asks for one sooner or later.
const (
	partBytes      = 16
	deferredBytes  = 48
	callBytes      = 48 + 450
	resultBytes    = 80 + 130
	opaqueBytes    = 32
	reasoningBytes = 32
	mediaBytes     = 112 + 128
)

// source is what deferred parts read from. Each kind of part has its own way to
// read, so each has a type of its own.
type source struct{ body []byte }

type (
	textSource   source
	callSource   source
	opaqueSource source
)

// packed is a span in one word, with a bit to spare. No body is longer than maxBody.
func packed(s rawjson.Span) uint64 { return uint64(s.Start)<<32 | uint64(s.End)<<1 }

// escaped is the spare bit: it says that the span is a string with escapes.
const escaped = 1

// DeferAt returns a part that is read when somebody looks; see [plimsoll.DeferAt].
// The source gets the span.
func (s *Scanner) DeferAt(outline plimsoll.Part, from plimsoll.Source, at rawjson.Span) plimsoll.Part {
	s.Spend(deferredBytes)
	return plimsoll.DeferAt(outline, from, packed(at))
}

// SpanAt returns the span that a source was given by [Scanner.DeferAt].
func SpanAt(at uint64) rawjson.Span {
	return rawjson.Span{Start: int(at >> 32), End: int(at>>1) & maxBody}
}

// Parts returns a list of parts, which it copies.
func (s *Scanner) Parts(parts []plimsoll.Part) plimsoll.List[plimsoll.Part] {
	bytes := partBytes * len(parts)
	if len(parts) > 16 {
		bytes += bytes / 4 // allocators round up what is larger
	}
	if !s.Spend(bytes) {
		return plimsoll.List[plimsoll.Part]{}
	}
	return plimsoll.ListOf(parts...)
}

// TextPart returns a text that is unescaped when somebody reads it.
func (s *Scanner) TextPart(t rawjson.Text) plimsoll.Part {
	s.Spend(deferredBytes)
	at := packed(t.Span)
	if t.Escaped {
		at |= escaped
	}
	return plimsoll.DeferAt(plimsoll.Text{}, (*textSource)(s.source), at)
}

// LoadAt unescapes the text.
func (s *textSource) LoadAt(_ plimsoll.Part, at uint64) plimsoll.Part {
	return plimsoll.Text{Text: rawjson.Text{Span: SpanAt(at), Escaped: at&escaped != 0}.Decode(s.body)}
}

// CallPart returns a tool call whose arguments are read when somebody looks. They
// are a JSON string in some dialects and an object in others.
func (s *Scanner) CallPart(id, name string, arguments rawjson.Span) plimsoll.Part {
	s.Spend(callBytes)
	return s.DeferAt(plimsoll.ToolCall{ID: id, Name: name}, (*callSource)(s.source), arguments)
}

// LoadAt adds the arguments.
func (s *callSource) LoadAt(outline plimsoll.Part, at uint64) plimsoll.Part {
	call := outline.(plimsoll.ToolCall)
	call.Arguments = stringOrRaw(s.body, SpanAt(at))
	return call
}

// ResultPart returns a tool result, which is not deferred; its content may be.
func (s *Scanner) ResultPart(r plimsoll.ToolResult) plimsoll.Part {
	s.Spend(resultBytes)
	return r
}

// ReasoningPart returns thinking that is read when somebody looks. Either span
// may be zero.
func (s *Scanner) ReasoningPart(text, signature rawjson.Span, redacted bool) plimsoll.Part {
	s.Spend(reasoningBytes)
	outline := plimsoll.Part(plimsoll.Reasoning{})
	if redacted {
		outline = plimsoll.Reasoning{Redacted: true}
	}
	return s.DeferAt(outline, &reasoningSource{s.source, signature}, text)
}

type reasoningSource struct {
	*source
	signature rawjson.Span
}

// LoadAt reads text and signature.
func (s *reasoningSource) LoadAt(outline plimsoll.Part, at uint64) plimsoll.Part {
	r := outline.(plimsoll.Reasoning)
	r.Text, r.Signature = stringOrRaw(s.body, SpanAt(at)), stringOrRaw(s.body, s.signature)
	return r
}

// OpaquePart returns a part that is carried and weighed, never edited.
func (s *Scanner) OpaquePart(kind string, raw rawjson.Span) plimsoll.Part {
	outline := plimsoll.Part(plimsoll.Opaque{})
	if kind != "" {
		s.Spend(opaqueBytes)
		outline = plimsoll.Opaque{Kind: kind}
	}
	return s.DeferAt(outline, (*opaqueSource)(s.source), raw)
}

// LoadAt adds the raw text.
func (s *opaqueSource) LoadAt(outline plimsoll.Part, at uint64) plimsoll.Part {
	o := outline.(plimsoll.Opaque)
	o.Raw = SpanAt(at).View(s.body)
	return o
}

// MediaPart returns a picture, recording or document; data is the span of its
// base64 string, or zero.
func (s *Scanner) MediaPart(m plimsoll.Media, data rawjson.Span) plimsoll.Part {
	s.Spend(mediaBytes)
	return s.DeferAt(plimsoll.Media{Kind: m.Kind}, &mediaSource{s.source, m}, data)
}

type mediaSource struct {
	*source
	media plimsoll.Media
}

// LoadAt adds the data.
func (s *mediaSource) LoadAt(_ plimsoll.Part, at uint64) plimsoll.Part {
	m := s.media
	m.Data = stringOrRaw(s.body, SpanAt(at))
	return m
}

// stringOrRaw returns the text of a JSON string, or any other value as it is.
func stringOrRaw(body []byte, s rawjson.Span) string {
	if s.IsZero() {
		return ""
	}
	if text, ok := rawjson.Unquote(body, s); ok {
		return text
	}
	return s.View(body)
}
