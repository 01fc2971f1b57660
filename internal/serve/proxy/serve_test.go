package proxy_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/serve/proxy"
)

// streams is an upstream whose answers end when it is told.
type streams struct {
	live atomic.Int32
	end  chan struct{}
}

func (s *streams) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	io.Copy(io.Discard, r.Body)
	io.WriteString(w, "begun\n")
	http.NewResponseController(w).Flush()
	s.live.Add(1)
	defer s.live.Add(-1)
	select {
	case <-s.end:
		io.WriteString(w, "done\n")
	case <-r.Context().Done():
	}
}

func TestStreamsFinishWhenTheServerIsToldToEnd(t *testing.T) {
	t.Parallel()
	const clients = 200
	up := &streams{end: make(chan struct{})}
	s := start(t, up, nil)
	// A connection that was there before.
	idle := dial(t, s)
	in := bufio.NewReader(idle)
	ask := func(path string) *http.Response {
		fmt.Fprintf(idle, "GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n", path)
		resp, err := http.ReadResponse(in, nil)
		if err != nil {
			t.Fatal(err)
		}
		io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
		return resp
	}
	if resp := ask("/readyz"); resp.StatusCode != http.StatusOK {
		t.Fatalf("not ready: %d", resp.StatusCode)
	}
	var all sync.WaitGroup
	var whole atomic.Int32
	for range clients {
		all.Go(func() {
			resp, err := s.client.Do(s.request(t, http.MethodPost, "/v1/messages", strings.NewReader("{}")))
			if err != nil {
				t.Error(err)
				return
			}
			defer resp.Body.Close()
			if text, err := io.ReadAll(resp.Body); err == nil && string(text) == "begun\ndone\n" {
				whole.Add(1)
			}
		})
	}
	within(t, "all streams run", func() bool { return up.live.Load() == clients })
	s.stop()
	within(t, "no longer ready", func() bool { return ask("/readyz").StatusCode == http.StatusServiceUnavailable })
	if resp := ask("/v1/models"); resp.StatusCode != http.StatusServiceUnavailable || !resp.Close || resp.Header.Get("Retry-After") == "" {
		t.Errorf("a new request: %d %v", resp.StatusCode, resp.Header)
	}
	if resp, _ := s.do(t, http.MethodPost, "/v1/messages", "{}"); resp.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("a new connection: %d", resp.StatusCode)
	}
	close(up.end)
	all.Wait()
	if whole.Load() != clients {
		t.Errorf("%d of %d streams finished", whole.Load(), clients)
	}
}

func TestRequestsThatTakeTooLongAreCutOff(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		up := &streams{end: make(chan struct{})}
		waits := &leaving{}
		s := startInBubble(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/v1/embeddings" {
				waits.ServeHTTP(w, r)
				return
			}
			up.ServeHTTP(w, r)
		}), &proxy.Options{Drain: time.Minute})
		resp, err := s.client.Do(s.request(t, http.MethodPost, "/v1/messages", strings.NewReader("{}")))
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		waiting := make(chan int, 1)
		go func() {
			resp, err := s.client.Do(s.request(t, http.MethodPost, "/v1/embeddings", strings.NewReader("{}")))
			if err != nil {
				waiting <- 0
				return
			}
			resp.Body.Close()
			waiting <- resp.StatusCode
		}()
		synctest.Wait()
		s.stop()
		if text, err := io.ReadAll(resp.Body); err == nil {
			t.Errorf("a stream looks whole: %q", text)
		}
		if status := <-waiting; status != http.StatusServiceUnavailable {
			t.Errorf("a client without an answer: %d", status)
		}
		if err := <-s.ended; plimsoll.CodeOf(err) != plimsoll.CodeUnavailable || !strings.Contains(err.Error(), "2 requests were cut off") {
			t.Errorf("%v", err)
		}
		synctest.Wait()
		if up.live.Load() != 0 {
			t.Error("the upstream is still held")
		}
		s.ended <- nil
	})
}

