package proxy_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/plimsoll/plimsoll/internal/serve/proxy"
)

// patient is an upstream that answers when it is told to.
type patient struct {
	asked   atomic.Int32
	ready   chan struct{}
	release func()
}

func newPatient() *patient {
	p := &patient{ready: make(chan struct{})}
	p.release = sync.OnceFunc(func() { close(p.ready) })
	return p
}

func (p *patient) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body)
	p.asked.Add(1)
	<-p.ready
	_, _ = io.WriteString(w, "done")
}

func TestALargeRequestForWhichThereIsNoMemoryWaitsAndIsThenToldToComeAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		up := newPatient()
		s := startInBubble(t, up, &proxy.Options{Memory: 4 << 20, Queue: 10 * time.Second, Transport: holding{}})
		t.Cleanup(up.release)
		large := strings.Repeat("x", 1<<20)
		first := make(chan string, 1)
		go func() {
			_, text := s.do(t, http.MethodPost, "/v1/messages", large)
			first <- text
		}()
		synctest.Wait()
		for path, kind := range map[string][]string{
			"/v1/messages":                     {"error", "type"},
			"/v1/chat/completions":             {"error", "code"},
			"/v1beta/models/m:generateContent": {"error", "status"},
		} {
			began := time.Now()
			resp, text := s.do(t, http.MethodPost, path, large)
			if waited := time.Since(began); waited != 10*time.Second {
				t.Errorf("%s: it waited %s", path, waited)
			}
			if resp.StatusCode != http.StatusServiceUnavailable || member(t, text, kind...) == "" || !strings.Contains(text, "memory") {
				t.Errorf("%s: %d %s", path, resp.StatusCode, text)
			}
			if after, err := strconv.Atoi(resp.Header.Get("Retry-After")); err != nil || after < 1 {
				t.Errorf("%s: Retry-After %q", path, resp.Header.Get("Retry-After"))
			}
		}
		if n := up.asked.Load(); n != 1 {
			t.Errorf("the upstream was asked %d times", n)
		}
		up.release()
		if text := <-first; text != "done" {
			t.Errorf("the first: %s", text)
		}
	})
}

func TestALargeRequestInTheQueueIsServedWhenThereIsMemoryAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		up := newPatient()
		s := startInBubble(t, up, &proxy.Options{Memory: 4 << 20, Queue: 30 * time.Second, Transport: holding{}})
		t.Cleanup(up.release)
		answers := make(chan string, 2)
		for range 2 {
			go func() {
				_, text := s.do(t, http.MethodPost, "/v1/messages", strings.Repeat("x", 1<<20))
				answers <- text
			}()
		}
		synctest.Wait()
		if n := up.asked.Load(); n != 1 {
			t.Fatalf("%d are under way, and there is memory for one", n)
		}
		up.release()
		for range 2 {
			if text := <-answers; text != "done" {
				t.Errorf("%s", text)
			}
		}
	})
}

func TestBodiesForTheOperatorHaveTheSameBoundsAsOthers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ready := make(chan struct{})
		release := sync.OnceFunc(func() { close(ready) })
		control := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			var failed interface{ HTTPStatus() int }
			if _, err := io.Copy(io.Discard, r.Body); errors.As(err, &failed) {
				w.WriteHeader(failed.HTTPStatus())
				return
			}
			<-ready
		})
		s := startInBubble(t, http.NotFoundHandler(), &proxy.Options{
			Memory: 4 << 20, MaxBody: 2 << 20, Queue: 10 * time.Second, BodyIdle: time.Second, Control: control,
		})
		t.Cleanup(release)
		const path = "/plimsoll/v1/count"
		if resp, _ := s.do(t, http.MethodPost, path, strings.Repeat("x", 3<<20)); resp.StatusCode != http.StatusRequestEntityTooLarge {
			t.Errorf("a body over the limit: %d", resp.StatusCode)
		}
		large := strings.Repeat("x", 1<<20)
		first := make(chan int, 1)
		go func() {
			resp, _ := s.do(t, http.MethodPost, path, large)
			first <- resp.StatusCode
		}()
		synctest.Wait()
		resp, _ := s.do(t, http.MethodPost, path, large)
		if resp.StatusCode != http.StatusServiceUnavailable || resp.Header.Get("Retry-After") == "" {
			t.Errorf("a body for which there is no memory: %d %v", resp.StatusCode, resp.Header)
		}
		release()
		if status := <-first; status != http.StatusOK {
			t.Errorf("the first body: %d", status)
		}
		if used := s.Load().Memory; used != 0 {
			t.Errorf("%d bytes are still reserved", used)
		}
		c := dial(t, s)
		fmt.Fprintf(c, "POST "+path+" HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{")
		if rest, _ := io.ReadAll(c); !strings.HasPrefix(string(rest), "HTTP/1.1 408 ") {
			t.Errorf("a body that stops: %s", rest)
		}
	})
}
