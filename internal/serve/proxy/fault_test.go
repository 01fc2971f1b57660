package proxy_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/coding"
	"github.com/plimsoll/plimsoll/internal/serve/proxy"
)

// does is a transport of one function.
type does func(*http.Request) (*http.Response, error)

func (d does) RoundTrip(r *http.Request) (*http.Response, error) { return d(r) }

func TestErrorsAreInTheFormOfTheAPI(t *testing.T) {
	t.Parallel()
	refused := does(func(*http.Request) (*http.Response, error) {
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: errors.New("connection refused")}
	})
	s := start(t, nil, &proxy.Options{Transport: refused})
	for path, kind := range map[string][]string{
		"/v1/chat/completions":             {"error", "type", "server_error"},
		"/v1/responses":                    {"error", "code", "upstream_unreachable"},
		"/v1/embeddings":                   {"error", "code", "upstream_unreachable"},
		"/v1/messages":                     {"error", "type", "api_error"},
		"/v1/messages/batches":             {"type", "error"},
		"/v1beta/models/m:generateContent": {"error", "status", "UNAVAILABLE"},
		"/v1beta/cachedContents":           {"error", "status", "UNAVAILABLE"},
	} {
		resp, text := s.do(t, http.MethodPost, path, "{}")
		at, want := kind[:len(kind)-1], kind[len(kind)-1]
		if resp.StatusCode != http.StatusBadGateway || resp.Header.Get("Content-Type") != "application/json" || member(t, text, at...) != want {
			t.Errorf("%s: %d %s", path, resp.StatusCode, text)
		}
		if m := member(t, text, "error", "message"); !strings.Contains(m, "connection refused") || !strings.Contains(m, "right address") {
			t.Errorf("%s: %s", path, m)
		}
	}
}

func TestNoKeyIsQuoted(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	fails := does(func(r *http.Request) (*http.Response, error) {
		if r.URL.Query().Get("plain") != "" {
			return nil, errors.New(`Get "` + r.URL.String() + `": Bearer sk-canary: EOF`)
		}
		return nil, &url.Error{Op: "Post", URL: r.URL.String(), Err: errors.New("EOF")}
	})
	s := start(t, nil, &proxy.Options{Transport: fails, Logger: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))})
	for _, query := range []string{"?key=sk-canary", "?plain=1&key=sk-canary"} {
		_, text := s.do(t, http.MethodPost, "/v1beta/models/m:generateContent"+query, "{}", "Authorization", "Bearer sk-canary", "X-Goog-Api-Key", "sk-canary")
		if strings.Contains(text, "canary") || !strings.Contains(text, "EOF") {
			t.Error(text)
		}
	}
	s.do(t, http.MethodGet, "/v1/models?key=sk-canary", "", "Origin", "https://evil.example", "Authorization", "Bearer sk-canary")
	s.stop()
	if err := <-s.ended; err != nil {
		t.Fatal(err)
	}
	s.ended <- nil
	if text := log.String(); strings.Contains(text, "canary") || !strings.Contains(text, "refused") {
		t.Error(text)
	}
}

func TestErrorsWithAStatusKeepIt(t *testing.T) {
	t.Parallel()
	for want, err := range map[int]error{
		http.StatusRequestEntityTooLarge: &coding.TooLargeError{Max: 5},
		http.StatusUnsupportedMediaType:  &coding.UnknownError{Encoding: "lzma"},
		http.StatusGatewayTimeout:        &net.OpError{Op: "dial", Err: timeout{}},
	} {
		s := start(t, nil, &proxy.Options{Transport: does(func(*http.Request) (*http.Response, error) { return nil, err })})
		if resp, text := s.do(t, http.MethodPost, "/v1/messages", "{}"); resp.StatusCode != want {
			t.Errorf("%v: %d %s", err, resp.StatusCode, text)
		}
	}
}

type timeout struct{}

func (timeout) Error() string { return "i/o timeout" }
func (timeout) Timeout() bool { return true }

// brokeOff is the error of an upstream that has answered, and quotes it.
type brokeOff struct{ error }

func (brokeOff) Error() string   { return `the upstream answered 429: {"user said":"canary"}` }
func (brokeOff) Answered() bool  { return true }
func (b brokeOff) Unwrap() error { return b.error }

