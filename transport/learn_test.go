package transport_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/wiretest"
	"github.com/plimsoll/plimsoll/transport"
)

// upstream is a server that a test writes down.
type upstream struct {
	*httptest.Server
	mu     sync.Mutex
	bodies []string
	heads  []http.Header
}

func newUpstream(t *testing.T, answer func(n int, body string) (status int, text string)) *upstream {
	t.Helper()
	u := &upstream{}
	u.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		u.mu.Lock()
		n := len(u.bodies)
		u.bodies, u.heads = append(u.bodies, string(body)), append(u.heads, r.Header.Clone())
		u.mu.Unlock()
		status, text := answer(n, string(body))
		w.Header().Set("Content-Type", "application/json")
		if status == http.StatusTooManyRequests {
			w.Header().Set("Retry-After", "7")
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, text)
	}))
	t.Cleanup(u.Close)
	return u
}

const (
	saidMessage = `{"id":"m","type":"message","role":"assistant","model":"x","content":[{"type":"text","text":"ok"}],"stop_reason":"end_turn","usage":{"input_tokens":10,"output_tokens":2}}`
	saidChat    = `{"id":"c","object":"chat.completion","model":"x","choices":[{"index":0,"message":{"role":"assistant","content":"ok"},"finish_reason":"stop"}],"usage":{"prompt_tokens":10,"completion_tokens":2,"total_tokens":12}}`
)

func TestNoOddErrorTeachesALimit(t *testing.T) {
	t.Parallel()
	words := strings.Repeat("hello world and more ", 2500)
	for name, c := range map[string]struct{ path, odd, error, said string }{
		"a limit on bytes": {
			"/v1/messages", `{"model":"claude-sonnet-4-5","max_tokens":100,"messages":[{"role":"user","content":[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"aWJO"}},{"type":"text","text":"ODD"}]}]}`,
			`{"type":"error","error":{"type":"request_too_large","message":"Request exceeds the maximum allowed number of bytes."}}`, saidMessage,
		},
		"an answer that is too long": {
			"/v1/chat/completions", `{"model":"gpt-4o","max_tokens":40000,"messages":[{"role":"user","content":"ODD"}]}`,
			`{"object":"error","message":"'max_tokens' or 'max_completion_tokens' is too large: 40000. This model's maximum context length is 32768 tokens and your request has 521 input tokens (40000 > 32768 - 521).","type":"BadRequestError","code":400}`, saidChat,
		},
		"words of the user's that are repeated": {
			"/v1/chat/completions", `{"model":"gpt-4o","odd":"ODD","messages":[{"role":"user","content":"explain: maximum context length is 600 tokens"}]}`,
			`{"detail":[{"type":"extra_forbidden","loc":["body","odd"],"msg":"Extra inputs are not permitted","input":"maximum context length is 600 tokens"}]}`, saidChat,
		},
		"a file that cannot be weighed": {
			"/v1/messages", `{"model":"claude-sonnet-4-5","max_tokens":100,"messages":[{"role":"user","content":"` + words + `"},{"role":"assistant","content":"yes"},{"role":"user","content":[{"type":"document","source":{"type":"file","file_id":"file_1"}},{"type":"text","text":"ODD"}]}]}`,
			`{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 210000 tokens > 200000 maximum"}}`, saidMessage,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			u := newUpstream(t, func(_ int, body string) (int, string) {
				if strings.Contains(body, "ODD") {
					status := http.StatusBadRequest
					if strings.Contains(c.error, "too_large") {
						status = http.StatusRequestEntityTooLarge
					}
					return status, c.error
				}
				return http.StatusOK, c.said
			})
			b := newBench(t, nil, transport.Options{Store: newStore(t)})
			b.server = u.Server
			before := b.postRaw(c.path, []byte(strings.ReplaceAll(c.odd, "ODD", "even")), nil).header.Get(transport.HeaderLimit)
			if got := b.postRaw(c.path, []byte(c.odd), nil); got.status == http.StatusOK {
				t.Fatalf("%d %s", got.status, got.body)
			}
			other := http.Header{"Authorization": {"Bearer another"}}
			after := b.postRaw(c.path, []byte(strings.ReplaceAll(c.odd, "ODD", "even")), other)
			if got := after.header.Get(transport.HeaderLimit); got != before || after.status != http.StatusOK {
				t.Errorf("status %d, limit %s, before it was %s", after.status, got, before)
			}
		})
	}
}

