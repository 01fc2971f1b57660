package wire_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/sse"
	"github.com/plimsoll/plimsoll/wire/internal/anthropic"
)

var anthropicVoice = voice{
	codec: anthropic.Codec{}, resultRole: plimsoll.User,
	stream: anthropicStreamOf, whole: anthropicWholeOf,
	order:   callsLast,
	beside:  func(ours, theirs []plimsoll.Part) []plimsoll.Part { return append(theirs, ours...) },
	orderly: anthropicOrderly,
}

// callsLast keeps the order of the rest: thoughts may stand between texts, but no
// message ends in one.
func callsLast(parts []plimsoll.Part) []plimsoll.Part {
	var rest, calls []plimsoll.Part
	for _, p := range parts {
		if _, ok := p.(plimsoll.ToolCall); ok {
			calls = append(calls, p)
		} else {
			rest = append(rest, p)
		}
	}
	for len(calls) == 0 && len(rest) > 0 && isReasoning(rest[len(rest)-1]) {
		rest = rest[:len(rest)-1]
	}
	return append(rest, calls...)
}

func anthropicHead(a testAnswer) members {
	return members{
		"id": fmt.Sprintf("msg_%d", a.n), "type": "message", "role": "assistant", "model": "m",
		"content": []any{}, "stop_reason": nil, "stop_sequence": nil,
		"usage": members{"input_tokens": 400 * a.n, "cache_read_input_tokens": 600 * a.n, "cache_creation_input_tokens": 0, "output_tokens": 1},
	}
}

func anthropicReason(a testAnswer) string {
	if a.stops() {
		return "end_turn"
	}
	return "tool_use"
}

func anthropicWholeOf(a testAnswer) []byte {
	head := anthropicHead(a)
	content := []any{}
	for _, p := range a.parts {
		switch p := p.(type) {
		case plimsoll.Text:
			content = append(content, members{"type": "text", "text": p.Text})
		case plimsoll.Reasoning:
			content = append(content, members{"type": "thinking", "thinking": p.Text, "signature": p.Signature})
		case plimsoll.ToolCall:
			content = append(content, members{"type": "tool_use", "id": p.ID, "name": p.Name, "input": "input of " + p.ID})
		}
	}
	head["content"], head["stop_reason"] = content, anthropicReason(a)
	head["usage"].(members)["output_tokens"] = a.output()
	raw := object(head)
	for _, c := range append(a.calls(true), a.calls(false)...) {
		raw = bytes.Replace(raw, fmt.Appendf(nil, `"input of %s"`, c.ID), []byte(c.Arguments), 1) // with its bytes
	}
	return raw
}

func anthropicStreamOf(a testAnswer) []byte {
	var out []byte
	add := func(kind string, m members) {
		m["type"] = kind
		out = sse.Append(out, kind, object(m))
		if a.odd {
			out = append(out, ": alive\n\n"...)
			out = sse.Append(out, "ping", []byte(`{"type": "ping"}`))
			out = sse.Append(out, "new_event", []byte(`{"type":"new_event","index":3}`))
		}
	}
	add("message_start", members{"message": anthropicHead(a)})
	for i, p := range a.parts {
		start, deltas := anthropicDeltas(a, p)
		add("content_block_start", members{"index": i, "content_block": start})
		for _, d := range deltas {
			add("content_block_delta", members{"index": i, "delta": d})
		}
		add("content_block_stop", members{"index": i})
	}
	usage := members{"output_tokens": a.output()}
	if a.odd {
		usage["input_tokens"], usage["cache_read_input_tokens"] = 400*a.n, 600*a.n
	}
	add("message_delta", members{"delta": members{"stop_reason": anthropicReason(a), "stop_sequence": nil}, "usage": usage})
	add("message_stop", members{})
	return out
}

func anthropicDeltas(a testAnswer, p plimsoll.Part) (start members, deltas []members) {
	switch p := p.(type) {
	case plimsoll.Text:
		for _, piece := range a.pieces(p.Text) {
			deltas = append(deltas, members{"type": "text_delta", "text": piece})
		}
		return members{"type": "text", "text": ""}, deltas
	case plimsoll.Reasoning:
		for _, piece := range a.pieces(p.Text) {
			deltas = append(deltas, members{"type": "thinking_delta", "thinking": piece})
		}
		deltas = append(deltas, members{"type": "signature_delta", "signature": p.Signature})
		return members{"type": "thinking", "thinking": "", "signature": ""}, deltas
	case plimsoll.ToolCall:
		for _, piece := range a.pieces(p.Arguments) {
			deltas = append(deltas, members{"type": "input_json_delta", "partial_json": piece})
		}
		return members{"type": "tool_use", "id": p.ID, "name": p.Name, "input": members{}}, deltas
	}
	panic(p)
}

// anthropicOrderly wants one message whose blocks follow each other by number.
func anthropicOrderly(events []sse.Event) string {
	next, open, begun, ended := 0, false, false, false
	for _, e := range events {
		var data struct {
			Type  string
			Index int
		}
		if e.HasData() && json.Unmarshal(e.Data, &data) != nil {
			return fmt.Sprintf("%q is no JSON", e.Data)
		}
		switch data.Type {
		case "message_start":
			if begun {
				return "a second message_start"
			}
			begun = true
		case "content_block_start":
			if open || data.Index != next || ended {
				return fmt.Sprintf("block %d begins, want %d", data.Index, next)
			}
			open = true
		case "content_block_delta", "content_block_stop":
			if !open || data.Index != next {
				return fmt.Sprintf("%s of %d, want %d", data.Type, data.Index, next)
			}
			if data.Type == "content_block_stop" {
				open = false
				next++
			}
		case "message_delta", "message_stop":
			ended = true
		}
	}
	return ""
}

func TestAnthropicClientsSeeOneMessageAndTheModelSeesAll(t *testing.T) {
	t.Parallel()
	checkJoined(t, anthropicVoice)
}
