package golden_test

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/fit"
	"github.com/plimsoll/plimsoll/internal/replytest"
	"github.com/plimsoll/plimsoll/internal/scripted"
	"github.com/plimsoll/plimsoll/internal/sse"
	"github.com/plimsoll/plimsoll/preset"
	"github.com/plimsoll/plimsoll/transport"
	"github.com/plimsoll/plimsoll/wire"
	"github.com/plimsoll/plimsoll/wire/dialects"
)

// scene is a client that speaks through a transport to a scripted model.
type scene struct {
	name string
	// window is what the transport is told, upstream what the model really has; 0 means
	// no limit.
	window, upstream int
	script           func() scripted.Script
	play             func(*httpRun)
	// only is the dialect that it is for; empty means all.
	only plimsoll.Dialect
}

func scenes() []scene {
	return []scene{
		{name: "pass, cut, recall", window: 4000, script: answers(scripted.Say("It is calm."), scripted.Say("Berth 2 is too shallow."), scripted.Say("I said that.")), play: passCutRecall},
		{name: "the model reads what was cut", window: 4000, script: reads, play: readsBack},
		{name: "the model reads what was cut beside a call", window: 4000, script: readsBeside, play: readsBackBeside},
		{name: "an overflow is sent again", window: 20_000, upstream: 2500, script: answers(scripted.Say("It fits now."), scripted.Say("And still.")), play: overflows},
		{name: "refused, planned, bypassed", window: 900, script: answers(scripted.Say("Hello.")), play: notManaged},
		{name: "an error of the upstream", window: 4000, script: answers(scripted.Step{Fault: &scripted.Fault{Status: 529}}, scripted.Say("Now it works.")), play: fails},
		{name: "continued by name", window: 2000, only: plimsoll.Responses, script: answers(scripted.Say("One."), scripted.Say("Two."), scripted.Say("Three.")), play: continued},
	}
}

// answers is a script of steps for everything but summaries.
func answers(steps ...scripted.Step) func() scripted.Script {
	return func() scripted.Script { return scripted.Steps(steps...) }
}

var reference = regexp.MustCompile(`ref=([A-Za-z0-9_-]+)`)

// responseID is how Responses name an answer.
var responseID = regexp.MustCompile(`"id":"(resp_[^"]+)"`)

// reads lets the model ask for the first reference that it sees.
func reads() scripted.Script {
	return func(c *scripted.Call) (scripted.Step, bool) {
		for _, r := range c.Results() {
			if r.Name == "tool_output_cache" {
				return scripted.Say(fmt.Sprintf("I read %d bytes again.", len(plimsoll.TextOf(r.Content)))), true
			}
		}
		ref := reference.FindSubmatch(c.Request.Body())
		if ref == nil || c.End() == scripted.EndUser {
			return scripted.Say("There is nothing to read."), true
		}
		step := scripted.Use("tool_output_cache", fmt.Sprintf(`{"ref_id":%q}`, ref[1]))
		step.Text = "Let me look. "
		return step, true
	}
}

// readsBeside lets it call a tool of the client's at the same time.
func readsBeside() scripted.Script {
	script := reads()
	return func(c *scripted.Call) (scripted.Step, bool) {
		step, ok := script(c)
		if len(step.Calls) > 0 {
			step.Calls = append(step.Calls, plimsoll.ToolCall{Name: "run", Arguments: `{"command":"depth"}`})
		}
		return step, ok
	}
}

// files are rounds in which the client's agent has read large files.
func files(first, n, lines int) []message {
	c := caller{made: 100 * first}
	messages := []message{user("Read the files.")}
	for i := range n {
		messages = join(messages, c.round("I read.", "read_file", fmt.Sprintf("file%d.txt", first+i), listing(300+first+i, lines)))
	}
	return messages
}

func passCutRecall(r *httpRun) {
	r.history = []message{user("How is the sea?")}
	r.ask("")
	r.history = join(r.history, files(1, 9, 50))
	r.ask("")
	r.history = append(r.history, user("Say it again."))
	r.ask("")
}

func fails(r *httpRun) {
	r.history = files(9, 9, 50)
	r.ask("")
	r.ask("")
}

func readsBack(r *httpRun) {
	r.history = files(2, 9, 50)
	r.ask("")
	r.history = append(r.history, user("Thanks. What else?"))
	r.ask("")
}

