package proxy_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"

	"github.com/plimsoll/plimsoll/internal/serve/proxy"
	"github.com/plimsoll/plimsoll/internal/storetest"
	"github.com/plimsoll/plimsoll/store"
	"github.com/plimsoll/plimsoll/store/sqlite"
	"github.com/plimsoll/plimsoll/transport"
)

// managed is the proxy as it is served: with what manages conversations inside.
func managed(t testing.TB, upstream http.Handler, o transport.Options, more *proxy.Options) *running {
	t.Helper()
	backend, err := sqlite.Open(t.Context(), storetest.NewFile(t, sqlite.Open), nil)
	if err != nil {
		t.Fatal(err)
	}
	kept, err := store.New(t.Context(), backend, nil)
	if err != nil {
		t.Fatal(err)
	}
	base := proxy.NewTransport()
	base.Proxy = nil
	o.Store, o.Base = kept, base
	inside, err := transport.New(&o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		base.CloseIdleConnections()
		_ = inside.Close()
		_ = kept.Close()
	})
	if more == nil {
		more = &proxy.Options{}
	}
	more.Transport = inside
	return start(t, upstream, more)
}

// asked are requests that each API manages.
var asked = map[string]string{
	"/v1/chat/completions": `{"model":"gpt-4o","stream":true,"tools":[{"type":"function","function":{"name":"read","parameters":{"type":"object"}}}],"messages":[{"role":"user","content":"hi"}]}`,
	"/v1/responses":        `{"model":"gpt-4o","stream":true,"tools":[{"type":"function","name":"read","parameters":{"type":"object"}}],"input":"hi"}`,
	"/v1/messages":         `{"model":"claude-sonnet-4-5","stream":true,"max_tokens":9,"tools":[{"name":"read","input_schema":{"type":"object"}}],"messages":[{"role":"user","content":"hi"}]}`,
	"/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse": `{"tools":[{"functionDeclarations":[{"name":"read"}]}],"contents":[{"role":"user","parts":[{"text":"hi"}]}]}`,
}

// flusher is a content coding that can be flushed.
type flusher interface {
	io.WriteCloser
	Flush() error
}

type plain struct{ io.Writer }

func (plain) Flush() error { return nil }
func (plain) Close() error { return nil }

// coder writes in a content coding.
func coder(coding string, w io.Writer) flusher {
	switch coding {
	case "gzip":
		return gzip.NewWriter(w)
	case "br":
		return brotli.NewWriter(w)
	case "zstd":
		z, err := zstd.NewWriter(w, zstd.WithEncoderConcurrency(1))
		if err != nil {
			panic(err)
		}
		return z
	}
	return plain{w}
}

func TestEachEventIsFlushedInEveryCodingAndApiAndNotOneByteChanges(t *testing.T) {
	t.Parallel()
	for path, body := range asked {
		for _, coding := range []string{"", "gzip", "br", "zstd"} {
			t.Run(path+" "+coding, func(t *testing.T) {
				t.Parallel()
				next := make(chan struct{}, 1)
				var sent bytes.Buffer
				s := managed(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					if r.Method == http.MethodGet { // it does not tell its window
						http.NotFound(w, r)
						return
					}
					_, _ = io.Copy(io.Discard, r.Body)
					w.Header().Set("Content-Type", "text/event-stream")
					if coding != "" {
						w.Header().Set("Content-Encoding", coding)
					}
					z := coder(coding, io.MultiWriter(w, &sent))
					for i := range 5 {
						fmt.Fprintf(z, ": %d\r\n\r\ndata: {\"n\":%d}\n\n", i, i)
						_ = z.Flush()
						_ = http.NewResponseController(w).Flush()
						select {
						case <-next:
						case <-r.Context().Done():
							return
						}
					}
					_ = z.Close()
				}), transport.Options{}, nil)
				resp, err := s.client.Do(s.request(t, http.MethodPost, path, strings.NewReader(body), "Accept-Encoding", "gzip, br, zstd"))
				if err != nil {
					t.Fatal(err)
				}
				defer resp.Body.Close()
				if got := resp.Header.Get("Content-Encoding"); got != coding {
					t.Fatalf("the coding became %q", got)
				}
				var got bytes.Buffer
				p := make([]byte, 4096)
				for i := range 5 {
					// The upstream goes on only when something of this event has come.
					n, err := resp.Body.Read(p)
					if err != nil {
						t.Fatalf("event %d: %v", i, err)
					}
					got.Write(p[:n])
					next <- struct{}{}
				}
				if _, err := io.Copy(&got, resp.Body); err != nil {
					t.Fatal(err)
				}
				if !bytes.Equal(got.Bytes(), sent.Bytes()) {
					t.Errorf("%q became %q", sent.Bytes(), got.Bytes())
				}
			})
		}
	}
}

