package gemini_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/replytest"
	"github.com/plimsoll/plimsoll/wire"
	"github.com/plimsoll/plimsoll/wire/internal/gemini"
)

// server writes as Google's generateContent does.
type server struct {
	// list says that answers that are not events come as a list of pieces.
	list bool
}

func (server) Codec() wire.Codec { return gemini.Codec{} }

func (server) Rules() replytest.Rules { return replytest.Rules{BillsReasoning: true} }

// Beside puts the parts of both into one content.
func (server) Beside(theirs, hidden []string) []string {
	if len(theirs) == 0 {
		return hidden
	}
	_, inside, _ := strings.Cut(hidden[0], `"parts":[`)
	return []string{strings.TrimSuffix(theirs[0], `]}`) + "," + inside}
}

// request names a model that insists on its signatures.
func (server) Request(elements ...string) []byte {
	return []byte(`{"contents":[` + strings.Join(elements, ", ") + `],"model":"gemini-3-pro"}`)
}

func (server) User(text string) string {
	return fmt.Sprintf(`{"role":"user","parts":[{"text":%q}]}`, text)
}

func (server) Outputs(calls []plimsoll.ToolCall) []string {
	parts := make([]string, len(calls))
	for i, c := range calls {
		response := fields{"name": c.Name, "response": fields{"output": "theirs"}}
		if c.ID != "" {
			response["id"] = c.ID
		}
		parts[i] = string(encoded(fields{"functionResponse": response}))
	}
	if len(parts) == 0 {
		return nil
	}
	return []string{`{"role":"user","parts":[` + strings.Join(parts, ",") + `]}`}
}

func (server) parts(a replytest.ModelAnswer) (parts []fields) {
	signed := false
	for _, p := range a.Pieces {
		switch p.Kind {
		case replytest.SaysText:
			parts = append(parts, fields{"text": p.Text})
		case replytest.SaysThought:
			parts = append(parts, fields{"text": p.Text, "thought": true})
		default:
			call := fields{"name": p.Call.Name, "args": json.RawMessage(p.Call.Arguments)}
			if p.Call.ID != "" {
				call["id"] = p.Call.ID
			}
			part := fields{"functionCall": call}
			if !signed {
				part["thoughtSignature"], signed = "c2ln", true
			}
			parts = append(parts, part)
		}
	}
	return parts
}

func (server) chunk(n int, a replytest.ModelAnswer, parts []fields, finish string, billed int) fields {
	candidate := fields{"content": fields{"role": "model", "parts": parts}, "index": 0}
	if finish != "" {
		candidate["finishReason"] = finish
	}
	usage := fields{"promptTokenCount": a.Prompt, "totalTokenCount": a.Prompt + billed*(a.Output+a.Hidden)}
	if billed > 0 {
		usage["candidatesTokenCount"] = a.Output
		if a.Hidden > 0 {
			usage["thoughtsTokenCount"] = a.Hidden
		}
	}
	return fields{
		"candidates": []fields{candidate}, "usageMetadata": usage,
		"modelVersion": "gemini-3-pro", "responseId": fmt.Sprintf("response-%d", n),
	}
}

// chunks puts two parts into each chunk, and the end into the last one if the number of
// parts is odd, else into one of its own.
func (v server) chunks(n int, a replytest.ModelAnswer) (chunks [][]byte) {
	parts := v.parts(a)
	for len(parts) > 1 {
		chunks = append(chunks, encoded(v.chunk(n, a, parts[:2], "", 0)))
		parts = parts[2:]
	}
	if len(parts) == 0 {
		parts = []fields{{"text": ""}}
	}
	return append(chunks, encoded(v.chunk(n, a, parts, "STOP", 1)))
}

func (v server) Streamed(n int, a replytest.ModelAnswer) (stream []byte) {
	for _, chunk := range v.chunks(n, a) {
		stream = fmt.Appendf(stream, "data: %s\r\n\r\n", chunk)
	}
	return stream
}

func (v server) Whole(n int, a replytest.ModelAnswer) []byte {
	if v.list {
		return fmt.Appendf(nil, "[%s\n]\n", bytes.Join(v.chunks(n, a), []byte(",\r\n")))
	}
	return encoded(v.chunk(n, a, v.parts(a), "STOP", 1))
}

// view joins the parts of all pieces, and checks that they are those of one answer.
func (v server) View(t rapid.TB, reply []byte, streamed bool) []string {
	pieces := []json.RawMessage{reply}
	switch {
	case streamed:
		pieces = nil
		for _, e := range replytest.Events(t, v.Codec(), reply) {
			if !bytes.HasSuffix(e.Raw, []byte("\r\n\r\n")) {
				t.Fatalf("the event %q does not end as those of the server", e.Raw)
			}
			pieces = append(pieces, e.Data)
		}
	case v.list:
		if err := json.Unmarshal(reply, &pieces); err != nil {
			t.Fatal(err)
		}
	}
	var parts []json.RawMessage
	for i, data := range pieces {
		var piece struct {
			ResponseID string
			Candidates []struct {
				Content      struct{ Parts []json.RawMessage }
				FinishReason string
			}
			UsageMetadata struct{ PromptTokenCount, CandidatesTokenCount, ThoughtsTokenCount, TotalTokenCount int }
		}
		if err := json.Unmarshal(data, &piece); err != nil {
			t.Fatal(err)
		}
		u, c := piece.UsageMetadata, piece.Candidates[0]
		if piece.ResponseID != "response-0" || u.PromptTokenCount+u.CandidatesTokenCount+u.ThoughtsTokenCount != u.TotalTokenCount {
			t.Fatalf("id or figures in %s", data)
		}
		if len(c.Content.Parts) == 0 || (c.FinishReason == "STOP") != (i == len(pieces)-1) {
			t.Fatalf("piece %d of %d is %s", i, len(pieces), data)
		}
		for _, p := range c.Content.Parts {
			if string(p) != `{"text":""}` {
				parts = append(parts, p)
			}
		}
	}
	if len(parts) == 0 {
		return nil
	}
	return []string{`{"role":"model","parts":` + string(encoded(parts)) + `}`}
}

func TestGeminiIsWovenIntoOne(t *testing.T) {
	t.Parallel()
	replytest.Run(t, server{})
}

func TestGeminiAsAListIsWovenIntoOne(t *testing.T) {
	t.Parallel()
	replytest.Run(t, server{list: true})
}

func TestGeminiWithoutOurCallsPassesAsItIs(t *testing.T) {
	t.Parallel()
	replytest.PassesUnchanged(t, server{})
}

func TestGeminiAsAListWithoutOurCallsPassesAsItIs(t *testing.T) {
	t.Parallel()
	replytest.PassesUnchanged(t, server{list: true})
}

func FuzzReply(f *testing.F) { replytest.Fuzz(f, server{}) }

func FuzzReplyAsAList(f *testing.F) { replytest.Fuzz(f, server{list: true}) }

type fields = map[string]any

func encoded(v any) []byte {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return data
}

// oneAnswer plays one answer, in one write.
func oneAnswer(streamed bool, data []byte) (r wire.Reply, round wire.Round, view string) {
	r = gemini.Codec{}.NewReply(streamed, replytest.IsHiddenTool)
	out := replytest.Drip(r, data, len(data)+1)
	round = r.End()
	return r, round, string(append(out, r.Finish()...))
}

func BenchmarkReply(b *testing.B) { replytest.Bench(b, server{}) }
