package converse_test

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
	"github.com/plimsoll/plimsoll/wire/internal/converse"
)

type fields = map[string]any

func encoded(v any) []byte {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return data
}

// server writes as Bedrock's Converse does.
type server struct{}

func (server) Codec() wire.Codec { return converse.Codec{} }

func (server) Rules() replytest.Rules { return replytest.Rules{CallIDs: true, Frames: true} }

// Beside puts the blocks of both into one message.
func (server) Beside(theirs, hidden []string) []string {
	if len(theirs) == 0 {
		return hidden
	}
	_, inside, _ := strings.Cut(hidden[0], `"content":[`)
	return []string{strings.TrimSuffix(theirs[0], `]}`) + "," + inside}
}

func (server) Request(elements ...string) []byte {
	return []byte(`{"toolConfig":{"tools":[{"toolSpec":{"name":"f","inputSchema":{"json":{}}}}]},"messages":[` + strings.Join(elements, ", ") + `]}`)
}

func (server) User(text string) string {
	return fmt.Sprintf(`{"role":"user","content":[{"text":%q}]}`, text)
}

func (server) Outputs(calls []plimsoll.ToolCall) []string {
	var blocks []string
	for _, c := range calls {
		blocks = append(blocks, fmt.Sprintf(`{"toolResult":{"toolUseId":%q,"content":[{"text":"theirs"}]}}`, c.ID))
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

func reason(a replytest.ModelAnswer) string {
	if slices.ContainsFunc(a.Pieces, func(p replytest.Piece) bool { return p.Call.Name != "" }) {
		return "tool_use"
	}
	return "end_turn"
}

func usage(a replytest.ModelAnswer) fields {
	return fields{"inputTokens": a.Prompt, "outputTokens": a.Output + a.Hidden, "totalTokens": a.Prompt + a.Output + a.Hidden}
}

func (server) Whole(_ int, a replytest.ModelAnswer) []byte {
	content := []any{}
	for _, p := range callsLast(a.Pieces) {
		switch p.Kind {
		case replytest.SaysText:
			content = append(content, fields{"text": p.Text})
		case replytest.SaysThought:
			content = append(content, fields{"reasoningContent": fields{"reasoningText": fields{"text": p.Text, "signature": "signed " + p.Text}}})
		default:
			content = append(content, fields{"toolUse": fields{"toolUseId": p.Call.ID, "name": p.Call.Name, "input": json.RawMessage(p.Call.Arguments)}})
		}
	}
	return encoded(fields{
		"output":     fields{"message": fields{"role": "assistant", "content": content}},
		"stopReason": reason(a), "usage": usage(a), "metrics": fields{"latencyMs": 7},
	})
}

func (server) Streamed(_ int, a replytest.ModelAnswer) (stream []byte) {
	add := func(kind string, m fields) {
		m["p"] = "abcdefgh"[:len(stream)%8]
		stream = sse.Frames.Append(stream, kind, encoded(m))
	}
	add("messageStart", fields{"role": "assistant"})
	for i, p := range callsLast(a.Pieces) {
		delta := func(d fields) { add("contentBlockDelta", fields{"contentBlockIndex": i, "delta": d}) }
		pieces := func(text string, each func(string) fields) {
			for part := range slices.Chunk([]rune(text), 3) {
				delta(each(string(part)))
			}
		}
		switch p.Kind {
		case replytest.SaysText:
			pieces(p.Text, func(s string) fields { return fields{"text": s} })
		case replytest.SaysThought:
			pieces(p.Text, func(s string) fields { return fields{"reasoningContent": fields{"text": s}} })
			delta(fields{"reasoningContent": fields{"signature": "signed " + p.Text}})
		default:
			add("contentBlockStart", fields{"contentBlockIndex": i, "start": fields{"toolUse": fields{"toolUseId": p.Call.ID, "name": p.Call.Name}}})
			pieces(p.Call.Arguments, func(s string) fields { return fields{"toolUse": fields{"input": s}} })
		}
		add("contentBlockStop", fields{"contentBlockIndex": i})
	}
	add("messageStop", fields{"stopReason": reason(a)})
	add("metadata", fields{"usage": usage(a), "metrics": fields{"latencyMs": 7}})
	return stream
}

// View reads the reply, and checks that a stream is one of one message.
func (v server) View(t rapid.TB, reply []byte, streamed bool) []string {
	if streamed {
		if wrong := orderly(replytest.Events(t, reply)); wrong != "" {
			t.Fatalf("%s in\n%s", wrong, reply)
		}
	}
	return replytest.Rendered(t, v.Codec(), v.Request(), replytest.ReadReply(t, v.Codec(), reply, streamed).Message)
}

// orderly says what is wrong with a stream: it must be one message whose blocks follow each
// other by number, and whose total is the sum of its tokens.
func orderly(events []sse.Event) string {
	next, begun := 0, false
	for i, e := range events {
		var data struct {
			ContentBlockIndex int
			Usage             struct{ InputTokens, OutputTokens, TotalTokens int }
		}
		if json.Unmarshal(e.Data, &data) != nil {
			return fmt.Sprintf("%q is no JSON", e.Data)
		}
		switch e.Name {
		case "messageStart":
			if begun {
				return "a second messageStart"
			}
			begun = true
		case "contentBlockStart", "contentBlockDelta", "contentBlockStop":
			if data.ContentBlockIndex != next {
				return fmt.Sprintf("%s of %d, want %d", e.Name, data.ContentBlockIndex, next)
			}
			if e.Name == "contentBlockStop" {
				next++
			}
		case "metadata":
			if u := data.Usage; u.TotalTokens != u.InputTokens+u.OutputTokens || i != len(events)-1 {
				return fmt.Sprintf("usage %+v in event %d of %d", u, i, len(events))
			}
		}
	}
	return ""
}

func TestConverseIsJoinedIntoOne(t *testing.T) {
	t.Parallel()
	replytest.Run(t, server{})
}

func TestConverseWithoutHiddenCallsPassesUnchanged(t *testing.T) {
	t.Parallel()
	replytest.PassesUnchanged(t, server{})
}

func FuzzReply(f *testing.F) { replytest.Fuzz(f, server{}) }

func BenchmarkReply(b *testing.B) { replytest.Bench(b, server{}) }

func TestACachePointOfTheClientStaysBehindARestoredReply(t *testing.T) {
	t.Parallel()
	said := []byte(`{"role":"assistant","content":[{"reasoningContent":{"reasoningText":{"text":"hm"}}},{"text":"a"}]}`)
	for _, tt := range []struct {
		sent    string
		without bool
		want    string
	}{
		{`{"role":"assistant","content":[{"text":"a"}]}`, false, string(said)},
		{`{"role":"assistant","content":[{"text":"a"}]}`, true, `{"role":"assistant","content":[{"text":"a"}]}`},
		{`{"role":"assistant","content":[{"text":"a"},{"cachePoint":{"type":"default"}}]}`, true, `{"role":"assistant","content":[{"text":"a"},{"cachePoint":{"type":"default"}}]}`},
	} {
		if got := (converse.Codec{}).Restored([][]byte{said}, []byte(tt.sent), tt.without); string(got[0]) != tt.want {
			t.Errorf("%s", got[0])
		}
	}
}
