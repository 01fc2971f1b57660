package ollama_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/replytest"
	"github.com/plimsoll/plimsoll/wire"
	"github.com/plimsoll/plimsoll/wire/internal/ollama"
)

type members = map[string]any

func encoded(v any) []byte {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return data
}

// server writes as Ollama does.
type server struct {
	// late says that calls come in the last record, as from some models.
	late bool
}

func (server) Codec() wire.Codec { return ollama.Codec{} }

func (server) Rules() replytest.Rules { return replytest.Rules{JoinsTexts: true, Lines: true} }

func (server) Beside(theirs, hidden []string) []string { return slices.Concat(hidden, theirs) }

func (server) Request(elements ...string) []byte {
	return []byte(`{"model":"m","messages":[` + strings.Join(elements, ", ") + `],"options":{"num_ctx":2048}}`)
}

func (server) User(text string) string { return fmt.Sprintf(`{"role":"user","content":%q}`, text) }

func (server) Outputs(calls []plimsoll.ToolCall) (outputs []string) {
	for _, c := range calls {
		outputs = append(outputs, fmt.Sprintf(`{"role":"tool","tool_name":%q,"content":"theirs"}`, c.Name))
	}
	return outputs
}

func record(n int, message members) members {
	message["role"] = "assistant"
	if message["content"] == nil {
		message["content"] = ""
	}
	return members{"model": "m", "created_at": fmt.Sprintf("2026-11-16T12:00:0%dZ", n), "message": message, "done": false}
}

func ended(r members, a replytest.ModelAnswer) members {
	r["done"], r["done_reason"] = true, "stop"
	r["total_duration"], r["load_duration"] = 1_000_000, 1000
	r["prompt_eval_count"], r["prompt_eval_duration"] = a.Prompt, 5000
	r["eval_count"], r["eval_duration"] = a.Output+a.Hidden, 7000
	return r
}

func callOf(c plimsoll.ToolCall, number int) members {
	call := members{"function": members{"index": number, "name": c.Name, "arguments": json.RawMessage(c.Arguments)}}
	if c.ID != "" {
		call["id"] = c.ID
	}
	return call
}

func (server) Whole(n int, a replytest.ModelAnswer) []byte {
	message := members{}
	var text, thinking string
	var calls []members
	for _, p := range a.Pieces {
		switch p.Kind {
		case replytest.SaysThought:
			thinking += p.Text
			message["thinking"] = thinking
		case replytest.SaysText:
			text += p.Text
			message["content"] = text
		default:
			calls = append(calls, callOf(p.Call, len(calls)))
			message["tool_calls"] = calls
		}
	}
	return encoded(ended(record(n, message), a))
}

func (v server) Streamed(n int, a replytest.ModelAnswer) (stream []byte) {
	send := func(r members) { stream = append(append(stream, encoded(r)...), '\n') }
	number := 0
	var late []members
	for _, p := range a.Pieces {
		switch p.Kind {
		case replytest.SaysThought, replytest.SaysText:
			key := map[replytest.PieceKind]string{replytest.SaysThought: "thinking", replytest.SaysText: "content"}[p.Kind]
			for part := range slices.Chunk([]rune(p.Text), 3) {
				send(record(n, members{key: string(part)}))
			}
		default:
			if late = append(late, callOf(p.Call, number)); !v.late {
				send(record(n, members{"tool_calls": late}))
				late = nil
			}
			number++
		}
	}
	last := members{}
	if late != nil {
		last["tool_calls"] = late
	}
	send(ended(record(n, last), a))
	return stream
}

// View reads the reply, and checks that a stream is one of one answer.
func (v server) View(t rapid.TB, reply []byte, streamed bool) []string {
	if streamed {
		if wrong := orderly(reply); wrong != "" {
			t.Fatalf("%s in\n%s", wrong, reply)
		}
	}
	return replytest.Rendered(t, v.Codec(), v.Request(), replytest.ReadReply(t, v.Codec(), reply, streamed).Message)
}

// orderly says what is wrong with a stream: every line must be a record, the last alone
// ends it, and calls follow each other by number.
func orderly(reply []byte) string {
	lines, calls := strings.Split(strings.TrimSuffix(string(reply), "\n"), "\n"), 0
	for i, line := range lines {
		var r struct {
			Message *struct {
				Role  string
				Calls []struct{ Function struct{ Index int } } `json:"tool_calls"`
			}
			Done   bool
			Reason string `json:"done_reason"`
			Count  int    `json:"eval_count"`
		}
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			return err.Error()
		}
		last := i == len(lines)-1
		if r.Message == nil || r.Message.Role != "assistant" || r.Done != last || (r.Reason != "") != last || (r.Count > 0) != last {
			return fmt.Sprintf("line %d is %s", i, line)
		}
		for _, c := range r.Message.Calls {
			if c.Function.Index != calls {
				return fmt.Sprintf("call number %d is numbered %d", calls, c.Function.Index)
			}
			calls++
		}
	}
	return ""
}

func TestOllamaIsJoinedIntoOne(t *testing.T) {
	t.Parallel()
	replytest.Run(t, server{})
}

func TestOllamaWithCallsInTheLastRecordIsJoinedIntoOne(t *testing.T) {
	t.Parallel()
	replytest.Run(t, server{late: true})
}

func TestOllamaWithoutHiddenCallsPassesUnchanged(t *testing.T) {
	t.Parallel()
	replytest.PassesUnchanged(t, server{})
}

func TestDurationsAreThoseOfAllAnswers(t *testing.T) {
	t.Parallel()
	hidden := replytest.Piece{Kind: replytest.CallsHidden, Call: plimsoll.ToolCall{Name: replytest.HiddenTool, Arguments: "{}"}}
	story := replytest.ModelReply{Answers: []replytest.ModelAnswer{
		{Pieces: []replytest.Piece{hidden}, Prompt: 10, Output: 3},
		{Pieces: []replytest.Piece{{Kind: replytest.SaysText, Text: "Done."}}, Prompt: 20, Output: 4},
	}}
	for _, streamed := range []bool{true, false} {
		view := strings.TrimSpace(string(replytest.Perform(t, server{}, story, streamed, 100).View))
		var got map[string]any
		if err := json.Unmarshal([]byte(view[strings.LastIndex(view, "\n")+1:]), &got); err != nil {
			t.Fatal(err)
		}
		for key, want := range map[string]float64{
			"eval_count": 7, "prompt_eval_count": 20, "eval_duration": 14000, "total_duration": 2_000_000, "load_duration": 1000,
		} {
			if got[key] != want {
				t.Errorf("streamed %v: %s is %v, want %v", streamed, key, got[key], want)
			}
		}
	}
}

func FuzzReply(f *testing.F) { replytest.Fuzz(f, server{late: true}) }

func BenchmarkReply(b *testing.B) { replytest.Bench(b, server{}) }
