package proxy_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/internal/serve/proxy"
)

func TestHeadGoesOnAndHasNoBody(t *testing.T) {
	t.Parallel()
	s := start(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Method", r.Method)
		w.Header().Set("Content-Length", "1234")
		w.WriteHeader(http.StatusAccepted)
	}), nil)
	for _, c := range []struct {
		path, header string
		status       int
		length       int64
		method       string
	}{
		{"/", "", http.StatusAccepted, 1234, "HEAD"},
		{"/v1/models", "", http.StatusAccepted, 1234, "HEAD"},
		{"/v1/chat/completions", "", http.StatusAccepted, 1234, "HEAD"},
		{"/healthz", "", http.StatusOK, 3, ""},
		{"/readyz", "", http.StatusOK, 6, ""},
		{"/v1/models", "https://evil.example", http.StatusForbidden, 0, ""},
	} {
		var header []string
		if c.header != "" {
			header = []string{"Origin", c.header}
		}
		// One connection for two requests: a body would stand before the second answer.
		head := s.request(t, http.MethodHead, c.path, http.NoBody, header...)
		client := &http.Client{Transport: &http.Transport{MaxConnsPerHost: 1}}
		for range 2 {
			resp, err := client.Do(head)
			if err != nil {
				t.Fatalf("%s: %v", c.path, err)
			}
			text, err := io.ReadAll(resp.Body)
			resp.Body.Close()
			if resp.StatusCode != c.status || len(text) != 0 || err != nil || resp.Header.Get("X-Method") != c.method {
				t.Errorf("%s: %d %q %v, asked by %q", c.path, resp.StatusCode, text, err, resp.Header.Get("X-Method"))
			}
			if c.length > 0 && resp.ContentLength != c.length {
				t.Errorf("%s: length %d, want %d", c.path, resp.ContentLength, c.length)
			}
		}
		client.CloseIdleConnections()
	}
}

func TestOptionsGoOnLikeEverythingElse(t *testing.T) {
	t.Parallel()
	var asked atomic.Int32
	s := start(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		w.Header().Set("Access-Control-Allow-Origin", r.Header.Get("Origin"))
		w.Header().Set("Allow", "POST")
		w.WriteHeader(http.StatusNoContent)
	}), &proxy.Options{Origins: []string{"https://chat.example"}})
	for _, c := range []struct {
		what   string
		header []string
		want   int
		asked  int32
	}{
		{"by a program", nil, http.StatusNoContent, 1},
		{"by a page that is allowed", []string{"Origin", "https://chat.example", "Access-Control-Request-Method", "POST"}, http.StatusNoContent, 1},
		{"by a page that is not", []string{"Origin", "https://evil.example", "Access-Control-Request-Method", "POST"}, http.StatusForbidden, 0},
	} {
		asked.Store(0)
		resp, _ := s.do(t, http.MethodOptions, "/v1/chat/completions", "", c.header...)
		if resp.StatusCode != c.want || asked.Load() != c.asked {
			t.Errorf("%s: %d, and the upstream was asked %d times", c.what, resp.StatusCode, asked.Load())
		}
		if c.asked > 0 && resp.Header.Get("Allow") != "POST" {
			t.Errorf("%s: the upstream's headers are missing: %v", c.what, resp.Header)
		}
	}
	asked.Store(0)
	got := s.raw(t, "OPTIONS * HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
	if !strings.HasPrefix(got, "HTTP/1.1 200 ") || asked.Load() != 0 {
		t.Errorf("for the whole server: %q, and the upstream was asked %d times", got, asked.Load())
	}
}

func TestHTTP2WithoutTLSIsRefusedInPlainWords(t *testing.T) {
	t.Parallel()
	var asked atomic.Int32
	s := start(t, http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked.Add(1) }), nil)
	got := s.raw(t, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\x00\x00\x00\x04\x00\x00\x00\x00\x00")
	if !strings.HasPrefix(got, "HTTP/1.1 505 ") || !strings.Contains(got, "Connection: close") || !strings.Contains(got, "speaks HTTP/1.1") {
		t.Errorf("%q", got)
	}
	// A client must not be left waiting.
	var h2 http.Protocols
	h2.SetUnencryptedHTTP2(true)
	transport := &http.Transport{Protocols: &h2}
	defer transport.CloseIdleConnections()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	resp, err := transport.RoundTrip(s.request(t, http.MethodPost, "/v1/messages", strings.NewReader("{}")).WithContext(ctx))
	if err == nil {
		resp.Body.Close()
		t.Fatalf("answered with %s", resp.Status)
	}
	if ctx.Err() != nil { // it may see the connection end before it has read why
		t.Errorf("the client waits: %v", err)
	}
	if asked.Load() != 0 {
		t.Error("the upstream was asked")
	}
}
