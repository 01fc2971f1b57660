package ollama

import (
	"fmt"
	"strings"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/rawjson"
	"github.com/plimsoll/plimsoll/wire"
	"github.com/plimsoll/plimsoll/wire/internal/build"
	"github.com/plimsoll/plimsoll/wire/internal/layout"
)

// writer renders what edits add to one request, and checks it.
type writer struct {
	build.Defaults
	layout *layout.Layout
	tools  rawjson.List
	// format is the form that the answer must have.
	format []byte
	// badArguments are the messages of the first calls whose arguments are no object.
	badArguments []int
}

var _ wire.Writer = (*writer)(nil)

// Message renders a message. Tool results become messages of their own.
func (w *writer) Message(m plimsoll.Message) ([][]byte, error) {
	return build.ResultsApart(m, renderResult, func(parts []plimsoll.Part) ([]byte, error) { return renderMessage(m.Role, "", parts) })
}

// renderMessage writes a message. Texts become one, since the API has one content. Names
// are the members that a result has beside its content.
func renderMessage(role plimsoll.Role, names string, parts []plimsoll.Part) ([]byte, error) {
	if role == plimsoll.Developer {
		role = plimsoll.System
	}
	out := append(rawjson.AppendQuote([]byte(`{"role":`), string(role)), names...)
	out = rawjson.AppendQuote(append(out, `,"content":`...), plimsoll.TextOf(plimsoll.ListOf(parts...)))
	var images, calls [][]byte
	for _, p := range parts {
		switch p := p.(type) {
		case plimsoll.Text:
		case plimsoll.Reasoning:
			out = rawjson.AppendQuote(append(out, `,"thinking":`...), p.Text)
		case plimsoll.Media:
			data := base64Of(p)
			if data == "" {
				return nil, fmt.Errorf("%s that is not in the request: %w", p.Kind, plimsoll.ErrUnsupported)
			}
			images = append(images, rawjson.AppendQuote(nil, data))
		case plimsoll.ToolCall:
			calls = append(calls, renderCall(p))
		default:
			return nil, fmt.Errorf("a %T cannot be in a message: %w", p, plimsoll.ErrUnsupported)
		}
	}
	if images != nil {
		out = append(append(out, `,"images":`...), rawjson.Array(images)...)
	}
	if calls != nil {
		out = append(append(out, `,"tool_calls":`...), rawjson.Array(calls)...)
	}
	return append(out, '}'), nil
}

// base64Of returns the data of a picture, without the beginning of a data URL; "" if the
// request does not hold it. The API takes nothing but pictures.
func base64Of(m plimsoll.Media) string {
	if m.Kind != plimsoll.Image {
		return ""
	}
	if _, data, ok := strings.Cut(m.Data, ";base64,"); ok {
		return data
	}
	return m.Data
}

func renderCall(c plimsoll.ToolCall) []byte {
	out := []byte{'{'}
	if c.ID != "" {
		out = append(rawjson.AppendQuote(append(out, `"id":`...), c.ID), ',')
	}
	out = rawjson.AppendQuote(append(out, `"function":{"name":`...), c.Name)
	out = append(append(out, `,"arguments":`...), build.ObjectOf(c.Arguments)...)
	return append(out, "}}"...)
}

func renderResult(r plimsoll.ToolResult) ([]byte, error) {
	var names []byte
	if r.Name != "" {
		names = rawjson.AppendQuote(append(names, `,"tool_name":`...), r.Name)
	}
	if r.CallID != "" {
		names = rawjson.AppendQuote(append(names, `,"tool_call_id":`...), r.CallID)
	}
	return renderMessage(plimsoll.ToolRole, string(names), r.Content.Slice())
}

// Content is one text.
func (w *writer) Content(content plimsoll.List[plimsoll.Part], _ []byte) ([]byte, error) {
	for _, p := range content.All() {
		if _, ok := p.(plimsoll.Text); !ok {
			return nil, fmt.Errorf("a %T cannot be in a text: %w", p, plimsoll.ErrUnsupported)
		}
	}
	return rawjson.AppendQuote(nil, plimsoll.TextOf(content)), nil
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
