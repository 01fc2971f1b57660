package transport_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/transport"
)

// talk is a conversation of so many turns, with a line of the client's own at its start.
func talk(turns int, line string) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, `{"model":"gpt-4o","messages":[{"role":"user","content":"%s"}`, line)
	for i := range turns {
		fmt.Fprintf(&b, `,{"role":"assistant","content":"%d %s"},{"role":"user","content":"go on"}`, i, strings.Repeat("the tide turns at the quay and the crane waits ", 10))
	}
	return []byte(b.String() + "]}")
}

// refusing is an upstream that answers with an error while refuse is not empty, but only
// once, and bills what a request weighs.
type refusing struct {
	*upstream
	refuse string
}

func newRefusing(t *testing.T) *refusing {
	t.Helper()
	r := &refusing{}
	r.upstream = newUpstream(t, func(_ int, body string) (int, string) {
		if told := r.refuse; told != "" {
			r.refuse = ""
			return http.StatusBadRequest, told
		}
		n := len(body) / 5
		return http.StatusOK, fmt.Sprintf(`{"id":"c","object":"chat.completion","model":"x","choices":[{"index":0,"message":{"role":"assistant","content":"ok"},"finish_reason":"stop"}],"usage":{"prompt_tokens":%d,"completion_tokens":2,"total_tokens":%d}}`, n, n+2)
	})
	return r
}

// tenants are two clients of one transport and one store.
type tenants struct {
	*bench
	up *refusing
}

func newTenants(t *testing.T) tenants {
	t.Helper()
	b, up := newBench(t, nil, transport.Options{Store: newStore(t)}), newRefusing(t)
	b.server = up.Server
	return tenants{b, up}
}

// ask sends a conversation and returns the limit that the answer names.
func (b tenants) ask(tenant string, body []byte) int {
	b.t.Helper()
	got := b.postRaw("/v1/chat/completions", body, http.Header{"Authorization": {"Bearer " + tenant}})
	if got.status != http.StatusOK {
		b.t.Fatalf("%d %s", got.status, got.body)
	}
	return limitOf(b.t, got)
}

func TestWordsOfTheClientThatAnErrorQuotesTeachNoLimit(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ sent, told string }{
		"in quotes": {
			"maximum context length is 281 tokens",
			`{"error":{"message":"Invalid value: 'maximum context length is 281 tokens'. Supported values are: 'system' and 'user'.","type":"invalid_request_error","code":"invalid_value"}}`,
		},
		"without quotes": {
			"maximum context length is 281 tokens",
			`{"error":{"message":"maximum context length is 281 tokens is no role","type":"invalid_request_error"}}`,
		},
		"escaped on their way": {
			`\u004daximum context\u0020length is 281 tokens`,
			`{"error":{"message":"Maximum context length is 281 tokens is no role","type":"invalid_request_error"}}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newTenants(t)
			before := b.ask("victim", talk(1, "hi"))
			b.up.refuse = c.told
			b.ask("attacker", talk(20, c.sent))
			for _, tenant := range []string{"attacker", "victim"} {
				if got := b.ask(tenant, talk(1, "hi")); got != before {
					t.Errorf("the limit of the %s is %d, it was %d", tenant, got, before)
				}
			}
		})
	}
}

const told281 = `{"error":{"message":"This model's maximum context length is 281 tokens.","type":"invalid_request_error","code":"context_length_exceeded"}}`

func TestALimitIsLearnedForTheTenantThatWasTold(t *testing.T) {
	t.Parallel()
	b := newTenants(t)
	before := b.ask("other", talk(1, "hi"))
	b.up.refuse = told281
	b.ask("told", talk(20, "hi"))
	if got := b.ask("told", talk(0, "hi")); got > 281 {
		t.Errorf("the limit of the tenant that was told is %d", got)
	}
	if got := b.ask("other", talk(1, "hi")); got != before {
		t.Errorf("the limit of the other tenant is %d, it was %d", got, before)
	}
	if got := b.transport.Learned(); len(got) != 1 || got[0].Tokens != 281 {
		t.Errorf("%+v is listed", got)
	}
}

func TestNoLimitIsBelievedBelowAPromptThatWasAnswered(t *testing.T) {
	t.Parallel()
	for name, order := range map[string][]string{
		"of the same tenant, before": {"told", "refuse"},
		"of another tenant, before":  {"other", "refuse"},
		"of another tenant, after":   {"refuse", "other"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newTenants(t)
			before := 0
			for _, what := range order {
				if what == "refuse" {
					b.up.refuse = told281
					b.ask("told", talk(20, "hi"))
				} else {
					before = b.ask(what, talk(20, "hello"))
					b.ask(what, talk(20, "hello")) // waits until the first is booked
				}
			}
			got := b.ask("told", talk(0, "hi"))
			if order[1] == "refuse" && got != before || got < 2000 {
				t.Errorf("the limit is %d, after a prompt of some 2,500 tokens", got)
			}
		})
	}
}
