package proxy

import (
	"context"
	"errors"
	"net/http"
	"net/http/httputil"
	"runtime/debug"
	"strings"
	"time"
)

// Why a request is ended from here.
var (
	errGone     = errors.New("the client is gone")
	errNoAnswer = errors.New("the upstream did not begin to answer in time")
	errStalled  = errors.New("the upstream stopped in the middle of its answer")
	errCut      = errors.New("the server ended before the request did")
)

// forward is one request that is forwarded to an upstream.
type forward struct {
	server *Server
	target target
	body   *body // nil if there is none
	memory *reservation
	cancel context.CancelCauseFunc
	// timer ends the request if the upstream does not begin to answer.
	timer *time.Timer
}

// forward sends a request on, unless it must not go on.
func (s *Server) forward(w http.ResponseWriter, r *http.Request) {
	f := &forward{server: s, target: s.options.Upstreams.route(r)}
	if !s.requests.begin() {
		f.refuse(w, r, draining())
		return
	}
	defer s.requests.end()
	ctx, cancel := context.WithCancelCause(r.Context())
	defer cancel(nil)
	f.cancel, r = cancel, r.WithContext(ctx)
	w = &deadlineWriter{w, &s.options}
	f.receive(w, r)
	if objection := s.objection(r); objection != nil {
		f.refuse(w, r, objection)
		return
	}
	if objection := f.admit(r); objection != nil {
		f.refuse(w, r, objection)
		return
	}
	if f.memory != nil {
		defer f.memory.release()
	}
	f.timer = time.AfterFunc(s.options.AnswerTimeout, func() { cancel(errNoAnswer) })
	defer f.timer.Stop()
	proxy := httputil.ReverseProxy{
		Rewrite: f.rewrite, Transport: f, FlushInterval: -1, ErrorHandler: f.failed, ErrorLog: s.errorLog,
	}
	proxy.ServeHTTP(w, r)
}

// receive lets the client's body come under a deadline.
func (f *forward) receive(w http.ResponseWriter, r *http.Request) {
	if o := &f.server.options; r.Body != nil && r.Body != http.NoBody {
		f.body = &body{ReadCloser: r.Body, received: r, control: http.NewResponseController(w), now: o.Now, idle: o.BodyIdle, most: -1}
		r.Body = f.body
	}
}

// admit waits until there is memory for a body that will be held.
func (f *forward) admit(r *http.Request) *fault {
	if f.body == nil || !f.target.managed {
		return nil
	}
	o := &f.server.options
	if r.ContentLength > o.MaxBody {
		return tooLarge(o.MaxBody)
	}
	expected := r.ContentLength
	if expected < 0 {
		expected = unknownBody
	}
	if coding := r.Header.Get("Content-Encoding"); coding != "" && !strings.EqualFold(coding, "identity") {
		expected = min(expected*codedRatio, o.MaxBody)
	}
	f.memory = f.server.memory.enter(r.Context(), expected, o.Queue)
	if f.memory == nil {
		return busy()
	}
	f.body.most, f.body.memory, f.body.expected = o.MaxBody, f.memory, expected
	return nil
}

// refuse answers with a fault.
func (f *forward) refuse(w http.ResponseWriter, r *http.Request, why *fault) {
	f.server.options.Logger.InfoContext(r.Context(), "refused", "status", why.status, "code", why.code, "method", r.Method, "path", r.URL.Path)
	f.answer(w, r, why)
}

// answer sends a fault while the client may still be sending, and then lets it finish,
// unless it waits for a 100 Continue, or takes too long.
func (f *forward) answer(w http.ResponseWriter, r *http.Request, why *fault) {
	control := http.NewResponseController(w)
	_ = control.EnableFullDuplex() // only HTTP/1 needs it
	why.write(w, f.target.dialect)
	_ = control.Flush() // the client may be gone
	if f.body != nil && r.Header.Get("Expect") == "" && why.status != http.StatusRequestTimeout {
		f.body.discard()
	}
}

