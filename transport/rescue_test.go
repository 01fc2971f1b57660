package transport_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/transport"
)

// refusesAbove answers larger requests by an error, and others by a stream.
func refusesAbove(t *testing.T, most, status int, refusal string) (*httptest.Server, *atomic.Int32) {
	t.Helper()
	var asked atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("Content-Type", "text/event-stream")
		if len(body) > most {
			w.WriteHeader(status)
			_, _ = io.WriteString(w, refusal)
			return
		}
		_, _ = io.WriteString(w, "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"all is well\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n")
	}))
	t.Cleanup(server.Close)
	return server, &asked
}

func TestF10_EveryFormOfAnOverflowIsRescued(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name         string
		most, status int
		refusal      string
	}{
		{"an error object in a stream", 60_000, 200, "data: {\"error\":{\"message\":\"Requested tokens (24850) exceed context window of 15000\",\"type\":\"internal_server_error\",\"param\":null,\"code\":null}}\n\n"},
		{"an error in a stream without a name", 60_000, 200, "data: {\"object\":\"error\",\"message\":\"This model's maximum context length is 15000 tokens.\",\"type\":\"BadRequestError\",\"code\":400}\n\ndata: [DONE]\n\n"},
		{"a line of errors in a stream", 60_000, 200, "error: {\"code\":400,\"message\":\"the request exceeds the available context size\",\"type\":\"exceed_context_size_error\",\"n_prompt_tokens\":24850,\"n_ctx\":15000}\n\n"},
		{"a limit in bytes", 30_000, 400, `{"error":{"code":400,"message":"Request payload size exceeds the limit: 30000 bytes.","status":"INVALID_ARGUMENT"}}`},
		{"any 413", 60_000, 413, "<html>413 Request Entity Too Large</html>"},
		{"no body", 60_000, 400, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, nil, transport.Options{Store: newStore(t), Expand: transport.ExpandOff})
			var asked *atomic.Int32
			b.server, asked = refusesAbove(t, tt.most, tt.status, tt.refusal)
			a := b.long(plimsoll.OpenAI, 20)
			a.stream = true
			got := a.ask()
			if asked.Load() != 2 || got.said.Message.Text() != "all is well" || got.said.Error != nil {
				t.Fatalf("asked %d times: %d\n%s", asked.Load(), got.status, got.body)
			}
			if x := <-b.exchanges; !x.Rescued {
				t.Errorf("not rescued: %+v", x)
			}
		})
	}
}

func TestF10_ARequestBeyondTheAccountsMinuteIsCutIfTheLimitSaysSo(t *testing.T) {
	t.Parallel()
	const refusal = `{"error":{"message":"Request too large for gpt-4o in organization org-1 on tokens per min (TPM): Limit 30000, Requested 30601. The input or output tokens must be reduced in order to run successfully.","type":"tokens","code":"rate_limit_exceeded"}}`
	for _, tt := range []struct {
		window, asked int
		rescued       bool
	}{{0, 1, false}, {30_000, 2, true}} {
		b := newBench(t, nil, transport.Options{Store: newStore(t), Expand: transport.ExpandOff, Window: tt.window})
		var asked *atomic.Int32
		b.server, asked = refusesAbove(t, 20_000, http.StatusTooManyRequests, refusal)
		a := b.long(plimsoll.OpenAI, 8)
		a.stream = true
		b.post(plimsoll.OpenAI, true, a.body(), nil)
		x := <-b.exchanges
		if int(asked.Load()) != tt.asked || x.Rescued != tt.rescued || (x.Warning == "") != tt.rescued {
			t.Errorf("window %d: asked %d times, rescued %v, warning %q", tt.window, asked.Load(), x.Rescued, x.Warning)
		}
	}
}
