package proxy

import (
	"net/http"
	"strconv"
	"time"
)

// paced gives every write to a client its own deadline, so that a peer that is gone
// without a word, or never reads, does not hold an answer without end. How long all writes
// take together has no bound.
type paced struct {
	http.ResponseWriter
	control *http.ResponseController
	server  *Server
	// until is the deadline that is set.
	until time.Time
	// left is how many bytes of an answer of known length are still to come.
	left int64
}

func (s *Server) paced(w http.ResponseWriter) *paced {
	return &paced{ResponseWriter: w, control: http.NewResponseController(w), server: s}
}

// Unwrap gives [http.ResponseController] what is below.
func (p *paced) Unwrap() http.ResponseWriter { return p.ResponseWriter }

// WriteHeader keeps the server from guessing a type that the upstream did not name.
func (p *paced) WriteHeader(status int) {
	h := p.Header()
	if _, named := h["Content-Type"]; !named && status >= http.StatusOK {
		h["Content-Type"] = nil
	}
	if status >= http.StatusOK {
		p.left, _ = strconv.ParseInt(h.Get("Content-Length"), 10, 64) // without one it is unknown
	}
	p.extend()
	p.ResponseWriter.WriteHeader(status)
}

// Write writes under a new deadline. The end of an answer is sent at once: what is left
// to do here need not keep the client waiting.
func (p *paced) Write(b []byte) (int, error) {
	p.extend()
	n, err := p.ResponseWriter.Write(b)
	if p.left > 0 && err == nil {
		if p.left -= int64(n); p.left <= 0 {
			err = p.control.Flush()
		}
	}
	return n, err
}

// FlushError sends what was written.
func (p *paced) FlushError() error {
	p.extend()
	return p.control.Flush()
}

// extend moves the deadline on when a part of it is over: a clock is cheaper to read
// than a deadline to set.
func (p *paced) extend() {
	limit := p.server.options.WriteTimeout
	now := p.server.options.Now()
	if p.until.Sub(now) > limit-limit/16 {
		return
	}
	p.until = now.Add(limit)
	_ = p.control.SetWriteDeadline(p.until) // not every connection has deadlines
}
