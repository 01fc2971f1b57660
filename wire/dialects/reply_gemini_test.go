package dialects_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/plimsoll/plimsoll"
)

// geminiTeller writes as Google's generateContent does.
type geminiTeller struct {
	// list says that answers that are not events come as a list of pieces.
	list bool
}

func (geminiTeller) dialect() plimsoll.Dialect { return plimsoll.Gemini }

// request names a model that insists on its signatures.
func (geminiTeller) request(elements ...string) []byte {
	return []byte(`{"contents":[` + strings.Join(elements, ", ") + `],"model":"gemini-3-pro"}`)
}

func (geminiTeller) user(text string) string {
	return fmt.Sprintf(`{"role":"user","parts":[{"text":%q}]}`, text)
}

func (geminiTeller) outputs(calls []plimsoll.ToolCall) []string {
	parts := make([]string, len(calls))
	for i, c := range calls {
		response := object{"name": c.Name, "response": object{"output": "theirs"}}
		if c.ID != "" {
			response["id"] = c.ID
		}
		parts[i] = string(encoded(object{"functionResponse": response}))
	}
	if len(parts) == 0 {
		return nil
	}
	return []string{`{"role":"user","parts":[` + strings.Join(parts, ",") + `]}`}
}

func (geminiTeller) parts(a told) (parts []object) {
	signed := false
	for _, p := range a.pieces {
		switch p.kind {
		case saysText:
			parts = append(parts, object{"text": p.text})
		case saysThought:
			parts = append(parts, object{"text": p.text, "thought": true})
		default:
			call := object{"name": p.call.Name, "args": json.RawMessage(p.call.Arguments)}
			if p.call.ID != "" {
				call["id"] = p.call.ID
			}
			part := object{"functionCall": call}
			if !signed {
				part["thoughtSignature"], signed = "c2ln", true
			}
			parts = append(parts, part)
		}
	}
	return parts
}

func (geminiTeller) chunk(n int, a told, parts []object, finish string, billed int) object {
	candidate := object{"content": object{"role": "model", "parts": parts}, "index": 0}
	if finish != "" {
		candidate["finishReason"] = finish
	}
	usage := object{"promptTokenCount": a.prompt, "totalTokenCount": a.prompt + billed*(a.output+a.hidden)}
	if billed > 0 {
		usage["candidatesTokenCount"] = a.output
		if a.hidden > 0 {
			usage["thoughtsTokenCount"] = a.hidden
		}
	}
	return object{
		"candidates": []object{candidate}, "usageMetadata": usage,
		"modelVersion": "gemini-3-pro", "responseId": fmt.Sprintf("response-%d", n),
	}
}

// chunks puts two parts into each chunk, and the end into the last one if the number of
// parts is odd, else into one of its own.
func (v geminiTeller) chunks(n int, a told) (chunks [][]byte) {
	parts := v.parts(a)
	for len(parts) > 1 {
		chunks = append(chunks, encoded(v.chunk(n, a, parts[:2], "", 0)))
		parts = parts[2:]
	}
	if len(parts) == 0 {
		parts = []object{{"text": ""}}
	}
	return append(chunks, encoded(v.chunk(n, a, parts, "STOP", 1)))
}

func (v geminiTeller) streamed(n int, a told) (stream []byte) {
	for _, chunk := range v.chunks(n, a) {
		stream = fmt.Appendf(stream, "data: %s\r\n\r\n", chunk)
	}
	return stream
}

func (v geminiTeller) whole(n int, a told) []byte {
	if v.list {
		return fmt.Appendf(nil, "[%s\n]\n", bytes.Join(v.chunks(n, a), []byte(",\r\n")))
	}
	return encoded(v.chunk(n, a, v.parts(a), "STOP", 1))
}

// view joins the parts of all pieces, and checks that they are those of one answer.
func (v geminiTeller) view(t rapid.TB, reply []byte, streamed bool) []string {
	pieces := []json.RawMessage{reply}
	switch {
	case streamed:
		pieces = nil
		for _, e := range eventsOf(t, reply) {
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
	checkTales(t, geminiTeller{})
}

func TestGeminiAsAListIsWovenIntoOne(t *testing.T) {
	t.Parallel()
	checkTales(t, geminiTeller{list: true})
}

func TestGeminiWithoutOurCallsPassesAsItIs(t *testing.T) {
	t.Parallel()
	checkPasses(t, geminiTeller{})
}

func TestGeminiAsAListWithoutOurCallsPassesAsItIs(t *testing.T) {
	t.Parallel()
	checkPasses(t, geminiTeller{list: true})
}
