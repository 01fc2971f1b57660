package responses

import (
	"bytes"
	"fmt"

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
	// noTools is the null, or whatever else is no list, that tools may be.
	noTools rawjson.Span
	// previous is the answer that the request continues; stored says that more of
	// the conversation is on the server in another way.
	previous string
	stored   bool
	// transient says that the server keeps no items, so that it looks up no ids.
	transient bool
	notes     []note
}

// note is what a check must know of an item beyond its message.
type note struct {
	class class
	// id of the item; empty if it has none that must be unique.
	id string
	// blank says that a message has no content, foreign is a kind of part that its
	// role may not use.
	blank   bool
	foreign sided
	// part says that the item is a part of a message that stands alone.
	part bool
}

// class sorts items by what the rules ask of them.
type class uint8

const (
	classOther class = iota
	classMessage
	classReasoning
	classReference
	// classCall is a call that may be without an id.
	classCall
)

func classOf(kind string) class {
	switch kind {
	case kindMessage:
		return classMessage
	case kindReasoning:
		return classReasoning
	case kindReference:
		return classReference
	case "function_call", "custom_tool_call", "shell_call", "apply_patch_call", "tool_search_call":
		return classCall
	}
	return classOther
}

var _ wire.Writer = (*writer)(nil)

// Message renders a message as items: one for the run of its content, one for each
// call, result and piece of reasoning.
func (w *writer) Message(m plimsoll.Message) ([][]byte, error) { return renderItems(m) }

func renderItems(m plimsoll.Message) ([][]byte, error) {
	var items [][]byte
	var content []plimsoll.Part
	flush := func() error {
		if len(content) == 0 {
			return nil
		}
		item, err := renderMessage(m.Role, content)
		items, content = append(items, item), nil
		return err
	}
	for _, p := range m.Parts.All() {
		if isContent(p) {
			content = append(content, p)
			continue
		}
		if err := flush(); err != nil {
			return nil, err
		}
		item, err := renderItem(p)
		if err != nil {
			return nil, err
		}
		if item != nil {
			items = append(items, item)
		}
	}
	return items, flush()
}

func isContent(p plimsoll.Part) bool {
	switch p := p.(type) {
	case plimsoll.Text, plimsoll.Media:
		return true
	case plimsoll.Opaque:
		return isBlockKind(p.Kind)
	}
	return false
}

// renderItem renders a part that is an item of its own. Reasoning without its
// encrypted content is known to the server only, and is left out.
func renderItem(p plimsoll.Part) ([]byte, error) {
	switch p := p.(type) {
	case plimsoll.ToolCall:
		return appendCall(nil, p), nil
	case plimsoll.ToolResult:
		out := append([]byte(`{"type":"function_call_output","call_id":`), rawjson.AppendQuote(nil, p.CallID)...)
		out, err := appendOutput(append(out, `,"output":`...), p.Content.Slice())
		return append(out, '}'), err
	case plimsoll.Reasoning:
		if p.Signature == "" {
			return nil, nil
		}
		return appendReasoning(nil, p), nil
	case plimsoll.Opaque:
		return []byte(p.Raw), nil
	}
	return nil, fmt.Errorf("a %T is no item: %w", p, plimsoll.ErrUnsupported)
}

func appendCall(out []byte, c plimsoll.ToolCall) []byte {
	out = append(out, `{"type":"function_call","call_id":`...)
	out = rawjson.AppendQuote(out, c.ID)
	out = append(out, `,"name":`...)
	out = rawjson.AppendQuote(out, c.Name)
	out = append(out, `,"arguments":`...)
	return append(rawjson.AppendQuote(out, c.Arguments), '}')
}

func appendReasoning(out []byte, r plimsoll.Reasoning) []byte {
	out = append(out, `{"type":"reasoning","summary":[`...)
	if r.Text != "" {
		out = appendText(out, "summary_text", r.Text)
	}
	out = append(out, `],"encrypted_content":`...)
	return append(rawjson.AppendQuote(out, r.Signature), '}')
}

