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
		{"a bare line feed in a chunk", post + "Transfer-Encoding: chunked\r\n\r\n2\n{}\r\n0\r\n\r\n" + smuggled, "400 502 499"},
		{"a chunk extension with a line feed", post + "Transfer-Encoding: chunked\r\n\r\n2;\n{}\r\n0\r\n\r\n" + smuggled, "400 502 499"},
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
		status, _, _ := strings.Cut(strings.TrimPrefix(answer, "HTTP/1.1 "), " ")
		if len(status) != 3 || !strings.Contains(c.status, status) || strings.Count(answer, "HTTP/1.1 ") != 1 {
			t.Errorf("%s: %.300q", c.what, answer)
		}
	}
	// A length beside chunks is taken off, and what follows the chunks is the client's
	// own next request.
	s.raw(t, post+"Content-Length: 4\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n2\r\n{}\r\n0\r\n\r\n"+smuggled)
	mu.Lock()
	defer mu.Unlock()
	for _, request := range seen {
		if strings.Contains(request, "smuggled") || strings.Contains(request, "admin") || strings.Contains(request, "http:") {
			t.Errorf("the upstream saw %q", request)
		}
	}
	if len(seen) != 2 {
		t.Errorf("the upstream saw %d requests: %q", len(seen), seen)
	}
}
