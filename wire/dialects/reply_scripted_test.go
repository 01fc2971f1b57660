package dialects_test

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/replytest"
	"github.com/plimsoll/plimsoll/internal/scripted"
	"github.com/plimsoll/plimsoll/wire"
	"github.com/plimsoll/plimsoll/wire/dialects"
)

// scene is a model that calls our tool, then both, and is done when it has seen all
// results.
func scene(c *scripted.Call) (scripted.Step, bool) {
	ours, theirs := plimsoll.ToolCall{Name: replytest.HiddenTool}, plimsoll.ToolCall{Name: "shell"}
	switch c.N {
	case 0:
		return scripted.Step{Text: "Let me look.", Calls: []plimsoll.ToolCall{ours}}, true
	case 1:
		return scripted.Step{Text: "And elsewhere.", Calls: []plimsoll.ToolCall{ours, theirs, ours}}, true
	}
	return scripted.Step{Text: "Done."}, true
}

// proxied asks the model as a proxy does: it answers calls of ours and asks again.
func proxied(t *testing.T, address string, d plimsoll.Dialect, body []byte, streamed bool) (wire.Reply, []byte, [][]wire.Result) {
	t.Helper()
	codec := dialects.Codec(d)
	reply := dialects.Codec(d).NewReply(replytest.Rules{Lines: d == plimsoll.Ollama}.ContentType(streamed), replytest.IsHiddenTool)
	var view []byte
	var results [][]wire.Result
	for range 5 {
		view = append(view, replytest.Drip(reply, asked(t, address, body), 100)...)
		round := reply.End()
		if len(round.Calls) > 0 {
			results = append(results, replytest.ResultsFor(round.Calls))
		}
		if len(round.Calls) == 0 || round.Foreign || round.Broken {
			return reply, append(view, reply.Finish()...), results
		}
		var err error
		if body, err = wire.Continue(codec, replytest.MustDecode(t, codec, body), round.Said, results[len(results)-1]); err != nil {
			t.Fatal(err)
		}
		reply.Again()
	}
	t.Fatal("the model calls our tools forever")
	return nil, nil, nil
}

func asked(t *testing.T, address string, body []byte) []byte {
	t.Helper()
	response, err := http.Post(address, "application/json", bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	answer, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("%s %s %v for %s", response.Status, answer, err, body)
	}
	return answer
}

// A strict model answers to what is joined and restored, and it has seen everything.
func TestAStrictModelTakesWhatIsJoined(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, path string
		dialect    plimsoll.Dialect
		// with are the members that the request has beside its messages.
		with   string
		stream bool
	}{
		{"OpenAI", "/v1/chat/completions", plimsoll.OpenAI, `"model":"m"`, false},
		{"OpenAI as events", "/v1/chat/completions", plimsoll.OpenAI, `"model":"m","stream":true`, true},
		{"Anthropic", "/v1/messages", plimsoll.Anthropic, `"model":"m","max_tokens":10`, false},
		{"Anthropic as events", "/v1/messages", plimsoll.Anthropic, `"model":"m","max_tokens":10,"stream":true`, true},
		{"Responses", "/v1/responses", plimsoll.Responses, `"model":"m","store":false`, false},
		{"Responses as events", "/v1/responses", plimsoll.Responses, `"model":"m","store":false,"stream":true`, true},
		{"Ollama", "/api/chat", plimsoll.Ollama, `"model":"m","stream":false`, false},
		{"Ollama as lines", "/api/chat", plimsoll.Ollama, `"model":"m"`, true},
		{"Gemini", "/v1beta/models/gemini-3-pro:generateContent", plimsoll.Gemini, `"model":"gemini-3-pro"`, false},
		{"Gemini as events", "/v1beta/models/gemini-3-pro:streamGenerateContent?alt=sse", plimsoll.Gemini, `"model":"gemini-3-pro"`, true},
		{"Gemini as a list", "/v1beta/models/gemini-3-pro:streamGenerateContent", plimsoll.Gemini, `"model":"gemini-3-pro"`, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			model := scripted.New(&scripted.Options{Script: scene})
			server := httptest.NewServer(model)
			defer server.Close()
			d := tt.dialect
			s := shapes()[slices.IndexFunc(shapes(), func(s shape) bool { return s.dialect == d })]
			request := func(elements ...string) []byte {
				return []byte(strings.Replace(s.request(elements...), `"model":"m"`, tt.with, 1))
			}
			hello := s.called("{}")[0]
			reply, view, results := proxied(t, server.URL+tt.path, d, request(hello), tt.stream)
			if bytes.Contains(view, []byte(replytest.HiddenTool)) {
				t.Errorf("the client sees %s", view)
			}
			shown := replytest.ReadReply(t, dialects.Codec(d), view, tt.stream)
			theirs := replytest.CallsIn(shown.Message)
			if len(theirs) != 1 || theirs[0].Name != "shell" {
				t.Fatalf("the client's calls are %v", theirs)
			}
			record, _ := reply.Record(results)
			// A client that drops what it does not know keeps texts and calls.
			elements := plain(t, d, shown.Message)
			next := request(slices.Concat([]string{hello}, elements, s.outputs(theirs))...)
			body, err := wire.Restore(dialects.Codec(d), replytest.MustDecode(t, dialects.Codec(d), next), map[int]wire.Record{1: record})
			if err != nil {
				t.Fatal(err)
			}
			_, view, _ = proxied(t, server.URL+tt.path, d, body, tt.stream)
			if got := replytest.ReadReply(t, dialects.Codec(d), view, tt.stream).Message.Text(); got != "Done." {
				t.Errorf("the answer is %q", got)
			}
			log := model.Log()
			checkSeen(t, log[len(log)-1].Call.Conversation)
		})
	}
}

// plain renders a message as elements.
func plain(t *testing.T, d plimsoll.Dialect, m plimsoll.Message) []string {
	t.Helper()
	codec := dialects.Codec(d)
	r := replytest.MustDecode(t, codec, []byte(`{"model":"m","`+codec.Traits().Messages+`":[]}`))
	draft := plimsoll.NewDraft(r.Conversation(), nil)
	if _, err := draft.Insert(0, m, plimsoll.Why{}); err != nil {
		t.Fatal(err)
	}
	body, err := r.Encode(draft)
	if err != nil {
		t.Fatal(err)
	}
	r = replytest.MustDecode(t, codec, body)
	var elements []string
	for i := range r.Layout().Len() {
		elements = append(elements, string(r.Raw(i)))
	}
	return elements
}

func checkSeen(t *testing.T, c plimsoll.Conversation) {
	t.Helper()
	var seen []string
	for _, m := range c.Messages.All() {
		for _, p := range m.Parts.All() {
			switch p := p.(type) {
			case plimsoll.Text:
				seen = append(seen, p.Text)
			case plimsoll.ToolCall:
				seen = append(seen, "call "+p.Name)
			case plimsoll.ToolResult:
				seen = append(seen, "result "+strings.Fields(plimsoll.TextOf(p.Content))[0])
			}
		}
	}
	want := []string{
		"hello", "Let me look.", "call " + replytest.HiddenTool, "result answer",
		"And elsewhere.", "call " + replytest.HiddenTool, "call shell", "call " + replytest.HiddenTool, "result answer", "result answer", "result theirs",
	}
	slices.Sort(seen[max(0, len(seen)-3):]) // the results of one round, in any order
	if diff := cmp.Diff(want, seen); diff != "" {
		t.Errorf("the model has seen (-want +got):\n%s", diff)
	}
}