// again is an upstream that calls a tool of ours and never answers the second request.
type again struct {
	asked, left atomic.Int64
	// silent says from which request on it says nothing.
	silent int64
}

func (a *again) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body)
	if n := a.asked.Add(1); n < a.silent {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, `data: {"id":"c","choices":[{"index":0,"delta":{"role":"assistant","tool_calls":[{"index":0,"id":"call_1","type":"function","function":{"name":"tool_output_cache","arguments":"{\"ref_id\":\"x\"}"}}]}}]}`+"\n\n"+
			`data: {"id":"c","choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}`+"\n\ndata: [DONE]\n\n")
		return
	}
	<-r.Context().Done()
	a.left.Add(1)
}

func TestAManagedClientThatLeavesTakesTheUpstreamWithIt(t *testing.T) {
	t.Parallel()
	for name, silent := range map[string]int64{"before an answer begins": 1, "while a model is asked again": 2} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			up := &again{silent: silent}
			s := managed(t, up, transport.Options{Expand: transport.ExpandAlways}, nil)
			ctx, leave := context.WithCancel(t.Context())
			var gone sync.WaitGroup
			gone.Go(func() {
				req := s.request(t, http.MethodPost, "/v1/chat/completions", strings.NewReader(asked["/v1/chat/completions"]))
				if resp, err := s.client.Do(req.WithContext(ctx)); err == nil {
					_, _ = io.Copy(io.Discard, resp.Body)
					_ = resp.Body.Close()
				}
			})
			within(t, "the upstream is asked", func() bool { return up.asked.Load() == silent })
			leave()
			within(t, "the upstream is left", func() bool { return up.left.Load() == 1 })
			gone.Wait()
		})
	}
}

func TestNoHeaderOfOursGoesUpstreamOnAnyPath(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var seen []string
	s := managed(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		mu.Lock()
		defer mu.Unlock()
		for name := range r.Header {
			if strings.HasPrefix(strings.ToLower(name), "x-plimsoll") {
				seen = append(seen, r.Method+" "+r.URL.Path+": "+name)
			}
		}
		w.WriteHeader(http.StatusTeapot)
	}), transport.Options{}, nil)
	header := []string{"X-Plimsoll-Limit", "9000", "X-Plimsoll-Conversation", "c", "x-plimsoll-pin", "role=user", "X-Plimsoll-Unknown", "1"}
	for path, body := range asked {
		for _, more := range [][]string{nil, {"X-Plimsoll-Bypass", "1"}} {
			s.do(t, http.MethodPost, path, body, append(slices.Clone(header), more...)...)
		}
		s.do(t, http.MethodPost, path, "no JSON", header...)
		s.do(t, http.MethodGet, path, "", header...)
	}
	for _, path := range []string{"/v1/embeddings", "/v1/files", "/v1/messages/count_tokens", "/v1/responses/compact", "/v1beta/models/m:countTokens"} {
		s.do(t, http.MethodPost, path, `{"model":"m","input":"x","messages":[],"contents":[]}`, header...)
	}
	for _, method := range []string{http.MethodGet, http.MethodDelete, http.MethodPatch, http.MethodPut, http.MethodOptions} {
		s.do(t, method, "/v1/models", "", header...)
	}
	if len(seen) > 0 {
		t.Errorf("these went upstream:\n%s", strings.Join(seen, "\n"))
	}
}

