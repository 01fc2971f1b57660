package transport_test

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/replytest"
	"github.com/plimsoll/plimsoll/internal/scripted"
	"github.com/plimsoll/plimsoll/internal/storetest"
	"github.com/plimsoll/plimsoll/internal/wiretest"
	"github.com/plimsoll/plimsoll/store"
	"github.com/plimsoll/plimsoll/store/sqlite"
	"github.com/plimsoll/plimsoll/transport"
	"github.com/plimsoll/plimsoll/wire"
	"github.com/plimsoll/plimsoll/wire/dialects"
)

// models are what each dialect is asked for.
var models = map[plimsoll.Dialect]string{
	plimsoll.OpenAI: "gpt-4o", plimsoll.Responses: "gpt-4o", plimsoll.Anthropic: "claude-sonnet-4-5", plimsoll.Gemini: "gemini-2.5-flash",
	plimsoll.Ollama:   "llama3.2",
	plimsoll.Converse: "us.anthropic.claude-sonnet-4-5-20250929-v1:0",
}

// bench is a scripted model with a managed client in front of it.
type bench struct {
	t         *testing.T
	model     *scripted.Model
	server    *httptest.Server
	transport *transport.Transport
	client    *http.Client
	exchanges chan transport.Exchange
}

func newBench(t *testing.T, model *scripted.Options, o transport.Options) *bench {
	t.Helper()
	b := &bench{t: t, model: scripted.New(model), exchanges: make(chan transport.Exchange, 1000)}
	b.server = httptest.NewServer(b.model)
	t.Cleanup(b.server.Close)
	if _, asks := o.Base.(asking); !asks {
		o.Base = unasked(cmp.Or(o.Base, http.DefaultTransport))
	}
	o.Observe = func(_ context.Context, x transport.Exchange) { b.exchanges <- x }
	managed, err := transport.New(&o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = managed.Close() })
	b.transport, b.client = managed, &http.Client{Transport: managed}
	return b
}

// asking lets a test's server get the questions about its models.
type asking struct{ http.RoundTripper }

// unasked answers those questions like a server that does not know them, so that a test's
// server gets conversations only.
func unasked(base http.RoundTripper) http.RoundTripper {
	return roundTripper(func(r *http.Request) (*http.Response, error) {
		if r.Method == http.MethodGet {
			return &http.Response{StatusCode: http.StatusNotFound, Header: http.Header{}, Body: http.NoBody, Request: r}, nil
		}
		return base.RoundTrip(r)
	})
}

func newBackend(t *testing.T) store.Backend {
	t.Helper()
	backend, err := sqlite.Open(t.Context(), storetest.NewFile(t, sqlite.Open), nil)
	if err != nil {
		t.Fatal(err)
	}
	return backend
}

