package golden_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll"
)

// The conversations of this package have types of their own, and so have their
// requests: no change of a codec can change what it is asked.

// message is one of user or assistant; results stand in messages of the user.
type message struct {
	role  string
	parts []any // string, thought, picture, call or result
}

type thought string

// picture is a PNG in base64.
type picture string

type call struct{ id, name, arguments string }

// result is what a tool returned; its picture is empty where there is none.
type result struct {
	id, name, text string
	failed         bool
	picture        picture
}

type tool struct{ name, description, schema string }

// conversation is what a request carries.
type conversation struct {
	system   string
	tools    []tool
	messages []message
	// noIDs leaves the ids of calls out where the dialect allows it.
	noIDs bool
}

// models are what each dialect is asked for.
var models = map[plimsoll.Dialect]string{
	plimsoll.OpenAI: "gpt-4o", plimsoll.Responses: "gpt-4o", plimsoll.Anthropic: "claude-sonnet-4-5", plimsoll.Gemini: "gemini-2.5-flash",
	plimsoll.Ollama:   "llama3.2",
	plimsoll.Converse: "us.anthropic.claude-sonnet-4-5-20250929-v1:0",
}

// listOf is the member of a request with the messages.
var listOf = map[plimsoll.Dialect]string{
	plimsoll.OpenAI: "messages", plimsoll.Responses: "input", plimsoll.Anthropic: "messages", plimsoll.Gemini: "contents",
	plimsoll.Ollama:   "messages",
	plimsoll.Converse: "messages",
}

type object = map[string]any

// body writes the request. Of Gemini and Converse only the path says whether it is a stream.
func (c conversation) body(t *testing.T, d plimsoll.Dialect, stream bool) []byte {
	t.Helper()
	request := object{}
	var list []object
	for n, m := range c.messages {
		switch d {
		case plimsoll.OpenAI:
			list = append(list, m.chat()...)
		case plimsoll.Responses:
			list = append(list, m.items(n)...)
		case plimsoll.Anthropic:
			list = append(list, object{"role": m.role, "content": m.blocks()})
		case plimsoll.Gemini:
			list = append(list, m.content(c.noIDs))
		case plimsoll.Ollama:
			list = append(list, m.records(c.noIDs)...)
		case plimsoll.Converse:
			list = append(list, object{"role": m.role, "content": m.converse()})
		}
	}
	var tools []object
	for _, tool := range c.tools {
		tools = append(tools, tool.declare(d))
	}
	switch d {
	case plimsoll.OpenAI, plimsoll.Ollama:
		list = append([]object{{"role": "system", "content": c.system}}, list...)
	case plimsoll.Responses:
		request["instructions"] = c.system
	case plimsoll.Anthropic:
		request["system"], request["max_tokens"] = c.system, 100
	case plimsoll.Gemini:
		request["systemInstruction"] = object{"parts": []object{{"text": c.system}}}
		if tools != nil {
			tools = []object{{"functionDeclarations": tools}}
		}
	case plimsoll.Converse:
		request["system"], request["inferenceConfig"] = []object{{"text": c.system}}, object{"maxTokens": 100}
		if tools != nil {
			request["toolConfig"], tools = object{"tools": tools}, nil
		}
	}
	request[listOf[d]] = list
	if tools != nil {
		request["tools"] = tools
	}
	if d != plimsoll.Gemini && d != plimsoll.Converse {
		request["model"] = models[d]
		if stream || d == plimsoll.Ollama {
			request["stream"] = stream
		}
	}
	return encode(t, request)
}

func encode(t *testing.T, v any) []byte {
	t.Helper()
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		t.Fatal(err)
	}
	return bytes.TrimSpace(b.Bytes())
}

func (t tool) declare(d plimsoll.Dialect) object {
	schema := json.RawMessage(t.schema)
	switch d {
	case plimsoll.OpenAI, plimsoll.Ollama:
		return object{"type": "function", "function": object{"name": t.name, "description": t.description, "parameters": schema}}
	case plimsoll.Responses:
		return object{"type": "function", "name": t.name, "description": t.description, "parameters": schema}
	case plimsoll.Anthropic:
		return object{"name": t.name, "description": t.description, "input_schema": schema}
	case plimsoll.Converse:
		return object{"toolSpec": object{"name": t.name, "description": t.description, "inputSchema": object{"json": schema}}}
	}
	return object{"name": t.name, "description": t.description, "parameters": schema}
}

// chat writes messages of chat completions.
func (m message) chat() []object {
	var out, content, calls []object
	head := object{"role": m.role}
	for _, p := range m.parts {
		switch p := p.(type) {
		case string:
			content = append(content, object{"type": "text", "text": p})
		case thought:
			head["reasoning_content"] = string(p)
		case picture:
			content = append(content, object{"type": "image_url", "image_url": object{"url": "data:image/png;base64," + string(p)}})
		case call:
			calls = append(calls, object{"id": p.id, "type": "function", "function": object{"name": p.name, "arguments": p.arguments}})
		case result:
			out = append(out, object{"role": "tool", "tool_call_id": p.id, "content": p.text})
		}
	}
	if calls != nil {
		head["tool_calls"] = calls
	}
	switch {
	case len(content) == 1 && content[0]["type"] == "text":
		head["content"] = content[0]["text"]
	case content != nil:
		head["content"] = content
	case calls == nil:
		return out
	default:
		head["content"] = nil
	}
	return append(out, head)
}

