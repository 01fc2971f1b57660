package scripted

import (
	"encoding/json"
	"net/http"
	"time"

	"github.com/plimsoll/plimsoll/wire"
)

// records writes as Ollama's own API does: an object a line.
type records struct{}

var _ voice = records{}

func (records) callPrefix() string { return "call_" }

func (records) streamType() string { return "application/x-ndjson" }

func (v records) whole(a *answer) object {
	return v.ended(a, v.record(a, a.step.Text, v.calls(a)))
}

func (records) record(a *answer, content string, calls []object) object {
	message := object{"role": "assistant", "content": content}
	if len(calls) > 0 {
		message["tool_calls"] = calls
	}
	return object{"model": a.call.Conversation.Model, "created_at": a.at.UTC().Format(time.RFC3339Nano), "message": message, "done": false}
}

func (records) calls(a *answer) []object {
	calls := make([]object, len(a.step.Calls))
	for i, c := range a.step.Calls {
		calls[i] = object{"id": c.ID, "function": object{"index": i, "name": c.Name, "arguments": json.RawMessage(c.Arguments)}}
	}
	return calls
}

// ended makes a record the last one.
func (records) ended(a *answer, o object) object {
	reason := "stop"
	if a.step.Stop == wire.StopLength || a.step.Stop == wire.StopContext {
		reason = "length"
	}
	o["done"], o["done_reason"] = true, reason
	o["total_duration"], o["load_duration"], o["prompt_eval_duration"], o["eval_duration"] = 4000, 1000, 1000, 2000
	o["prompt_eval_count"], o["eval_count"] = a.usage.Prompt(), a.usage.Output
	return o
}

func (v records) frames(a *answer) [][]byte {
	var all [][]byte
	for _, piece := range pieces(a.step.Text) {
		all = append(all, line(v.record(a, piece, nil)))
	}
	for _, call := range v.calls(a) {
		all = append(all, line(v.record(a, "", []object{call})))
	}
	if len(all) == 0 {
		all = append(all, line(v.record(a, "", nil)))
	}
	return append(all, line(v.ended(a, v.record(a, "", nil))))
}

// line frames one object of a stream.
func line(o object) []byte { return append(encode(o), '\n') }

func (records) fault(f Fault) any { return object{"error": f.Message} }

func (v records) broken(_ *answer, f Fault) [][]byte {
	return [][]byte{line(object{"error": f.Message})}
}

// overflow is what the server says if it may not cut the conversation itself.
func (records) overflow(int, int) Fault {
	return Fault{Status: http.StatusBadRequest, Message: "the prompt is longer than the context length currently available to the model; shorten the prompt, adjust the context length in settings, or use a model with a longer context length"}
}

func (records) tokens(n int) object { return object{"input_tokens": n} }

func (v records) models(names []string) object {
	models := make([]object, len(names))
	for i, name := range names {
		models[i] = v.describe(name)
	}
	return object{"models": models}
}

func (records) describe(name string) object { return object{"name": name, "model": name} }
