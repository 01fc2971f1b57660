package plimsoll

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
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
	raw := make([][]byte, len(indices))
	for k, i := range indices {
		var err error
		if raw[k], err = w.raw(i); err != nil {
			return nil, fmt.Errorf("archive message %d: %w", i, err)
		}
	}
	list := append(append([]byte{'['}, bytes.Join(raw, []byte(",\n"))...), ']')
	return w.Stow(ctx, ListOf[Part](Opaque{Kind: SpanKind, Raw: string(list)}))
}

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
	Signature string      `json:"signature,omitempty"`
	MIME      string      `json:"mime,omitempty"`
	Data      string      `json:"data,omitempty"`
	URL       string      `json:"url,omitempty"`
	Raw       string      `json:"raw,omitempty"`
}

func plainParts(parts List[Part]) []plainPart {
	all := []plainPart{}
	for _, p := range parts.All() {
		switch p := p.(type) {
		case Text:
			all = append(all, plainPart{Type: "text", Text: p.Text})
		case ToolCall:
			all = append(all, plainPart{Type: "tool_call", ID: p.ID, Name: p.Name, Arguments: p.Arguments})
		case ToolResult:
			all = append(all, plainPart{Type: "tool_result", ID: p.CallID, Name: p.Name, Content: plainParts(p.Content), IsError: p.IsError})
		case Reasoning:
			all = append(all, plainPart{Type: "reasoning", Text: p.Text, Signature: p.Signature})
		case Media:
			all = append(all, plainPart{Type: string(p.Kind), MIME: p.MIME, Data: p.Data, URL: p.URL})
		case Opaque:
			all = append(all, plainPart{Type: p.Kind, Raw: p.Raw})
		}
	}
	return all
}
