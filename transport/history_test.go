package transport_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/scripted"
	"github.com/plimsoll/plimsoll/transport"
	"github.com/plimsoll/plimsoll/wire"
	"github.com/plimsoll/plimsoll/wire/dialects"
)

// follow asks a server that keeps the history: each request has only what is new.
func follow(b *bench, stream bool, steps int, limit string) (ids []string) {
	b.t.Helper()
	previous, input := "", `"read all files"`
	header := http.Header{}
	if limit != "" {
		header.Set(transport.HeaderLimit, limit)
	}
	for i := range steps + 1 {
		link := ""
		if previous != "" {
			link = fmt.Sprintf(`"previous_response_id":%q,`, previous)
		}
		body := fmt.Sprintf(`{"model":"gpt-4o","stream":%t,%s"tools":[{"type":"function","name":"read","parameters":{"type":"object"}}],"input":%s}`, stream, link, input)
		got := b.postRaw("/v1/responses", []byte(body), header)
		if got.status != http.StatusOK {
			b.t.Fatalf("request %d: %d %s", i, got.status, got.body)
		}
		var answer struct{ ID string }
		final := got.body
		if stream {
			_, rest, _ := bytes.Cut(got.body, []byte("event: response.completed\ndata: "))
			final, _, _ = bytes.Cut(rest, []byte("\n"))
			var event struct{ Response json.RawMessage }
			if err := json.Unmarshal(final, &event); err != nil {
				b.t.Fatalf("%v: %s", err, got.body)
			}
			final = event.Response
		}
		if err := json.Unmarshal(final, &answer); err != nil || answer.ID == "" {
			b.t.Fatalf("%v: %s", err, final)
		}
		previous, ids = answer.ID, append(ids, answer.ID)
		items, err := dialects.OutputItems(final)
		if err != nil {
			b.t.Fatal(err)
		}
		var results []string
		for _, item := range items {
			var call struct {
				Type   string
				CallID string `json:"call_id"`
			}
			if json.Unmarshal(item, &call) == nil && call.Type == "function_call" {
				text, _ := json.Marshal(output(i))
				results = append(results, fmt.Sprintf(`{"type":"function_call_output","call_id":%q,"output":%s}`, call.CallID, text))
			}
		}
		input = "[" + strings.Join(results, ",") + "]"
	}
	return ids
}

func TestC11_AHistoryThatTheServerKeepsIsWeighedAndCut(t *testing.T) {
	t.Parallel()
	for name, stream := range map[string]bool{"whole": false, "streamed": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, &scripted.Options{Script: job(16), Window: 24_000}, transport.Options{Store: newStore(t), Window: 24_000})
			follow(b, stream, 16, "")
			if over, wrong := b.upstreamFaults(); over+wrong > 0 {
				t.Errorf("%d overflows, %d violations", over, wrong)
			}
			log := b.model.Log()
			if !bytes.Contains(log[1].Body, []byte("previous_response_id")) {
				t.Error("a small continuation was rewritten")
			}
			if bytes.Contains(log[len(log)-1].Body, []byte("previous_response_id")) {
				t.Error("the history that was cut is still named")
			}
		})
	}
}

func TestAnAnswerIsCountedWhereTheUpstreamCannot(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(server.Close)
	b := newBench(t, nil, transport.Options{Store: newStore(t)})
	b.server = server
	for path, member := range map[string]string{
		"/v1/messages/count_tokens":                   "input_tokens",
		"/v1beta/models/gemini-2.5-flash:countTokens": "totalTokens",
	} {
		body := `{"model":"claude-sonnet-4-5","messages":[{"role":"user","content":"one two three four five"}]}`
		if member == "totalTokens" {
			body = `{"contents":[{"role":"user","parts":[{"text":"one two three four five"}]}]}`
		}
		got := b.postRaw(path, []byte(body), nil)
		var answer map[string]int
		if err := json.Unmarshal(got.body, &answer); err != nil || answer[member] < 5 || answer[member] > 30 {
			t.Errorf("%s: %d %s", path, got.status, got.body)
		}
	}
}

