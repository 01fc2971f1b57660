package proxy_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/plimsoll/plimsoll/internal/serve/proxy"
)

func TestEventsArriveOneByOneAndUnchanged(t *testing.T) {
	t.Parallel()
	next := make(chan struct{})
	s := start(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "text/event-stream")
		for i := range 20 {
			fmt.Fprintf(w, "event: e\r\ndata: {\"n\":%d}\r\n\r\n", i)
			http.NewResponseController(w).Flush()
			<-next
		}
	}), nil)
	resp, err := s.client.Do(s.request(t, http.MethodPost, "/v1/chat/completions", strings.NewReader("{}")))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	in := bufio.NewReader(resp.Body)
	for i := range 20 {
		// The upstream goes on only when this event was read.
		want := fmt.Sprintf("event: e\r\ndata: {\"n\":%d}\r\n\r\n", i)
		got := make([]byte, len(want))
		if _, err := io.ReadFull(in, got); err != nil || string(got) != want {
			t.Fatalf("%q, %v", got, err)
		}
		next <- struct{}{}
	}
	if rest, err := io.ReadAll(in); len(rest) != 0 || err != nil {
		t.Errorf("after the last event: %q, %v", rest, err)
	}
}

func TestAHugeEventInPiecesOfAnySizeIsUnchanged(t *testing.T) {
	t.Parallel()
	event := make([]byte, 4<<20)
	rnd := rand.New(rand.NewPCG(3, 4))
	for i := range event {
		event[i] = "ab\r\n: "[rnd.IntN(6)]
	}
	s := start(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for rest := event; len(rest) > 0; {
			n := min(len(rest), 1+rnd.IntN(100_000))
			w.Write(rest[:n])
			rest = rest[n:]
		}
	}), nil)
	if _, got := s.do(t, http.MethodPost, "/v1/messages", "{}"); !bytes.Equal([]byte(got), event) {
		t.Errorf("%d bytes, not the same", len(got))
	}
}

// cutter is an upstream that breaks off when the client has read some events: by a clean
// end of the connection in the middle of the body, or by a reset.
func cutter(t *testing.T, reset bool, read <-chan struct{}) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				if _, err := http.ReadRequest(bufio.NewReader(c)); err != nil {
					return
				}
				io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n")
				for range 40 {
					io.WriteString(c, "9\r\ndata: x\n\n\r\n")
				}
				<-read
				if reset {
					c.(*net.TCPConn).SetLinger(0)
				}
			}()
		}
	}()
	return "http://" + l.Addr().String()
}

func TestACutAnswerIsSeenAsCut(t *testing.T) {
	t.Parallel()
	for _, reset := range []bool{false, true} {
		read := make(chan struct{})
		s := start(t, nil, &proxy.Options{Upstreams: everything(t, cutter(t, reset, read))})
		resp, err := s.client.Do(s.request(t, http.MethodPost, "/v1/chat/completions", strings.NewReader("{}")))
		if err != nil {
			t.Fatal(err)
		}
		got := make([]byte, len("data: x\n\n")*40)
		if _, err := io.ReadFull(resp.Body, got); err != nil || string(got) != strings.Repeat("data: x\n\n", 40) {
			t.Errorf("reset %v: %q, %v", reset, got, err)
		}
		close(read)
		if rest, err := io.ReadAll(resp.Body); err == nil || len(rest) > 0 {
			t.Errorf("reset %v: %d more bytes, and the end looks clean: %v", reset, len(rest), err)
		}
		resp.Body.Close()
	}
}

// leaving is an upstream that notes when it is left.
type leaving struct {
	began, left atomic.Int64
	// answers says that it streams; else it only thinks.
	answers bool
}

func (l *leaving) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	io.Copy(io.Discard, r.Body)
	if l.answers {
		io.WriteString(w, "data: x\n\n")
		http.NewResponseController(w).Flush()
	}
	l.began.Add(1)
	<-r.Context().Done()
	l.left.Add(1)
}

func TestAClientThatLeavesTakesTheUpstreamWithIt(t *testing.T) {
	t.Parallel()
	for _, answers := range []bool{false, true} {
		for _, path := range []string{"/v1/chat/completions", "/v1/embeddings"} {
			for _, transport := range []http.RoundTripper{nil, holding{}} {
				synctest.Test(t, func(t *testing.T) {
					up := &leaving{answers: answers}
					s := startInBubble(t, up, &proxy.Options{Transport: transport})
					ctx, leave := context.WithCancel(t.Context())
					go func() {
						req := s.request(t, http.MethodPost, path, strings.NewReader(strings.Repeat("x", 100_000)))
						if resp, err := s.client.Do(req.WithContext(ctx)); err == nil {
							io.Copy(io.Discard, resp.Body)
							resp.Body.Close()
						}
					}()
					synctest.Wait()
					if up.began.Load() != 1 || up.left.Load() != 0 {
						t.Fatal("the upstream is not asked, or left too soon")
					}
					leave()
					synctest.Wait()
					if up.left.Load() != 1 {
						t.Errorf("%s, answering %v, by %T: the upstream is still held", path, answers, transport)
					}
				})
			}
		}
	}
}

