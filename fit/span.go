package fit

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/plimsoll/plimsoll"
)

// SpanKind is the kind of the one opaque part that messages are handed to an
// archive as: a JSON list with the bytes that they had in their request.
const SpanKind = "plimsoll.span"

// ArchiveMessages names messages of the original that are about to be dropped, as
// Archive does.
func (w *Work) ArchiveMessages(ctx context.Context, indices []int) (*plimsoll.Ref, error) {
	if w.task.Archive == nil || len(indices) == 0 {
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
	return w.Archive(ctx, plimsoll.ListOf[plimsoll.Part](plimsoll.Opaque{Kind: SpanKind, Raw: list.String()}))
}

// spanBreak stands between two messages of a span.
const spanBreak = ",\n"

// raw returns the bytes of original message i, or what it says where the task
// has none.
func (w *Work) raw(i int) ([]byte, error) {
	if w.task.Raw != nil {
		return w.task.Raw(i), nil
	}
	m := w.task.Conversation.Messages.At(i)
	return json.Marshal(plainMessage{m.Role, m.Name, plainParts(m.Parts)})
}

// plainMessage is a message in no API's form.
type plainMessage struct {
	Role  plimsoll.Role `json:"role"`
	Name  string        `json:"name,omitempty"`
	Parts []plainPart   `json:"parts"`
}

type plainPart struct {
	Type      string          `json:"type"`
	Text      string          `json:"text,omitempty"`
	ID        string          `json:"id,omitempty"`
	Name      string          `json:"name,omitempty"`
	Arguments string          `json:"arguments,omitempty"`
	Content   []plainPart     `json:"content,omitempty"`
	IsError   bool            `json:"is_error,omitempty"`
	Ref       *plimsoll.Ref   `json:"ref,omitempty"`
	Signature string          `json:"signature,omitempty"`
	Redacted  bool            `json:"redacted,omitempty"`
	Media     *plimsoll.Media `json:"media,omitempty"`
	Kind      string          `json:"kind,omitempty"`
	Raw       string          `json:"raw,omitempty"`
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

func plainParts(parts plimsoll.List[plimsoll.Part]) []plainPart {
	all := []plainPart{}
	for _, p := range parts.All() {
		switch p := p.(type) {
		case plimsoll.Text:
			all = append(all, plainPart{Type: plainText, Text: p.Text})
		case plimsoll.ToolCall:
			all = append(all, plainPart{Type: plainCall, ID: p.ID, Name: p.Name, Arguments: p.Arguments})
		case plimsoll.ToolResult:
			all = append(all, plainPart{Type: plainResult, ID: p.CallID, Name: p.Name, Content: plainParts(p.Content), IsError: p.IsError, Ref: p.Ref})
		case plimsoll.Reasoning:
			all = append(all, plainPart{Type: plainReasoning, Text: p.Text, Signature: p.Signature, Redacted: p.Redacted})
		case plimsoll.Media:
			all = append(all, plainPart{Type: plainMedia, Media: &p})
		case plimsoll.Opaque:
			all = append(all, plainPart{Type: plainOpaque, Kind: p.Kind, Raw: p.Raw})
		}
	}
	return all
}

// parsePlain reads messages that are in no API's form.
func parsePlain(raw []byte) ([]plimsoll.Message, error) {
	var plain []plainMessage
	if err := json.Unmarshal(raw, &plain); err != nil {
		return nil, fmt.Errorf("archived messages: %w: %w", plimsoll.ErrInvalid, err)
	}
	messages := make([]plimsoll.Message, len(plain))
	for i, m := range plain {
		messages[i] = plimsoll.Message{Role: m.Role, Name: m.Name, Parts: plimsoll.ListOf(partsOf(m.Parts)...)}
	}
	return messages, nil
}

func partsOf(plain []plainPart) []plimsoll.Part {
	parts := make([]plimsoll.Part, 0, len(plain))
	for _, p := range plain {
		switch p.Type {
		case plainText:
			parts = append(parts, plimsoll.Text{Text: p.Text})
		case plainCall:
			parts = append(parts, plimsoll.ToolCall{ID: p.ID, Name: p.Name, Arguments: p.Arguments})
		case plainResult:
			parts = append(parts, plimsoll.ToolResult{CallID: p.ID, Name: p.Name, Content: plimsoll.ListOf(partsOf(p.Content)...), IsError: p.IsError, Ref: p.Ref})
		case plainReasoning:
			parts = append(parts, plimsoll.Reasoning{Text: p.Text, Signature: p.Signature, Redacted: p.Redacted})
		case plainMedia:
			if p.Media != nil {
				parts = append(parts, *p.Media)
			}
		case plainOpaque:
			parts = append(parts, plimsoll.Opaque{Kind: p.Kind, Raw: p.Raw})
		}
	}
	return parts
}
