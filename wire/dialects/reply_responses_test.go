package dialects_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/sse"
	"github.com/plimsoll/plimsoll/wire/responses"
)

type object = map[string]any

func encoded(v any) []byte {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return data
}

// responsesTeller writes as OpenAI's Responses does.
type responsesTeller struct{}

func (responsesTeller) dialect() plimsoll.Dialect { return plimsoll.Responses }

func (responsesTeller) request(elements ...string) []byte {
	return []byte(`{"model":"m","input":[` + strings.Join(elements, ", ") + `],"store":false}`)
}

func (responsesTeller) user(text string) string {
	return fmt.Sprintf(`{"role":"user","content":%q}`, text)
}

func (responsesTeller) outputs(calls []plimsoll.ToolCall) (outputs []string) {
	for _, c := range calls {
		outputs = append(outputs, fmt.Sprintf(`{"type":"function_call_output","call_id":%q,"output":"theirs"}`, c.ID))
	}
	return outputs
}

func (responsesTeller) items(n int, a told) []object {
	items := []object{}
	for i, p := range a.pieces {
		id := fmt.Sprintf("%d_%d", n, i)
		switch p.kind {
		case saysText:
			items = append(items, object{
				"type": "message", "id": "msg_" + id, "role": "assistant", "status": "completed",
				"content": []object{{"type": "output_text", "text": p.text, "annotations": []any{}}},
			})
		case saysThought:
			items = append(items, object{
				"type": "reasoning", "id": "rs_" + id, "summary": []object{{"type": "summary_text", "text": p.text}},
				"encrypted_content": "sealed " + p.text,
			})
		default:
			item := object{
				"type": "function_call", "id": "fc_" + id, "status": "completed",
				"call_id": p.call.ID, "name": p.call.Name, "arguments": p.call.Arguments,
			}
			if p.odd {
				item["namespace"] = "theirs"
			}
			items = append(items, item)
		}
	}
	return items
}

func (v responsesTeller) response(n int, a told, status string) object {
	r := object{"id": fmt.Sprintf("resp_%d", n), "object": "response", "status": status, "model": "m", "error": nil, "output": []object{}, "usage": nil}
	if status == "completed" {
		r["output"] = v.items(n, a)
		r["usage"] = object{
			"input_tokens": a.prompt, "input_tokens_details": object{"cached_tokens": 0},
			"output_tokens": a.output + a.hidden, "output_tokens_details": object{"reasoning_tokens": a.hidden},
			"total_tokens": a.prompt + a.output + a.hidden,
		}
	}
	return r
}

func (v responsesTeller) whole(n int, a told) []byte { return encoded(v.response(n, a, "completed")) }

func (v responsesTeller) streamed(n int, a told) []byte {
	var stream []byte
	number := 0
	add := func(kind string, data object) {
		data["type"], data["sequence_number"] = kind, number
		number++
		stream = sse.Append(stream, kind, encoded(data))
	}
	add("response.created", object{"response": v.response(n, a, "in_progress")})
	add("response.in_progress", object{"response": v.response(n, a, "in_progress")})
	for i, item := range v.items(n, a) {
		add("response.output_item.added", object{"output_index": i, "item": item})
		delta := object{"output_index": i, "item_id": item["id"], "delta": a.pieces[i].text}
		switch item["type"] {
		case "message":
			add("response.output_text.delta", delta)
		case "reasoning":
			add("response.reasoning_summary_text.delta", delta)
		case "function_call":
			delta["delta"] = item["arguments"]
			add("response.function_call_arguments.delta", delta)
			add("response.function_call_arguments.done", object{"output_index": i, "item_id": item["id"], "arguments": item["arguments"], "name": item["name"]})
		}
		add("response.output_item.done", object{"output_index": i, "item": item})
		stream = append(stream, ": keep-alive\n\n"...)
	}
	add("response.completed", object{"response": v.response(n, a, "completed")})
	return stream
}

// view takes the items as they become complete, and checks that the events are numbered
// as those of one answer.
func (responsesTeller) view(t rapid.TB, reply []byte, streamed bool) (items []string) {
	if !streamed {
		output, err := responses.OutputItems(reply)
		if err != nil {
			t.Fatal(err)
		}
		return texts(output)
	}
	var end []byte
	number, begun := 0, 0
	for _, e := range eventsOf(t, reply) {
		if !e.HasData() {
			continue
		}
		var v struct {
			Type     string
			Number   int `json:"sequence_number"`
			Place    int `json:"output_index"`
			Item     json.RawMessage
			Response struct{ ID string }
		}
		if err := json.Unmarshal(e.Data, &v); err != nil {
			t.Fatal(err)
		}
		if v.Number != number || v.Type != e.Name {
			t.Fatalf("event %d has number %d and type %s in\n%s", number, v.Number, v.Type, reply)
		}
		number++
		switch v.Type {
		case "response.created", "response.in_progress", "response.completed":
			if v.Response.ID != "resp_0" {
				t.Fatalf("id %q in %s", v.Response.ID, e.Data)
			}
			end = e.Data
		case "response.output_item.done":
			items = append(items, string(v.Item))
			fallthrough
		default:
			if v.Type == "response.output_item.added" {
				begun++
			}
			if v.Place != begun-1 {
				t.Fatalf("%s has place %d, want %d, in\n%s", v.Type, v.Place, begun-1, reply)
			}
		}
	}
	output, err := responses.OutputItems(end)
	if err != nil || strings.Join(texts(output), "\n") != strings.Join(items, "\n") {
		t.Fatalf("the end says %s, %v; the items were %s", end, err, items)
	}
	if bytes.Count(reply, []byte("event: response.created")) != 1 {
		t.Fatalf("begins more than once:\n%s", reply)
	}
	return items
}

func TestResponsesAreWovenIntoOne(t *testing.T) {
	t.Parallel()
	checkTales(t, responsesTeller{})
}

func TestResponsesWithoutOurCallsPassAsTheyAre(t *testing.T) {
	t.Parallel()
	checkPasses(t, responsesTeller{})
}