// echo answers with what it was asked.
var echo = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	length := r.Header.Values("Content-Length")
	fmt.Fprintf(w, "%s %s %v %v %q %v", r.Method, r.RequestURI, length, r.Header.Values("X-Twice"), body, r.Trailer)
})

func TestWhateverIsAskedOfOtherPathsArrivesAsItWasWritten(t *testing.T) {
	t.Parallel()
	direct := httptest.NewServer(echo)
	t.Cleanup(direct.Close)
	s := managed(t, echo, transport.Options{}, nil)
	for _, method := range []string{"GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "PURGE"} {
		for _, path := range []string{
			"/v1/files/a%2Fb%20c%3F?x=%2F&y=a+b&y=&z", "/v1/models?", "/v1/vector_stores/vs_1/search?q=ä%20b;c", "/v1//double/", "/v1/a:b@c,d",
		} {
			for _, body := range []string{"", "x"} {
				ask := func(base string) string {
					req, err := http.NewRequestWithContext(t.Context(), method, base+path, strings.NewReader(body))
					if err != nil {
						t.Fatal(err)
					}
					req.Header["X-Twice"] = []string{"a", "b"}
					resp, err := s.client.Do(req)
					if err != nil {
						t.Fatal(err)
					}
					defer resp.Body.Close()
					text, _ := io.ReadAll(resp.Body)
					return string(text)
				}
				if want, got := ask(direct.URL), ask(s.base); got != want {
					t.Errorf("%s %s arrived as\n%s, want\n%s", method, path, got, want)
				}
			}
		}
	}
}

func TestAClientThatWaitsForLeaveToSendGetsIt(t *testing.T) {
	t.Parallel()
	s := managed(t, echo, transport.Options{}, nil)
	for _, path := range []string{"/v1/files", "/v1/chat/completions"} {
		req := s.request(t, http.MethodPost, path, strings.NewReader(`{"model":"gpt-4o","messages":[{"role":"user","content":"hi"}]}`), "Expect", "100-continue")
		client := &http.Client{Transport: &http.Transport{ExpectContinueTimeout: time.Hour, DisableKeepAlives: true}}
		resp, err := client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		text, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		if !strings.Contains(string(text), `\"role\":\"user\"`) {
			t.Errorf("%s: %s", path, text)
		}
	}
}

func TestAnUpstreamThatSpeaksHTTP2IsAskedInIt(t *testing.T) {
	t.Parallel()
	var proto atomic.Value
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		proto.Store(r.Proto)
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "text/event-stream")
		w.Header().Set("Trailer", "X-Sum")
		_, _ = io.WriteString(w, "data: [DONE]\n\n")
		_ = http.NewResponseController(w).Flush() // or it would have a length, and HTTP/1 no trailers beside one
		w.Header().Set("X-Sum", "7")
	}))
	server.EnableHTTP2 = true
	server.StartTLS()
	t.Cleanup(server.Close)
	base := proxy.NewTransport()
	base.TLSClientConfig = server.Client().Transport.(*http.Transport).TLSClientConfig.Clone()
	base.TLSClientConfig.NextProtos = nil
	t.Cleanup(base.CloseIdleConnections)
	inside, err := transport.New(&transport.Options{Base: base})
	if err != nil {
		t.Fatal(err)
	}
	s := start(t, nil, &proxy.Options{Transport: inside, Upstreams: everything(t, server.URL)})
	resp, text := s.do(t, http.MethodPost, "/v1/chat/completions", asked["/v1/chat/completions"])
	if resp.StatusCode != http.StatusOK || text != "data: [DONE]\n\n" || proto.Load() != "HTTP/2.0" || resp.Trailer.Get("X-Sum") != "7" {
		t.Errorf("%d %q over %v, trailer %v", resp.StatusCode, text, proto.Load(), resp.Trailer)
	}
}
