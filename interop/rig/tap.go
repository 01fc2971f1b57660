package rig

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"testing"
)

// Passage is one request of the client's and what came back.
type Passage struct {
	Method, Path string
	Body         []byte
	Status       int
	Header       http.Header
	// Answer is what the client was sent, as far as it has come.
	Answer []byte
	// tenant is who sent it; empty for a proxy on loopback, which has one tenant.
	tenant string
}

// Failed reports that the client was told of a failure: by the status, or inside a
// stream that began well.
func (p Passage) Failed() bool {
	return p.Status >= 400 || bytes.Contains(p.Answer, []byte(`"response.failed"`)) || bytes.Contains(p.Answer, []byte("event: error"))
}

// Converses reports that the request carries a conversation.
func (p Passage) Converses() bool {
	path, _, _ := strings.Cut(p.Path, "?")
	for _, end := range []string{"/chat/completions", "/responses", "/messages", "enerateContent"} {
		if strings.HasSuffix(path, end) {
			return true
		}
	}
	return false
}

// Tap puts a tap in front of a server. It returns the tap's address, and a function that
// returns what has passed there so far.
func Tap(t testing.TB, to string) (string, func() []Passage) {
	t.Helper()
	target, err := url.Parse(to)
	if err != nil {
		t.Fatal(err)
	}
	tap := newTap(target)
	front := httptest.NewServer(tap)
	t.Cleanup(front.Close)
	return front.URL, tap.passages
}

// tap hands everything on as it comes and keeps a copy.
type tap struct {
	mu   sync.Mutex
	all  []*Passage
	pass *httputil.ReverseProxy
}

func newTap(to *url.URL) *tap {
	t := &tap{}
	t.pass = &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(to)
			r.Out.Host = to.Host
		},
		FlushInterval:  -1,
		ModifyResponse: t.answered,
	}
	return t
}

type passageKey struct{}

func (t *tap) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	p := &Passage{Method: r.Method, Path: r.URL.RequestURI(), Body: body}
	t.add(p)
	r.Body = io.NopCloser(bytes.NewReader(body))
	t.pass.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), passageKey{}, p)))
}

func (t *tap) answered(r *http.Response) error {
	p, ok := r.Request.Context().Value(passageKey{}).(*Passage)
	if !ok {
		return errors.New("an answer to a request that did not pass here")
	}
	t.answer(p, r)
	return nil
}

func (t *tap) add(p *Passage) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.all = append(t.all, p)
}

// answer notes how a request is answered, and what of the answer is read.
func (t *tap) answer(p *Passage, r *http.Response) {
	t.mu.Lock()
	defer t.mu.Unlock()
	p.Status, p.Header = r.StatusCode, r.Header.Clone()
	r.Body = &copied{ReadCloser: r.Body, tap: t, passage: p}
}

// passages returns what has passed, oldest first.
func (t *tap) passages() []Passage {
	t.mu.Lock()
	defer t.mu.Unlock()
	all := make([]Passage, len(t.all))
	for i, p := range t.all {
		all[i] = *p
	}
	return all
}

// copied keeps what is read of an answer.
type copied struct {
	io.ReadCloser
	tap     *tap
	passage *Passage
}

func (c *copied) Read(p []byte) (int, error) {
	n, err := c.ReadCloser.Read(p)
	c.tap.mu.Lock()
	c.passage.Answer = append(c.passage.Answer, p[:n]...)
	c.tap.mu.Unlock()
	return n, err
}