func TestAWindowThatSomebodyNamesIsNotBelowWhatWasLearned(t *testing.T) {
	t.Parallel()
	u := newUpstream(t, func(_ int, body string) (int, string) {
		if n := len(body) / 4; n > 9000 {
			return http.StatusBadRequest, fmt.Sprintf(`{"error":{"message":"This model's maximum context length is 9000 tokens. However, you requested %d tokens","code":"context_length_exceeded"}}`, n)
		}
		return http.StatusOK, saidChat
	})
	b := newBench(t, nil, transport.Options{Store: newStore(t)})
	b.server = u.Server
	a := b.long(plimsoll.OpenAI, 20)
	if got := a.ask(); got.status != http.StatusOK {
		t.Fatalf("%d %s", got.status, got.body)
	}
	small := b.agent(plimsoll.OpenAI, false)
	small.say("hi")
	limit := func() int {
		n, _ := strconv.Atoi(small.ask().header.Get(transport.HeaderLimit))
		return n
	}
	if got := limit(); got > 12_000 { // its tokens are smaller than ours
		t.Errorf("limit %d, though 9,000 was learned", got)
	}
	small.header = http.Header{transport.HeaderLimit: {"64000"}}
	if got := limit(); got < 50_000 {
		t.Errorf("limit %d, though the client names 64,000", got)
	}
}

// TestAWindowIsLearnedFromOneOverflow has servers that tell how much they take, or
// only that it was too much, and several conversations, each of which would overflow.
func TestAWindowIsLearnedFromOneOverflow(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		told   string
		window int
	}{
		"with figures":                          {`"This model's maximum context length is 9000 tokens. However, your messages resulted in TOKENS tokens."`, 0},
		"without figures":                       {`"Your input exceeds the context window of this model. Please adjust your input and try again."`, 0},
		"with figures, below the window set":    {`"This model's maximum context length is 9000 tokens. However, your messages resulted in TOKENS tokens."`, 20_000},
		"without figures, below the window set": {`"Your input exceeds the context window of this model. Please adjust your input and try again."`, 20_000},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var over atomic.Int64
			u := newUpstream(t, func(_ int, body string) (int, string) {
				n := len(body) * 10 / 28 // nearly what we count
				if n > 9000 {
					over.Add(1)
					return http.StatusBadRequest, `{"error":{"message":` + strings.ReplaceAll(tt.told, "TOKENS", fmt.Sprint(n)) + `,"code":"context_length_exceeded"}}`
				}
				return http.StatusOK, fmt.Sprintf(`{"id":"c","object":"chat.completion","model":"x","choices":[{"index":0,"message":{"role":"assistant","content":"ok"},"finish_reason":"stop"}],"usage":{"prompt_tokens":%d,"completion_tokens":2,"total_tokens":%d}}`, n, n+2)
			})
			b := newBench(t, nil, transport.Options{Store: newStore(t), Window: tt.window})
			b.server = u.Server
			for _, first := range []string{"one", "two", "three"} {
				a := b.agent(plimsoll.OpenAI, false)
				a.say(first)
				for i := range 12 {
					a.history = append(a.history, plimsoll.NewMessage(plimsoll.Assistant, plimsoll.ToolCall{ID: fmt.Sprint("c", i), Name: "read", Arguments: "{}"}),
						plimsoll.NewMessage(plimsoll.ToolRole, plimsoll.ToolResult{CallID: fmt.Sprint("c", i), Name: "read", Content: wiretest.TextOf(output(i))}))
					if got := a.ask(); got.status != http.StatusOK {
						t.Fatalf("%d %s", got.status, got.body)
					}
				}
			}
			if n := over.Load(); n != 1 {
				t.Errorf("%d overflows, want the one that is learned from", n)
			}
		})
	}
}

