package plimsoll

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
)

// SpanKind is the kind of the one opaque part that messages are handed to an
// archive as: a JSON list with the bytes that they had in their request.
const SpanKind = "plimsoll.span"

// StowMessages names messages of the original that are about to be dropped, as Stow
// does.
func (w *Work) StowMessages(ctx context.Context, indices []int) (*Ref, error) {
	if w.archive == nil || len(indices) == 0 {
		return nil, nil
	}
	raw, size := make([][]byte, len(indices)), 0
	for k, i := range indices {
		var err error
		if raw[k], err = w.raw(i); err != nil {
			return nil, fmt.Errorf("archive message %d: %w", i, err)
		}
		size += len(raw[k]) + len(spanBreak)
	}
	var list strings.Builder // what is dropped may be most of a large request, so it is copied once
	list.Grow(size + len("[]"))
	list.WriteByte('[')
	for k, message := range raw {
		if k > 0 {
			list.WriteString(spanBreak)
		}
		list.Write(message)
	}
	list.WriteByte(']')
	return w.Stow(ctx, frozen([]Part{Opaque{Kind: SpanKind, Raw: list.String()}}))
}

// spanBreak stands between two messages of a span.
const spanBreak = ",\n"

// raw returns the bytes of original message i, or what it says where nobody has
// them.
func (w *Work) raw(i int) ([]byte, error) {
	if w.rawMessage != nil {
		return w.rawMessage(i), nil
	}
	m := w.draft.base.Messages.items[i]
	return json.Marshal(plainMessage{m.Role, m.Name, plainParts(m.Parts)})
}

// plainMessage is a message in no API's form.
type plainMessage struct {
	Role  Role        `json:"role"`
	Name  string      `json:"name,omitempty"`
	Parts []plainPart `json:"parts"`
}

type plainPart struct {
	Type      string      `json:"type"`
	Text      string      `json:"text,omitempty"`
	ID        string      `json:"id,omitempty"`
	Name      string      `json:"name,omitempty"`
	Arguments string      `json:"arguments,omitempty"`
	Content   []plainPart `json:"content,omitempty"`
	IsError   bool        `json:"is_error,omitempty"`
	Ref       *Ref        `json:"ref,omitempty"`
	Signature string      `json:"signature,omitempty"`
	Redacted  bool        `json:"redacted,omitempty"`
	Media     *Media      `json:"media,omitempty"`
	Kind      string      `json:"kind,omitempty"`
	Raw       string      `json:"raw,omitempty"`
}

// The types of plain parts.
const (
	plainText      = "text"
	plainCall      = "tool_call"
	plainResult    = "tool_result"
	plainReasoning = "reasoning"
	plainMedia     = "media"
	plainOpaque    = "opaque"
)

func plainParts(parts List[Part]) []plainPart {
	all := []plainPart{}
	for _, p := range parts.All() {
		switch p := p.(type) {
		case Text:
			all = append(all, plainPart{Type: plainText, Text: p.Text})
		case ToolCall:
			all = append(all, plainPart{Type: plainCall, ID: p.ID, Name: p.Name, Arguments: p.Arguments})
		case ToolResult:
			all = append(all, plainPart{Type: plainResult, ID: p.CallID, Name: p.Name, Content: plainParts(p.Content), IsError: p.IsError, Ref: p.Ref})
		case Reasoning:
			all = append(all, plainPart{Type: plainReasoning, Text: p.Text, Signature: p.Signature, Redacted: p.Redacted})
		case Media:
			all = append(all, plainPart{Type: plainMedia, Media: &p})
		case Opaque:
			all = append(all, plainPart{Type: plainOpaque, Kind: p.Kind, Raw: p.Raw})
		}
	}
	return all
}

// parsePlain reads messages that are in no API's form.
func parsePlain(raw []byte) ([]Message, error) {
	var plain []plainMessage
	if err := json.Unmarshal(raw, &plain); err != nil {
		return nil, fmt.Errorf("archived messages: %w: %w", ErrInvalid, err)
	}
	messages := make([]Message, len(plain))
	for i, m := range plain {
		messages[i] = Message{Role: m.Role, Name: m.Name, Parts: frozen(partsOf(m.Parts))}
	}
	return messages, nil
}

func partsOf(plain []plainPart) []Part {
	parts := make([]Part, 0, len(plain))
	for _, p := range plain {
		switch p.Type {
		case plainText:
			parts = append(parts, Text{p.Text})
		case plainCall:
			parts = append(parts, ToolCall{ID: p.ID, Name: p.Name, Arguments: p.Arguments})
		case plainResult:
			parts = append(parts, ToolResult{CallID: p.ID, Name: p.Name, Content: frozen(partsOf(p.Content)), IsError: p.IsError, Ref: p.Ref})
		case plainReasoning:
			parts = append(parts, Reasoning{Text: p.Text, Signature: p.Signature, Redacted: p.Redacted})
		case plainMedia:
			if p.Media != nil {
				parts = append(parts, *p.Media)
			}
		case plainOpaque:
			parts = append(parts, Opaque{Kind: p.Kind, Raw: p.Raw})
		}
	}
	return parts
}
