package proxy_test

import (
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
)

// TestNoSecondRequestIsSmuggled sends what parsers have disagreed about. Whatever the
// answer is, the upstream must never see a request for /smuggled, nor one that is
// addressed elsewhere.
func TestNoSecondRequestIsSmuggled(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var seen []string
	s := start(t, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return // it was called off
		}
		mu.Lock()
		defer mu.Unlock()
		seen = append(seen, r.Method+" "+r.RequestURI+" "+string(body))
	}), nil)
	const smuggled = "GET /smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n"
	const chat = "POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\n"
	const post = "POST /v1/embeddings HTTP/1.1\r\nHost: localhost\r\n"
	for _, c := range []struct {
		what, text string
		// status is how the answer begins; several are possible where the standard
		// leaves a choice.
		status string
	}{
		{"two lengths", post + "Content-Length: 2\r\nContent-Length: 48\r\n\r\n{}" + smuggled, "400"},
		{"a length in a list", post + "Content-Length: 2, 48\r\n\r\n{}" + smuggled, "400"},
		{"a length with a sign", post + "Content-Length: +2\r\n\r\n{}" + smuggled, "400"},
		{"a space before the colon", post + "Content-Length : 48\r\n\r\n" + smuggled, "400"},
		{"an unknown transfer coding", post + "Transfer-Encoding: xchunked\r\n\r\n" + smuggled, "501"},
		{"two transfer codings", post + "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n" + smuggled, "501 400"},
		{"a bare line feed in a chunk", post + "Transfer-Encoding: chunked\r\n\r\n2\n{}\r\n0\r\n\r\n" + smuggled, "400"},
		{"a chunk extension with a line feed", post + "Transfer-Encoding: chunked\r\n\r\n2;\n{}\r\n0\r\n\r\n" + smuggled, "400"},
		{"a chunk with a negative size", post + "Transfer-Encoding: chunked\r\n\r\n-2\r\n{}\r\n0\r\n\r\n" + smuggled, "400"},
		{"a chunk whose size overflows", post + "Transfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n{}\r\n0\r\n\r\n" + smuggled, "400"},
		{"a long chunk extension", post + "Transfer-Encoding: chunked\r\n\r\n2;" + strings.Repeat("x", 64<<10) + "\r\n{}\r\n0\r\n\r\n" + smuggled, "400"},
		{"a chunk that is longer than it says", post + "Transfer-Encoding: chunked\r\n\r\n2\r\n{}}}0\r\n\r\n" + smuggled, "400"},
		{"malformed chunks of a managed body", chat + "Transfer-Encoding: chunked\r\n\r\n2\n{}\r\n0\r\n\r\n" + smuggled, "400"},
		{"a length beside chunks", post + "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n" + smuggled, "400"},
		{"a length behind chunks", post + "transfer-encoding:chunked\r\ncontent-length:4\r\n\r\n2\r\n{}\r\n0\r\n\r\n" + smuggled, "400"},
		{"no length beside chunks", post + "Content-Length: 0\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n" + smuggled, "400"},
		{"a padded length beside chunks", post + "Content-Length:" + strings.Repeat(" ", 100) + "2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n" + smuggled, "400"},
		{"a folded length beside chunks", post + "Content-Length:\r\n 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n" + smuggled, "400"},
		{"a length beside chunks at the operator's", "POST /plimsoll/v1/count HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n" + smuggled, "400"},
		{"chunks, and a request behind them", post + "Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n" + smuggled, "200"},
		{"chunks in HTTP/1.0, and a request behind them", "POST /v1/embeddings HTTP/1.0\r\nHost: localhost\r\nConnection: keep-alive\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n{}" + smuggled, "200"},
		{"no host", "GET /v1/models HTTP/1.1\r\n\r\n", "400"},
		{"two hosts", "GET /v1/models HTTP/1.1\r\nHost: localhost\r\nHost: evil\r\n\r\n", "400"},
		{"a tunnel", "CONNECT evil.example:443 HTTP/1.1\r\nHost: localhost\r\n\r\n" + smuggled, "405"},
		{"another server's address", "GET http://evil.example/v1/models HTTP/1.1\r\nHost: localhost\r\n\r\n", "400"},
		{"another server's address in the path", "GET //evil.example/v1/models HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", "200"},
		{"a way up", "GET /v1/../../admin HTTP/1.1\r\nHost: localhost\r\n\r\n", "400"},
		{"an escaped way up", "GET /v1/%2e%2E/admin HTTP/1.1\r\nHost: localhost\r\n\r\n", "400"},
		{"very many parameters", "GET /v1/models?" + strings.Repeat("a&", 10_001) + " HTTP/1.1\r\nHost: localhost\r\n\r\n", "400"},
		{"a trace", "TRACE /v1/models HTTP/1.1\r\nHost: localhost\r\n\r\n", "405"},
		{"a header without end", "GET /v1/models HTTP/1.1\r\nHost: localhost\r\nX: " + strings.Repeat("x", 300<<10) + "\r\n\r\n", "431"},
		{"a line break in a header", "GET /v1/models HTTP/1.1\r\nHost: localhost\r\nX: a\rGET /smuggled\r\n\r\n", "400"},
	} {
		answer := s.raw(t, c.text)
		status, _, _ := strings.Cut(answer[min(len(answer), len("HTTP/1.1 ")):], " ")
		if len(status) != 3 || !strings.Contains(c.status, status) || strings.Count(answer, "HTTP/1.") != 1 {
			t.Errorf("%s: %.300q", c.what, answer)
		}
	}
	// The heads of earlier requests do not confuse it: a body that looks like one, a blank
	// line before a request, a request without a body.
	first := post + "Content-Length: 29\r\n\r\nx\r\nTransfer-Encoding: chunked\r\n" + "\r\nGET /v1/models HTTP/1.1\r\nHost: localhost\r\n\r\n"
	good := s.raw(t, first+post+"Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n"+smuggled)
	if strings.Count(good, "HTTP/1.1 200 OK") != 3 || strings.Count(good, "HTTP/1.1 ") != 3 {
		t.Errorf("three requests were answered %q", good)
	}
	bad := s.raw(t, first+post+"Content-Length: 0\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n"+smuggled)
	if strings.Count(bad, "HTTP/1.1 200 OK") != 2 || strings.Count(bad, "HTTP/1.1 400 ") != 1 {
		t.Errorf("two requests and a bad one were answered %q", bad)
	}
	mu.Lock()
	defer mu.Unlock()
	for _, request := range seen {
		if strings.Contains(request, "smuggled") || strings.Contains(request, "admin") || strings.Contains(request, "http:") {
			t.Errorf("the upstream saw %q", request)
		}
	}
	if len(seen) != 8 {
		t.Errorf("the upstream saw %d requests: %q", len(seen), seen)
	}
}
