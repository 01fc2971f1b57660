package proxy_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/scripted"
	"github.com/plimsoll/plimsoll/internal/serve/proxy"
)

// recorder keeps what it is sent.
type recorder struct {
	http.RoundTripper
	last *http.Request
}

func (r *recorder) RoundTrip(req *http.Request) (*http.Response, error) {
	r.last = req.Clone(req.Context())
	return r.RoundTripper.RoundTrip(req)
}

func TestEveryDialectIsAnswered(t *testing.T) {
	t.Parallel()
	model := scripted.New(&scripted.Options{Script: scripted.Steps(scripted.Step{Text: "good day", Again: true})})
	s := start(t, model, nil)
	for path, body := range map[string]string{
		"/v1/chat/completions":                                    `{"model":"m","messages":[{"role":"user","content":"hi"}]}`,
		"/openai/v1/chat/completions":                             `{"model":"m","messages":[{"role":"user","content":"hi"}]}`,
		"/v1/responses":                                           `{"model":"m","input":"hi"}`,
		"/v1/messages?beta=true":                                  `{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"hi"}]}`,
		"/anthropic/v1/messages":                                  `{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"hi"}]}`,
		"/v1beta/models/m:generateContent?key=k":                  `{"contents":[{"role":"user","parts":[{"text":"hi"}]}]}`,
		"/google/v1beta/models/m:streamGenerateContent?alt=sse":   `{"contents":[{"role":"user","parts":[{"text":"hi"}]}]}`,
		"/v1beta/models/m:streamGenerateContent?key=k&alt=sse&x;": `{"contents":[{"role":"user","parts":[{"text":"hi"}]}]}`,
	} {
		resp, text := s.do(t, http.MethodPost, path, body, "Content-Type", "application/json")
		if resp.StatusCode != http.StatusOK || !strings.Contains(text, "good day") {
			t.Errorf("%s: %d %s", path, resp.StatusCode, text)
		}
	}
	var seen []string
	for _, e := range model.Log() {
		seen = append(seen, e.Path)
	}
	slices.Sort(seen)
	want := []string{
		"/v1/chat/completions", "/v1/chat/completions", "/v1/messages", "/v1/messages?beta=true", "/v1/responses",
		"/v1beta/models/m:generateContent?key=k", "/v1beta/models/m:streamGenerateContent?alt=sse",
		"/v1beta/models/m:streamGenerateContent?key=k&alt=sse&x;",
	}
	if d := cmp.Diff(want, seen); d != "" {
		t.Errorf("paths that the upstream saw:\n%s", d)
	}
}

func TestHeadersGoOnAsTheyCameButForThoseOfTheConnection(t *testing.T) {
	t.Parallel()
	var got *http.Request
	upstream := http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { got = r.Clone(r.Context()) })
	base := proxy.NewTransport()
	sees := &recorder{RoundTripper: base}
	s := start(t, upstream, &proxy.Options{Transport: sees})
	s.do(t, http.MethodPost, "/v1/embeddings", "{}",
		"Connection", "X-Hop, keep-alive", "Connection", "", "X-Hop", "1", "Keep-Alive", "timeout=5", "Proxy-Authorization", "Basic x",
		"Proxy-Connection", "keep-alive", "Te", "gzip", "Expect", "100-continue",
		"Authorization", "Bearer sk-1", "Cookie", "a=b", "Cookie", "c=d", "X-Forwarded-For", "10.0.0.1", "X-Forwarded-For", "10.0.0.2", "Forwarded", "for=x",
		"Anthropic-Beta", "one,two", "X-Claude-Code-Session-Id", "s", "X-Plimsoll-Pin", "1", "Accept-Encoding", "br, zstd", "User-Agent", "agent/1")
	want := http.Header{
		"Authorization": {"Bearer sk-1"}, "Cookie": {"a=b; c=d"}, "X-Forwarded-For": {"10.0.0.1", "10.0.0.2"}, "Forwarded": {"for=x"},
		"Anthropic-Beta": {"one,two"}, "X-Claude-Code-Session-Id": {"s"}, "X-Plimsoll-Pin": {"1"}, "Accept-Encoding": {"br, zstd"},
		"User-Agent": {"agent/1"}, "Content-Length": {"2"},
	}
	h := got.Header.Clone()
	h["Cookie"] = []string{strings.Join(h["Cookie"], "; ")}
	if d := cmp.Diff(want, h); d != "" {
		t.Errorf("headers at the upstream:\n%s", d)
	}
	if got.Host != sees.last.URL.Host {
		t.Errorf("the upstream was called %q, not by its own name", got.Host)
	}
}