func TestAnUpstreamThatHasAnsweredIsNotCalledUnreachable(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		cause error
		says  string
	}{
		{io.ErrUnexpectedEOF, "unexpected EOF"},
		{&net.OpError{Op: "read", Net: "tcp", Err: errors.New("connection reset by peer")}, "connection reset by peer"},
		{&net.OpError{Op: "read", Net: "tcp", Err: timeout{}}, "i/o timeout"},
		{&coding.UnknownError{Encoding: "lzma"}, "not what was expected"},
		{errors.New("a canary"), "not what was expected"},
		{nil, "not what was expected"},
	} {
		var log bytes.Buffer
		s := start(t, nil, &proxy.Options{
			Logger:    slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})),
			Transport: does(func(*http.Request) (*http.Response, error) { return nil, fmt.Errorf("go on: %w", brokeOff{c.cause}) }),
		})
		resp, text := s.do(t, http.MethodPost, "/v1/chat/completions", "{}")
		if resp.StatusCode != http.StatusBadGateway || member(t, text, "error", "code") != "upstream_broke_off" {
			t.Errorf("%v: %d %s", c.cause, resp.StatusCode, text)
		}
		if m := member(t, text, "error", "message"); !strings.Contains(m, c.says) || strings.Contains(m, "canary") || strings.Contains(m, "is up") {
			t.Errorf("%v: %s", c.cause, m)
		}
		s.stop()
		s.ended <- <-s.ended
		if text := log.String(); strings.Contains(text, "canary") || !strings.Contains(text, "upstream_broke_off") || !strings.Contains(text, c.says) {
			t.Errorf("%v is logged as %s", c.cause, text)
		}
	}
}

// breaksOff is the body of an answer that ends with an error which quotes the upstream.
type breaksOff struct{ begun bool }

func (b *breaksOff) Read(p []byte) (int, error) {
	if b.begun {
		return 0, brokeOff{io.ErrUnexpectedEOF}
	}
	b.begun = true
	return copy(p, "data: x\n\n"), nil
}

func (*breaksOff) Close() error { return nil }

func TestAnAnswerThatBreaksOffIsNotQuotedInTheLog(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	s := start(t, nil, &proxy.Options{
		Logger: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})),
		Transport: does(func(*http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: 200, ProtoMajor: 1, ProtoMinor: 1, Header: http.Header{}, ContentLength: -1, Body: &breaksOff{}}, nil
		}),
	})
	resp, err := s.client.Do(s.request(t, http.MethodPost, "/v1/messages", strings.NewReader("{}")))
	if err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(resp.Body)
	resp.Body.Close()
	if err == nil || string(got) != "data: x\n\n" {
		t.Errorf("%q, and the end looks clean: %v", got, err)
	}
	s.stop()
	s.ended <- <-s.ended
	if text := log.String(); strings.Contains(text, "canary") || !strings.Contains(text, "unexpected EOF") {
		t.Error(text)
	}
}

func TestAMistakeEndsOneRequestOnly(t *testing.T) {
	t.Parallel()
	s := start(t, nil, &proxy.Options{Transport: does(func(r *http.Request) (*http.Response, error) {
		if r.Header.Get("X-Trouble") != "" {
			panic("a mistake")
		}
		return &http.Response{StatusCode: 200, ProtoMajor: 1, ProtoMinor: 1, Header: http.Header{}, Body: io.NopCloser(strings.NewReader("fine"))}, nil
	})})
	if resp, text := s.do(t, http.MethodPost, "/v1/messages", "{}", "X-Trouble", "1"); resp.StatusCode != 500 || strings.Contains(text, "a mistake") {
		t.Errorf("%d %s", resp.StatusCode, text)
	}
	if resp, text := s.do(t, http.MethodPost, "/v1/messages", "{}"); resp.StatusCode != 200 || text != "fine" {
		t.Errorf("%d %s", resp.StatusCode, text)
	}
}

func TestWhatCannotWorkIsSaidAtOnce(t *testing.T) {
	t.Parallel()
	for _, o := range []*proxy.Options{
		nil,
		{},
		{Transport: http.DefaultTransport, Upstreams: proxy.Upstreams{OpenAI: &url.URL{Scheme: "ftp", Host: "h"}}},
		{Transport: http.DefaultTransport, Upstreams: proxy.Upstreams{Gemini: &url.URL{Scheme: "http", Host: "h", RawQuery: "key=k"}}},
		{Transport: http.DefaultTransport, Upstreams: proxy.Upstreams{Anthropic: &url.URL{Scheme: "http", Host: "h", User: url.User("u")}}},
		{Transport: http.DefaultTransport, Origins: []string{"chat.example"}},
	} {
		if _, err := proxy.New(o); plimsoll.CodeOf(err) != plimsoll.CodeInvalid {
			t.Errorf("%+v: %v", o, err)
		}
	}
}
