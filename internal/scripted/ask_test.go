package scripted_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/replytest"
	"github.com/plimsoll/plimsoll/wire"
	"github.com/plimsoll/plimsoll/wire/dialects"
)

// paths are where each API listens; streamed ones of Gemini and Converse elsewhere.
var paths = map[plimsoll.Dialect]string{
	plimsoll.OpenAI:    "/v1/chat/completions",
	plimsoll.Responses: "/v1/responses",
	plimsoll.Anthropic: "/v1/messages",
	plimsoll.Gemini:    "/v1beta/models/gemini-2.5-flash:generateContent",
	plimsoll.Ollama:    "/api/chat",
	plimsoll.Converse:  "/model/us.anthropic.claude-sonnet-4-5-20250929-v1:0/converse",
}

const streamPath = "/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse"

// bodies are the smallest requests.
var bodies = map[plimsoll.Dialect]string{
	plimsoll.OpenAI:    `{"model":"gpt-4o","messages":[{"role":"user","content":"hi"}]}`,
	plimsoll.Responses: `{"model":"gpt-4o","input":"hi"}`,
	plimsoll.Anthropic: `{"model":"claude-sonnet-4-5","max_tokens":100,"messages":[{"role":"user","content":"hi"}]}`,
	plimsoll.Gemini:    `{"contents":[{"role":"user","parts":[{"text":"hi"}]}]}`,
	plimsoll.Ollama:    `{"model":"llama3.2","messages":[{"role":"user","content":"hi"}]}`,
	plimsoll.Converse:  `{"messages":[{"role":"user","content":[{"text":"hi"}]}]}`,
}

// reply is an answer as a client reads it.
type reply struct {
	status int
	header http.Header
	body   []byte
	said   wire.Response
	done   bool
}

// ask sends a request and reads the complete answer.
func ask(t *testing.T, h http.Handler, d plimsoll.Dialect, body string) reply {
	t.Helper()
	if d == plimsoll.Ollama { // without it the server streams
		body = `{"stream":false,` + strings.TrimPrefix(body, "{")
	}
	got := send(t, h, http.MethodPost, paths[d], body)
	var err error
	if got.said, err = dialects.Codec(d).ReadResponse(got.body); err != nil {
		t.Fatalf("%v\n%s", err, got.body)
	}
	return got
}

// askStreamed asks for the same in pieces.
func askStreamed(t *testing.T, h http.Handler, d plimsoll.Dialect, body string) reply {
	t.Helper()
	path := paths[d]
	switch d {
	case plimsoll.Gemini:
		path = streamPath
	case plimsoll.Converse:
		path += "-stream"
	default:
		body = `{"stream":true,"stream_options":{"include_usage":true},` + strings.TrimPrefix(body, "{")
	}
	got := send(t, h, http.MethodPost, path, body)
	assembler := dialects.Codec(d).NewAssembler()
	for _, e := range replytest.Events(t, got.body) {
		if e.HasData() {
			assembler.Event(e.Name, e.Data)
		}
	}
	got.said, got.done = assembler.Response(), assembler.Done()
	return got
}

func send(t *testing.T, h http.Handler, method, path, body string) reply {
	t.Helper()
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), method, path, strings.NewReader(body)))
	data, err := io.ReadAll(w.Body)
	if err != nil {
		t.Fatal(err)
	}
	return reply{status: w.Code, header: w.Header(), body: data}
}
