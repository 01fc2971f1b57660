package converse

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

// writer renders what edits add to one request, and keeps what the layout does not say
// about it.
type writer struct {
	build.Defaults
	body   []byte
	layout *layout.Layout
	// system is the member of that name, tools the list inside toolConfig, which is the
	// span.
	system, tools value
	flaws         []flaw // of the messages
}

var _ wire.Writer = (*writer)(nil)

// value is a member of the request with a list: zero if it is not there.
type value struct {
	span rawjson.Span
	rawjson.List
}

// Locate returns where the blocks of a message are.
func (w *writer) Locate(i int) layout.Located {
	c := locate(w.body, w.layout.Messages.Items[i])
	return layout.Located{Places: c.places, Lists: []layout.PartList{{List: c.List}}}
}

// Message renders a message as one element. Results come first: the API wants them right
// behind their calls.
func (w *writer) Message(m plimsoll.Message) ([][]byte, error) {
	role := plimsoll.User
	if m.Role == plimsoll.Assistant {
		role = m.Role
	}
	var results, rest []plimsoll.Part
	for _, p := range m.Parts.All() {
		if _, ok := p.(plimsoll.ToolResult); ok {
			results = append(results, p)
		} else {
			rest = append(rest, p)
		}
	}
	blocks, err := render(append(results, rest...))
	if err != nil {
		return nil, err
	}
	return [][]byte{message(role, blocks)}, nil
}

func message(role plimsoll.Role, blocks [][]byte) []byte {
	return fmt.Appendf(nil, `{"role":%q,"content":%s}`, role, rawjson.Array(blocks))
}

// render writes parts as blocks.
func render(parts []plimsoll.Part) ([][]byte, error) {
	var blocks [][]byte
	for _, p := range parts {
		block, err := renderBlock(p)
		if err != nil {
			return nil, err
		}
		blocks = append(blocks, block)
	}
	return blocks, nil
}

func renderBlock(p plimsoll.Part) ([]byte, error) {
	switch p := p.(type) {
	case plimsoll.Text:
		return fmt.Appendf(nil, `{"text":%s}`, quoted(p.Text)), nil
	case plimsoll.ToolCall:
		return renderCall(p)
	case plimsoll.ToolResult:
		blocks, err := render(p.Content.Slice())
		status := ""
		if p.IsError {
			status = `,"status":"error"`
		}
		return fmt.Appendf(nil, `{"toolResult":{"toolUseId":%s,"content":%s%s}}`, quoted(p.CallID), rawjson.Array(blocks), status), err
	case plimsoll.Reasoning:
		return renderReasoning(p), nil
	case plimsoll.Media:
		return renderMedia(p), nil
	case plimsoll.Opaque:
		return []byte(p.Raw), nil
	}
	return nil, fmt.Errorf("a %T cannot be written: %w", p, plimsoll.ErrUnsupported)
}

func quoted(text string) []byte { return rawjson.AppendQuote(nil, text) }

// renderCall writes a call, whose input must be an object.
func renderCall(c plimsoll.ToolCall) ([]byte, error) {
	input := strings.TrimSpace(c.Arguments)
	if input == "" {
		input = "{}"
	}
	if !strings.HasPrefix(input, "{") || !json.Valid([]byte(input)) {
		return nil, fmt.Errorf("arguments of call %q are no object: %w", c.ID, plimsoll.ErrUnsupported)
	}
	return fmt.Appendf(nil, `{"toolUse":{"toolUseId":%s,"name":%s,"input":%s}}`, quoted(c.ID), quoted(c.Name), input), nil
}

func renderReasoning(r plimsoll.Reasoning) []byte {
	switch {
	case r.Redacted:
		return fmt.Appendf(nil, `{"reasoningContent":{"redactedContent":%s}}`, quoted(r.Signature))
	case r.Signature == "":
		return fmt.Appendf(nil, `{"reasoningContent":{"reasoningText":{"text":%s}}}`, quoted(r.Text))
	}
	return fmt.Appendf(nil, `{"reasoningContent":{"reasoningText":{"text":%s,"signature":%s}}}`, quoted(r.Text), quoted(r.Signature))
}

