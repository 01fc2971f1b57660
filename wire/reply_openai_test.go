package wire_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/sse"
	"github.com/plimsoll/plimsoll/wire/internal/openai"
)

var openaiVoice = voice{
	codec: openai.Codec{}, resultRole: plimsoll.ToolRole,
	stream: openaiStreamOf, whole: openaiWholeOf,
	order:   openaiOrder,
	beside:  func(ours, theirs []plimsoll.Part) []plimsoll.Part { return append(ours, theirs...) },
	orderly: openaiOrderly,
}

// openaiOrder joins parts as a message can hold them: one thought, one text, calls.
func openaiOrder(parts []plimsoll.Part) []plimsoll.Part {
	var thought, text string
	var calls, all []plimsoll.Part
	for _, p := range parts {
		switch p := p.(type) {
		case plimsoll.Reasoning:
			thought += p.Text
		case plimsoll.Text:
			text += p.Text
		default:
			calls = append(calls, p)
		}
	}
	if thought != "" && (text != "" || len(calls) > 0) {
		all = append(all, plimsoll.Reasoning{Text: thought})
	}
	if text != "" {
		all = append(all, plimsoll.Text{Text: text})
	}
	return append(all, calls...)
}

func openaiReason(a testAnswer) string {
	if a.stops() {
		return "stop"
	}
	return "tool_calls"
}

func openaiUsageOf(a testAnswer) members {
	return members{
		"prompt_tokens": 1000 * a.n, "completion_tokens": a.output(), "total_tokens": 1000*a.n + a.output(),
		"prompt_tokens_details": members{"cached_tokens": 600 * a.n},
	}
}

func openaiChunkOf(a testAnswer, kind string) members {
	return members{"id": fmt.Sprintf("chatcmpl-%d", a.n), "object": kind, "created": 1000 + a.n, "model": "m", "system_fingerprint": nil}
}

func openaiWholeOf(a testAnswer) []byte {
	message := members{"role": "assistant", "content": nil, "refusal": nil, "annotations": []any{}}
	var calls []any
	for _, p := range a.parts {
		switch p := p.(type) {
		case plimsoll.Reasoning:
			message["reasoning_content"] = p.Text
		case plimsoll.Text:
			message["content"] = p.Text
		case plimsoll.ToolCall:
			calls = append(calls, members{"id": p.ID, "type": "function", "function": members{"name": p.Name, "arguments": p.Arguments}})
		}
	}
	if calls != nil {
		message["tool_calls"] = calls
	}
	out := openaiChunkOf(a, "chat.completion")
	out["choices"] = []any{members{"index": 0, "message": message, "logprobs": nil, "finish_reason": openaiReason(a)}}
	out["usage"] = openaiUsageOf(a)
	return object(out)
}

// openaiStreamOf is odd if the role comes with what is said first, calls get their names
// late, and the usage comes with the reason to stop.
func openaiStreamOf(a testAnswer) []byte {
	var out []byte
	begun := false
	add := func(delta members, reason any) {
		if a.odd && !begun {
			delta["role"] = "assistant"
			begun = true
		}
		chunk := openaiChunkOf(a, "chat.completion.chunk")
		chunk["choices"] = []any{members{"index": 0, "delta": delta, "logprobs": nil, "finish_reason": reason}}
		if a.odd && reason != nil {
			chunk["usage"] = openaiUsageOf(a)
		}
		out = sse.Append(out, "", object(chunk))
	}
	if !a.odd {
		add(members{"role": "assistant", "content": ""}, nil)
	}
	number := 0
	for _, p := range a.parts {
		switch p := p.(type) {
		case plimsoll.Reasoning:
			for _, piece := range a.pieces(p.Text) {
				add(members{"reasoning_content": piece}, nil)
			}
		case plimsoll.Text:
			for _, piece := range a.pieces(p.Text) {
				add(members{"content": piece}, nil)
			}
		case plimsoll.ToolCall:
			call := func(function members) members {
				return members{"tool_calls": []any{members{"index": number, "function": function}}}
			}
			first := call(members{"name": p.Name, "arguments": ""})
			if a.odd {
				first = call(members{"arguments": ""})
			}
			start := first["tool_calls"].([]any)[0].(members)
			start["id"], start["type"] = p.ID, "function"
			add(first, nil)
			if a.odd {
				add(call(members{"name": p.Name}), nil)
			}
			for _, piece := range a.pieces(p.Arguments) {
				add(call(members{"arguments": piece}), nil)
			}
			number++
		}
	}
	add(members{}, openaiReason(a))
	if !a.odd {
		chunk := openaiChunkOf(a, "chat.completion.chunk")
		chunk["choices"], chunk["usage"] = []any{}, openaiUsageOf(a)
		out = sse.Append(out, "", object(chunk))
	}
	return sse.Append(out, "", []byte("[DONE]"))
}

// openaiOrderly wants one answer: one id, one role, calls that follow each other by
// number, one reason to stop.
func openaiOrderly(events []sse.Event) string {
	roles, reasons, calls := 0, 0, 0
	for i, e := range events {
		if string(e.Data) == "[DONE]" {
			if i != len(events)-1 {
				return "something behind the end"
			}
			continue
		}
		var chunk struct {
			ID      string
			Created int
			Choices []struct {
				Delta struct {
					Role  string
					Calls []struct {
						Index int
						ID    string
					} `json:"tool_calls"`
				}
				Reason *string `json:"finish_reason"`
			}
		}
		if err := json.Unmarshal(e.Data, &chunk); err != nil {
			return err.Error()
		}
		if chunk.ID != "chatcmpl-1" || chunk.Created != 1001 {
			return fmt.Sprintf("a chunk of %s, %d", chunk.ID, chunk.Created)
		}
		for _, c := range chunk.Choices {
			if c.Delta.Role != "" {
				roles++
			}
			if c.Reason != nil {
				reasons++
			}
			for _, call := range c.Delta.Calls {
				if call.ID != "" {
					calls++
				}
				if call.Index != calls-1 {
					return fmt.Sprintf("call number %d is numbered %d", calls-1, call.Index)
				}
			}
		}
	}
	if roles != 1 || reasons != 1 {
		return fmt.Sprintf("%d roles and %d reasons to stop", roles, reasons)
	}
	return ""
}

func TestOpenAIClientsSeeOneMessageAndTheModelSeesAll(t *testing.T) {
	t.Parallel()
	checkJoined(t, openaiVoice)
}
