package transport_test

import (
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/transport"
)

// newTruncating is a server like Ollama (fb30760, August 2026): what is too long for its
// window it shortens to half of that and answers. It may tell its window.
func newTruncating(t *testing.T, window int, tells bool) (*local, *atomic.Int64) {
	t.Helper()
	l, truncated := &local{}, &atomic.Int64{}
	l.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		n := len(body) * 10 / 28 // nearly what we count
		switch {
		case r.URL.Path == "/api/ps" && tells:
			fmt.Fprintf(w, `{"models":[{"name":"gpt-4o:latest","context_length":%d}]}`, window)
		case r.Method != http.MethodPost || r.URL.Path != "/v1/chat/completions":
			http.NotFound(w, r)
		default:
			if n > window {
				truncated.Add(1)
				n = window / 2
			}
			fmt.Fprintf(w, `{"id":"c","object":"chat.completion","model":"x","choices":[{"index":0,"message":{"role":"assistant","content":"ok"},"finish_reason":"stop"}],"usage":{"prompt_tokens":%d,"completion_tokens":2,"total_tokens":%d}}`, n, n+2)
		}
	}))
	t.Cleanup(l.Close)
	return l, truncated
}

func TestAPromptThatTheServerTruncatesIsNoticedAndTheNextOneFits(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	l, truncated := newTruncating(t, 9000, false)
	b := newAsking(t, l, transport.Options{Logger: slog.New(slog.NewTextHandler(&log, nil))})
	a := b.long(plimsoll.OpenAI, 20)
	a.ask()
	x := <-b.exchanges
	if !x.Truncated || !strings.Contains(x.Warning, "num_ctx") || !strings.Contains(x.Warning, "--window") || !strings.Contains(log.String(), "level=WARN") {
		t.Errorf("truncated %v, warning %q, log:\n%s", x.Truncated, x.Warning, log.String())
	}
	for range 3 {
		a.say("go on")
		got := a.ask()
		if x := <-b.exchanges; got.status != http.StatusOK || x.Truncated || x.Source != "learned" || x.Line.Window > 9000 {
			t.Errorf("%d: truncated %v, limit %+v from %q", got.status, x.Truncated, x.Line, x.Source)
		}
	}
	if n := truncated.Load(); n != 1 {
		t.Errorf("%d prompts were truncated, want the one that is learned from", n)
	}
}

func TestAServerThatTellsItsWindowTruncatesNothing(t *testing.T) {
	t.Parallel()
	l, truncated := newTruncating(t, 9000, true)
	b := newAsking(t, l, transport.Options{})
	a := b.long(plimsoll.OpenAI, 20)
	for range 3 {
		a.say("go on")
		a.ask()
		if x := <-b.exchanges; x.Truncated || x.Source != "asked" || x.Warning != "" {
			t.Errorf("truncated %v, limit %+v from %q, warning %q", x.Truncated, x.Line, x.Source, x.Warning)
		}
	}
	if n := truncated.Load(); n > 0 {
		t.Errorf("%d prompts were truncated", n)
	}
}

// TestABillWithoutWhatWasCachedIsNoTruncation has a server like Ollama before 2025, which
// counted only what it had not cached.
func TestABillWithoutWhatWasCachedIsNoTruncation(t *testing.T) {
	t.Parallel()
	last := 0
	u := newUpstream(t, func(_ int, body string) (int, string) {
		n := len(body)*10/28 - last
		last += n
		return http.StatusOK, fmt.Sprintf(`{"id":"c","object":"chat.completion","model":"x","choices":[{"index":0,"message":{"role":"assistant","content":"ok"},"finish_reason":"stop"}],"usage":{"prompt_tokens":%d,"completion_tokens":2,"total_tokens":%d}}`, n, n+2)
	})
	b := newBench(t, nil, transport.Options{Store: newStore(t)})
	b.server = u.Server
	a := b.long(plimsoll.OpenAI, 12)
	for i := range 6 {
		a.say(output(i))
		a.ask()
		if x := <-b.exchanges; x.Truncated || x.Source != "" || x.After.Total < 20_000 {
			t.Errorf("request %d: truncated %v, limit %+v from %q, load %d", i, x.Truncated, x.Line, x.Source, x.After.Total)
		}
	}
}
