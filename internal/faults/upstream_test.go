package faults

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/internal/scripted"
)

// upstream is a strict scripted model, which a case can make fail in any way.
type upstream struct {
	*httptest.Server
	// model checks every request by the rules of its API, and refuses what breaks one.
	model *scripted.Model
	// hook, if it is set and returns true, has answered the request itself.
	hook atomic.Pointer[hook]
	// left counts requests that the proxy cancelled.
	left atomic.Int64

	mu    sync.Mutex
	asked []asked
}

type hook func(w http.ResponseWriter, r *http.Request, body []byte) bool

// asked is a request that reached the upstream.
type asked struct {
	method, uri string
	header      http.Header
	body        []byte
	at          time.Time
}

// newUpstream starts one; nil options mean the defaults of the scripted model.
func newUpstream(t *testing.T, o *scripted.Options) *upstream {
	t.Helper()
	if o == nil {
		o = &scripted.Options{}
	}
	o.Remember = 20_000
	u := &upstream{model: scripted.New(o)}
	u.Server = httptest.NewUnstartedServer(u)
	u.Config.ErrorLog = log.New(io.Discard, "", 0) // it says that clients left
	u.Start()
	t.Cleanup(func() {
		u.CloseClientConnections()
		u.Close()
	})
	return u
}

func (u *upstream) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		u.left.Add(1)
		return
	}
	u.mu.Lock()
	u.asked = append(u.asked, asked{r.Method, r.RequestURI, r.Header.Clone(), body, time.Now()})
	u.mu.Unlock()
	defer func() {
		if r.Context().Err() != nil {
			u.left.Add(1)
		}
	}()
	if h := u.hook.Load(); h != nil && (*h)(w, r, body) {
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	u.model.ServeHTTP(w, r)
}

// act lets a function answer from now on, where it returns true.
func (u *upstream) act(h hook) { u.hook.Store(&h) }

// posts returns the requests that carried something, oldest first.
func (u *upstream) posts() []asked {
	u.mu.Lock()
	defer u.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(u.asked), func(a asked) bool { return a.method != http.MethodPost })
}

// all returns all requests.
func (u *upstream) all() []asked {
	u.mu.Lock()
	defer u.mu.Unlock()
	return slices.Clone(u.asked)
}

// forget empties the record.
func (u *upstream) forget() {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.asked = nil
}

// refused returns the rules that requests broke at the strict model.
func (u *upstream) refused() []string {
	var all []string
	for _, x := range u.model.Log() {
		if x.Method == http.MethodPost && x.Status == http.StatusBadRequest && !x.Overflow {
			all = append(all, fmt.Sprintf("%s: %.200s", x.Path, x.Refusal))
		}
	}
	return all
}

// say answers with a status and a body.
func say(status int, body string, headers ...string) hook {
	return func(w http.ResponseWriter, r *http.Request, _ []byte) bool {
		if r.Method != http.MethodPost {
			return false
		}
		w.Header().Set("Content-Type", "application/json")
		for i := 0; i+1 < len(headers); i += 2 {
			w.Header().Add(headers[i], headers[i+1])
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
		return true
	}
}

// hijack answers posts with bytes of its own on the bare connection, and closes it.
func hijack(do func(c net.Conn)) hook {
	return func(w http.ResponseWriter, r *http.Request, _ []byte) bool {
		if r.Method != http.MethodPost {
			return false
		}
		c, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			return false
		}
		defer c.Close()
		do(c)
		return true
	}
}

// streaming writes frames as a stream of events, each flushed.
func streaming(frames ...string) hook {
	return func(w http.ResponseWriter, r *http.Request, _ []byte) bool {
		if r.Method != http.MethodPost {
			return false
		}
		w.Header().Set("Content-Type", "text/event-stream")
		w.WriteHeader(http.StatusOK)
		for _, f := range frames {
			if _, err := io.WriteString(w, f); err != nil {
				return true
			}
			w.(http.Flusher).Flush()
		}
		return true
	}
}

// chunk is one event of Chat Completions.
func chunk(text string) string {
	return fmt.Sprintf("data: {\"id\":\"c\",\"object\":\"chat.completion.chunk\",\"model\":\"gpt-4o\",\"choices\":[{\"index\":0,\"delta\":{\"content\":%q}}]}\n\n", text)
}

const done = "data: {\"id\":\"c\",\"object\":\"chat.completion.chunk\",\"model\":\"gpt-4o\",\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n"

// long streams so many MB of text in events of 8 KB, until the client leaves.
func long(mb int) hook {
	event := []byte(chunk(strings.Repeat("water ", 1365)))
	return func(w http.ResponseWriter, r *http.Request, _ []byte) bool {
		if r.Method != http.MethodPost {
			return false
		}
		w.Header().Set("Content-Type", "text/event-stream")
		for range mb << 20 / len(event) {
			if _, err := w.Write(event); err != nil {
				return true
			}
		}
		_, _ = io.WriteString(w, done)
		return true
	}
}

// zipped is a text repeated so that it has so many bytes, under gzip.
func zipped(head, filling, tail string, size int) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = io.WriteString(z, head)
	block := strings.Repeat(filling, 1<<16/len(filling))
	for n := 0; n < size; n += len(block) {
		_, _ = io.WriteString(z, block)
	}
	_, _ = io.WriteString(z, tail)
	_ = z.Close()
	return b.Bytes()
}
