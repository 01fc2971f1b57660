package anthropic

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/rawjson"
	"github.com/plimsoll/plimsoll/wire"
	"github.com/plimsoll/plimsoll/wire/internal/build"
	"github.com/plimsoll/plimsoll/wire/internal/layout"
)

// writer renders what edits add to one request, and keeps what the layout does
// not say about it.
type writer struct {
	build.Defaults
	body          []byte
	layout        *layout.Layout
	system, tools value
	turns         []turn
	traits        []trait // of all blocks of all turns
	marks         marks
	// thinking is the type of the request's thinking, if it has one.
	thinking string
}

var _ wire.Writer = (*writer)(nil)

// value is a member of the request: zero if it is not there, and without a list
// if it is something else.
type value struct {
	span rawjson.Span
	list rawjson.List
}

// Message renders a message as one element. Results come first: the API wants
// them right behind their calls.
func (w *writer) Message(m plimsoll.Message) ([][]byte, error) {
	role := m.Role
	switch role {
	case plimsoll.ToolRole:
		role = plimsoll.User
	case plimsoll.Developer:
		role = plimsoll.System
	}
	out := append([]byte(`{"role":`), rawjson.AppendQuote(nil, string(role))...)
	out = append(out, `,"content":`...)
	out, err := appendContent(out, resultsFirst(m.Parts.Slice()))
	if err != nil {
		return nil, err
	}
	return [][]byte{append(out, '}')}, nil
}

func resultsFirst(parts []plimsoll.Part) []plimsoll.Part {
	var results, rest []plimsoll.Part
	for _, p := range parts {
		if _, ok := p.(plimsoll.ToolResult); ok {
			results = append(results, p)
		} else {
			rest = append(rest, p)
		}
	}
	return append(results, rest...)
}

// appendContent writes a string for one text, or a list.
func appendContent(out []byte, parts []plimsoll.Part) ([]byte, error) {
	if len(parts) == 1 {
		if t, ok := parts[0].(plimsoll.Text); ok {
			return rawjson.AppendQuote(out, t.Text), nil
		}
	}
	return appendBlocks(out, parts)
}

func appendBlocks(out []byte, parts []plimsoll.Part) ([]byte, error) {
	out = append(out, '[')
	var err error
	for i, p := range parts {
		if i > 0 {
			out = append(out, ',')
		}
		if out, err = appendBlock(out, p); err != nil {
			return nil, err
		}
	}
	return append(out, ']'), nil
}

func appendBlock(out []byte, p plimsoll.Part) ([]byte, error) {
	switch p := p.(type) {
	case plimsoll.Text:
		return appendMembers(out, "type", "text", "text", p.Text), nil
	case plimsoll.ToolCall:
		return appendCall(out, p)
	case plimsoll.ToolResult:
		return appendResult(out, p)
	case plimsoll.Reasoning:
		return appendReasoning(out, p)
	case plimsoll.Media:
		return appendMedia(out, p)
	case plimsoll.Opaque:
		return append(out, p.Raw...), nil
	}
	return nil, fmt.Errorf("a %T cannot be written: %w", p, plimsoll.ErrUnsupported)
}

// appendMembers writes an object of strings, given as keys and values.
func appendMembers(out []byte, pairs ...string) []byte {
	for i := 0; i < len(pairs); i += 2 {
		out = append(out, "{,"[min(i, 1)])
		out = append(rawjson.AppendQuote(out, pairs[i]), ':')
		out = rawjson.AppendQuote(out, pairs[i+1])
	}
	return append(out, '}')
}

// appendCall writes a tool_use. Its input must be an object; a model that wrote
// something else cannot be quoted here.
func appendCall(out []byte, c plimsoll.ToolCall) ([]byte, error) {
	input := strings.TrimSpace(c.Arguments)
	if input == "" {
		input = "{}"
	}
	if !strings.HasPrefix(input, "{") || !json.Valid([]byte(input)) {
		return nil, fmt.Errorf("arguments of call %q are no object: %w", c.ID, plimsoll.ErrUnsupported)
	}
	out = appendMembers(out, "type", "tool_use", "id", c.ID, "name", c.Name)
	out = append(out[:len(out)-1], `,"input":`...)
	return append(append(out, input...), '}'), nil
}

func appendResult(out []byte, r plimsoll.ToolResult) ([]byte, error) {
	out = appendMembers(out, "type", "tool_result", "tool_use_id", r.CallID)
	out = append(out[:len(out)-1], `,"content":`...)
	out, err := appendContent(out, r.Content.Slice())
	if err != nil {
		return nil, err
	}
	if r.IsError {
		out = append(out, `,"is_error":true`...)
	}
	return append(out, '}'), nil
}