func renderMessage(role plimsoll.Role, parts []plimsoll.Part) ([]byte, error) {
	out := append([]byte(`{"type":"message","role":`), rawjson.AppendQuote(nil, string(role))...)
	out = append(out, `,"content":`...)
	if t, ok := parts[0].(plimsoll.Text); ok && len(parts) == 1 {
		return append(rawjson.AppendQuote(out, t.Text), '}'), nil
	}
	kind := "input_text"
	if role == plimsoll.Assistant {
		kind = "output_text"
	}
	out, err := appendBlocks(out, kind, parts)
	return append(out, '}'), err
}

// appendOutput writes a string for one text, or a list.
func appendOutput(out []byte, parts []plimsoll.Part) ([]byte, error) {
	if len(parts) == 0 {
		return append(out, `""`...), nil
	}
	if t, ok := parts[0].(plimsoll.Text); ok && len(parts) == 1 {
		return rawjson.AppendQuote(out, t.Text), nil
	}
	return appendBlocks(out, "input_text", parts)
}

func appendBlocks(out []byte, textKind string, parts []plimsoll.Part) ([]byte, error) {
	out = append(out, '[')
	for i, p := range parts {
		if i > 0 {
			out = append(out, ',')
		}
		switch p := p.(type) {
		case plimsoll.Text:
			out = appendText(out, textKind, p.Text)
		case plimsoll.Media:
			var err error
			if out, err = appendMedia(out, p); err != nil {
				return nil, err
			}
		case plimsoll.Opaque:
			out = append(out, p.Raw...)
		default:
			return nil, fmt.Errorf("a %T cannot stand in a list of parts: %w", p, plimsoll.ErrUnsupported)
		}
	}
	return append(out, ']'), nil
}

func appendText(out []byte, kind, text string) []byte {
	out = append(out, `{"type":`...)
	out = rawjson.AppendQuote(out, kind)
	out = append(out, `,"text":`...)
	return append(rawjson.AppendQuote(out, text), '}')
}

func appendMedia(out []byte, m plimsoll.Media) ([]byte, error) {
	switch m.Kind {
	case plimsoll.Image:
		out = append(out, `{"type":"input_image","image_url":`...)
	case plimsoll.Document:
		member := `{"type":"input_file","file_url":`
		if m.Data != "" {
			member = `{"type":"input_file","file_data":`
		}
		out = append(out, member...)
	default:
		return nil, fmt.Errorf("%s content: %w", m.Kind, plimsoll.ErrUnsupported)
	}
	url := m.URL
	if m.Data != "" {
		url = dataURL(m)
	}
	return append(rawjson.AppendQuote(out, url), '}'), nil
}

func dataURL(m plimsoll.Media) string {
	if len(m.Data) > 5 && m.Data[:5] == "data:" {
		return m.Data
	}
	return "data:" + m.MIME + ";base64," + m.Data
}

// System adds a message behind the leading instructions. The instructions
// themselves are a string that a cached prompt begins with, and stay as they are.
func (w *writer) System(parts plimsoll.List[plimsoll.Part]) ([]rawjson.Edit, [][]byte, error) {
	role := plimsoll.System
	if w.layout.Len() > 0 && w.layout.Parsed[0].Role == plimsoll.Developer {
		role = plimsoll.Developer
	}
	element, err := renderMessage(role, parts.Slice())
	return nil, [][]byte{element}, err
}

// Tools appends to the list of tools, or adds one to the request.
func (w *writer) Tools(tools plimsoll.List[plimsoll.Tool]) ([]rawjson.Edit, error) {
	elements := make([][]byte, 0, tools.Len())
	for _, t := range tools.All() {
		elements = append(elements, renderTool(t))
	}
	if !w.tools.IsZero() {
		return rawjson.Append(w.tools, elements...), nil
	}
	list := append(append([]byte{'['}, bytes.Join(elements, []byte(","))...), ']')
	if !w.noTools.IsZero() {
		return []rawjson.Edit{{Span: w.noTools, Text: list}}, nil
	}
	return rawjson.Append(w.layout.Root, append([]byte(`"tools":`), list...)), nil
}

// renderTool writes a function. Without strict the API would read the schema as
// one of its strict form, which ours need not be.
func renderTool(t plimsoll.Tool) []byte {
	if t.Opaque != "" {
		return []byte(t.Opaque)
	}
	if t.Schema == "" {
		t.Schema = `{"type":"object","properties":{}}`
	}
	return append(build.AppendFunction([]byte(`{"type":"function",`), t), `,"strict":false}`...)
}
