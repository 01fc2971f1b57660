package transcript

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/wire/dialects"
)

// wireHead is a request body or a recorded conversation.
type wireHead struct {
	Model    string            `json:"model"`
	Format   string            `json:"format"`
	System   json.RawMessage   `json:"system"`
	Messages []json.RawMessage `json:"messages"`
	Tools    []wireTool        `json:"tools"`

	// body is the whole object, as a request would have it.
	body []byte
}

type wireTool struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	InputSchema json.RawMessage `json:"input_schema"`
	Function    *struct {
		Name        string          `json:"name"`
		Description string          `json:"description"`
		Parameters  json.RawMessage `json:"parameters"`
	} `json:"function"`
}

// parseHead reads the members of an object. One without messages may have
// anything in the others: it is no conversation, not a wrong one.
func parseHead(data []byte) (wireHead, error) {
	var head wireHead
	err := json.Unmarshal(data, &head)
	var kind *json.UnmarshalTypeError
	switch {
	case err == nil && head.Messages != nil:
		head.body = data
		return head, nil
	case err == nil, errors.As(err, &kind) && kind.Field != "" && !hasMessages(data):
		return wireHead{}, nil
	}
	return wireHead{}, jsonError(err)
}

func hasMessages(data []byte) bool {
	var head struct {
		Messages json.RawMessage `json:"messages"`
	}
	return json.Unmarshal(data, &head) == nil && head.Messages != nil
}

func (h wireHead) conversation() (plimsoll.Conversation, error) {
	messages := make([]plimsoll.Message, 0, len(h.Messages))
	for i, raw := range h.Messages {
		var w wireMessage
		if err := json.Unmarshal(raw, &w); err != nil {
			return plimsoll.Conversation{}, fmt.Errorf("message %d: %w", i, jsonError(err))
		}
		m, err := w.message()
		if err != nil {
			return plimsoll.Conversation{}, fmt.Errorf("message %d: %w", i, err)
		}
		messages = append(messages, m)
	}
	c := conversationOf(messages)
	c.Model = h.Model
	system, err := contentParts(h.System)
	if err != nil {
		return plimsoll.Conversation{}, fmt.Errorf("system: %w", err)
	}
	c.System = plimsoll.ListOf(system...)
	tools := make([]plimsoll.Tool, 0, len(h.Tools))
	for _, t := range h.Tools {
		tools = append(tools, t.tool())
	}
	c.Tools = plimsoll.ListOf(tools...)
	if d, ok := dialects.FromBody(h.body); ok {
		c.Dialect = d
	}
	if strings.HasPrefix(h.Format, "anthropic") {
		c.Dialect = plimsoll.Anthropic
	}
	return asSent(c, h.body), nil
}

// asSent reads a body the way the codec of its API does, so that a file weighs
// what the same request would weigh. Recorded forms that are no requests stay as
// they were read.
func asSent(c plimsoll.Conversation, body []byte) plimsoll.Conversation {
	codec := dialects.Codec(c.Dialect)
	if codec == nil || len(body) == 0 {
		return c
	}
	r, err := codec.Decode(bytes.Clone(body)) // a conversation shares its body's bytes
	if err != nil {
		return c
	}
	sent := r.Conversation()
	sent.Model = c.Model
	return sent
}

// wrapped makes a request body of a list of messages.
func wrapped(list []byte) []byte {
	return append(append([]byte(`{"messages":`), list...), '}')
}

func (t wireTool) tool() plimsoll.Tool {
	if t.Function != nil {
		return plimsoll.Tool{
			Name: t.Function.Name, Description: t.Function.Description, Schema: string(t.Function.Parameters),
		}
	}
	return plimsoll.Tool{Name: t.Name, Description: t.Description, Schema: string(t.InputSchema)}
}

// wireMessage is the union of OpenAI's and Anthropic's messages.
type wireMessage struct {
	Role       string          `json:"role"`
	Name       string          `json:"name"`
	Content    json.RawMessage `json:"content"`
	Reasoning  string          `json:"reasoning_content"`
	ToolCalls  []wireCall      `json:"tool_calls"`
	ToolCallID string          `json:"tool_call_id"`
}

type wireCall struct {
	ID       string `json:"id"`
	Function struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	} `json:"function"`
}

