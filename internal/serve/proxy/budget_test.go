package proxy

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/plimsoll/plimsoll/transport"
)

// slowUpstream reads each request and answers it when the test says so.
type slowUpstream struct {
	mu      sync.Mutex
	waiting int // requests that wait for their answer
	bytes   int // of their bodies
	next    chan struct{}
}

func (u *slowUpstream) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	u.add(1, len(body))
	defer u.add(-1, -len(body))
	select {
	case <-u.next:
	case <-r.Context().Done():
		return nil, r.Context().Err()
	}
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(strings.NewReader("{}")), Request: r}, nil
}

func (u *slowUpstream) add(requests, bytes int) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.waiting, u.bytes = u.waiting+requests, u.bytes+bytes
}

// crowd is many clients of one server, inside of a synctest bubble.
type crowd struct {
	*Server
	handler      http.Handler
	all          sync.WaitGroup
	mu           sync.Mutex
	served, busy int
	others       int
}

func newCrowd(t *testing.T, o *Options) *crowd {
	t.Helper()
	s, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	return &crowd{Server: s, handler: s.Handler()}
}

// send sends a request of another client and counts what becomes of it.
func (c *crowd) send(body io.Reader, length int64, header http.Header) {
	r := httptest.NewRequest(http.MethodPost, "/v1/chat/completions", body)
	r.Host, r.ContentLength, r.Header = "localhost", length, header
	c.all.Go(func() {
		w := httptest.NewRecorder()
		c.handler.ServeHTTP(w, r)
		c.mu.Lock()
		defer c.mu.Unlock()
		switch {
		case w.Code == http.StatusOK:
			c.served++
		case w.Code == http.StatusServiceUnavailable && w.Header().Get("Retry-After") != "":
			c.busy++
		default:
			c.others++
		}
	})
}

// used is what the gate has handed out.
func (c *crowd) used(t *testing.T) int64 {
	t.Helper()
	c.memory.mu.Lock()
	defer c.memory.mu.Unlock()
	if g := c.memory; g.used > g.budget || g.large > g.most {
		t.Errorf("%d of %d bytes are handed out, %d of %d to large bodies", g.used, g.budget, g.large, g.most)
	}
	return c.memory.used
}

// settle answers the requests one by one, until each client has its answer.
func (c *crowd) settle(t *testing.T, u *slowUpstream, clients int) {
	t.Helper()
	for {
		synctest.Wait()
		c.used(t)
		c.mu.Lock()
		done := c.served + c.busy + c.others
		c.mu.Unlock()
		if done == clients {
			break
		}
		select {
		case u.next <- struct{}{}:
		default:
			time.Sleep(time.Second) // until the queue's time is over
		}
	}
	c.all.Wait()
	if c.others > 0 || c.used(t) != 0 {
		t.Errorf("%d answers are neither 200 nor 503, %d bytes are still handed out", c.others, c.used(t))
	}
}

func TestManyLargeBodiesStayWithinTheBudget(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const budget, size, clients = 16 << 20, 1 << 20, 200
		up := &slowUpstream{next: make(chan struct{})}
		c := newCrowd(t, &Options{Transport: up, Memory: budget, Queue: time.Minute})
		for i := range clients {
			length := int64(size)
			if i%4 == 0 {
				length = -1
			}
			c.send(bytes.NewReader(make([]byte, size)), length, http.Header{})
		}
		synctest.Wait()
		fit := int(c.memory.most / (perByte * size))
		if up.waiting != fit || c.used(t) < int64(fit*perByte*size) {
			t.Errorf("%d bodies are worked on, %d bytes are handed out, want %d bodies", up.waiting, c.used(t), fit)
		}
		c.send(strings.NewReader("{}"), 2, http.Header{})
		synctest.Wait()
		if up.waiting != fit+1 {
			t.Error("a small body waits behind large ones")
		}
		c.settle(t, up, clients+1)
		if c.served != clients+1 {
			t.Errorf("%d of %d are served, though each got its turn in time", c.served, clients+1)
		}
	})
}

