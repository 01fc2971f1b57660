package transport_test

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/transport"
)

// Two things can be wrong with one request, and servers differ in which they look at
// first.
func TestARefusedContextManagementAndAnOverflowAreBothSurvived(t *testing.T) {
	t.Parallel()
	const (
		refusal    = `{"type":"error","error":{"type":"invalid_request_error","message":"context_management: Extra inputs are not permitted"}}`
		management = `{"context_management":{"edits":[{"type":"clear_thinking_20251015","keep":"all"}]},`
	)
	overflow := func(n int) string {
		return fmt.Sprintf(`{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: %d tokens > 20000 maximum"}}`, n)
	}
	for name, sizeFirst := range map[string]bool{"the member is looked at first": false, "the size is looked at first": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			u := newUpstream(t, func(_ int, body string) (int, string) {
				large, known := len(body)/3 > 20_000, !strings.Contains(body, "context_management")
				switch {
				case large && (known || sizeFirst):
					return http.StatusBadRequest, overflow(len(body) / 3)
				case !known:
					return http.StatusBadRequest, refusal
				}
				return http.StatusOK, saidMessage
			})
			b := newBench(t, nil, transport.Options{Store: newStore(t)})
			b.server = u.Server
			body := append([]byte(management), bytes.TrimPrefix(b.long(plimsoll.Anthropic, 20).body(), []byte("{"))...)
			got := b.post(plimsoll.Anthropic, false, body, nil)
			if got.status != http.StatusOK || got.said.Message.Text() != "ok" {
				t.Fatalf("%d %s", got.status, got.body)
			}
			if len(u.bodies) != 3 {
				t.Errorf("asked %d times, want once for each thing that was wrong", len(u.bodies))
			}
			got = b.post(plimsoll.Anthropic, false, body, nil)
			if got.status != http.StatusOK || len(u.bodies) != 4 {
				t.Errorf("the next request: %d, asked %d times: %s", got.status, len(u.bodies)-3, got.body)
			}
		})
	}
}

func TestARefusedContextManagementBesideAnOverflowThatStaysIsNotAskedForEver(t *testing.T) {
	t.Parallel()
	u := newUpstream(t, func(int, string) (int, string) {
		return http.StatusBadRequest, `{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long, and context_management is not permitted: context length exceeded"}}`
	})
	b := newBench(t, nil, transport.Options{Store: newStore(t)})
	b.server = u.Server
	body := append([]byte(`{"context_management":{"edits":[]},`), bytes.TrimPrefix(b.long(plimsoll.Anthropic, 20).body(), []byte("{"))...)
	if got := b.post(plimsoll.Anthropic, false, body, nil); got.status != http.StatusBadRequest || len(u.bodies) > 3 {
		t.Errorf("%d, asked %d times", got.status, len(u.bodies))
	}
}
