package fit

import (
	"encoding/json"
	"fmt"

	"github.com/plimsoll/plimsoll"
)

type message struct {
	Role string `json:"role"`
	// Content is null where there are only calls, as OpenAI itself writes it.
	Content    *string `json:"content"`
	ToolCalls  []call  `json:"tool_calls,omitempty"`
	ToolCallID string  `json:"tool_call_id,omitempty"`
}

type call struct {
	ID       string   `json:"id"`
	Type     string   `json:"type"`
	Function function `json:"function"`
}

type function struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

// render writes messages of any dialect as those of Chat Completions. Thinking is
// left out, because the API takes none.
func render(messages []plimsoll.Message) (json.RawMessage, error) {
	var all []message
	for i, m := range messages {
		results, rest, err := split(m)
		if err != nil {
			return nil, fmt.Errorf("message %d: %w", i, err)
		}
		all = append(all, results...)
		if rest.Content != nil || len(rest.ToolCalls) > 0 {
			all = append(all, rest)
		}
	}
	return json.Marshal(all)
}

// split takes the tool results out of a message, which have messages of their own.
func split(m plimsoll.Message) (results []message, rest message, err error) {
	rest.Role = string(m.Role)
	for _, p := range m.Parts.All() {
		switch p := p.(type) {
		case plimsoll.Text:
			rest.say(p.Text)
		case plimsoll.ToolCall:
			rest.ToolCalls = append(rest.ToolCalls, call{p.ID, "function", function{p.Name, p.Arguments}})
		case plimsoll.ToolResult:
			text := plimsoll.TextOf(p.Content)
			results = append(results, message{Role: "tool", Content: &text, ToolCallID: p.CallID})
		case plimsoll.Reasoning:
		default:
			return nil, rest, fmt.Errorf("cannot be said to every library: %T", p)
		}
	}
	return results, rest, nil
}

func (m *message) say(text string) {
	if m.Content != nil {
		text = *m.Content + "\n\n" + text
	}
	if text != "" {
		m.Content = &text
	}
}