// items writes items of Responses; n tells the messages apart.
func (m message) items(n int) []object {
	var out []object
	for _, p := range m.parts {
		kind := map[string]string{"user": "input_text", "assistant": "output_text"}[m.role]
		switch p := p.(type) {
		case string:
			out = append(out, object{"type": "message", "role": m.role, "content": []object{{"type": kind, "text": p}}})
		case thought:
			out = append(out, object{"type": "reasoning", "id": fmt.Sprintf("rs_%04d", n), "summary": []object{{"type": "summary_text", "text": string(p)}}, "encrypted_content": "c2VjcmV0"})
		case picture:
			out = append(out, object{"type": "message", "role": m.role, "content": []object{{"type": "input_image", "image_url": "data:image/png;base64," + string(p)}}})
		case call:
			out = append(out, object{"type": "function_call", "call_id": p.id, "name": p.name, "arguments": p.arguments})
		case result:
			var output any = p.text
			if p.picture != "" {
				output = []object{{"type": "input_text", "text": p.text}, {"type": "input_image", "image_url": "data:image/png;base64," + string(p.picture)}}
			}
			out = append(out, object{"type": "function_call_output", "call_id": p.id, "output": output})
		}
	}
	return out
}

// blocks writes the content of one of Anthropic's messages.
func (m message) blocks() []object {
	var out []object
	for _, p := range m.parts {
		switch p := p.(type) {
		case string:
			out = append(out, object{"type": "text", "text": p})
		case thought:
			out = append(out, object{"type": "thinking", "thinking": string(p), "signature": "c2lnbmVk"})
		case picture:
			out = append(out, anthropicPicture(p))
		case call:
			out = append(out, object{"type": "tool_use", "id": p.id, "name": p.name, "input": json.RawMessage(p.arguments)})
		case result:
			block := object{"type": "tool_result", "tool_use_id": p.id, "content": p.text}
			if p.failed {
				block["is_error"] = true
			}
			if p.picture != "" {
				block["content"] = []object{{"type": "text", "text": p.text}, anthropicPicture(p.picture)}
			}
			out = append(out, block)
		}
	}
	return out
}

func anthropicPicture(p picture) object {
	return object{"type": "image", "source": object{"type": "base64", "media_type": "image/png", "data": string(p)}}
}

// converse writes the content of one of Converse's messages.
func (m message) converse() []object {
	var out []object
	for _, p := range m.parts {
		switch p := p.(type) {
		case string:
			out = append(out, object{"text": p})
		case thought:
			out = append(out, object{"reasoningContent": object{"reasoningText": object{"text": string(p), "signature": "c2lnbmVk"}}})
		case picture:
			out = append(out, conversePicture(p))
		case call:
			out = append(out, object{"toolUse": object{"toolUseId": p.id, "name": p.name, "input": json.RawMessage(p.arguments)}})
		case result:
			made := object{"toolUseId": p.id, "content": []object{{"text": p.text}}}
			if p.failed {
				made["status"] = "error"
			}
			if p.picture != "" {
				made["content"] = []object{{"text": p.text}, conversePicture(p.picture)}
			}
			out = append(out, object{"toolResult": made})
		}
	}
	return out
}

func conversePicture(p picture) object {
	return object{"image": object{"format": "png", "source": object{"bytes": string(p)}}}
}

// content writes one of Gemini's contents.
func (m message) content(noIDs bool) object {
	var out []object
	for _, p := range m.parts {
		switch p := p.(type) {
		case string:
			out = append(out, object{"text": p})
		case thought:
			out = append(out, object{"text": string(p), "thought": true})
		case picture:
			out = append(out, object{"inlineData": object{"mimeType": "image/png", "data": string(p)}})
		case call:
			made := object{"name": p.name, "args": json.RawMessage(p.arguments)}
			if !noIDs {
				made["id"] = p.id
			}
			out = append(out, object{"functionCall": made})
		case result:
			key := "output"
			if p.failed {
				key = "error"
			}
			made := object{"name": p.name, "response": object{key: p.text}}
			if !noIDs {
				made["id"] = p.id
			}
			out = append(out, object{"functionResponse": made})
		}
	}
	role := m.role
	if role == "assistant" {
		role = "model"
	}
	return object{"role": role, "parts": out}
}

// records writes messages of Ollama's.
func (m message) records(noIDs bool) []object {
	var out, calls []object
	var texts, images []string
	head := object{"role": m.role}
	for _, p := range m.parts {
		switch p := p.(type) {
		case string:
			texts = append(texts, p)
		case thought:
			head["thinking"] = string(p)
		case picture:
			images = append(images, string(p))
		case call:
			made := object{"function": object{"index": len(calls), "name": p.name, "arguments": json.RawMessage(p.arguments)}}
			if !noIDs {
				made["id"] = p.id
			}
			calls = append(calls, made)
		case result:
			made := object{"role": "tool", "tool_name": p.name, "content": p.text}
			if !noIDs {
				made["tool_call_id"] = p.id
			}
			if p.picture != "" {
				made["images"] = []string{string(p.picture)}
			}
			out = append(out, made)
		}
	}
	if texts == nil && images == nil && calls == nil {
		return out
	}
	head["content"] = strings.Join(texts, "\n")
	if images != nil {
		head["images"] = images
	}
	if calls != nil {
		head["tool_calls"] = calls
	}
	return append(out, head)
}