func (w wireMessage) message() (plimsoll.Message, error) {
	if w.Role == "" {
		return plimsoll.Message{}, fmt.Errorf("%w: role is missing", plimsoll.ErrInvalid)
	}
	parts, err := contentParts(w.Content)
	if err != nil {
		return plimsoll.Message{}, err
	}
	m := plimsoll.Message{Role: plimsoll.Role(w.Role), Name: w.Name}
	if m.Role == plimsoll.ToolRole {
		parts = []plimsoll.Part{plimsoll.ToolResult{CallID: w.ToolCallID, Content: plimsoll.ListOf(parts...)}}
	}
	if w.Reasoning != "" {
		parts = append([]plimsoll.Part{plimsoll.Reasoning{Text: w.Reasoning}}, parts...)
	}
	for _, c := range w.ToolCalls {
		parts = append(parts, plimsoll.ToolCall{ID: c.ID, Name: c.Function.Name, Arguments: textOrJSON(c.Function.Arguments)})
	}
	m.Parts = plimsoll.ListOf(parts...)
	return m, nil
}

// contentParts reads a string, null, or a list of blocks.
func contentParts(raw json.RawMessage) ([]plimsoll.Part, error) {
	switch {
	case len(raw) == 0 || string(raw) == "null":
		return nil, nil
	case raw[0] == '"':
		var text string
		if err := json.Unmarshal(raw, &text); err != nil {
			return nil, jsonError(err)
		}
		return []plimsoll.Part{plimsoll.Text{Text: text}}, nil
	case raw[0] == '[':
		var blocks []json.RawMessage
		if err := json.Unmarshal(raw, &blocks); err != nil {
			return nil, jsonError(err)
		}
		parts := make([]plimsoll.Part, 0, len(blocks))
		for i, b := range blocks {
			p, err := blockPart(b)
			if err != nil {
				return nil, fmt.Errorf("content block %d: %w", i, err)
			}
			parts = append(parts, p)
		}
		return parts, nil
	}
	return nil, fmt.Errorf("%w: content is neither a string, null nor a list", plimsoll.ErrInvalid)
}

// wireBlock is the union of the content blocks that are understood.
type wireBlock struct {
	Type      string          `json:"type"`
	Text      string          `json:"text"`
	Thinking  string          `json:"thinking"`
	Signature string          `json:"signature"`
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Input     json.RawMessage `json:"input"`
	Arguments json.RawMessage `json:"arguments"`
	ToolUseID string          `json:"tool_use_id"`
	Content   json.RawMessage `json:"content"`
	IsError   bool            `json:"is_error"`
	ImageURL  struct {
		URL    string `json:"url"`
		Detail string `json:"detail"`
	} `json:"image_url"`
	Source struct {
		MediaType string `json:"media_type"`
		Data      string `json:"data"`
		URL       string `json:"url"`
	} `json:"source"`
}

func blockPart(raw json.RawMessage) (plimsoll.Part, error) {
	var b wireBlock
	if raw[0] == '"' {
		var text string
		err := json.Unmarshal(raw, &text)
		return plimsoll.Text{Text: text}, err
	}
	var kind struct {
		Type string `json:"type"`
	}
	if err := json.Unmarshal(raw, &kind); err != nil {
		return nil, jsonError(err)
	}
	if json.Unmarshal(raw, &b) != nil {
		return plimsoll.Opaque{Kind: kind.Type, Raw: string(raw)}, nil
	}
	switch b.Type {
	case "text", "input_text", "output_text":
		return plimsoll.Text{Text: b.Text}, nil
	case "thinking":
		return plimsoll.Reasoning{Text: b.Thinking, Signature: b.Signature}, nil
	case "tool_use":
		return plimsoll.ToolCall{ID: b.ID, Name: b.Name, Arguments: string(b.Input)}, nil
	case "toolCall":
		return plimsoll.ToolCall{ID: b.ID, Name: b.Name, Arguments: textOrJSON(b.Arguments)}, nil
	case "tool_result":
		content, err := contentParts(b.Content)
		return plimsoll.ToolResult{CallID: b.ToolUseID, Content: plimsoll.ListOf(content...), IsError: b.IsError}, err
	case "image_url":
		if strings.HasPrefix(b.ImageURL.URL, "data:") {
			return plimsoll.Media{Kind: plimsoll.Image, Data: b.ImageURL.URL, Detail: b.ImageURL.Detail}, nil
		}
		return plimsoll.Media{Kind: plimsoll.Image, URL: b.ImageURL.URL, Detail: b.ImageURL.Detail}, nil
	case "image":
		return plimsoll.Media{Kind: plimsoll.Image, MIME: b.Source.MediaType, Data: b.Source.Data, URL: b.Source.URL}, nil
	case "document":
		return plimsoll.Media{Kind: plimsoll.Document, MIME: b.Source.MediaType, Data: b.Source.Data, URL: b.Source.URL}, nil
	}
	return plimsoll.Opaque{Kind: b.Type, Raw: string(raw)}, nil
}

// textOrJSON returns the text of a JSON string, or any other JSON as it is.
func textOrJSON(raw json.RawMessage) string {
	var text string
	if len(raw) > 0 && raw[0] == '"' && json.Unmarshal(raw, &text) == nil {
		return text
	}
	return string(raw)
}
