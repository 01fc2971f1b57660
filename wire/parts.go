package wire

import (
	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/rawjson"
)

// TextPart returns a text that is unescaped when somebody reads it.
func TextPart(body []byte, t rawjson.Text) plimsoll.Part {
	return plimsoll.Defer(plimsoll.Text{}, textLoader{body, t})
}

type textLoader struct {
	body []byte
	text rawjson.Text
}

func (l textLoader) LoadPart() plimsoll.Part { return plimsoll.Text{Text: l.text.Decode(l.body)} }

// CallPart returns a tool call whose arguments are read when somebody looks. They
// are a JSON string in some dialects and an object in others.
func CallPart(body []byte, id, name string, arguments rawjson.Span) plimsoll.Part {
	call := plimsoll.ToolCall{ID: id, Name: name}
	return plimsoll.Defer(call, callLoader{call, body, arguments})
}

type callLoader struct {
	call      plimsoll.ToolCall
	body      []byte
	arguments rawjson.Span
}

func (l callLoader) LoadPart() plimsoll.Part {
	l.call.Arguments = stringOrRaw(l.body, l.arguments)
	return l.call
}

// ReasoningPart returns thinking that is read when somebody looks. Either span
// may be zero.
func ReasoningPart(body []byte, text, signature rawjson.Span, redacted bool) plimsoll.Part {
	return plimsoll.Defer(plimsoll.Reasoning{Redacted: redacted}, reasoningLoader{body, text, signature, redacted})
}

type reasoningLoader struct {
	body            []byte
	text, signature rawjson.Span
	redacted        bool
}

func (l reasoningLoader) LoadPart() plimsoll.Part {
	return plimsoll.Reasoning{
		Text:      stringOrRaw(l.body, l.text),
		Signature: stringOrRaw(l.body, l.signature),
		Redacted:  l.redacted,
	}
}

// OpaquePart returns a part that is carried and weighed, never edited.
func OpaquePart(body []byte, kind string, raw rawjson.Span) plimsoll.Part {
	return plimsoll.Defer(plimsoll.Opaque{Kind: kind}, opaqueLoader{body, kind, raw})
}

type opaqueLoader struct {
	body []byte
	kind string
	raw  rawjson.Span
}

func (l opaqueLoader) LoadPart() plimsoll.Part {
	return plimsoll.Opaque{Kind: l.kind, Raw: string(l.raw.Of(l.body))}
}

// MediaPart returns a picture, recording or document; data is the span of its
// base64 string, or zero.
func MediaPart(body []byte, m plimsoll.Media, data rawjson.Span) plimsoll.Part {
	return plimsoll.Defer(plimsoll.Media{Kind: m.Kind}, mediaLoader{body, m, data})
}

type mediaLoader struct {
	body  []byte
	media plimsoll.Media
	data  rawjson.Span
}

func (l mediaLoader) LoadPart() plimsoll.Part {
	if !l.data.IsZero() {
		l.media.Data = stringOrRaw(l.body, l.data)
	}
	return l.media
}

// stringOrRaw returns the text of a JSON string, or any other value as it is.
func stringOrRaw(body []byte, s rawjson.Span) string {
	if s.IsZero() {
		return ""
	}
	if text, ok := rawjson.Unquote(body, s); ok {
		return text
	}
	return string(s.Of(body))
}