// appendReasoning writes thinking, which the API takes only with its signature.
func appendReasoning(out []byte, r plimsoll.Reasoning) ([]byte, error) {
	switch {
	case r.Signature == "":
		return nil, fmt.Errorf("thinking without a signature: %w", plimsoll.ErrUnsupported)
	case r.Redacted:
		return appendMembers(out, "type", "redacted_thinking", "data", r.Signature), nil
	}
	return appendMembers(out, "type", "thinking", "thinking", r.Text, "signature", r.Signature), nil
}

func appendMedia(out []byte, m plimsoll.Media) ([]byte, error) {
	if m.Kind != plimsoll.Image && m.Kind != plimsoll.Document {
		return nil, fmt.Errorf("no %s can be sent: %w", m.Kind, plimsoll.ErrUnsupported)
	}
	mime, data := m.MIME, m.Data
	if rest, ok := strings.CutPrefix(data, "data:"); ok {
		head, base64, _ := strings.Cut(rest, ",")
		mime, data = strings.TrimSuffix(head, ";base64"), base64
	}
	out = appendMembers(out, "type", string(m.Kind))
	out = append(out[:len(out)-1], `,"source":`...)
	switch {
	case data != "":
		out = appendMembers(out, "type", "base64", "media_type", mime, "data", data)
	case strings.Contains(m.URL, "://"):
		out = appendMembers(out, "type", "url", "url", m.URL)
	default:
		out = appendMembers(out, "type", "file", "file_id", m.URL)
	}
	return append(out, '}'), nil
}

// Content keeps the form of the old content: a list stays a list. Where there
// was none, it becomes a member of its own.
func (w *writer) Content(content plimsoll.List[plimsoll.Part], old []byte) ([]byte, error) {
	parts := content.Slice()
	var out []byte
	if len(old) == 0 {
		out = []byte(`,"content":`)
	}
	switch {
	case bytes.HasPrefix(old, []byte("[")):
		return appendBlocks(out, parts)
	case len(parts) == 0:
		return append(out, `""`...), nil
	}
	return appendContent(out, parts)
}

// System adds blocks to the instructions.
func (w *writer) System(parts plimsoll.List[plimsoll.Part]) ([]rawjson.Edit, [][]byte, error) {
	elements := make([][]byte, 0, parts.Len())
	for _, p := range parts.All() {
		element, err := appendBlock(nil, p)
		if err != nil {
			return nil, nil, err
		}
		elements = append(elements, element)
	}
	edits := w.grow("system", w.system, elements)
	s := w.system.span
	if !s.IsZero() && s.Len() > 2 && w.body[s.Start] == '"' {
		text := append([]byte("},"), bytes.Join(elements, []byte(","))...)
		edits = []rawjson.Edit{
			{Span: rawjson.Span{Start: s.Start, End: s.Start}, Text: []byte(`[{"type":"text","text":`)},
			{Span: rawjson.Span{Start: s.End, End: s.End}, Text: append(text, ']')},
		}
	}
	return edits, nil, nil
}

// Tools appends to the list of tools, or adds one to the request.
func (w *writer) Tools(tools plimsoll.List[plimsoll.Tool]) ([]rawjson.Edit, error) {
	elements := make([][]byte, 0, tools.Len())
	for _, t := range tools.All() {
		elements = append(elements, renderTool(t))
	}
	return w.grow("tools", w.tools, elements), nil
}

// grow appends elements to a list of the request. If it is not there, or is no
// list, it is written again.
func (w *writer) grow(key string, v value, elements [][]byte) []rawjson.Edit {
	if !v.list.IsZero() {
		return rawjson.Append(v.list, elements...)
	}
	text := append([]byte{'['}, bytes.Join(elements, []byte(","))...)
	text = append(text, ']')
	if !v.span.IsZero() {
		return []rawjson.Edit{{Span: v.span, Text: text}}
	}
	member := append(rawjson.AppendQuote(nil, key), ':')
	return rawjson.Append(w.layout.Root, append(member, text...))
}

func renderTool(t plimsoll.Tool) []byte {
	if t.Opaque != "" {
		return []byte(t.Opaque)
	}
	schema := t.Schema
	if schema == "" {
		schema = `{"type":"object"}`
	}
	pairs := []string{"name", t.Name}
	if t.Description != "" {
		pairs = append(pairs, "description", t.Description)
	}
	out := appendMembers(nil, pairs...)
	out = append(out[:len(out)-1], `,"input_schema":`...)
	return append(append(out, schema...), '}')
}

// Place lets no user's message follow a system turn: the API wants the
// assistant there. It goes before the turn, to the user's message that the turn
// belongs to.
func (w *writer) Place(i int, inserted []plimsoll.Message, kept []bool) (at, n int) {
	for n < len(inserted) && (inserted[n].Role == plimsoll.User || inserted[n].Role == plimsoll.ToolRole) {
		n++
	}
	at = i
	for k := i - 1; k >= 0; k-- {
		if !kept[k] {
			continue
		}
		if !w.layout.Parsed[k].Role.Instructs() {
			break
		}
		at = k
	}
	return at, n
}
