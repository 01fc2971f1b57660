package proxy_test

import (
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/internal/serve/proxy"
)

// running is a proxy that serves.
type running struct {
	*proxy.Server
	// base is its address, host the same without the scheme.
	base, host string
	// client keeps no connections and follows no redirects.
	client  *http.Client
	connect func() (net.Conn, error)
	// stop tells it to end, and ended what Serve returned.
	stop  context.CancelFunc
	ended chan error
}

// start serves in front of an upstream until the test ends.
func start(t testing.TB, upstream http.Handler, o *proxy.Options) *running {
	t.Helper()
	if o == nil {
		o = &proxy.Options{}
	}
	if upstream != nil {
		server := httptest.NewServer(upstream)
		t.Cleanup(server.Close)
		o.Upstreams = everything(t, server.URL)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return serve(t, l, func() (net.Conn, error) { return net.Dial("tcp", l.Addr().String()) }, proxy.NewTransport(), o)
}

// startInBubble does the same in a synctest bubble: its connections are pipes, so that
// the clock moves on when all wait.
func startInBubble(t *testing.T, upstream http.Handler, o *proxy.Options) *running {
	t.Helper()
	if o == nil {
		o = &proxy.Options{}
	}
	o.Upstreams = everything(t, "http://upstream.test")
	behind := newPipes()
	server := &http.Server{Handler: upstream}
	go server.Serve(behind)
	t.Cleanup(func() { server.Close() })
	base := proxy.NewTransport()
	base.DialContext = func(context.Context, string, string) (net.Conn, error) { return behind.connect() }
	l := newPipes()
	return serve(t, l, l.connect, base, o)
}

// serve serves on a listener. The base sends what reaches the upstream, unless the
// options have a transport.
func serve(t testing.TB, l net.Listener, connect func() (net.Conn, error), base *http.Transport, o *proxy.Options) *running {
	t.Helper()
	base.Proxy = nil
	t.Cleanup(base.CloseIdleConnections)
	switch o.Transport {
	case nil:
		o.Transport = base
	case holding{}:
		o.Transport = holding{base}
	}
	s, err := proxy.New(o)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	r := &running{
		Server: s, base: "http://" + l.Addr().String(), host: l.Addr().String(), connect: connect, stop: stop, ended: make(chan error, 1),
		client: &http.Client{
			Transport: &http.Transport{
				DisableKeepAlives: true, DisableCompression: true,
				DialContext: func(context.Context, string, string) (net.Conn, error) { return connect() },
			},
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}
	go func() { r.ended <- s.Serve(ctx, l, nil) }()
	t.Cleanup(func() {
		stop()
		select {
		case err := <-r.ended:
			if err != nil {
				t.Errorf("serve: %v", err)
			}
		case <-time.After(time.Minute):
			t.Error("the server does not end")
		}
	})
	return r
}

// pipes is a listener without a network.
type pipes struct {
	waiting chan net.Conn
	closed  chan struct{}
	close   func()
}

func newPipes() *pipes {
	p := &pipes{waiting: make(chan net.Conn), closed: make(chan struct{})}
	p.close = sync.OnceFunc(func() { close(p.closed) })
	return p
}

func (p *pipes) connect() (net.Conn, error) {
	near, far := net.Pipe()
	select {
	case p.waiting <- pipe{far}:
		return near, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.waiting:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error { p.close(); return nil }

func (p *pipes) Addr() net.Addr { return pipe{}.LocalAddr() }

// pipe is a connection that looks like one of this machine.
type pipe struct{ net.Conn }

func (pipe) LocalAddr() net.Addr  { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 7171} }
func (pipe) RemoteAddr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 50_000} }

// everything sends all families to one address.
func everything(t testing.TB, address string) proxy.Upstreams {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	return proxy.Upstreams{OpenAI: u, Anthropic: u, Gemini: u}
}

// do sends a request and reads the whole answer.
func (r *running) do(t testing.TB, method, path, body string, header ...string) (*http.Response, string) {
	t.Helper()
	req := r.request(t, method, path, strings.NewReader(body), header...)
	resp, err := r.client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp, string(text)
}

// request makes one; headers are pairs, and Host is one of them.
func (r *running) request(t testing.TB, method, path string, body io.Reader, header ...string) *http.Request {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, r.base+path, body)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(header); i += 2 {
		if header[i] == "Host" {
			req.Host = header[i+1]
			continue
		}
		req.Header.Add(header[i], header[i+1])
	}
	return req
}

// raw sends bytes as they are and returns what comes back until the connection is
// closed.
func (r *running) raw(t testing.TB, text string) string {
	t.Helper()
	c, err := net.Dial("tcp", r.host)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := io.WriteString(c, text); err != nil {
		t.Fatal(err)
	}
	c.SetReadDeadline(time.Now().Add(time.Minute))
	got, _ := io.ReadAll(c)
	return string(got)
}

// within waits until something is so, for a time that only a mistake takes.
func within(t testing.TB, what string, so func() bool) {
	t.Helper()
	for end := time.Now().Add(2 * time.Minute); !so(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("never: %s", what)
		}
	}
}

// member returns a text in a JSON object, by its path.
func member(t testing.TB, text string, path ...string) string {
	t.Helper()
	var value any
	if err := json.Unmarshal([]byte(text), &value); err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	for _, name := range path {
		object, _ := value.(map[string]any)
		value = object[name]
	}
	s, _ := value.(string)
	return s
}