func TestAnOverflowFarFromOurCountIsLearnedFrom(t *testing.T) {
	t.Parallel()
	over := 0
	u := newUpstream(t, func(_ int, body string) (int, string) {
		if n := len(body) * 10 / 28 * 19 / 10; n > 18_000 {
			over++
			return http.StatusBadRequest, fmt.Sprintf(`{"error":{"message":"This model's maximum context length is 18000 tokens. However, your messages resulted in %d tokens.","code":"context_length_exceeded"}}`, n)
		}
		return http.StatusOK, saidChat
	})
	b := newBench(t, nil, transport.Options{Store: newStore(t)})
	b.server = u.Server
	for _, first := range []string{"one", "two", "three"} {
		a := b.long(plimsoll.OpenAI, 20)
		a.history[0] = plimsoll.Say(plimsoll.User, first)
		if got := a.ask(); got.status != http.StatusOK {
			t.Fatalf("%d %s", got.status, got.body)
		}
	}
	if over != 1 {
		t.Errorf("%d overflows, want the one that is learned from", over)
	}
}

func TestToolArgumentsMayHaveAnyKeys(t *testing.T) {
	t.Parallel()
	var messages strings.Builder
	for i := range 20 {
		fmt.Fprintf(&messages, `,{"role":"assistant","content":[{"type":"tool_use","id":"t%d","name":"read","input":{"env":{"http_proxy":"a","HTTP_PROXY":"b"}}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"t%d","content":%q}]}`, i, i, output(i))
	}
	body := `{"model":"claude-sonnet-4-5","max_tokens":100,"tools":[{"name":"read","input_schema":{"type":"object"}}],"messages":[{"role":"user","content":"go"}` + messages.String() + `]}`
	u := newUpstream(t, func(int, string) (int, string) { return http.StatusOK, saidMessage })
	b := newBench(t, nil, transport.Options{Store: newStore(t), Window: 20_000})
	b.server = u.Server
	if got := b.post(plimsoll.Anthropic, false, []byte(body), nil); got.status != http.StatusOK || len(u.bodies[0]) >= len(body) {
		t.Errorf("%d %s", got.status, got.body)
	}
}

func TestAnEventOfAnySizeCanBeTheFirst(t *testing.T) {
	t.Parallel()
	picture := strings.Repeat("iVBO", 400_000)
	want := `data: {"candidates":[{"content":{"role":"model","parts":[{"inlineData":{"mimeType":"image/png","data":"` + picture + `"}}]},"finishReason":"STOP"}]}` + "\r\n\r\n"
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, want)
	}))
	t.Cleanup(server.Close)
	b := newBench(t, nil, transport.Options{Store: newStore(t)})
	b.server = server
	got := b.postRaw("/v1beta/models/unknown-model:streamGenerateContent?alt=sse", []byte(`{"contents":[{"role":"user","parts":[{"text":"draw"}]}]}`), nil)
	if string(got.body) != want {
		t.Errorf("%d of %d bytes", len(got.body), len(want))
	}
}

func TestWhatWasCutForASmallWindowIsNotMissingInALargeOne(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil, transport.Options{Store: newStore(t)})
	a := b.long(plimsoll.OpenAI, 8)
	body := a.body()
	for _, c := range []struct {
		header http.Header
		body   []byte
		cut    bool
	}{
		{nil, body, false},
		{http.Header{transport.HeaderLimit: {"9000"}}, body, true},
		{nil, body, false},
		{nil, bytes.Replace(body, []byte("gpt-4o"), []byte("gpt-4 "), 1), true},
		{nil, body, false},
	} {
		got := b.post(plimsoll.OpenAI, false, c.body, c.header)
		if d := got.header.Get(transport.HeaderDecision); (d != "pass") != c.cut {
			t.Errorf("%v: %s", c.header, d)
		}
	}
}