func newStore(t *testing.T) *store.Store {
	t.Helper()
	s, err := store.New(t.Context(), newBackend(t), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// path is where a dialect is asked.
func path(d plimsoll.Dialect, stream bool) string {
	switch d {
	case plimsoll.OpenAI:
		return "/v1/chat/completions"
	case plimsoll.Responses:
		return "/v1/responses"
	case plimsoll.Anthropic:
		return "/v1/messages"
	case plimsoll.Ollama:
		return "/api/chat"
	case plimsoll.Converse:
		if stream {
			return "/model/" + models[d] + "/converse-stream"
		}
		return "/model/" + models[d] + "/converse"
	}
	if stream {
		return "/v1beta/models/" + models[d] + ":streamGenerateContent?alt=sse"
	}
	return "/v1beta/models/" + models[d] + ":generateContent"
}

// answer is what a client gets.
type answer struct {
	status int
	header http.Header
	body   []byte
	said   wire.Response
	done   bool
}

func (b *bench) post(d plimsoll.Dialect, stream bool, body []byte, header http.Header) answer {
	b.t.Helper()
	a := b.postRaw(path(d, stream), body, header)
	if a.status == http.StatusOK {
		a.read(b.t, d, stream)
	}
	return a
}

// postRaw sends a body and reads the bytes of the answer.
func (b *bench) postRaw(path string, body []byte, header http.Header) answer {
	b.t.Helper()
	req, err := http.NewRequestWithContext(b.t.Context(), http.MethodPost, b.server.URL+path, bytes.NewReader(body))
	if err != nil {
		b.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer sk-test")
	for name, values := range header {
		req.Header[name] = values
	}
	resp, err := b.client.Do(req)
	if err != nil {
		b.t.Fatal(err)
	}
	defer resp.Body.Close()
	got, err := io.ReadAll(resp.Body)
	if err != nil {
		b.t.Fatalf("read the answer: %v\n%s", err, got)
	}
	return answer{status: resp.StatusCode, header: resp.Header, body: got}
}

// read finds out what an answer says.
func (a *answer) read(t *testing.T, d plimsoll.Dialect, stream bool) {
	t.Helper()
	var err error
	if !stream {
		if a.said, err = dialects.Codec(d).ReadResponse(a.body); err != nil {
			t.Fatalf("%v\n%s", err, a.body)
		}
		a.done = true
		return
	}
	assembler := dialects.Codec(d).NewAssembler()
	for _, e := range replytest.Events(t, a.body) {
		if e.HasData() {
			assembler.Event(e.Name, e.Data)
		}
	}
	a.said, a.done = assembler.Response(), assembler.Done()
}

// agent is a client with a history of its own.
type agent struct {
	*bench
	dialect plimsoll.Dialect
	stream  bool
	header  http.Header
	history []plimsoll.Message
	tools   []plimsoll.Tool
	last    []byte
}

var readTool = plimsoll.Tool{Name: "read", Description: "Reads a file.", Schema: `{"type":"object","properties":{"path":{"type":"string"}}}`}

func (b *bench) agent(d plimsoll.Dialect, stream bool) *agent {
	return &agent{bench: b, dialect: d, stream: stream, tools: []plimsoll.Tool{readTool}}
}

// body is the agent's next request.
func (a *agent) body() []byte {
	a.t.Helper()
	c := plimsoll.Conversation{
		Dialect: a.dialect, Model: models[a.dialect], Messages: plimsoll.ListOf(a.history...), Tools: plimsoll.ListOf(a.tools...),
		System: plimsoll.ListOf[plimsoll.Part](plimsoll.Text{Text: "You read files."}),
	}
	body, err := wiretest.Rewrite(dialects.Codec(a.dialect), c)
	if err != nil {
		a.t.Fatal(err)
	}
	return append([]byte(a.opening()), bytes.TrimPrefix(body, []byte("{"))...)
}

// ask sends the history and takes the answer into it.
func (a *agent) ask() answer {
	a.t.Helper()
	a.last = a.body()
	got := a.post(a.dialect, a.stream, a.last, a.header)
	if got.status == http.StatusOK {
		a.history = append(a.history, got.said.Message)
	}
	return got
}

// opening is how the agent's requests begin.
func (a *agent) opening() string {
	switch a.dialect {
	case plimsoll.Gemini, plimsoll.Converse:
		return "{"
	case plimsoll.Anthropic:
		return fmt.Sprintf(`{"model":%q,"max_tokens":1000,"stream":%t,`, models[a.dialect], a.stream)
	}
	return fmt.Sprintf(`{"model":%q,"stream":%t,`, models[a.dialect], a.stream)
}

func (a *agent) say(text string) { a.history = append(a.history, plimsoll.Say(plimsoll.User, text)) }

// answerCalls adds a result for each call of the newest message.
func (a *agent) answerCalls(result func(plimsoll.ToolCall) string) int {
	var results []plimsoll.Part
	for _, p := range a.history[len(a.history)-1].Parts.All() {
		if call, ok := p.(plimsoll.ToolCall); ok {
			results = append(results, plimsoll.ToolResult{CallID: call.ID, Name: call.Name, Content: wiretest.TextOf(result(call))})
		}
	}
	role := plimsoll.User
	if a.dialect == plimsoll.OpenAI || a.dialect == plimsoll.Responses {
		for _, r := range results {
			a.history = append(a.history, plimsoll.NewMessage(plimsoll.ToolRole, r))
		}
		return len(results)
	}
	if len(results) > 0 {
		a.history = append(a.history, plimsoll.NewMessage(role, results...))
	}
	return len(results)
}

// marker is a word that stands in the output of one step only.
func marker(step int) string { return fmt.Sprintf("MARK-%04d", step) }

// output is a large tool output with a marker in its middle.
func output(step int) string {
	var b strings.Builder
	for i := range 120 {
		if i == 60 {
			fmt.Fprintf(&b, "%s\n", marker(step))
		}
		fmt.Fprintf(&b, "step %d line %d: the quick brown fox jumps over the lazy dog %d\n", step, i, i*step*7919)
	}
	return b.String()
}

// job is a script that reads so many files and then says that it is done.
func job(steps int) scripted.Script {
	return func(c *scripted.Call) (scripted.Step, bool) {
		n := 0
		for _, m := range c.Conversation.Messages.All() {
			for _, p := range m.Parts.All() {
				if call, ok := p.(plimsoll.ToolCall); ok && call.Name == "read" {
					n++
				}
			}
		}
		if r := c.Results(); len(r) > 0 {
			if last := lastStep(r); last >= 0 {
				n = last + 1
			}
		}
		if n < steps {
			return scripted.Use("read", fmt.Sprintf(`{"path":"file%d"}`, n)), true
		}
		return scripted.Say("done"), true
	}
}

func lastStep(results []plimsoll.ToolResult) int {
	last := -1
	for _, r := range results {
		var step int
		if _, err := fmt.Sscanf(plimsoll.TextOf(r.Content), "step %d ", &step); err == nil {
			last = max(last, step)
		}
	}
	return last
}

// work runs the job to its end and returns how many answers it took.
func (a *agent) work() int {
	a.t.Helper()
	a.say("read all files")
	for n := 1; ; n++ {
		got := a.ask()
		if got.status != http.StatusOK || !got.done {
			a.t.Fatalf("request %d: status %d, done %v: %.300s", n, got.status, got.done, got.body)
		}
		if a.answerCalls(func(c plimsoll.ToolCall) string {
			var step int
			if _, err := fmt.Sscanf(c.Arguments, `{"path":"file%d"}`, &step); err != nil {
				a.t.Fatalf("call %s(%s)", c.Name, c.Arguments)
			}
			return output(step)
		}) == 0 {
			return n
		}
		if n > 100 {
			a.t.Fatal("the job does not end")
		}
	}
}

// upstreamFaults are what the model had to refuse.
func (b *bench) upstreamFaults() (overflows, violations int) {
	for _, x := range b.model.Log() {
		if x.Overflow {
			overflows++
		}
		violations += len(x.Violations)
	}
	return overflows, violations
}
