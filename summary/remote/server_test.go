package remote

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/summary"
	"github.com/plimsoll/plimsoll/wire"
	"github.com/plimsoll/plimsoll/wire/dialects"
)

// server plays an API and keeps what it was sent.
type server struct {
	*httptest.Server
	answer func(w http.ResponseWriter, r *http.Request)

	mu     sync.Mutex
	bodies [][]byte
	sent   []*http.Request
}

func newServer(t *testing.T, answer func(w http.ResponseWriter, r *http.Request)) *server {
	s := &server{answer: answer}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		s.mu.Lock()
		s.bodies, s.sent = append(s.bodies, body), append(s.sent, r)
		s.mu.Unlock()
		s.answer(w, r)
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *server) body(i int) []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.bodies[i]
}

func (s *server) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.bodies)
}

const key = "sk-very-secret"

func (s *server) summarizer(t *testing.T, d plimsoll.Dialect, model string) *Summarizer {
	t.Helper()
	made, err := New(Options{Dialect: d, Model: model, BaseURL: s.URL, Key: key})
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// says answers with a text, in the form of the dialect.
func says(d plimsoll.Dialect, text, stop string) func(http.ResponseWriter, *http.Request) {
	return func(w http.ResponseWriter, _ *http.Request) {
		quoted, _ := json.Marshal(text)
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, strings.NewReplacer("TEXT", string(quoted), "STOP", stop).Replace(answerForms[d]))
	}
}

// stopEnd is how each API says that an answer is complete.
var stopEnd = map[plimsoll.Dialect]string{plimsoll.OpenAI: "stop", plimsoll.Responses: "completed", plimsoll.Anthropic: "end_turn", plimsoll.Gemini: "STOP", plimsoll.Ollama: "stop"}

var answerForms = map[plimsoll.Dialect]string{
	plimsoll.OpenAI:    `{"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":TEXT},"finish_reason":"STOP"}],"usage":{"prompt_tokens":100,"completion_tokens":7,"prompt_tokens_details":{"cached_tokens":90}}}`,
	plimsoll.Responses: `{"model":"m","status":"STOP","incomplete_details":{"reason":"max_output_tokens"},"output":[{"type":"message","role":"assistant","content":[{"type":"output_text","text":TEXT}]}],"usage":{"input_tokens":100,"output_tokens":7,"input_tokens_details":{"cached_tokens":90}}}`,
	plimsoll.Anthropic: `{"type":"message","role":"assistant","model":"m","content":[{"type":"text","text":TEXT}],"stop_reason":"STOP","usage":{"input_tokens":10,"cache_read_input_tokens":90,"cache_creation_input_tokens":0,"output_tokens":7}}`,
	plimsoll.Gemini:    `{"modelVersion":"m","candidates":[{"index":0,"content":{"role":"model","parts":[{"text":TEXT}]},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":100,"cachedContentTokenCount":90,"candidatesTokenCount":7}}`,
	plimsoll.Ollama:    `{"model":"m","message":{"role":"assistant","content":TEXT},"done":true,"done_reason":"STOP","prompt_eval_count":100,"eval_count":7}`,
}

