package proxy_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/plimsoll/plimsoll/internal/serve/proxy"
)

// sink is an upstream that reads and says how much it got.
var sink = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
	n, err := io.Copy(io.Discard, r.Body)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	fmt.Fprint(w, n)
})

func TestABodyOverTheLimitIsRefusedInTheFormOfTheAPI(t *testing.T) {
	t.Parallel()
	for _, held := range []bool{false, true} {
		o := &proxy.Options{MaxBody: 1 << 20}
		if held {
			o.Transport = holding{}
		}
		s := start(t, sink, o)
		for _, size := range []int64{1 << 20, 1<<20 + 1, 8 << 20} {
			for _, known := range []bool{true, false} {
				req := s.request(t, http.MethodPost, "/v1/messages", io.LimitReader(zeros{}, size))
				if known {
					req.ContentLength = size
				}
				resp, err := s.client.Do(req)
				if err != nil {
					t.Fatalf("%d bytes, length known %v, held %v: %v", size, known, held, err)
				}
				text, _ := io.ReadAll(resp.Body)
				resp.Body.Close()
				if size <= 1<<20 {
					if resp.StatusCode != http.StatusOK || string(text) != fmt.Sprint(size) {
						t.Errorf("%d bytes: %d %s", size, resp.StatusCode, text)
					}
					continue
				}
				if resp.StatusCode != http.StatusRequestEntityTooLarge || member(t, string(text), "error", "type") != "request_too_large" {
					t.Errorf("%d bytes, length known %v: %d %s", size, known, resp.StatusCode, text)
				}
			}
		}
	}
}

func TestAClientThatNeverSendsItsBodyIsRefusedAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := startInBubble(t, sink, nil)
		c := dial(t, s)
		fmt.Fprintf(c, "POST /v1/messages HTTP/1.1\r\nHost: evil.example\r\nContent-Length: 100\r\n\r\n")
		since := time.Now()
		start := make([]byte, len("HTTP/1.1 403 "))
		if _, err := io.ReadFull(c, start); err != nil || string(start) != "HTTP/1.1 403 " || time.Since(since) > 0 {
			t.Errorf("%q, %v, after %s", start, err, time.Since(since))
		}
		if _, err := io.Copy(io.Discard, c); err != nil {
			t.Errorf("the connection stays: %v", err)
		}
	})
}

// Many clients send everything before they look for an answer. If the connection were
// closed before that, they would never see it.
func TestAClientThatFirstSendsEverythingSeesTheRefusal(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := startInBubble(t, sink, &proxy.Options{MaxBody: 1 << 20})
		c := dial(t, s)
		answer := make(chan string, 1)
		go func() { // as a network does, it takes the answer before the client looks at it
			text, _ := io.ReadAll(c)
			answer <- string(text)
		}()
		fmt.Fprintf(c, "POST /v1/messages HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n", 16<<20)
		for range 16 {
			time.Sleep(50 * time.Millisecond)
			if _, err := c.Write(make([]byte, 1<<20)); err != nil {
				t.Fatalf("the connection is closed under the client: %v", err)
			}
		}
		if text := <-answer; !strings.HasPrefix(text, "HTTP/1.1 413 ") {
			t.Errorf("%.200q", text)
		}
	})
}

func TestOtherBodiesMayBeOfAnySize(t *testing.T) {
	t.Parallel()
	s := start(t, sink, &proxy.Options{MaxBody: 1000, Memory: 1000})
	if resp, text := s.do(t, http.MethodPost, "/v1/files", strings.Repeat("x", 3<<20)); resp.StatusCode != http.StatusOK || text != fmt.Sprint(3<<20) {
		t.Errorf("%d %s", resp.StatusCode, text)
	}
}

// zeros never ends.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

