package transport_test

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/transport"
)

// limitOf is the line that an answer tells.
func limitOf(t *testing.T, a answer) int {
	t.Helper()
	n, err := strconv.Atoi(a.header.Get(transport.HeaderLimit))
	if err != nil {
		t.Fatalf("%d: header %v", a.status, a.header)
	}
	return n
}

func TestABetaOfAnthropicsGivesAMillionTokens(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		dialect plimsoll.Dialect
		betas   []string
		want    bool
	}{
		"without it":                   {plimsoll.Anthropic, nil, false},
		"with another one":             {plimsoll.Anthropic, []string{"interleaved-thinking-2025-05-14"}, false},
		"alone":                        {plimsoll.Anthropic, []string{"context-1m-2025-08-07"}, true},
		"in a list":                    {plimsoll.Anthropic, []string{"oauth-2025-04-20,context-1m-2025-08-07"}, true},
		"in the second of two headers": {plimsoll.Anthropic, []string{"oauth-2025-04-20", "context-1m-2025-08-07"}, true},
		"in another API":               {plimsoll.OpenAI, []string{"context-1m-2025-08-07"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, nil, transport.Options{})
			a := b.agent(c.dialect, false)
			a.say("hi")
			a.header = http.Header{"Anthropic-Beta": c.betas}
			if got := limitOf(t, a.ask()); (got > 900_000) != c.want || got > 1_000_000 {
				t.Errorf("the limit is %d", got)
			}
		})
	}
}

func TestWhatIsLearnedOfAWindowIsNotSaidOfTheLargerOne(t *testing.T) {
	t.Parallel()
	u := newUpstream(t, func(_ int, body string) (int, string) {
		if n := len(body) / 4; n > 20_000 {
			return http.StatusBadRequest, fmt.Sprintf(`{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: %d tokens > 20000 maximum"}}`, n)
		}
		return http.StatusOK, saidMessage
	})
	b := newBench(t, nil, transport.Options{Store: newStore(t)})
	b.server = u.Server
	if got := b.long(plimsoll.Anthropic, 20).ask(); got.status != http.StatusOK {
		t.Fatalf("%d %s", got.status, got.body)
	}
	a := b.agent(plimsoll.Anthropic, false)
	a.say("hi")
	if got := limitOf(t, a.ask()); got > 40_000 {
		t.Fatalf("the limit is %d, though 20,000 was learned", got)
	}
	a.header = http.Header{"Anthropic-Beta": {"context-1m-2025-08-07"}}
	if got := limitOf(t, a.ask()); got < 900_000 {
		t.Errorf("with the beta the limit is %d", got)
	}
}

func TestADeploymentOfAzuresNamesTheModel(t *testing.T) {
	t.Parallel()
	const body = `{"messages":[{"role":"user","content":"hi"}]}`
	for path, want := range map[string]int{
		"/openai/deployments/gpt-4/chat/completions?api-version=2024-10-21":      8192,
		"/openai/deployments/gpt-4o/chat/completions?api-version=2024-10-21":     128_000,
		"/api/openai/deployments/gpt-4/chat/completions/?api-version=2024-10-21": 8192,
	} {
		b := newBench(t, nil, transport.Options{})
		got := limitOf(t, b.postRaw(path, []byte(body), nil))
		if got > want || got < want/2 {
			t.Errorf("%s: the limit is %d, want that of %d", path, got, want)
		}
		x := <-b.exchanges
		if !strings.Contains(path, "/"+x.Model+"/") {
			t.Errorf("%s: the model is %q", path, x.Model)
		}
	}
	b := newBench(t, nil, transport.Options{Store: newStore(t)})
	a := b.long(plimsoll.OpenAI, 8)
	sent := strings.Replace(string(a.body()), `"model":"gpt-4o",`, "", 2)
	got := b.postRaw("/openai/deployments/gpt-4/chat/completions", []byte(sent), nil)
	if d := got.header.Get(transport.HeaderDecision); d != "cut" && d != "compact" {
		t.Errorf("a conversation that is too long for the deployment: %d, decision %q", got.status, d)
	}
}

// Ollama loads a model with the window that the request asks for, and cuts what is longer
// without a word.
func TestTheWindowThatARequestAsksForIsTheLimit(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		options          string
		operator, client int
		limit            int
		want             int
	}{
		"the model's own":                {`{}`, 0, 0, 0, 131_072 - 8192},
		"asked for":                      {`{"num_ctx":4096}`, 0, 0, 0, 4096 - 256},
		"with a longest answer":          {`{"num_ctx":4096,"num_predict":1000}`, 0, 0, 0, 3096},
		"smaller than the operator's":    {`{"num_ctx":4096}`, 8192, 0, 0, 4096 - 256},
		"larger than the operator's":     {`{"num_ctx":4096}`, 2048, 0, 0, 2048 - 256},
		"smaller than the header's":      {`{"num_ctx":4096}`, 0, 8192, 0, 4096 - 256},
		"smaller than the limit":         {`{"num_ctx":4096}`, 0, 0, 8192, 4096},
		"larger than the limit":          {`{"num_ctx":4096}`, 0, 0, 2048, 2048},
		"larger than the model can have": {`{"num_ctx":1000000}`, 0, 0, 0, 131_072 - 8192},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, nil, transport.Options{Window: c.operator})
			header := http.Header{}
			if c.client > 0 {
				header.Set(transport.HeaderWindow, strconv.Itoa(c.client))
			}
			if c.limit > 0 {
				header.Set(transport.HeaderLimit, strconv.Itoa(c.limit))
			}
			body := `{"model":"llama3.2","options":` + c.options + `,"messages":[{"role":"user","content":"hi"}]}`
			if got := limitOf(t, b.postRaw("/api/chat", []byte(body), header)); got != c.want {
				t.Errorf("the limit is %d, want %d", got, c.want)
			}
		})
	}
}

func TestWhatIsLearnedOfOneWindowIsNotSaidOfAnother(t *testing.T) {
	t.Parallel()
	u := newUpstream(t, func(_ int, body string) (int, string) {
		if strings.Contains(body, `"num_ctx":8192`) && len(body) > 16_000 {
			return http.StatusBadRequest, `{"error":"this model's maximum context length is 4000 tokens, and the prompt has 6000 tokens"}`
		}
		return http.StatusOK, `{"model":"m","message":{"role":"assistant","content":"ok"},"done":true,"done_reason":"stop","prompt_eval_count":10,"eval_count":1}`
	})
	b := newBench(t, nil, transport.Options{Store: newStore(t)})
	b.server = u.Server
	ask := func(window, turns int) answer {
		said := strings.Repeat(`{"role":"user","content":"How deep is the water at the quay of the harbour?"},{"role":"assistant","content":"Seven fathoms at high tide."},`, turns)
		return b.postRaw("/api/chat", fmt.Appendf(nil, `{"model":"m","stream":false,"options":{"num_ctx":%d},"messages":[%s{"role":"user","content":"hi"}]}`, window, said), nil)
	}
	ask(8192, 130)
	if got := limitOf(t, ask(8192, 1)); got > 4000 {
		t.Errorf("the limit that the server told is forgotten: %d", got)
	}
	if got := limitOf(t, ask(16_384, 1)); got != 16_384-1024 {
		t.Errorf("the limit of a larger window is %d", got)
	}
}