func TestCountingIsLeftToAnUpstreamThatCan(t *testing.T) {
	t.Parallel()
	const counted = `{"input_tokens":4711}`
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, counted) }))
	t.Cleanup(server.Close)
	b := newBench(t, nil, transport.Options{})
	b.server = server
	got := b.postRaw("/v1/messages/count_tokens?beta=true", []byte(`{"model":"claude-sonnet-4-5","messages":[]}`), nil)
	if string(got.body) != counted {
		t.Errorf("%s", got.body)
	}
}

func TestAConversationIsCompactedWhereTheUpstreamCannot(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil, transport.Options{Store: newStore(t)})
	a := b.long(plimsoll.Responses, 10)
	got := b.postRaw("/v1/responses/compact", a.body(), nil)
	var answer struct {
		Object string
		Output json.RawMessage
	}
	if err := json.Unmarshal(got.body, &answer); err != nil || got.status != http.StatusOK || answer.Object != "response.compaction" {
		t.Fatalf("%d %.300s", got.status, got.body)
	}
	if len(answer.Output) > len(a.body())/2 {
		t.Errorf("%d bytes of %d are left", len(answer.Output), len(a.body()))
	}
	next, err := dialects.Codec(plimsoll.Responses).Decode(fmt.Appendf(nil, `{"model":"gpt-4o","input":%s}`, answer.Output))
	if err != nil {
		t.Fatal(err)
	}
	if found := wire.Check(next); len(found) > 0 {
		t.Errorf("what is left would be refused: %v", found)
	}
}

func TestWhatAClientAsksItsProviderForIsDoneForOtherUpstreams(t *testing.T) {
	t.Parallel()
	for name, management := range map[string]string{
		"Anthropic's edits":   `{"edits":[{"type":"clear_tool_uses_20250919","trigger":{"type":"input_tokens","value":9000},"keep":{"type":"tool_uses","value":2}}]}`,
		"Anthropic's summary": `{"edits":[{"type":"compact_20260112","trigger":{"type":"input_tokens","value":9000}}]}`,
		"OpenAI's compaction": `[{"type":"compaction","compact_threshold":9000}]`,
	} {
		d := plimsoll.Anthropic
		if strings.HasPrefix(management, "[") {
			d = plimsoll.Responses
		}
		for _, official := range []bool{false, true} {
			b := newBench(t, nil, transport.Options{Store: newStore(t), Official: func(string) bool { return official }})
			a := b.long(d, 10)
			body := append([]byte(`{"context_management":`+management+`,`), bytes.TrimPrefix(a.body(), []byte("{"))...)
			got := b.post(d, false, body, nil)
			if got.status != http.StatusOK {
				t.Fatalf("%s: %d %s", name, got.status, got.body)
			}
			if same := bytes.Equal(b.model.Log()[0].Body, body); same != official {
				t.Errorf("%s: official %v, sent as it came: %v", name, official, same)
			}
		}
	}
}

func TestAnUpstreamThatDoesNotKnowWhatIsAskedForIsNotAskedForIt(t *testing.T) {
	t.Parallel()
	var bodies [][]byte
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		bodies = append(bodies, body)
		if bytes.Contains(body, []byte("context_management")) {
			w.WriteHeader(http.StatusBadRequest)
			_, _ = io.WriteString(w, `{"type":"error","error":{"type":"invalid_request_error","message":"context_management: Extra inputs are not permitted"}}`)
			return
		}
		_, _ = io.WriteString(w, `{"id":"m","type":"message","role":"assistant","model":"x","content":[{"type":"text","text":"ok"}],"stop_reason":"end_turn","usage":{"input_tokens":1,"output_tokens":1}}`)
	}))
	t.Cleanup(server.Close)
	b := newBench(t, nil, transport.Options{})
	b.server = server
	const body = `{"model":"x","max_tokens":9,"context_management":{"edits":[{"type":"clear_thinking_20251015","keep":"all"}]},"messages":[{"role":"user","content":"hi"}]}`
	for range 2 {
		if got := b.post(plimsoll.Anthropic, false, []byte(body), nil); got.status != http.StatusOK {
			t.Fatalf("%d %s", got.status, got.body)
		}
	}
	if len(bodies) != 3 || string(bodies[2]) != `{"model":"x","max_tokens":9,"messages":[{"role":"user","content":"hi"}]}` {
		t.Errorf("%d requests, the last: %s", len(bodies), bodies[len(bodies)-1])
	}
}