// holding reads the whole request before it sends it, as what manages requests does.
type holding struct{ http.RoundTripper }

func (h holding) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Body != nil {
		body, err := make([]byte, max(0, r.ContentLength)), error(nil)
		if r.ContentLength > 0 {
			_, err = io.ReadFull(r.Body, body)
		} else {
			body, err = io.ReadAll(r.Body)
		}
		if err != nil {
			return nil, fmt.Errorf("read the request: %w", err)
		}
		r = r.Clone(r.Context())
		r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	}
	return h.RoundTripper.RoundTrip(r)
}

func TestAnUpstreamThatStallsIsGivenUp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		up := &leaving{answers: true}
		s := startInBubble(t, up, &proxy.Options{IdleTimeout: 300 * time.Millisecond})
		resp, err := s.client.Do(s.request(t, http.MethodPost, "/v1/messages", strings.NewReader("{}")))
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		if got, err := io.ReadAll(resp.Body); err == nil || string(got) != "data: x\n\n" {
			t.Errorf("%q, %v", got, err)
		}
		synctest.Wait()
		if up.left.Load() != 1 {
			t.Error("the upstream is still held")
		}
	})
}

func TestAnswersMayTakeLongerThanTheyMayStandStill(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := startInBubble(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			for range 10 {
				io.WriteString(w, "x")
				http.NewResponseController(w).Flush()
				time.Sleep(120 * time.Millisecond)
			}
		}), &proxy.Options{IdleTimeout: time.Second, AnswerTimeout: time.Second})
		if _, got := s.do(t, http.MethodPost, "/v1/messages", "{}"); got != "xxxxxxxxxx" {
			t.Errorf("%q", got)
		}
	})
}

func TestAnUpstreamThatNeverBeginsIsGivenUp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		up := &leaving{}
		s := startInBubble(t, up, &proxy.Options{AnswerTimeout: 100 * time.Millisecond})
		resp, text := s.do(t, http.MethodPost, "/v1/messages", "{}")
		if resp.StatusCode != http.StatusGatewayTimeout || member(t, text, "error", "type") != "timeout_error" {
			t.Errorf("%d %s", resp.StatusCode, text)
		}
		synctest.Wait()
		if up.left.Load() != 1 {
			t.Error("the upstream is still held")
		}
	})
}

// asksAgain is an answer that begins, waits for another one and goes on with that.
type asksAgain struct {
	ctx   context.Context
	lasts time.Duration
	reads int
}

func (a *asksAgain) Read(p []byte) (int, error) {
	switch a.reads++; a.reads {
	case 1:
		return copy(p, "data: x\n\n"), nil
	case 2:
		select {
		case <-time.After(a.lasts):
			return copy(p, "data: y\n\n"), nil
		case <-a.ctx.Done():
			return 0, a.ctx.Err()
		}
	}
	return 0, io.EOF
}

func (a *asksAgain) Close() error { return nil }

func (a *asksAgain) Waiting() bool { return a.reads == 1 }

func TestAnAnswerThatAsksAgainIsNotTakenForOneThatStalls(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		for _, c := range []struct {
			what          string
			lasts, answer time.Duration
			want          string
			whole         bool
		}{
			{"waits longer than it may stand still", 600 * time.Millisecond, time.Minute, "data: x\n\ndata: y\n\n", true},
			{"waits longer than an answer may take to begin", time.Minute, 300 * time.Millisecond, "data: x\n\n", false},
		} {
			s := startInBubble(t, nil, &proxy.Options{
				IdleTimeout: 150 * time.Millisecond, WriteTimeout: 150 * time.Millisecond, AnswerTimeout: c.answer,
				Transport: does(func(r *http.Request) (*http.Response, error) {
					return &http.Response{StatusCode: 200, ProtoMajor: 1, ProtoMinor: 1, Header: http.Header{}, ContentLength: -1, Body: &asksAgain{ctx: r.Context(), lasts: c.lasts}}, nil
				}),
			})
			resp, err := s.client.Do(s.request(t, http.MethodPost, "/v1/messages", strings.NewReader("{}")))
			if err != nil {
				t.Fatal(err)
			}
			got, err := io.ReadAll(resp.Body)
			resp.Body.Close()
			if string(got) != c.want || (err == nil) != c.whole {
				t.Errorf("%s: %q, %v", c.what, got, err)
			}
		}
	})
}
