package gemini

import (
	"fmt"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/rawjson"
	"github.com/plimsoll/plimsoll/wire"
	"github.com/plimsoll/plimsoll/wire/internal/build"
	"github.com/plimsoll/plimsoll/wire/internal/layout"
)

// writer renders what edits add to one request, and checks it.
type writer struct {
	build.Defaults
	layout      *layout.Layout
	instruction instruction
	// tools is the list of tools, declarations the first list of functions in it.
	tools, declarations repeated
	// lone says that the request has a single content instead of a list.
	lone bool
	// cached says that the beginning is in a cache of the server's.
	cached, toolConfig bool
	found              found
}

var _ wire.Writer = (*writer)(nil)

// instruction is where the system instruction stands: zero if it does not. Of
// the forms that it may have, the fields of the others are zero.
type instruction struct {
	value  rawjson.Span
	text   rawjson.Span
	object rawjson.List
	parts  repeated
}

// Message renders a content.
func (*writer) Message(m plimsoll.Message) ([][]byte, error) {
	role := "user"
	if m.Role == plimsoll.Assistant {
		role = "model"
	}
	elements, err := renderParts(m.Parts)
	return [][]byte{joined(`{"role":"`+role+`","parts":[`, elements, "]}")}, err
}

func renderParts(parts plimsoll.List[plimsoll.Part]) ([][]byte, error) {
	elements := make([][]byte, 0, parts.Len())
	for _, p := range parts.All() {
		element, err := renderPart(p)
		if err != nil {
			return nil, err
		}
		elements = append(elements, element)
	}
	return elements, nil
}

func renderPart(p plimsoll.Part) ([]byte, error) {
	switch p := p.(type) {
	case plimsoll.Text:
		return append(rawjson.AppendQuote([]byte(`{"text":`), p.Text), '}'), nil
	case plimsoll.Reasoning:
		return renderReasoning(p), nil
	case plimsoll.ToolCall:
		out := appendNames([]byte(`{"functionCall":{`), p.ID, p.Name)
		out = append(out, `,"args":`...)
		return append(append(out, build.ObjectOf(p.Arguments)...), "}}"...), nil
	case plimsoll.ToolResult:
		return renderResult(p)
	case plimsoll.Media:
		return renderMedia(p), nil
	case plimsoll.Opaque:
		return []byte(p.Raw), nil
	}
	return nil, fmt.Errorf("a %T cannot be a part: %w", p, plimsoll.ErrUnsupported)
}

func renderReasoning(p plimsoll.Reasoning) []byte {
	out := []byte(`{"thought":true,"text":`)
	out = rawjson.AppendQuote(out, p.Text)
	if p.Signature != "" {
		out = append(out, `,"thoughtSignature":`...)
		out = rawjson.AppendQuote(out, p.Signature)
	}
	return append(out, '}')
}

func renderResult(p plimsoll.ToolResult) ([]byte, error) {
	out := appendNames([]byte(`{"functionResponse":{`), p.CallID, p.Name)
	out = append(out, `,"response":`...)
	out = append(out, response(p.Content, p.IsError)...)
	media, err := renderParts(media(p.Content))
	if len(media) > 0 {
		out = append(out, joined(`,"parts":[`, media, "]")...)
	}
	return append(out, "}}"...), err
}

func appendNames(out []byte, id, name string) []byte {
	if id != "" {
		out = append(out, `"id":`...)
		out = append(rawjson.AppendQuote(out, id), ',')
	}
	return rawjson.AppendQuote(append(out, `"name":`...), name)
}

func renderMedia(m plimsoll.Media) []byte {
	kind, key, value := "inlineData", "data", m.Data
	if m.Data == "" {
		kind, key, value = "fileData", "fileUri", m.URL
	}
	out := []byte(`{"` + kind + `":{`)
	if m.MIME != "" {
		out = append(out, `"mimeType":`...)
		out = append(rawjson.AppendQuote(out, m.MIME), ',')
	}
	out = append(out, `"`+key+`":`...)
	return append(rawjson.AppendQuote(out, value), "}}"...)
}