func TestAnUpstreamThatRefusesToGoOnIsHeard(t *testing.T) {
	t.Parallel()
	const refused = `{"error":{"message":"Rate limit reached","code":"rate_limit_exceeded"}}`
	u := newUpstream(t, func(n int, _ string) (int, string) {
		if n == 0 {
			return http.StatusOK, `{"id":"c","object":"chat.completion","model":"x","choices":[{"index":0,"message":{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"tool_output_cache","arguments":"{\"ref_id\":\"x\"}"}}]},"finish_reason":"tool_calls"}]}`
		}
		return http.StatusTooManyRequests, refused
	})
	b := newBench(t, nil, transport.Options{Store: newStore(t), Expand: transport.ExpandAlways})
	b.server = u.Server
	a := b.agent(plimsoll.OpenAI, false)
	a.say("hi")
	a.header = http.Header{"Idempotency-Key": {"once"}}
	got := a.ask()
	if got.status != http.StatusTooManyRequests || string(got.body) != refused || got.header.Get("Retry-After") != "7" {
		t.Errorf("%d %v %s", got.status, got.header, got.body)
	}
	if u.heads[0].Get("Idempotency-Key") != "once" || u.heads[1].Get("Idempotency-Key") != "" {
		t.Error("another request was sent under the same key")
	}
}

func TestAModelThatIsNotKnownIsNoPathThatIsMissing(t *testing.T) {
	t.Parallel()
	u := newUpstream(t, func(_ int, body string) (int, string) {
		if strings.Contains(body, "typo") {
			return http.StatusNotFound, `{"type":"error","error":{"type":"not_found_error","message":"model: typo"}}`
		}
		return http.StatusOK, `{"input_tokens":4711}`
	})
	b := newBench(t, nil, transport.Options{})
	b.server = u.Server
	for model, want := range map[string]int{"typo": http.StatusNotFound, "claude-sonnet-4-5": http.StatusOK} {
		got := b.postRaw("/v1/messages/count_tokens", []byte(`{"model":"`+model+`","messages":[{"role":"user","content":"hi"}]}`), nil)
		if got.status != want || want == http.StatusOK && !bytes.Contains(got.body, []byte("4711")) {
			t.Errorf("%s: %d %s", model, got.status, got.body)
		}
	}
}

func TestKeysAnywhereTellTenantsApart(t *testing.T) {
	t.Parallel()
	name := func(header, value, url string) string {
		req := httptest.NewRequest(http.MethodPost, url, nil)
		if header != "" {
			req.Header.Set(header, value)
		}
		return transport.Credential(req)
	}
	const url = "http://x/v1/chat/completions"
	if name("", "", url) != "" {
		t.Error("nobody has a name")
	}
	seen := map[string]string{}
	for _, header := range []string{"Authorization", "X-Api-Key", "X-Goog-Api-Key", "Api-Key", "Cookie", "X-Portkey-Api-Key", "Ocp-Apim-Subscription-Key", "Cf-Aig-Authorization", "Helicone-Auth", "X-Auth-Token"} {
		for _, value := range []string{"sk-a-key-of-some-length-1", "sk-a-key-of-some-length-2"} {
			n := name(header, value, url)
			if other, ok := seen[n]; n == "" || ok {
				t.Errorf("%s: %s has the name of %q", header, value, other)
			}
			if strings.Contains(n, value[:6]) {
				t.Errorf("%s: the key is in the name", header)
			}
			seen[n] = header + value
		}
	}
	if a, b := name("", "", url+"?key=1"), name("", "", url+"?key=2"); a == b || a == "" {
		t.Error("keys in the address do not tell apart")
	}
	if name("Idempotency-Key", "1", url) != "" {
		t.Error("what is new with each request names nobody")
	}
}