// rewrite addresses a request to its upstream. Everything else stays.
func (f *forward) rewrite(pr *httputil.ProxyRequest) {
	u := f.target.join()
	u.RawQuery, u.ForceQuery = pr.In.URL.RawQuery, pr.In.URL.ForceQuery
	pr.Out.URL, pr.Out.Host = u, u.Host
	// The body's reader has said it already.
	pr.Out.Header.Del("Expect")
	hops := strings.ToLower(strings.Join(pr.In.Header.Values("Connection"), ","))
	for _, name := range []string{"Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto"} {
		if values := pr.In.Header.Values(name); len(values) > 0 && !strings.Contains(hops, strings.ToLower(name)) {
			pr.Out.Header[name] = values
		}
	}
}

// RoundTrip sends the request. A panic in the transport ends this request, and nothing
// else. Once the answer has begun, the request needs no more memory than its own bytes.
func (f *forward) RoundTrip(r *http.Request) (resp *http.Response, err error) {
	o := &f.server.options
	defer func() {
		if thrown := recover(); thrown != nil {
			o.Logger.ErrorContext(r.Context(), "a request was ended by a mistake in this program", "panic", thrown, "stack", string(debug.Stack()))
			resp, err = nil, &fault{status: http.StatusInternalServerError, code: "internal", message: "This proxy failed. Its log says more."}
		}
	}()
	if resp, err = o.Transport.RoundTrip(r); err != nil {
		return nil, err
	}
	f.timer.Stop()
	if f.memory != nil {
		f.memory.shrink(f.body.got.Load() + f.body.decoded)
	}
	resp.Body = &answer{resp.Body, o.IdleTimeout, o.AnswerTimeout, f.cancel}
	return resp, nil
}

// failed answers for an upstream that has no answer to pass on.
func (f *forward) failed(w http.ResponseWriter, r *http.Request, err error) {
	f.timer.Stop()
	told := f.explain(r.Context(), err)
	logger := f.server.options.Logger
	if told == nil {
		logger.DebugContext(r.Context(), "the client left", "method", r.Method, "path", r.URL.Path)
		w.WriteHeader(statusClientClosed) // for metrics only
		return
	}
	what := withoutAddresses(err)
	if isAnswered(err) {
		what = withoutContent(err)
	}
	logger.WarnContext(r.Context(), "not answered by the upstream", "status", told.status, "code", told.code,
		"method", r.Method, "path", r.URL.Path, "upstream", f.target.upstream.Host, "error", what)
	f.answer(w, r, told)
}

// statusClientClosed is what servers write into their logs for a client that left.
const statusClientClosed = 499

// explain returns the fault that a client gets for an error; nil if the client has left.
func (f *forward) explain(ctx context.Context, err error) *fault {
	if failure := f.body.failure(); failure != nil {
		err = failure
	}
	host := f.target.upstream.Host
	cause := context.Cause(ctx)
	var own *fault
	var status interface{ HTTPStatus() int }
	var slow interface{ Timeout() bool }
	switch {
	case errors.As(err, &own):
		return own
	case errors.Is(cause, errCut):
		return draining()
	case errors.Is(cause, errNoAnswer), errors.Is(cause, errStalled):
		return &fault{status: http.StatusGatewayTimeout, code: "upstream_timeout", message: "The upstream " + host + " did not answer in time."}
	case errors.Is(err, errGone), ctx.Err() != nil:
		return nil
	case isAnswered(err):
		return &fault{
			status: http.StatusBadGateway, code: "upstream_broke_off",
			message: "The upstream " + host + " has answered, but its answer cannot be passed on: " + withoutContent(err) + ". Send the request again.",
		}
	case errors.As(err, &status):
		return &fault{status: status.HTTPStatus(), code: "bad_request", message: withoutAddresses(err)}
	case errors.As(err, &slow) && slow.Timeout():
		return &fault{status: http.StatusGatewayTimeout, code: "upstream_timeout", message: "The upstream " + host + " did not answer in time."}
	}
	return &fault{
		status: http.StatusBadGateway, code: "upstream_unreachable",
		message: "The upstream " + host + " could not be asked: " + withoutAddresses(err) + ". See whether it is up, and whether the proxy has its right address.",
	}
}

func draining() *fault {
	return &fault{
		status: http.StatusServiceUnavailable, code: "server_ending", retry: 1, hangUp: true,
		message: "This proxy is about to end. Try again.",
	}
}