// callers are requests as agents send them: a turn with a round, and a second turn
// that is not old. Odd spaces and keys show what is carried as it is.
var callers = map[plimsoll.Dialect]string{
	plimsoll.OpenAI: `{"model":"gpt-4o", "tools" : [ {"type":"function","function":{"name":"sh","parameters":{"type":"object"}},"x":1.0} ],"stream":true,"stream_options":{"include_usage":true},"response_format":{"type":"json_object"},"stop":["END"],"n":2,
 "messages":[{"role":"system","content":"Be  brief."},{"role":"user","content":"Count the crates."},{"role":"assistant","content":"I look.","tool_calls":[{"id":"c1","type":"function","function":{"name":"sh","arguments":"{}"}}]},{"role":"tool","tool_call_id":"c1","content":"seven crates"},{"role":"assistant","content":"Seven."},{"role":"user","content":"And the barrels?"}],"custom":{"a" : 1}}`,
	plimsoll.Responses: `{"model":"gpt-4o","instructions":"Be  brief.","tools" : [ {"type":"function","name":"sh","parameters":{"type":"object"}} ],"stream":true,"background":true,"truncation":"auto","text":{"format":{"type":"json_object"},"verbosity":"low"},
 "input":[{"role":"user","content":"Count the crates."},{"type":"function_call","call_id":"c1","name":"sh","arguments":"{}"},{"type":"function_call_output","call_id":"c1","output":"seven crates"},{"role":"assistant","content":"Seven."},{"role":"user","content":"And the barrels?"}],"custom":1}`,
	plimsoll.Anthropic: `{"model":"claude-sonnet-4-5","max_tokens":100,"system":[{"type":"text","text":"Be  brief."}],"tools" : [ {"name":"sh","input_schema":{"type":"object"}} ],"stream":true,"stop_sequences":["END"],
 "messages":[{"role":"user","content":"Count the crates."},{"role":"assistant","content":[{"type":"text","text":"I look."},{"type":"tool_use","id":"c1","name":"sh","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","content":"seven crates"}]},{"role":"assistant","content":"Seven."},{"role":"user","content":"And the barrels?"}],"custom":1}`,
	plimsoll.Ollama: `{"model":"llama3.2","tools" : [ {"type":"function","function":{"name":"sh","parameters":{"type":"object"}},"x":1.0} ],"format":"json","options":{"num_ctx":8192,"stop":["END"],"temperature":0.50},
 "messages":[{"role":"system","content":"Be  brief."},{"role":"user","content":"Count the crates."},{"role":"assistant","content":"I look.","tool_calls":[{"function":{"name":"sh","arguments":{}}}]},{"role":"tool","tool_name":"sh","content":"seven crates"},{"role":"assistant","content":"Seven."},{"role":"user","content":"And the barrels?"}],"custom":1}`,
	plimsoll.Gemini: `{"systemInstruction":{"parts":[{"text":"Be  brief."}]},"tools" : [ {"functionDeclarations":[{"name":"sh","parameters":{"type":"OBJECT"}}]} ],"generationConfig":{"temperature":0.50,"responseMimeType":"application/json","maxOutputTokens":9},
 "contents":[{"role":"user","parts":[{"text":"Count the crates."}]},{"role":"model","parts":[{"text":"I look."},{"functionCall":{"name":"sh","args":{}}}]},{"role":"user","parts":[{"functionResponse":{"name":"sh","response":{"output":"seven crates"}}}]},{"role":"model","parts":[{"text":"Seven."}]},{"role":"user","parts":[{"text":"And the barrels?"}]}],"custom":1}`,
}

// decode reads a request.
func decode(t *testing.T, d plimsoll.Dialect, body []byte) *wire.Request {
	t.Helper()
	r, err := dialects.Codec(d).Decode(body)
	if err != nil {
		t.Fatalf("%v\n%s", err, body)
	}
	return r
}

// asks returns a request for a summary of everything but the last turn.
func asks(t *testing.T, d plimsoll.Dialect, f summary.Format, body string) *summary.Request {
	t.Helper()
	r := decode(t, d, []byte(body))
	c := r.Conversation()
	if c.Model == "" {
		c.Model = "gemini-2.5-flash"
	}
	o := r.Outline()
	return &summary.Request{
		Conversation: c,
		Old:          plimsoll.Span{Start: o.Head, End: o.Turns[len(o.Turns)-1].Start},
		Encode:       r.Encode,
		Format:       f,
		Budget:       500,
		Count:        func(text string) int { return (len(text) + 3) / 4 },
	}
}

// member returns a member of a JSON object as it stands there.
func member(body []byte, names ...string) string {
	return string(parseObject(body).get(names...))
}
