package responses_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/replytest"
	"github.com/plimsoll/plimsoll/internal/sse"
	"github.com/plimsoll/plimsoll/wire"
	"github.com/plimsoll/plimsoll/wire/internal/responses"
)

type members = map[string]any

func encoded(v any) []byte {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return data
}

// server writes as OpenAI's Responses does.
type server struct{}

func (server) Codec() wire.Codec { return responses.Codec{} }

func (server) Rules() replytest.Rules {
	return replytest.Rules{CallIDs: true, HidesThoughts: true, BillsReasoning: true}
}

func (server) Beside(theirs, hidden []string) []string { return slices.Concat(theirs, hidden) }

func (server) Request(elements ...string) []byte {
	return []byte(`{"model":"m","input":[` + strings.Join(elements, ", ") + `],"store":false}`)
}

func (server) User(text string) string {
	return fmt.Sprintf(`{"role":"user","content":%q}`, text)
}

func (server) Outputs(calls []plimsoll.ToolCall) (outputs []string) {
	for _, c := range calls {
		outputs = append(outputs, fmt.Sprintf(`{"type":"function_call_output","call_id":%q,"output":"theirs"}`, c.ID))
	}
	return outputs
}

func (server) items(n int, a replytest.ModelAnswer) []members {
	items := []members{}
	for i, p := range a.Pieces {
		id := fmt.Sprintf("%d_%d", n, i)
		switch p.Kind {
		case replytest.SaysText:
			items = append(items, members{
				"type": "message", "id": "msg_" + id, "role": "assistant", "status": "completed",
				"content": []members{{"type": "output_text", "text": p.Text, "annotations": []any{}}},
			})
		case replytest.SaysThought:
			items = append(items, members{
				"type": "reasoning", "id": "rs_" + id, "summary": []members{{"type": "summary_text", "text": p.Text}},
				"encrypted_content": "sealed " + p.Text,
			})
		default:
			item := members{
				"type": "function_call", "id": "fc_" + id, "status": "completed",
				"call_id": p.Call.ID, "name": p.Call.Name, "arguments": p.Call.Arguments,
			}
			if p.Odd {
				item["namespace"] = "theirs"
			}
			items = append(items, item)
		}
	}
	return items
}

func (v server) response(n int, a replytest.ModelAnswer, status string) members {
	r := members{"id": fmt.Sprintf("resp_%d", n), "object": "response", "status": status, "model": "m", "error": nil, "output": []members{}, "usage": nil}
	if status == "completed" {
		r["output"] = v.items(n, a)
		r["usage"] = members{
			"input_tokens": a.Prompt, "input_tokens_details": members{"cached_tokens": 0},
			"output_tokens": a.Output + a.Hidden, "output_tokens_details": members{"reasoning_tokens": a.Hidden},
			"total_tokens": a.Prompt + a.Output + a.Hidden,
		}
	}
	return r
}

func (v server) Whole(n int, a replytest.ModelAnswer) []byte {
	return encoded(v.response(n, a, "completed"))
}

func (v server) Streamed(n int, a replytest.ModelAnswer) []byte {
	var stream []byte
	number := 0
	add := func(kind string, data members) {
		data["type"], data["sequence_number"] = kind, number
		number++
		stream = sse.Append(stream, kind, encoded(data))
	}
	add("response.created", members{"response": v.response(n, a, "in_progress")})
	add("response.in_progress", members{"response": v.response(n, a, "in_progress")})
	for i, item := range v.items(n, a) {
		add("response.output_item.added", members{"output_index": i, "item": item})
		delta := members{"output_index": i, "item_id": item["id"], "delta": a.Pieces[i].Text}
		switch item["type"] {
		case "message":
			add("response.output_text.delta", delta)
		case "reasoning":
			add("response.reasoning_summary_text.delta", delta)
		case "function_call":
			delta["delta"] = item["arguments"]
			add("response.function_call_arguments.delta", delta)
			add("response.function_call_arguments.done", members{"output_index": i, "item_id": item["id"], "arguments": item["arguments"], "name": item["name"]})
		}
		add("response.output_item.done", members{"output_index": i, "item": item})
		stream = append(stream, ": keep-alive\n\n"...)
	}
	add("response.completed", members{"response": v.response(n, a, "completed")})
	return stream
}

// view takes the items as they become complete, and checks that the events are numbered
// as those of one answer.
func (server) View(t rapid.TB, reply []byte, streamed bool) (items []string) {
	if !streamed {
		output, err := responses.OutputItems(reply)
		if err != nil {
			t.Fatal(err)
		}
		return replytest.Strings(output)
	}
	var end []byte
	number, begun := 0, 0
	for _, e := range replytest.Events(t, responses.Codec{}, reply) {
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
	if err != nil || strings.Join(replytest.Strings(output), "\n") != strings.Join(items, "\n") {
		t.Fatalf("the end says %s, %v; the items were %s", end, err, items)
	}
	if bytes.Count(reply, []byte("event: response.created")) != 1 {
		t.Fatalf("begins more than once:\n%s", reply)
	}
	return items
}

func TestResponsesAreWovenIntoOne(t *testing.T) {
	t.Parallel()
	replytest.Run(t, server{})
}

func TestResponsesWithoutOurCallsPassAsTheyAre(t *testing.T) {
	t.Parallel()
	replytest.PassesUnchanged(t, server{})
}

func FuzzReply(f *testing.F) { replytest.Fuzz(f, server{}) }

func BenchmarkReply(b *testing.B) { replytest.Bench(b, server{}) }
