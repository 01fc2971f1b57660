package openai

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/rawjson"
	"github.com/plimsoll/plimsoll/wire"
	"github.com/plimsoll/plimsoll/wire/internal/build"
	"github.com/plimsoll/plimsoll/wire/internal/layout"
)

// writer renders what edits add to one request.
type writer struct {
	build.Defaults
	layout *layout.Layout
	tools  rawjson.List
}

var _ wire.Writer = (*writer)(nil)

// Message renders a message. Tool results become messages of their own.
func (w *writer) Message(m plimsoll.Message) ([][]byte, error) {
	return build.ResultsApart(m, renderResult, func(parts []plimsoll.Part) ([]byte, error) { return renderMessage(m.Role, m.Name, parts) })
}

func renderMessage(role plimsoll.Role, name string, parts []plimsoll.Part) ([]byte, error) {
	out := append([]byte(`{"role":`), rawjson.AppendQuote(nil, string(role))...)
	if name != "" {
		out = append(out, `,"name":`...)
		out = rawjson.AppendQuote(out, name)
	}
	var content, calls []plimsoll.Part
	for _, p := range parts {
		switch p := p.(type) {
		case plimsoll.ToolCall:
			calls = append(calls, p)
		case plimsoll.Reasoning:
			out = append(out, `,"reasoning_content":`...)
			out = rawjson.AppendQuote(out, p.Text)
		case plimsoll.Opaque:
			if !isMember(p) {
				content = append(content, p)
				continue
			}
			out = append(rawjson.AppendQuote(append(out, ','), p.Kind), ':')
			out = append(out, p.Raw...)
		default:
			content = append(content, p)
		}
	}
	out = append(out, `,"content":`...)
	out, err := appendContent(out, content)
	if err != nil || len(calls) == 0 {
		return append(out, '}'), err
	}
	out = append(out, `,"tool_calls":[`...)
	for i, c := range calls {
		if i > 0 {
			out = append(out, ',')
		}
		out = appendCall(out, c.(plimsoll.ToolCall))
	}
	return append(out, "]}"...), nil
}

// isMember tells what was a member of a message from a part of its content, which
// may have the same name: {"type":"refusal","refusal":"no"}.
func isMember(o plimsoll.Opaque) bool {
	return isRemark(o.Kind) || o.Kind == "audio" || o.Kind == "refusal" && strings.HasPrefix(o.Raw, `"`)
}

func appendCall(out []byte, c plimsoll.ToolCall) []byte {
	out = append(out, `{"id":`...)
	out = rawjson.AppendQuote(out, c.ID)
	out = append(out, `,"type":"function","function":{"name":`...)
	out = rawjson.AppendQuote(out, c.Name)
	out = append(out, `,"arguments":`...)
	out = rawjson.AppendQuote(out, c.Arguments)
	return append(out, "}}"...)
}

func renderResult(r plimsoll.ToolResult) ([]byte, error) {
	out := append([]byte(`{"role":"tool","tool_call_id":`), rawjson.AppendQuote(nil, r.CallID)...)
	out = append(out, `,"content":`...)
	out, err := appendContent(out, r.Content.Slice())
	return append(out, '}'), err
}

// appendContent writes null, a string for one text, or a list.
func appendContent(out []byte, parts []plimsoll.Part) ([]byte, error) {
	if len(parts) == 0 {
		return append(out, "null"...), nil
	}
	if t, ok := parts[0].(plimsoll.Text); ok && len(parts) == 1 {
		return rawjson.AppendQuote(out, t.Text), nil
	}
	return appendBlocks(out, parts)
}

func appendBlocks(out []byte, parts []plimsoll.Part) ([]byte, error) {
	out = append(out, '[')
	for i, p := range parts {
		if i > 0 {
			out = append(out, ',')
		}
		var err error
		switch p := p.(type) {
		case plimsoll.Text:
			out = append(out, `{"type":"text","text":`...)
			out = append(rawjson.AppendQuote(out, p.Text), '}')
		case plimsoll.Media:
			out, err = appendMedia(out, p)
		case plimsoll.Opaque:
			out = append(out, p.Raw...)
		default:
			err = fmt.Errorf("a %T cannot stand in a list of parts: %w", p, plimsoll.ErrUnsupported)
		}
		if err != nil {
			return nil, err
		}
	}
	return append(out, ']'), nil
}

// Content keeps the form of the old content: a list stays a list.
func (w *writer) Content(content plimsoll.List[plimsoll.Part], old []byte) ([]byte, error) {
	if bytes.HasPrefix(old, []byte("[")) {
		return appendBlocks(nil, content.Slice())
	}
	if content.Len() == 0 {
		return []byte(`""`), nil
	}
	return appendContent(nil, content.Slice())
}

// System adds a system message behind the leading instructions.
func (w *writer) System(parts plimsoll.List[plimsoll.Part]) ([]rawjson.Edit, [][]byte, error) {
	element, err := renderMessage(plimsoll.System, "", parts.Slice())
	return nil, [][]byte{element}, err
}

// Tools appends to the list of tools, or adds one to the request.
func (w *writer) Tools(tools plimsoll.List[plimsoll.Tool]) ([]rawjson.Edit, error) {
	return build.AddFunctions(w.layout.Root, w.tools, tools), nil
}
