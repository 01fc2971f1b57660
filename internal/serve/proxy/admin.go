package proxy

import (
	"context"
	"io"
	"net/http"
	"strings"
	"time"
)

// ofAdmin reports whether a path is answered by the server itself.
func ofAdmin(path string) bool {
	switch path {
	case "/healthz", "/readyz", "/metrics":
		return true
	}
	return below(path, "/plimsoll")
}

// Admin returns what the server answers itself: /healthz and /readyz for everybody,
// /metrics and everything below /plimsoll/ for the operator. It is part of
// [Server.Handler], unless it has a listener of its own.
func (s *Server) Admin() http.Handler { return s.admin(true) }

// admin answers for health, and for the operator if this is the operator's listener.
func (s *Server) admin(operator bool) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/healthz":
			report(w, r, http.StatusOK, "ok")
		case r.URL.Path == "/readyz":
			s.ready(w, r)
		case operator && r.URL.Path == "/metrics" && s.options.Metrics != nil:
			s.operator(w, r, s.options.Metrics)
		case operator && strings.HasPrefix(r.URL.Path, "/plimsoll/") && s.options.Control != nil:
			s.operator(w, r, s.options.Control)
		default:
			(&fault{status: http.StatusNotFound, code: "not_found", message: "There is nothing here."}).write(w, "")
		}
	})
}

// operator lets the operator through. Bodies have the deadlines and the memory of those
// that are passed on.
func (s *Server) operator(w http.ResponseWriter, r *http.Request, next http.Handler) {
	if f := s.guard.objectionToOperator(r); f != nil {
		if f.status == http.StatusUnauthorized {
			w.Header()["WWW-Authenticate"] = []string{`Bearer realm="plimsoll"`, `Basic realm="plimsoll: the admin token is the password", charset="UTF-8"`}
		}
		f.write(w, "")
		return
	}
	if !s.requests.begin() {
		draining().write(w, "")
		return
	}
	defer s.requests.end()
	w, r = &deadlineWriter{w, &s.options}, r.WithContext(r.Context())
	f := &forward{server: s, target: target{managed: true}}
	f.receive(w, r)
	if objection := f.admit(r); objection != nil {
		f.refuse(w, r, objection)
		return
	}
	if f.memory != nil {
		defer f.memory.release()
	}
	next.ServeHTTP(w, r)
}

// ready tells a load balancer whether to send requests. Why not is for the log.
func (s *Server) ready(w http.ResponseWriter, r *http.Request) {
	if s.requests.ending() {
		report(w, r, http.StatusServiceUnavailable, "ending")
		return
	}
	if s.options.Ready != nil {
		ctx, cancel := context.WithTimeout(r.Context(), readyTimeout)
		defer cancel()
		if err := s.options.Ready(ctx); err != nil {
			s.options.Logger.WarnContext(r.Context(), "not ready", "error", err)
			report(w, r, http.StatusServiceUnavailable, "not ready")
			return
		}
	}
	report(w, r, http.StatusOK, "ready")
}

// readyTimeout is how long a question for health may take.
const readyTimeout = 2 * time.Second

func report(w http.ResponseWriter, r *http.Request, status int, text string) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		status, text = http.StatusMethodNotAllowed, "only GET"
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, text+"\n") // the client may be gone
}