func TestLargeBodiesThatWaitTooLongAreToldToComeAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const size, clients = 1 << 20, 20
		up := &slowUpstream{next: make(chan struct{})}
		c := newCrowd(t, &Options{Transport: up, Memory: 16 << 20, Queue: time.Minute})
		for range clients {
			c.send(bytes.NewReader(make([]byte, size)), size, http.Header{})
		}
		time.Sleep(2 * time.Minute)
		synctest.Wait()
		if c.busy != clients-up.waiting || up.waiting == 0 {
			t.Errorf("%d wait for their answers, %d of %d are told to come again", up.waiting, c.busy, clients)
		}
		c.settle(t, up, clients)
	})
}

// A gzip body can become a thousand times as large.
func TestCodedBodiesStayWithinTheBudgetWhateverTheyBecome(t *testing.T) {
	t.Parallel()
	const budget, size, clients = 16 << 20, 1 << 20, 24
	var coded bytes.Buffer
	z, _ := gzip.NewWriterLevel(&coded, gzip.BestCompression) // the level is known
	io.WriteString(z, `{"model":"gpt-4o","messages":[{"role":"user","content":"`+strings.Repeat(" ", size)+`"}]}`)
	z.Close()
	if coded.Len() > size/900 {
		t.Fatalf("%d bytes", coded.Len())
	}
	for name, header := range map[string]http.Header{
		"passed on as it is": {"Content-Encoding": {"gzip"}, transport.HeaderLimit: {"100000000"}},
		"in a list":          {"Content-Encoding": {"identity, x-gzip"}, transport.HeaderLimit: {"100000000"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				up := &slowUpstream{next: make(chan struct{})}
				managed, err := transport.New(&transport.Options{Base: up})
				if err != nil {
					t.Fatal(err)
				}
				c := newCrowd(t, &Options{Transport: managed, Memory: budget, Queue: time.Minute})
				for i := range clients {
					length := int64(coded.Len())
					if i%4 == 0 {
						length = -1
					}
					c.send(bytes.NewReader(coded.Bytes()), length, header.Clone())
				}
				synctest.Wait()
				if used := c.used(t); up.waiting == 0 || used < int64(up.waiting)*perByte*size {
					t.Errorf("%d bodies of %d bytes are worked on, and only %d bytes are handed out", up.waiting, size, used)
				}
				c.settle(t, up, clients)
				if c.served == 0 || c.busy == 0 {
					t.Errorf("%d are served, %d are told to come again", c.served, c.busy)
				}
				if err := managed.Close(); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

func TestACodedBodyOverTheLimitOfBodiesIsRefusedAsTooLarge(t *testing.T) {
	t.Parallel()
	var coded bytes.Buffer
	z := gzip.NewWriter(&coded)
	z.Write(make([]byte, 3<<20))
	z.Close()
	managed, err := transport.New(&transport.Options{MaxBody: 2 << 20})
	if err != nil {
		t.Fatal(err)
	}
	c := newCrowd(t, &Options{Transport: managed, Memory: 64 << 20})
	r := httptest.NewRequest(http.MethodPost, "/v1/chat/completions", &coded)
	r.Host = "localhost"
	r.Header.Set("Content-Encoding", "gzip")
	w := httptest.NewRecorder()
	c.handler.ServeHTTP(w, r)
	if w.Code != http.StatusRequestEntityTooLarge || c.used(t) != 0 {
		t.Errorf("%d %s, %d bytes are still handed out", w.Code, w.Body, c.used(t))
	}
}

// empty answers with nothing.
type empty struct{}

func (empty) RoundTrip(*http.Request) (*http.Response, error) {
	return &http.Response{Body: http.NoBody}, nil
}

func TestABodyHoldsWhatItDecodedIntoUntilItsAnswerEnds(t *testing.T) {
	t.Parallel()
	g := newGate(64 << 20)
	b := &body{memory: g.enter(t.Context(), 1<<20, 0), expected: 1 << 20}
	b.got.Store(1 << 20)
	if err := b.Grow(9 << 20); err != nil || g.used != perByte*10<<20 {
		t.Fatalf("%v, %d bytes are handed out", err, g.used)
	}
	f := &forward{body: b, memory: b.memory, timer: time.NewTimer(time.Hour), server: &Server{options: Options{
		Transport: empty{},
	}}}
	if _, err := f.RoundTrip(httptest.NewRequest(http.MethodPost, "/v1/messages", http.NoBody)); err != nil {
		t.Fatal(err)
	}
	if g.used != 10<<20 {
		t.Errorf("%d bytes are handed out while the answer runs", g.used)
	}
	b.memory.release()
}
