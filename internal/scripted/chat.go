package scripted

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/sse"
	"github.com/plimsoll/plimsoll/wire"
)

// chat writes as Chat Completions does.
type chat struct{}

var _ voice = chat{}

func (chat) callPrefix() string { return "call_" }

func (chat) streamType() string { return "text/event-stream" }

func (v chat) whole(a *answer) object {
	message := object{"role": "assistant", "content": nil, "refusal": nil}
	if a.step.Text != "" || len(a.step.Calls) == 0 {
		message["content"] = a.step.Text
	}
	if len(a.step.Calls) > 0 {
		calls := make([]object, len(a.step.Calls))
		for i, c := range a.step.Calls {
			calls[i] = object{"id": c.ID, "type": "function", "function": object{"name": c.Name, "arguments": c.Arguments}}
		}
		message["tool_calls"] = calls
	}
	o := v.head(a, "chat.completion")
	o["choices"] = []object{{"index": 0, "message": message, "logprobs": nil, "finish_reason": v.stop(a.step.Stop)}}
	o["usage"] = v.usage(a.usage)
	return o
}

func (chat) head(a *answer, kind string) object {
	return object{
		"id": fmt.Sprintf("chatcmpl-%06d", a.n), "object": kind, "created": a.at.Unix(), "model": a.call.Conversation.Model,
		"system_fingerprint": "fp_scripted",
	}
}

func (v chat) frames(a *answer) [][]byte {
	var all [][]byte
	add := func(delta object, finish any) {
		chunk := v.head(a, "chat.completion.chunk")
		chunk["choices"] = []object{{"index": 0, "delta": delta, "logprobs": nil, "finish_reason": finish}}
		all = append(all, event("", chunk))
	}
	add(object{"role": "assistant", "content": ""}, nil)
	for _, piece := range pieces(a.step.Text) {
		add(object{"content": piece}, nil)
	}
	for i, c := range a.step.Calls {
		function := object{"name": c.Name, "arguments": ""}
		add(object{"tool_calls": []object{{"index": i, "id": c.ID, "type": "function", "function": function}}}, nil)
		for _, piece := range pieces(c.Arguments) {
			add(object{"tool_calls": []object{{"index": i, "function": object{"arguments": piece}}}}, nil)
		}
	}
	add(object{}, v.stop(a.step.Stop))
	if wantsUsage(a.call.Request) {
		chunk := v.head(a, "chat.completion.chunk")
		chunk["choices"], chunk["usage"] = []object{}, v.usage(a.usage)
		all = append(all, event("", chunk))
	}
	return append(all, sse.Append(nil, "", []byte("[DONE]")))
}

// wantsUsage reports whether the client asked for usage at the end of the stream.
func wantsUsage(r *wire.Request) bool {
	var body struct {
		Options struct {
			Usage bool `json:"include_usage"`
		} `json:"stream_options"`
	}
	return json.Unmarshal(r.Body(), &body) == nil && body.Options.Usage
}

func (chat) usage(u plimsoll.Usage) object {
	return object{
		"prompt_tokens": u.Prompt(), "completion_tokens": u.Output, "total_tokens": u.Total(),
		"prompt_tokens_details":     object{"cached_tokens": u.CacheRead},
		"completion_tokens_details": object{"reasoning_tokens": u.Reasoning},
	}
}

func (chat) stop(s wire.Stop) string {
	switch s {
	case wire.StopTools:
		return "tool_calls"
	case wire.StopLength, wire.StopContext:
		return "length"
	case wire.StopFiltered:
		return "content_filter"
	}
	return "stop"
}

func (chat) fault(f Fault) any { return object{"error": openAIFault(f)} }

// openAIFault is the error object of both of OpenAI's APIs.
func openAIFault(f Fault) object {
	kind := "invalid_request_error"
	switch {
	case f.Status == http.StatusTooManyRequests:
		kind = "rate_limit_error"
	case f.Status == http.StatusUnauthorized:
		kind = "authentication_error"
	case f.Status >= 500:
		kind = "server_error"
	}
	o := object{"message": f.Message, "type": cmp.Or(f.Type, kind), "param": nil, "code": nil}
	if f.Code != "" {
		o["code"] = f.Code
	}
	return o
}

func (v chat) broken(_ *answer, f Fault) [][]byte {
	return [][]byte{event("", object{"error": openAIFault(f)})}
}

func (chat) overflow(tokens, window int) Fault {
	return Fault{Status: http.StatusBadRequest, Code: "context_length_exceeded", Message: fmt.Sprintf(
		"This model's maximum context length is %d tokens. However, your messages resulted in %d tokens. Please reduce the length of the messages.", window, tokens)}
}

func (chat) tokens(n int) object { return object{"input_tokens": n} }

func (v chat) models(names []string) object {
	data := make([]object, len(names))
	for i, name := range names {
		data[i] = v.describe(name)
	}
	return object{"object": "list", "data": data}
}

func (chat) describe(name string) object {
	return object{"id": name, "object": "model", "created": 0, "owned_by": "scripted"}
}
