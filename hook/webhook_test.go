package hook_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/hook"
)

// post returns a hook that posts to a server with the handler.
func post(t *testing.T, handle http.HandlerFunc, o *hook.Options) *hook.Hook {
	t.Helper()
	server := httptest.NewServer(handle)
	t.Cleanup(server.Close)
	h, err := hook.Webhook(server.URL+"/hook?token=secret", o)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func TestG14_AnAddressIsToldBeforeAndG15_After(t *testing.T) {
	t.Parallel()
	for _, content := range []bool{false, true} {
		var got []byte
		var header http.Header
		h := post(t, func(_ http.ResponseWriter, r *http.Request) {
			header = r.Header
			got, _ = io.ReadAll(r.Body)
		}, &hook.Options{Content: content, Header: http.Header{"authorization": {"Bearer x"}}})
		if _, err := h.PreCompress(t.Context(), about()); err != nil {
			t.Fatal(err)
		}
		want := wantBefore
		if content {
			want = withContent(want)
		}
		sameJSON(t, want, got)
		if header.Get("Authorization") != "Bearer x" || header.Get("Content-Type") != "application/json" {
			t.Errorf("headers %v", header)
		}
		if err := h.PostCompress(t.Context(), outcome()); err != nil {
			t.Fatal(err)
		}
		sameJSON(t, wantAfter, got)
	}
}

func TestG14_WhatAnAddressAnswersCounts(t *testing.T) {
	t.Parallel()
	checkAnswers(t, func(t *testing.T, said string) asker {
		return post(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, said) }, nil)
	})
}

func TestAnAddressThatFailsIsNoVeto(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		timeout time.Duration
		serve   http.HandlerFunc
		fails   string
	}{
		{"an error", time.Hour, func(w http.ResponseWriter, _ *http.Request) { http.Error(w, `{"veto":"x"}`, 500) }, "500"},
		{"one that hangs", 50 * time.Millisecond, func(_ http.ResponseWriter, r *http.Request) {
			_, _ = io.ReadAll(r.Body)
			<-r.Context().Done()
		}, "took more than 50ms"},
		{"one that hangs up", time.Hour, func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, "EOF"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := post(t, tt.serve, &hook.Options{Timeout: tt.timeout}).PreCompress(t.Context(), about())
			if got.Veto != "" {
				t.Errorf("veto %q", got.Veto)
			}
			expectError(t, err, tt.fails)
			if err != nil && strings.Contains(err.Error(), "token") {
				t.Errorf("the error tells the address: %v", err)
			}
		})
	}
}

func TestRedirectionsStayOnTheHostAndKeepTheRequest(t *testing.T) {
	t.Parallel()
	reached := false
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached = true }))
	t.Cleanup(other.Close)
	for _, tt := range []struct {
		name   string
		to     string
		status int
		veto   string
		fails  string
	}{
		{"the same host", "/moved", 307, "moved", ""},
		{"the same host, for ever", "/again", 307, "", "307"},
		{"the same host, with another request", "/moved", 303, "", "303"},
		{"another host", other.URL, 307, "", "another host"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			h := post(t, func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/moved" {
					_, _ = io.WriteString(w, `{"veto":"moved"}`)
					return
				}
				http.Redirect(w, r, tt.to, tt.status)
			}, nil)
			got, err := h.PreCompress(t.Context(), about())
			if got.Veto != tt.veto {
				t.Errorf("veto %q, want %q", got.Veto, tt.veto)
			}
			expectError(t, err, tt.fails)
			if reached {
				t.Error("the other host was told")
			}
		})
	}
}

func TestOnlyAddressesOfHTTPAreTaken(t *testing.T) {
	t.Parallel()
	for _, address := range []string{"", "file:///etc/passwd", "host/path", "https://", "http://\x00"} {
		if _, err := hook.Webhook(address, nil); !errors.Is(err, plimsoll.ErrInvalid) {
			t.Errorf("%q: %v", address, err)
		}
	}
}
