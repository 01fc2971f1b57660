package anthropic_test

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
	"github.com/plimsoll/plimsoll/wire/internal/anthropic"
)

type fields = map[string]any

func encoded(v any) []byte {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return data
}

// server writes as Anthropic's Messages API does.
type server struct {
	// odd says that there are comments, pings and unknown events in a stream, and that its
	// last usage repeats the prompt.
	odd bool
}

func (server) Codec() wire.Codec { return anthropic.Codec{} }

func (server) Rules() replytest.Rules { return replytest.Rules{CallIDs: true} }

// Beside puts the blocks of both into one message.
func (server) Beside(theirs, hidden []string) []string {
	if len(theirs) == 0 {
		return hidden
	}
	_, inside, _ := strings.Cut(hidden[0], `"content":[`)
	return []string{strings.TrimSuffix(theirs[0], `]}`) + "," + inside}
}

func (server) Request(elements ...string) []byte {
	return []byte(`{"model":"m","max_tokens":10,"messages":[` + strings.Join(elements, ", ") + `],"stream":true}`)
}

func (server) User(text string) string { return fmt.Sprintf(`{"role":"user","content":%q}`, text) }

func (server) Outputs(calls []plimsoll.ToolCall) []string {
	var blocks []string
	for _, c := range calls {
		blocks = append(blocks, fmt.Sprintf(`{"type":"tool_result","tool_use_id":%q,"content":"theirs"}`, c.ID))
	}
	if len(blocks) == 0 {
		return nil
	}
	return []string{`{"role":"user","content":[` + strings.Join(blocks, ",") + `]}`}
}

// callsLast puts calls behind the rest: no message ends in a thought.
func callsLast(pieces []replytest.Piece) []replytest.Piece {
	isCall := func(p replytest.Piece) bool { return p.Call.Name != "" }
	calls := slices.DeleteFunc(slices.Clone(pieces), func(p replytest.Piece) bool { return !isCall(p) })
	return append(slices.DeleteFunc(slices.Clone(pieces), isCall), calls...)
}

// message is an answer without content.
func (server) message(n int, a replytest.ModelAnswer) fields {
	return fields{
		"id": fmt.Sprintf("msg_%d", n), "type": "message", "role": "assistant", "model": "m",
		"content": []any{}, "stop_reason": nil, "stop_sequence": nil,
		"usage": fields{"input_tokens": a.Prompt, "cache_read_input_tokens": 0, "cache_creation_input_tokens": 0, "output_tokens": 1},
	}
}

func reason(a replytest.ModelAnswer) string {
	if slices.ContainsFunc(a.Pieces, func(p replytest.Piece) bool { return p.Call.Name != "" }) {
		return "tool_use"
	}
	return "end_turn"
}

func (v server) Whole(n int, a replytest.ModelAnswer) []byte {
	message := v.message(n, a)
	content := []any{}
	for _, p := range callsLast(a.Pieces) {
		switch p.Kind {
		case replytest.SaysText:
			content = append(content, fields{"type": "text", "text": p.Text})
		case replytest.SaysThought:
			content = append(content, fields{"type": "thinking", "thinking": p.Text, "signature": "signed " + p.Text})
		default:
			content = append(content, fields{"type": "tool_use", "id": p.Call.ID, "name": p.Call.Name, "input": json.RawMessage(p.Call.Arguments)})
		}
	}
	message["content"], message["stop_reason"] = content, reason(a)
	message["usage"].(fields)["output_tokens"] = a.Output + a.Hidden
	return encoded(message)
}

func (v server) Streamed(n int, a replytest.ModelAnswer) (stream []byte) {
	add := func(kind string, m fields) {
		m["type"] = kind
		stream = sse.Append(stream, kind, encoded(m))
		if v.odd {
			stream = append(stream, ": alive\n\n"...)
			stream = sse.Append(stream, "ping", []byte(`{"type": "ping"}`))
			stream = sse.Append(stream, "new_event", []byte(`{"type":"new_event","index":3}`))
		}
	}
	add("message_start", fields{"message": v.message(n, a)})
	for i, p := range callsLast(a.Pieces) {
		start, deltas := deltasOf(p)
		add("content_block_start", fields{"index": i, "content_block": start})
		for _, d := range deltas {
			add("content_block_delta", fields{"index": i, "delta": d})
		}
		add("content_block_stop", fields{"index": i})
	}
	usage := fields{"output_tokens": a.Output + a.Hidden}
	if v.odd {
		usage["input_tokens"], usage["cache_read_input_tokens"] = a.Prompt, 0
	}
	add("message_delta", fields{"delta": fields{"stop_reason": reason(a), "stop_sequence": nil}, "usage": usage})
	add("message_stop", fields{})
	return stream
}

// deltasOf cuts a piece into deltas of three characters.
func deltasOf(p replytest.Piece) (start fields, deltas []fields) {
	add := func(kind, key, text string) {
		for part := range slices.Chunk([]rune(text), 3) {
			deltas = append(deltas, fields{"type": kind, key: string(part)})
		}
	}
	switch p.Kind {
	case replytest.SaysText:
		add("text_delta", "text", p.Text)
		return fields{"type": "text", "text": ""}, deltas
	case replytest.SaysThought:
		add("thinking_delta", "thinking", p.Text)
		return fields{"type": "thinking", "thinking": "", "signature": ""}, append(deltas, fields{"type": "signature_delta", "signature": "signed " + p.Text})
	}
	add("input_json_delta", "partial_json", p.Call.Arguments)
	return fields{"type": "tool_use", "id": p.Call.ID, "name": p.Call.Name, "input": fields{}}, deltas
}

// View reads the reply, and checks that a stream is one of one message.
func (v server) View(t rapid.TB, reply []byte, streamed bool) []string {
	if streamed {
		if wrong := orderly(replytest.Events(t, v.Codec(), reply)); wrong != "" {
			t.Fatalf("%s in\n%s", wrong, reply)
		}
	}
	return replytest.Rendered(t, v.Codec(), v.Request(), replytest.ReadReply(t, v.Codec(), reply, streamed).Message)
}

// orderly says what is wrong with a stream: it must be one message whose blocks follow each other by number.
func orderly(events []sse.Event) string {
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

func TestAnthropicIsJoinedIntoOne(t *testing.T) {
	t.Parallel()
	replytest.Run(t, server{})
}

func TestAnthropicWithOddEventsIsJoinedIntoOne(t *testing.T) {
	t.Parallel()
	replytest.Run(t, server{odd: true})
}

func TestAnthropicWithoutHiddenCallsPassesUnchanged(t *testing.T) {
	t.Parallel()
	replytest.PassesUnchanged(t, server{odd: true})
}

func FuzzReply(f *testing.F) { replytest.Fuzz(f, server{odd: true}) }

func BenchmarkReply(b *testing.B) { replytest.Bench(b, server{}) }
