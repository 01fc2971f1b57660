package scripted

import (
	"fmt"
	"net/http"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/wire"
	"github.com/plimsoll/plimsoll/wire/dialects"
)

// items writes as OpenAI's Responses API does.
type items struct{ chat }

var _ voice = items{}

func (v items) whole(a *answer) object {
	status, details := "completed", any(nil)
	switch a.step.Stop {
	case wire.StopLength, wire.StopContext:
		status, details = "incomplete", object{"reason": "max_output_tokens"}
	case wire.StopFiltered:
		status, details = "incomplete", object{"reason": "content_filter"}
	}
	o := v.head(a, status)
	o["incomplete_details"], o["output"], o["usage"] = details, v.output(a), v.usage(a.usage)
	return o
}

func (items) id(a *answer) string { return fmt.Sprintf("resp_%06d", a.n) }

func (v items) head(a *answer, status string) object {
	return object{
		"id": v.id(a), "object": "response", "created_at": a.at.Unix(), "model": a.call.Conversation.Model,
		"status": status, "error": nil, "incomplete_details": nil, "output": []object{}, "usage": nil,
	}
}

// output lists the items of an answer.
func (v items) output(a *answer) []object {
	all := []object{}
	if a.step.Text != "" || len(a.step.Calls) == 0 {
		all = append(all, object{
			"type": "message", "id": fmt.Sprintf("msg_%06d", a.n), "status": "completed", "role": "assistant",
			"content": []object{v.text(a.step.Text)},
		})
	}
	for i, c := range a.step.Calls {
		all = append(all, object{
			"type": "function_call", "id": fmt.Sprintf("fc_%06d_%d", a.n, i), "status": "completed",
			"call_id": c.ID, "name": c.Name, "arguments": c.Arguments,
		})
	}
	return all
}

func (items) text(text string) object {
	return object{"type": "output_text", "text": text, "annotations": []object{}, "logprobs": []object{}}
}

func (v items) frames(a *answer) [][]byte {
	s := &itemStream{}
	s.add("response.created", object{"response": v.head(a, "in_progress")})
	s.add("response.in_progress", object{"response": v.head(a, "in_progress")})
	for i, item := range v.output(a) {
		s.index, s.id = i, item["id"]
		if item["type"] == "message" {
			s.message(v, a.step.Text, item)
		} else {
			s.call(item)
		}
	}
	whole := v.whole(a)
	s.add("response."+whole["status"].(string), object{"response": whole})
	return s.frames
}

// itemStream numbers the events of a stream.
type itemStream struct {
	frames [][]byte
	index  int
	id     any
}

func (s *itemStream) add(name string, data object) {
	data["type"], data["sequence_number"] = name, len(s.frames)
	s.frames = append(s.frames, event(name, data))
}

// addTo adds an event about the current item.
func (s *itemStream) addTo(name string, data object) {
	data["output_index"], data["item_id"] = s.index, s.id
	s.add(name, data)
}

func (s *itemStream) message(v items, text string, item object) {
	s.add("response.output_item.added", object{"output_index": s.index, "item": begun(item, "content", []object{})})
	s.addTo("response.content_part.added", object{"content_index": 0, "part": v.text("")})
	for _, piece := range pieces(text) {
		s.addTo("response.output_text.delta", object{"content_index": 0, "delta": piece, "logprobs": []object{}})
	}
	s.addTo("response.output_text.done", object{"content_index": 0, "text": text, "logprobs": []object{}})
	s.addTo("response.content_part.done", object{"content_index": 0, "part": v.text(text)})
	s.add("response.output_item.done", object{"output_index": s.index, "item": item})
}

func (s *itemStream) call(item object) {
	s.add("response.output_item.added", object{"output_index": s.index, "item": begun(item, "arguments", "")})
	arguments := item["arguments"].(string)
	for _, piece := range pieces(arguments) {
		s.addTo("response.function_call_arguments.delta", object{"delta": piece})
	}
	s.addTo("response.function_call_arguments.done", object{"arguments": arguments, "name": item["name"]})
	s.add("response.output_item.done", object{"output_index": s.index, "item": item})
}

// begun returns an item as it is before its content has come.
func begun(item object, member string, empty any) object {
	early := object{}
	for key, value := range item {
		early[key] = value
	}
	early["status"], early[member] = "in_progress", empty
	return early
}

func (items) usage(u plimsoll.Usage) object {
	return object{
		"input_tokens": u.Prompt(), "input_tokens_details": object{"cached_tokens": u.CacheRead},
		"output_tokens": u.Output, "output_tokens_details": object{"reasoning_tokens": u.Reasoning}, "total_tokens": u.Total(),
	}
}

func (v items) broken(a *answer, f Fault) [][]byte {
	fault := openAIFault(f)
	failed := v.head(a, "failed")
	failed["error"] = object{"code": fault["code"], "message": f.Message}
	return [][]byte{
		event("error", object{"type": "error", "error": fault}),
		event("response.failed", object{"type": "response.failed", "response": failed}),
	}
}

func (items) overflow(int, int) Fault {
	return Fault{
		Status: http.StatusBadRequest, Code: "context_length_exceeded",
		Message: "Your input exceeds the context window of this model. Please adjust your input and try again.",
	}
}

func (items) tokens(n int) object {
	return object{"object": "response.input_tokens", "input_tokens": n}
}

// maxStored is how many answers may be continued before all are forgotten.
const maxStored = 1024

// store keeps a conversation, so that a request can continue it by its id.
func (m *Model) store(a *answer) {
	said, err := dialects.InputItems(a.call.Request)
	if err != nil {
		return
	}
	for _, item := range (items{}).output(a) {
		said = append(said, encode(item))
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.stored) >= maxStored {
		clear(m.stored)
	}
	m.stored[items{}.id(a)] = said
}

// items returns what an answer and everything before it said.
func (m *Model) items(id string) ([][]byte, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	said, ok := m.stored[id]
	return said, ok
}