func readsBackBeside(r *httpRun) {
	r.history = files(3, 9, 50)
	made := r.ask("")
	var results []any
	for _, p := range made.Parts.All() {
		if c, ok := p.(plimsoll.ToolCall); ok {
			results = append(results, result{id: c.ID, name: c.Name, text: "9 metres"})
		}
	}
	r.history = append(r.history, user(results...))
	r.ask("")
}

func overflows(r *httpRun) {
	r.history = files(4, 9, 40)
	r.ask("")
	r.history = append(r.history, user("Does it still fit?"))
	r.ask("")
}

func notManaged(r *httpRun) {
	r.history = []message{user("Summarise: " + prose(350, 1200))}
	r.ask("")
	r.ask("X-Plimsoll-Bypass: true")
	r.ask("X-Plimsoll-Limit: nonsense")
	r.ask("X-Plimsoll-Preset: cookbook")
	r.history = files(5, 6, 20)
	r.ask("X-Plimsoll-Dry-Run: true")
	r.ask("X-Plimsoll-Limit: 1300")
}

// continued sends what is new only, and names the answer before it.
func continued(r *httpRun) {
	r.history = files(6, 2, 60)
	r.ask("")
	for i := range 2 {
		r.history = files(7+i, 2, 60)
		r.ask("")
	}
}

func TestWhatGoesOverHTTPStaysAsItIs(t *testing.T) {
	t.Parallel()
	names := map[string]bool{}
	t.Run("cases", func(t *testing.T) {
		for _, s := range scenes() {
			for _, d := range dialects.All() {
				for _, stream := range []bool{false, true} {
					if s.only != "" && s.only != d {
						continue
					}
					name := strings.ReplaceAll(fmt.Sprintf("%s, %s, %s", s.name, d, map[bool]string{false: "whole", true: "streamed"}[stream]), " ", "-")
					names[name] = true
					t.Run(name, func(t *testing.T) {
						t.Parallel()
						r := newHTTPRun(t, s, d, stream)
						s.play(r)
						r.compare(t, "http", name)
					})
				}
			}
		}
	})
	complete(t, "http", names)
}

// httpRun is a client with its history.
type httpRun struct {
	fitRun
	stream  bool
	client  http.Client
	model   *scripted.Model
	history []message
	// continues says that requests name the answer before them, which is previous.
	continues bool
	previous  string
	// asked is the request that is being answered, calls how often it went upstream.
	asked []byte
	calls int
}

func newHTTPRun(t *testing.T, s scene, d plimsoll.Dialect, stream bool) *httpRun {
	t.Helper()
	r := &httpRun{fitRun: fitRun{t: t, dialect: d, n: -1}, stream: stream, continues: s.only != ""}
	r.model = scripted.New(&scripted.Options{Script: s.script(), Window: s.upstream, Now: clock})
	options, err := preset.Auto(&preset.Options{Limit: transport.KnownLimit(nil)})
	if err != nil {
		t.Fatal(err)
	}
	options.Now = clock
	keeper, err := fit.New(options)
	if err != nil {
		t.Fatal(err)
	}
	cookbook, err := preset.Cookbook(nil)
	if err != nil {
		t.Fatal(err)
	}
	loose, err := fit.New(cookbook)
	if err != nil {
		t.Fatal(err)
	}
	managed, err := transport.New(&transport.Options{
		Base: r, Store: newStore(t), Window: s.window, Now: clock,
		Tenant: func(*http.Request) string { return "anna" },
		Keeper: func(name string) (*fit.Keeper, error) {
			if name == preset.NameCookbook {
				return loose, nil
			}
			return keeper, nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = managed.Close() })
	r.client.Transport = managed
	return r
}

// RoundTrip is the upstream. It writes down what it gets, but for questions about its models,
// which it does not answer.
func (r *httpRun) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Method == http.MethodGet {
		return &http.Response{StatusCode: http.StatusNotFound, Body: http.NoBody, Request: req}, nil
	}
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return nil, err
	}
	r.calls++
	r.named(fmt.Sprintf("upstream %d", r.calls), fmt.Sprintf("%s %s\n%s", req.Method, req.URL, headers(req.Header, "")))
	r.sent(r.asked, body)
	answer := httptest.NewRecorder()
	req.Body = io.NopCloser(bytes.NewReader(body))
	r.model.ServeHTTP(answer, req)
	resp := answer.Result()
	resp.Request = req
	return resp, nil
}

