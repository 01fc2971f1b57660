package openai_test

import (
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
	"github.com/plimsoll/plimsoll/wire/internal/openai"
)

type members = map[string]any

func encoded(v any) []byte {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return data
}

// server writes as OpenAI's Chat Completions does.
type server struct {
	// odd says that in a stream the role comes with what is said first, calls get their
	// names late, and the usage comes with the reason to stop.
	odd bool
}

func (server) Codec() wire.Codec { return openai.Codec{} }

func (server) Rules() replytest.Rules {
	return replytest.Rules{CallIDs: true, JoinsTexts: true, BillsReasoning: true}
}

func (server) Beside(theirs, hidden []string) []string { return slices.Concat(hidden, theirs) }

func (server) Request(elements ...string) []byte {
	return []byte(`{"model":"m","max_tokens":10,"messages":[` + strings.Join(elements, ", ") + `],"stream":true}`)
}

func (server) User(text string) string { return fmt.Sprintf(`{"role":"user","content":%q}`, text) }

func (server) Outputs(calls []plimsoll.ToolCall) (outputs []string) {
	for _, c := range calls {
		outputs = append(outputs, fmt.Sprintf(`{"role":"tool","tool_call_id":%q,"content":"theirs"}`, c.ID))
	}
	return outputs
}

func reason(a replytest.ModelAnswer) string {
	if slices.ContainsFunc(a.Pieces, func(p replytest.Piece) bool { return p.Call.Name != "" }) {
		return "tool_calls"
	}
	return "stop"
}

func usage(a replytest.ModelAnswer) members {
	return members{
		"prompt_tokens": a.Prompt, "completion_tokens": a.Output + a.Hidden, "total_tokens": a.Prompt + a.Output + a.Hidden,
		"prompt_tokens_details": members{"cached_tokens": 0}, "completion_tokens_details": members{"reasoning_tokens": a.Hidden},
	}
}

func head(n int, kind string) members {
	return members{"id": fmt.Sprintf("chatcmpl-%d", n), "object": kind, "created": 1000 + n, "model": "m", "system_fingerprint": nil}
}

func (server) Whole(n int, a replytest.ModelAnswer) []byte {
	message := members{"role": "assistant", "content": nil, "refusal": nil, "annotations": []any{}}
	var calls []any
	var text, thought string
	for _, p := range a.Pieces {
		switch p.Kind {
		case replytest.SaysThought:
			thought += p.Text
			message["reasoning_content"] = thought
		case replytest.SaysText:
			text += p.Text
			message["content"] = text
		default:
			calls = append(calls, members{"id": p.Call.ID, "type": "function", "function": members{"name": p.Call.Name, "arguments": p.Call.Arguments}})
		}
	}
	if calls != nil {
		message["tool_calls"] = calls
	}
	out := head(n, "chat.completion")
	out["choices"] = []any{members{"index": 0, "message": message, "logprobs": nil, "finish_reason": reason(a)}}
	out["usage"] = usage(a)
	return encoded(out)
}

func (v server) Streamed(n int, a replytest.ModelAnswer) (stream []byte) {
	begun := false
	add := func(delta members, reason any) {
		if v.odd && !begun {
			delta["role"] = "assistant"
			begun = true
		}
		chunk := head(n, "chat.completion.chunk")
		chunk["choices"] = []any{members{"index": 0, "delta": delta, "logprobs": nil, "finish_reason": reason}}
		if v.odd && reason != nil {
			chunk["usage"] = usage(a)
		}
		stream = sse.Append(stream, "", encoded(chunk))
	}
	cut := func(text string, delta func(part string) members) {
		for part := range slices.Chunk([]rune(text), 3) {
			add(delta(string(part)), nil)
		}
	}
	if !v.odd {
		add(members{"role": "assistant", "content": ""}, nil)
	}
	number := 0
	for _, p := range a.Pieces {
		switch p.Kind {
		case replytest.SaysThought:
			cut(p.Text, func(part string) members { return members{"reasoning_content": part} })
		case replytest.SaysText:
			cut(p.Text, func(part string) members { return members{"content": part} })
		default:
			call := func(function members) members {
				return members{"tool_calls": []members{{"index": number, "function": function}}}
			}
			first := members{"index": number, "id": p.Call.ID, "type": "function", "function": members{"name": p.Call.Name, "arguments": ""}}
			if v.odd {
				first["function"] = members{"arguments": ""}
			}
			add(members{"tool_calls": []members{first}}, nil)
			if v.odd {
				add(call(members{"name": p.Call.Name}), nil)
			}
			cut(p.Call.Arguments, func(part string) members { return call(members{"arguments": part}) })
			number++
		}
	}
	add(members{}, reason(a))
	if !v.odd {
		chunk := head(n, "chat.completion.chunk")
		chunk["choices"], chunk["usage"] = []any{}, usage(a)
		stream = sse.Append(stream, "", encoded(chunk))
	}
	return sse.Append(stream, "", []byte("[DONE]"))
}

// View reads the reply, and checks that a stream is one of one answer.
func (v server) View(t rapid.TB, reply []byte, streamed bool) []string {
	if streamed {
		if wrong := orderly(replytest.Events(t, v.Codec(), reply)); wrong != "" {
			t.Fatalf("%s in\n%s", wrong, reply)
		}
	}
	return replytest.Rendered(t, v.Codec(), v.Request(), replytest.ReadReply(t, v.Codec(), reply, streamed).Message)
}

// orderly says what is wrong with a stream: it must be one answer, with one id, one role, calls that follow each other by
// number, one reason to stop.
func orderly(events []sse.Event) string {
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
		if chunk.ID != "chatcmpl-0" || chunk.Created != 1000 {
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

func TestOpenAIIsJoinedIntoOne(t *testing.T) {
	t.Parallel()
	replytest.Run(t, server{})
}

func TestOpenAIWithOddChunksIsJoinedIntoOne(t *testing.T) {
	t.Parallel()
	replytest.Run(t, server{odd: true})
}

func TestOpenAIWithoutHiddenCallsPassesUnchanged(t *testing.T) {
	t.Parallel()
	replytest.PassesUnchanged(t, server{odd: true})
}

func FuzzReply(f *testing.F) { replytest.Fuzz(f, server{odd: true}) }

func BenchmarkReply(b *testing.B) { replytest.Bench(b, server{}) }
