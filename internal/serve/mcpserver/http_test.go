package mcpserver_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/serve/mcpserver"
)

// serve listens and returns the address.
func serve(t *testing.T, s *mcpserver.Server) string {
	t.Helper()
	l, err := s.Listen(t.Context(), ":0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.ServeHTTP(ctx, l) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("the server ended with %v", err)
		}
	})
	return l.Addr().String()
}

// bearer presents a token.
type bearer string

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(b))
	return http.DefaultTransport.RoundTrip(r)
}

func TestO08_O09_ToolsWorkOverHTTP(t *testing.T) {
	t.Parallel()
	s, _, id := stored(t)
	address := serve(t, mcpserver.New(s.Tenant("me"), &mcpserver.Options{Token: "open sesame"}))
	if host, _, _ := net.SplitHostPort(address); host != "127.0.0.1" {
		t.Errorf("it listens on %s, want the loopback interface", address)
	}
	readsAndSearches(t, connect(t, &mcp.StreamableClientTransport{
		Endpoint: "http://" + address + mcpserver.Path, HTTPClient: &http.Client{Transport: bearer("open sesame")},
	}), id)
}

func TestHTTPRefusesWhatAWebPageCouldHaveSent(t *testing.T) {
	t.Parallel()
	s, _, _ := stored(t)
	address := serve(t, mcpserver.New(s.Tenant("me"), &mcpserver.Options{Hosts: []string{"plimsoll.example"}}))
	_, port, _ := net.SplitHostPort(address)
	for _, tc := range []struct {
		name, host, origin, site, kind string
		want                           int
	}{
		{name: "a client", want: 200},
		{name: "the name of the loopback interface", host: "localhost:" + port, want: 200},
		{name: "a name that was given", host: "Plimsoll.example", want: 200},
		{name: "a page of its own", origin: "http://" + address, site: "same-origin", want: 200},
		{name: "a name that leads here", host: "evil.example:" + port, want: 403},
		{name: "a name that leads here, with its page", host: "evil.example:" + port, origin: "http://evil.example:" + port, want: 403},
		{name: "all interfaces", host: "0.0.0.0:" + port, want: 403},
		{name: "the address of another machine", host: "192.0.2.1:" + port, want: 403},
		{name: "a page of another site", origin: "https://evil.example", want: 403},
		{name: "a page of another port", origin: "http://127.0.0.1:1", want: 403},
		{name: "a page without an origin", origin: "null", want: 403},
		{name: "a request across sites", site: "cross-site", want: 403},
		{name: "a request of a sibling", site: "same-site", want: 403},
		{name: "a form", kind: "text/plain", want: 415},
	} {
		if got := status(t, address, tc.host, tc.origin, tc.site, tc.kind, ""); got != tc.want {
			t.Errorf("%s: status %d, want %d", tc.name, got, tc.want)
		}
	}
}

func TestHTTPAsksForTheToken(t *testing.T) {
	t.Parallel()
	s, _, _ := stored(t)
	address := serve(t, mcpserver.New(s.Tenant("me"), &mcpserver.Options{Token: "open sesame"}))
	for authorization, want := range map[string]int{
		"": 401, "Bearer": 401, "Bearer wrong": 401, "Basic open sesame": 401, "Bearer open sesam": 401, "Bearer open sesame": 200, "bearer open sesame": 200,
	} {
		if got := status(t, address, "", "", "", "", authorization); got != want {
			t.Errorf("%q: status %d, want %d", authorization, got, want)
		}
	}
}

// status sends a handshake and returns the status of the answer.
func status(t *testing.T, address, host, origin, site, kind, authorization string) int {
	t.Helper()
	const handshake = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+address+mcpserver.Path, strings.NewReader(handshake))
	if err != nil {
		t.Fatal(err)
	}
	if kind == "" {
		kind = "application/json"
	}
	r.Header.Set("Content-Type", kind)
	r.Header.Set("Accept", "application/json, text/event-stream")
	for name, value := range map[string]string{"Origin": origin, "Sec-Fetch-Site": site, "Authorization": authorization} {
		if value != "" {
			r.Header.Set(name, value)
		}
	}
	if host != "" {
		r.Host = host
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	return answer.StatusCode
}

func TestListenStaysOnThisMachineWithoutAToken(t *testing.T) {
	t.Parallel()
	s, _, _ := stored(t)
	for _, address := range []string{"0.0.0.0:0", "[::]:0", "nonsense", "127.0.0.1:none"} {
		l, err := mcpserver.New(s.Tenant("me"), nil).Listen(t.Context(), address)
		var typed *plimsoll.Error
		if err == nil {
			l.Close()
		}
		if !errors.As(err, &typed) || typed.Hint == "" || plimsoll.CodeOf(err) != plimsoll.CodeInvalid {
			t.Errorf("%s: %v", address, err)
		}
	}
	l, err := mcpserver.New(s.Tenant("me"), &mcpserver.Options{Token: "x"}).Listen(t.Context(), "0.0.0.0:0")
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
}