func TestTheAdminSideIsOnItsOwnListenerAlone(t *testing.T) {
	t.Parallel()
	s, err := proxy.New(&proxy.Options{Transport: proxy.NewTransport(), Metrics: says("metrics"), Control: says("control")})
	if err != nil {
		t.Fatal(err)
	}
	l, admin := listener(t), listener(t)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- s.Serve(ctx, l, admin) }()
	for path, want := range map[string]int{"/metrics": 404, "/plimsoll/": 404, "/plimsoll/v1/accounts": 404, "/healthz": 200, "/readyz": 200} {
		for at, want := range map[net.Listener]int{l: want, admin: 200} {
			resp, err := http.Get("http://" + at.Addr().String() + path)
			if err != nil {
				t.Fatal(err)
			}
			resp.Body.Close()
			if resp.StatusCode != want {
				t.Errorf("%s of the admin %v: %s, want %d", path, at == admin, resp.Status, want)
			}
		}
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

func TestAListenerThatFailsEndsTheServer(t *testing.T) {
	t.Parallel()
	s, err := proxy.New(&proxy.Options{Transport: proxy.NewTransport()})
	if err != nil {
		t.Fatal(err)
	}
	l, admin := listener(t), listener(t)
	l.Close()
	if err := s.Serve(t.Context(), l, admin); err == nil {
		t.Error("nothing is said")
	}
}

func listener(t *testing.T) net.Listener {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestConnectionsOverTheCapWait(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := startInBubble(t, says("upstream"), &proxy.Options{Connections: 1})
		first := dial(t, s)
		var accepted atomic.Bool
		go func() {
			c, err := s.connect()
			if err == nil {
				accepted.Store(true)
				c.Close()
			}
		}()
		synctest.Wait()
		if accepted.Load() {
			t.Error("two connections are accepted")
		}
		first.Close()
		synctest.Wait()
		if !accepted.Load() {
			t.Error("the second waits, though the first is closed")
		}
	})
}

func TestAPeerThatNeverReadsIsDropped(t *testing.T) {
	t.Parallel()
	var wrote atomic.Int64
	left := make(chan struct{})
	s := start(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer close(left)
		for chunk := make([]byte, 64<<10); ; {
			n, err := w.Write(chunk)
			wrote.Add(int64(n))
			if err != nil {
				return
			}
		}
	}), &proxy.Options{WriteTimeout: 300 * time.Millisecond})
	c := dial(t, s)
	io.WriteString(c, "GET /v1/files/f/content HTTP/1.1\r\nHost: localhost\r\n\r\n")
	<-left
	// What was taken from the upstream is in the buffers of the connections, not in ours.
	if n := wrote.Load(); n > 32<<20 {
		t.Errorf("%d bytes were taken for a client that reads none", n)
	}
}

// Not parallel: it counts goroutines.
func TestNothingIsLeftBehindByClientsThatLeave(t *testing.T) {
	up := &leaving{answers: true}
	base := proxy.NewTransport()
	s := start(t, up, &proxy.Options{Transport: holding{base}})
	s.do(t, http.MethodGet, "/healthz", "") // the server runs
	before := runtime.NumGoroutine()
	abort := func(n int) {
		var all sync.WaitGroup
		for i := range n {
			all.Go(func() {
				ctx, leave := context.WithTimeout(t.Context(), time.Duration(1+i%20)*time.Millisecond)
				defer leave()
				req := s.request(t, http.MethodPost, "/v1/messages", strings.NewReader(strings.Repeat("x", 50_000)))
				if resp, err := s.client.Do(req.WithContext(ctx)); err == nil {
					io.Copy(io.Discard, resp.Body)
					resp.Body.Close()
				}
			})
			if i%20 == 19 {
				all.Wait()
			}
		}
		all.Wait()
	}
	abort(100)
	settled := func(most int) bool {
		base.CloseIdleConnections() // some are made for requests that are gone
		return up.left.Load() == up.began.Load() && runtime.NumGoroutine() <= most
	}
	within(t, "the goroutines end", func() bool { return settled(before + 2) })
	runtime.GC()
	heapBefore := heap()
	abort(1000)
	within(t, "the goroutines end", func() bool { return settled(before + 2) })
	runtime.GC()
	runtime.GC()
	grown := heap() - heapBefore
	if grown > 2<<20 {
		t.Errorf("the heap grew by %d KiB", grown>>10)
	}
}

func heap() int64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