func TestSlowClientsAreGivenUp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var asked atomic.Int32
		s := startInBubble(t, http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked.Add(1) }), &proxy.Options{
			HeaderTimeout: 100 * time.Millisecond, BodyIdle: 200 * time.Millisecond, Transport: holding{},
		})
		c := dial(t, s)
		fmt.Fprintf(c, "POST /v1/messages HTTP/1.1\r\nHost: localhost\r\n")
		if rest, _ := io.ReadAll(c); strings.Contains(string(rest), " 200 ") {
			t.Errorf("half a header: %s", rest)
		}
		c = dial(t, s)
		fmt.Fprintf(c, "POST /v1/messages HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{")
		if rest, _ := io.ReadAll(c); !strings.HasPrefix(string(rest), "HTTP/1.1 408 ") || !strings.Contains(string(rest), `"type":"invalid_request_error"`) {
			t.Errorf("a body that stops: %s", rest)
		}
		// One that never stops, but trickles.
		c = dial(t, s)
		fmt.Fprintf(c, "POST /v1/messages HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n\r\n")
		go func() {
			for range 100 {
				if _, err := io.WriteString(c, "x"); err != nil {
					return
				}
				time.Sleep(50 * time.Millisecond)
			}
		}()
		if rest, _ := io.ReadAll(c); !strings.HasPrefix(string(rest), "HTTP/1.1 408 ") {
			t.Errorf("a body that trickles: %s", rest)
		}
		if asked.Load() != 0 {
			t.Error("the upstream was asked")
		}
	})
}

func dial(t testing.TB, s *running) net.Conn {
	t.Helper()
	c, err := s.connect()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	c.SetDeadline(time.Now().Add(time.Minute))
	return c
}

func TestABodyThatComesSlowlyButSteadilyIsServed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := startInBubble(t, sink, &proxy.Options{BodyIdle: time.Second})
		r, w := io.Pipe()
		go func() {
			for range 10 {
				w.Write(make([]byte, 1000))
				time.Sleep(120 * time.Millisecond)
			}
			w.Close()
		}()
		resp, err := s.client.Do(s.request(t, http.MethodPost, "/v1/messages", r))
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		if text, _ := io.ReadAll(resp.Body); string(text) != "10000" {
			t.Errorf("%s", text)
		}
	})
}

// The deadline of a body must not end an answer that takes longer.
func TestAnAnswerMayTakeLongerThanTheBodyMay(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := startInBubble(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			io.Copy(io.Discard, r.Body)
			time.Sleep(800 * time.Millisecond)
			if r.Context().Err() == nil {
				io.WriteString(w, "done")
			}
		}), &proxy.Options{BodyIdle: 500 * time.Millisecond, Transport: holding{}})
		if resp, text := s.do(t, http.MethodPost, "/v1/messages", "{}"); text != "done" {
			t.Errorf("%d %s", resp.StatusCode, text)
		}
	})
}

func TestAClientThatLeftTheQueueIsNotServed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var asked atomic.Int32
		release := make(chan struct{})
		s := startInBubble(t, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			io.Copy(io.Discard, r.Body)
			if asked.Add(1) == 1 {
				<-release
			} else {
				<-r.Context().Done()
			}
		}), &proxy.Options{Memory: 4 << 20, Transport: holding{}})
		first := make(chan int)
		go func() {
			resp, err := s.client.Do(s.request(t, http.MethodPost, "/v1/messages", strings.NewReader(strings.Repeat("x", 1<<20))))
			if err != nil {
				first <- 0
				return
			}
			resp.Body.Close()
			first <- resp.StatusCode
		}()
		synctest.Wait()
		ctx, leave := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer leave()
		req := s.request(t, http.MethodPost, "/v1/messages", strings.NewReader(strings.Repeat("x", 1<<20)))
		if resp, err := s.client.Do(req.WithContext(ctx)); err == nil {
			resp.Body.Close()
			t.Fatalf("the second does not wait: %d", resp.StatusCode)
		}
		close(release)
		if status := <-first; status != http.StatusOK {
			t.Errorf("the first: %d", status)
		}
		synctest.Wait()
		s.stop()
		if err := <-s.ended; err != nil {
			t.Errorf("somebody is still being served: %v", err)
		}
		s.ended <- nil
	})
}
