package main

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// model answers every request with the same few words. How it answers is set from
// outside, because proxies do not pass on every header.
type model struct {
	perToken float64
	server   *http.Server
	mu       sync.Mutex
	mode     mode
	// arrived counts requests that were read whole.
	arrived atomic.Int64
	// seen are the lengths of conversations by how they begin, of which later requests
	// are billed as read from a cache.
	seen map[[sha256.Size]byte]int
}

// opening is how much of a body tells conversations apart.
const opening = 1 << 10

// cached returns how much of a body was there before.
func (m *model) cached(begins []byte, size int) int {
	sum := sha256.Sum256(begins)
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.seen) > 1000 {
		clear(m.seen)
	}
	before := m.seen[sum]
	m.seen[sum] = size
	return min(before, size)
}

// mode is how requests are answered.
type mode struct {
	// events is the length of a stream; 0 means an answer in one piece.
	events int
	gap    time.Duration
	// held is closed when answers may be given; nil means at once.
	held chan struct{}
}

func newModel(perToken float64, server *http.Server) http.Handler {
	m := &model{perToken: perToken, server: server, seen: map[[sha256.Size]byte]int{}}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "ok") })
	mux.HandleFunc("POST /mode", m.set)
	mux.HandleFunc("GET /arrived", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, m.arrived.Load()) })
	mux.HandleFunc("POST /v1/chat/completions", m.answer)
	return mux
}

// set changes the mode, by ?events=N&gap=D&hold=1&rest=1, and lets go of what is held.
// At rest it keeps no connection open.
func (m *model) set(w http.ResponseWriter, r *http.Request) {
	var next mode
	next.events, _ = strconv.Atoi(r.FormValue("events"))
	next.gap, _ = time.ParseDuration(r.FormValue("gap"))
	if r.FormValue("hold") != "" {
		next.held = make(chan struct{})
	}
	m.mu.Lock()
	before := m.mode
	m.mode = next
	m.mu.Unlock()
	if before.held != nil {
		close(before.held)
	}
	m.arrived.Store(0)
	m.server.SetKeepAlivesEnabled(r.FormValue("rest") == "")
	w.WriteHeader(http.StatusNoContent)
}

func (m *model) answer(w http.ResponseWriter, r *http.Request) {
	m.mu.Lock()
	now := m.mode
	m.mu.Unlock()
	begins := make([]byte, opening)
	n, err := io.ReadFull(r.Body, begins)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		return
	}
	rest, err := io.Copy(io.Discard, r.Body)
	if err != nil {
		return
	}
	size := n + int(rest)
	m.arrived.Add(1)
	if now.held != nil {
		select {
		case <-now.held:
		case <-r.Context().Done():
			return
		}
	}
	tokens := int(float64(size) / m.perToken)
	bill := fmt.Sprintf(`"usage":{"prompt_tokens":%d,"completion_tokens":4,"total_tokens":%d,"prompt_tokens_details":{"cached_tokens":%d}}`,
		tokens, tokens+4, int(float64(m.cached(begins[:n], size))/m.perToken))
	if now.events > 0 {
		stream(w, r, now, bill)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	fmt.Fprintf(w, `{"id":"chatcmpl-1","object":"chat.completion","created":1763200000,"model":"gpt-4.1","choices":[{"index":0,"message":{"role":"assistant","content":"That is all."},"finish_reason":"stop"}],%s}`, bill)
}

// stream sends events that say when they were sent, and as the last the sum of all
// bytes before it.
func stream(w http.ResponseWriter, r *http.Request, now mode, bill string) {
	w.Header().Set("Content-Type", "text/event-stream")
	control, sum := http.NewResponseController(w), sha256.New()
	const frame = `data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1763200000,"model":"gpt-4.1","choices":[{"index":0,"delta":{"role":"assistant","content":"%s "},"finish_reason":null}]}` + "\n\n"
	to := io.MultiWriter(w, sum)
	for i := range now.events {
		if i > 0 {
			time.Sleep(now.gap)
		}
		if _, err := fmt.Fprintf(to, frame, fmt.Sprintf("sent-%d", time.Now().UnixNano())); err != nil || control.Flush() != nil || r.Context().Err() != nil {
			return
		}
	}
	fmt.Fprintf(to, `data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1763200000,"model":"gpt-4.1","choices":[{"index":0,"delta":{},"finish_reason":"stop"}],%s}`+"\n\n", bill)
	fmt.Fprintf(w, ": sum %x\n\ndata: [DONE]\n\n", sum.Sum(nil))
}
