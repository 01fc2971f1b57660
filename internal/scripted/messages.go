package scripted

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/wire"
)

// anthropic writes as Anthropic's Messages API does.
type anthropic struct{}

var _ voice = anthropic{}

func (anthropic) callPrefix() string { return "toolu_" }

func (anthropic) streamType() string { return "text/event-stream" }

func (v anthropic) whole(a *answer) object {
	content := []object{}
	if a.step.Text != "" {
		content = append(content, object{"type": "text", "text": a.step.Text})
	}
	for _, c := range a.step.Calls {
		content = append(content, object{"type": "tool_use", "id": c.ID, "name": c.Name, "input": json.RawMessage(c.Arguments)})
	}
	o := v.head(a)
	o["content"], o["stop_reason"], o["usage"] = content, v.stop(a.step.Stop), v.usage(a.usage)
	return o
}

func (anthropic) head(a *answer) object {
	return object{
		"id": fmt.Sprintf("msg_%06d", a.n), "type": "message", "role": "assistant", "model": a.call.Conversation.Model,
		"content": []object{}, "stop_reason": nil, "stop_sequence": nil,
	}
}

func (v anthropic) frames(a *answer) [][]byte {
	head := v.head(a)
	begun := a.usage
	begun.Output = 1
	head["usage"] = v.usage(begun)
	all := [][]byte{
		event("message_start", object{"type": "message_start", "message": head}),
		event("ping", object{"type": "ping"}),
	}
	index := 0
	block := func(start object, deltas []object) {
		all = append(all, event("content_block_start", object{"type": "content_block_start", "index": index, "content_block": start}))
		for _, d := range deltas {
			all = append(all, event("content_block_delta", object{"type": "content_block_delta", "index": index, "delta": d}))
		}
		all = append(all, event("content_block_stop", object{"type": "content_block_stop", "index": index}))
		index++
	}
	if a.step.Text != "" {
		block(object{"type": "text", "text": ""}, deltas("text_delta", "text", a.step.Text))
	}
	for _, c := range a.step.Calls {
		block(object{"type": "tool_use", "id": c.ID, "name": c.Name, "input": object{}}, deltas("input_json_delta", "partial_json", c.Arguments))
	}
	return append(all,
		event("message_delta", object{
			"type": "message_delta", "delta": object{"stop_reason": v.stop(a.step.Stop), "stop_sequence": nil}, "usage": v.usage(a.usage),
		}),
		event("message_stop", object{"type": "message_stop"}))
}

func deltas(kind, member, text string) []object {
	var all []object
	for _, piece := range pieces(text) {
		all = append(all, object{"type": kind, member: piece})
	}
	return all
}

func (anthropic) usage(u plimsoll.Usage) object {
	return object{
		"input_tokens": u.Input, "output_tokens": u.Output,
		"cache_creation_input_tokens": u.CacheCreation, "cache_read_input_tokens": u.CacheRead,
	}
}

func (anthropic) stop(s wire.Stop) string {
	switch s {
	case wire.StopTools:
		return "tool_use"
	case wire.StopLength:
		return "max_tokens"
	case wire.StopContext:
		return "model_context_window_exceeded"
	case wire.StopFiltered:
		return "refusal"
	case wire.StopSequence:
		return "stop_sequence"
	case wire.StopPaused:
		return "pause_turn"
	}
	return "end_turn"
}

func (anthropic) fault(f Fault) any {
	kind := "invalid_request_error"
	switch {
	case f.Status == http.StatusUnauthorized:
		kind = "authentication_error"
	case f.Status == http.StatusNotFound:
		kind = "not_found_error"
	case f.Status == http.StatusRequestEntityTooLarge:
		kind = "request_too_large"
	case f.Status == http.StatusTooManyRequests:
		kind = "rate_limit_error"
	case f.Status == 529:
		kind = "overloaded_error"
	case f.Status >= 500:
		kind = "api_error"
	}
	return object{
		"type": "error", "request_id": "req_scripted",
		"error": object{"type": cmp.Or(f.Type, kind), "message": f.Message},
	}
}

func (v anthropic) broken(_ *answer, f Fault) [][]byte {
	return [][]byte{event("error", v.fault(f).(object))}
}

func (anthropic) overflow(tokens, window int) Fault {
	return Fault{Status: http.StatusBadRequest, Message: fmt.Sprintf("prompt is too long: %d tokens > %d maximum", tokens, window)}
}

func (anthropic) tokens(n int) object { return object{"input_tokens": n} }

func (v anthropic) models(names []string) object {
	data := make([]object, len(names))
	for i, name := range names {
		data[i] = v.describe(name)
	}
	return object{"data": data, "has_more": false, "first_id": names[0], "last_id": names[len(names)-1]}
}

func (anthropic) describe(name string) object {
	return object{"id": name, "type": "model", "display_name": name, "created_at": "1970-01-01T00:00:00Z"}
}