// response writes the texts as the object that a function response must be, under
// the names that Google suggests.
func response(content plimsoll.List[plimsoll.Part], isError bool) []byte {
	out := []byte(`{"output":`)
	if isError {
		out = []byte(`{"error":`)
	}
	return append(rawjson.AppendQuote(out, plimsoll.TextOf(content)), '}')
}

// media returns what is not text, and stands beside the response.
func media(content plimsoll.List[plimsoll.Part]) plimsoll.List[plimsoll.Part] {
	var rest []plimsoll.Part
	for _, p := range content.All() {
		if _, ok := p.(plimsoll.Text); !ok {
			rest = append(rest, p)
		}
	}
	return plimsoll.ListOf(rest...)
}

// Content replaces what a function returned by an object; a failure stays one.
func (w *writer) Content(content plimsoll.List[plimsoll.Part], old []byte) ([]byte, error) {
	d := newDecoder(old)
	_, isError := d.response()
	return response(content, isError), nil
}

// System appends parts to the system instruction, or adds one.
func (w *writer) System(parts plimsoll.List[plimsoll.Part]) ([]rawjson.Edit, [][]byte, error) {
	if w.cached {
		return nil, nil, fmt.Errorf("the instructions are in cached content and cannot be added to: %w", plimsoll.ErrUnsupported)
	}
	elements, err := renderParts(parts)
	if err != nil {
		return nil, nil, err
	}
	in, body := w.instruction, w.layout.Body
	switch {
	case in.value.IsZero():
		return rawjson.Append(w.layout.Root, joined(`"systemInstruction":{"parts":[`, elements, "]}")), nil, nil
	case !in.parts.IsZero():
		return in.parts.extend(body, elements), nil, nil
	case !in.object.IsZero():
		return rawjson.Append(in.object, joined(`"parts":[`, elements, "]")), nil, nil
	case !in.text.IsZero():
		elements = append([][]byte{joined(`{"text":`, [][]byte{in.text.Of(body)}, "}")}, elements...)
	}
	return []rawjson.Edit{{Span: in.value, Text: joined(`{"parts":[`, elements, "]}")}}, nil, nil
}

// Tools appends to the first list of functions, or to the tools, or adds them.
// Tools of Google's own are no functions and stand beside them.
func (w *writer) Tools(tools plimsoll.List[plimsoll.Tool]) ([]rawjson.Edit, error) {
	if w.cached {
		return nil, fmt.Errorf("the tools are in cached content and cannot be added to: %w", plimsoll.ErrUnsupported)
	}
	var functions, others [][]byte
	for _, t := range tools.All() {
		if t.Opaque != "" {
			others = append(others, []byte(t.Opaque))
			continue
		}
		functions = append(functions, renderTool(t))
	}
	var edits []rawjson.Edit
	switch {
	case len(functions) == 0:
	case !w.declarations.IsZero() && (!w.tools.lone || len(others) == 0):
		edits = w.declarations.extend(w.layout.Body, functions)
	default:
		others = append(others, joined(`{"functionDeclarations":[`, functions, "]}"))
	}
	switch {
	case len(others) == 0:
		return edits, nil
	case w.tools.IsZero():
		return append(edits, rawjson.Append(w.layout.Root, joined(`"tools":[`, others, "]"))...), nil
	default:
		return append(edits, w.tools.extend(w.layout.Body, others)...), nil
	}
}

func renderTool(t plimsoll.Tool) []byte {
	if t.Schema != "" {
		t.Schema = parameters(t.Schema)
	}
	return append(build.AppendFunction([]byte{'{'}, t), '}')
}

func joined(before string, elements [][]byte, after string) []byte {
	out := []byte(before)
	for i, e := range elements {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, e...)
	}
	return append(out, after...)
}