// headers are those with a prefix, in order of their names.
func headers(h http.Header, prefix string) string {
	var lines []string
	for _, name := range slices.Sorted(maps.Keys(h)) {
		if strings.HasPrefix(name, prefix) {
			lines = append(lines, name+": "+strings.Join(h[name], ", "))
		}
	}
	return strings.Join(lines, "\n")
}

func (r *httpRun) path() string {
	switch r.dialect {
	case plimsoll.OpenAI:
		return "/v1/chat/completions"
	case plimsoll.Responses:
		return "/v1/responses"
	case plimsoll.Anthropic:
		return "/v1/messages"
	case plimsoll.Ollama:
		return "/api/chat"
	case plimsoll.Converse:
		if r.stream {
			return "/model/" + models[r.dialect] + "/converse-stream"
		}
		return "/model/" + models[r.dialect] + "/converse"
	}
	if r.stream {
		return "/v1beta/models/" + models[r.dialect] + ":streamGenerateContent?alt=sse"
	}
	return "/v1beta/models/" + models[r.dialect] + ":generateContent"
}

// ask sends the history, with a header if there is one, writes down what the client
// gets, and takes an answer into the history.
func (r *httpRun) ask(header string) plimsoll.Message {
	r.n++
	r.calls = 0
	r.asked = conversation{system: instructions, tools: tools, messages: r.history}.body(r.t, r.dialect, r.stream)
	if r.previous != "" {
		r.asked = append([]byte(fmt.Sprintf(`{"previous_response_id":%q,`, r.previous)), r.asked[1:]...)
	}
	r.named("request", strings.TrimSpace(header+"\n"+digest(r.asked)))
	req, err := http.NewRequestWithContext(r.t.Context(), http.MethodPost, "http://upstream.test"+r.path(), bytes.NewReader(r.asked))
	if err != nil {
		r.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer sk-test")
	if name, value, ok := strings.Cut(header, ": "); ok {
		req.Header.Set(name, value)
	}
	resp, err := r.client.Do(req)
	if err != nil {
		r.t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		r.t.Fatal(err)
	}
	r.named("client", fmt.Sprintf("%s\nContent-Type: %s\n%s\n\n%s\n%s", resp.Status, resp.Header.Get("Content-Type"), headers(resp.Header, "X-Plimsoll-"), digest(body), r.readable(body)))
	if resp.StatusCode != http.StatusOK || header != "" {
		return plimsoll.Message{}
	}
	said := r.read(body)
	if id := responseID.FindSubmatch(body); r.continues && id != nil {
		r.previous = string(id[1])
	}
	var parts []any
	for _, p := range said.Message.Parts.All() {
		switch p := p.(type) {
		case plimsoll.Text:
			parts = append(parts, p.Text)
		case plimsoll.ToolCall:
			parts = append(parts, call{p.ID, p.Name, p.Arguments})
		}
	}
	r.history = append(slices.Clip(r.history), assistant(parts...))
	return said.Message
}

// read finds out what an answer says.
func (r *httpRun) read(body []byte) wire.Response {
	codec := dialects.Codec(r.dialect)
	if !r.stream {
		said, err := codec.ReadResponse(body)
		if err != nil {
			r.t.Fatal(err)
		}
		return said
	}
	assembler := codec.NewAssembler()
	for _, e := range replytest.Events(r.t, body) {
		if e.HasData() {
			assembler.Event(e.Name, e.Data)
		}
	}
	return assembler.Response()
}

func (r *httpRun) events(framing sse.Framing, body []byte, each func(sse.Event)) {
	s := framing.Splitter(func(e sse.Event, err error) {
		if err != nil {
			r.t.Fatal(err)
		}
		each(e)
	}, nil)
	_, _ = s.Write(body)
	_ = s.Close()
}

// readable writes the events of Amazon's frames as lines. Other bodies are text already.
func (r *httpRun) readable(body []byte) string {
	if !bytes.HasPrefix(body, []byte{0}) {
		return string(body)
	}
	var lines strings.Builder
	r.events(sse.Frames, body, func(e sse.Event) { fmt.Fprintf(&lines, "%s %s\n", e.Name, e.Data) })
	return lines.String()
}