// renderMedia writes a picture or recording. A document must have a name. The API takes no
// addresses but those of Amazon S3; of others the model reads the address.
func renderMedia(m plimsoll.Media) []byte {
	mime, data := m.MIME, m.Data
	if rest, ok := strings.CutPrefix(data, "data:"); ok {
		head, base64, _ := strings.Cut(rest, ",")
		mime, data = strings.TrimSuffix(head, ";base64"), base64
	}
	source := fmt.Appendf(nil, `{"bytes":%s}`, quoted(data))
	switch {
	case data == "" && strings.HasPrefix(m.URL, "s3://"):
		source = fmt.Appendf(nil, `{"s3Location":{"uri":%s}}`, quoted(m.URL))
	case data == "":
		return fmt.Appendf(nil, `{"text":%s}`, quoted(m.URL))
	}
	name := ""
	if m.Kind == plimsoll.Document {
		name = `"name":"document",`
	}
	return fmt.Appendf(nil, `{%q:{"format":%s,%s"source":%s}}`, m.Kind, quoted(formatOf(mime)), name, source)
}

// Content renders the content of a result, which is always a list.
func (w *writer) Content(content plimsoll.List[plimsoll.Part], _ []byte) ([]byte, error) {
	blocks, err := render(content.Slice())
	return rawjson.Array(blocks), err
}

// System adds blocks to the instructions.
func (w *writer) System(parts plimsoll.List[plimsoll.Part]) ([]rawjson.Edit, [][]byte, error) {
	blocks, err := render(parts.Slice())
	if err != nil {
		return nil, nil, err
	}
	return w.grow(w.system, blocks, `"system":`, ``), nil, nil
}

// Tools appends to the list of tools, or adds one to the request.
func (w *writer) Tools(tools plimsoll.List[plimsoll.Tool]) ([]rawjson.Edit, error) {
	var elements [][]byte
	for _, t := range tools.All() {
		elements = append(elements, renderTool(t))
	}
	return w.grow(w.tools, elements, `"toolConfig":{"tools":`, `}`), nil
}

// grow appends elements to a list of the request. If it is not there, the member that
// begins with before and ends with after is written.
func (w *writer) grow(v value, elements [][]byte, before, after string) []rawjson.Edit {
	if !v.List.IsZero() {
		return rawjson.Append(v.List, elements...)
	}
	member := append(append([]byte(before), rawjson.Array(elements)...), after...)
	if v.span.IsZero() {
		return rawjson.Append(w.layout.Root, member)
	}
	_, text, _ := bytes.Cut(member, []byte{':'})
	return []rawjson.Edit{{Span: v.span, Text: text}}
}

func renderTool(t plimsoll.Tool) []byte {
	if t.Opaque != "" {
		return []byte(t.Opaque)
	}
	schema, description := t.Schema, ""
	if schema == "" {
		schema = `{"type":"object"}`
	}
	if t.Description != "" {
		description = `"description":` + string(quoted(t.Description)) + `,`
	}
	return fmt.Appendf(nil, `{"toolSpec":{"name":%s,%s"inputSchema":{"json":%s}}}`, quoted(t.Name), description, schema)
}

// Finish joins neighbouring messages of one role: the API wants user and assistant to
// alternate. If the client itself sends two in a row, all stays.
func (w *writer) Finish(body []byte) ([]byte, error) {
	for i := 1; i < w.layout.Len(); i++ {
		if w.layout.Parsed[i].Role == w.layout.Parsed[i-1].Role {
			return body, nil
		}
	}
	messages := messagesOf(body)
	role := func(i int) string { return rawjson.MemberText(messages.Items[i].Of(body), "role") }
	var edits []rawjson.Edit
	kept := make([]bool, len(messages.Items))
	for i := 0; i < len(kept); {
		first := i
		kept[first] = true
		var blocks [][]byte
		for i++; i < len(kept) && role(i) == role(first); i++ {
			for _, at := range locate(body, messages.Items[i]).Items {
				blocks = append(blocks, at.Of(body))
			}
		}
		list := locate(body, messages.Items[first]).List
		if i-first > 1 && list.IsZero() {
			return body, nil // the API refuses a message without content anyway
		}
		if len(blocks) > 0 {
			edits = append(edits, rawjson.Append(list, blocks...)...)
		}
	}
	return rawjson.Splice(body, append(edits, rawjson.Rearrange(messages, kept, nil)...))
}

// messagesOf returns the list of messages of a body.
func messagesOf(body []byte) (messages rawjson.List) {
	s := rawjson.NewScanner(body)
	for key := range s.Members() {
		if string(key) == "messages" {
			messages = s.List()
		}
	}
	return messages
}