func TestAClientWithoutHeadersGetsNoneAdded(t *testing.T) {
	t.Parallel()
	var got http.Header
	s := start(t, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { got = r.Header }), nil)
	s.raw(t, "GET /v1/models HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
	if len(got) != 0 {
		t.Errorf("headers were added: %v", got)
	}
}

func TestAnswersComeBackUnchanged(t *testing.T) {
	t.Parallel()
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	io.WriteString(z, `{"error":{"type":"rate_limit_error"}}`)
	z.Close()
	upstream := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		switch r.URL.Path {
		case "/v1/limited":
			h.Set("Retry-After", "17")
			h.Set("Anthropic-Ratelimit-Requests-Remaining", "0")
			h.Set("X-Request-Id", "req_1")
			h.Set("Content-Type", "application/json")
			h.Set("Content-Encoding", "gzip")
			h.Add("Set-Cookie", "a=1")
			h.Add("Set-Cookie", "b=2")
			w.WriteHeader(429)
			w.Write(packed.Bytes())
		case "/v1/moved":
			h.Set("Location", "http://127.0.0.1:1/elsewhere")
			h["Content-Type"] = nil
			w.WriteHeader(http.StatusTemporaryRedirect)
		case "/v1/untyped":
			h["Content-Type"] = nil
			io.WriteString(w, "<html>")
		case "/v1/trailer":
			h.Set("Trailer", "X-Sum")
			io.WriteString(w, "body")
			h.Set("X-Sum", "7")
		case "/v1/overloaded":
			w.WriteHeader(529)
		}
	})
	direct := httptest.NewServer(upstream)
	defer direct.Close()
	s := start(t, nil, &proxy.Options{Upstreams: everything(t, direct.URL)})
	for _, path := range []string{"/v1/limited", "/v1/moved", "/v1/untyped", "/v1/trailer", "/v1/overloaded"} {
		want, err := s.client.Get(direct.URL + path)
		if err != nil {
			t.Fatal(err)
		}
		wantBody, _ := io.ReadAll(want.Body)
		want.Body.Close()
		got, body := s.do(t, http.MethodGet, path, "")
		want.Header.Del("Date")
		got.Header.Del("Date")
		if d := cmp.Diff(want.Header, got.Header); d != "" || want.StatusCode != got.StatusCode || string(wantBody) != body {
			t.Errorf("%s: %d %d, %q %q\n%s", path, want.StatusCode, got.StatusCode, wantBody, body, d)
		}
		if d := cmp.Diff(want.Trailer, got.Trailer); d != "" {
			t.Errorf("%s: trailers\n%s", path, d)
		}
	}
}

func TestAWebsocketIsRefusedSoThatClientsFallBackToHTTP(t *testing.T) {
	t.Parallel()
	asked := false
	s := start(t, http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked = true }), nil)
	resp, text := s.do(t, http.MethodGet, "/v1/responses", "", "Connection", "Upgrade", "Upgrade", "websocket",
		"Sec-WebSocket-Version", "13", "Sec-WebSocket-Key", "x3JJHMbDL1EzLkh9GBhXDw==")
	if resp.StatusCode != http.StatusUpgradeRequired || resp.Header.Get("Upgrade") != "HTTP/1.1" || !strings.Contains(member(t, text, "error", "message"), "over HTTP") {
		t.Errorf("%d %v %s", resp.StatusCode, resp.Header, text)
	}
	if asked {
		t.Error("the upstream was asked")
	}
}

// Java's client offers HTTP/2 with every first request.
func TestAnOfferOfHTTP2IsNotTakenUp(t *testing.T) {
	t.Parallel()
	var got http.Header
	s := start(t, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { got = r.Header }), nil)
	resp, _ := s.do(t, http.MethodPost, "/v1/chat/completions", "{}", "Connection", "Upgrade, HTTP2-Settings", "Upgrade", "h2c", "HTTP2-Settings", "AAEAAEAA")
	if resp.StatusCode != http.StatusOK || got.Get("Upgrade") != "" || got.Get("Http2-Settings") != "" {
		t.Errorf("%d, and the upstream saw %v", resp.StatusCode, got)
	}
}
