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

// passage is one request on its way through.
type passage struct {
	server *Server
	target target
	body   *body // nil if there is none
	claim  *claim
	cancel context.CancelCauseFunc
	// timer ends the request when the upstream does not go on.
	timer *time.Timer
}

// passageKey finds the passage of a request in its context.
type passageKey struct{}

func passageOf(ctx context.Context) *passage {
	p, _ := ctx.Value(passageKey{}).(*passage)
	return p
}

// pass sends a request on, unless it must not go on.
func (s *Server) pass(w http.ResponseWriter, r *http.Request) {
	p := &passage{server: s, target: s.options.Upstreams.route(r)}
	if !s.flights.begin() {
		p.refuse(w, r, draining())
		return
	}
	defer s.flights.end()
	ctx, cancel := context.WithCancelCause(context.WithValue(r.Context(), passageKey{}, p))
	defer cancel(nil)
	p.cancel = cancel
	r = r.WithContext(ctx)
	w = s.paced(w)
	p.take(w, r)
	if f := s.objection(r); f != nil {
		p.refuse(w, r, f)
		return
	}
	if f := p.admit(r); f != nil {
		p.refuse(w, r, f)
		return
	}
	if p.claim != nil {
		defer p.claim.release()
	}
	p.timer = time.AfterFunc(s.options.AnswerTimeout, func() { cancel(errNoAnswer) })
	defer p.timer.Stop()
	s.proxy.ServeHTTP(w, r)
}

// take puts bounds around the body.
func (p *passage) take(w http.ResponseWriter, r *http.Request) {
	if r.Body == nil || r.Body == http.NoBody {
		return
	}
	o := &p.server.options
	p.body = &body{ReadCloser: r.Body, control: http.NewResponseController(w), now: o.Now, idle: o.BodyIdle, most: -1}
	r.Body = p.body
}

// admit waits until there is memory for a body that will be held.
func (p *passage) admit(r *http.Request) *fault {
	if p.body == nil || !p.target.managed {
		return nil
	}
	o := &p.server.options
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
	p.claim = p.server.memory.enter(r.Context(), expected, o.Queue)
	if p.claim == nil {
		return busy()
	}
	p.body.most, p.body.claim, p.body.claimed = o.MaxBody, p.claim, expected
	return nil
}

// refuse answers with a fault.
func (p *passage) refuse(w http.ResponseWriter, r *http.Request, f *fault) {
	p.server.options.Logger.InfoContext(r.Context(), "refused", "status", f.status, "code", f.code, "method", r.Method, "path", r.URL.Path)
	p.answer(w, r, f)
}

// answer sends a fault while the client may still be sending, and then lets it finish,
// unless it waits for a 100 Continue, or takes too long.
func (p *passage) answer(w http.ResponseWriter, r *http.Request, f *fault) {
	control := http.NewResponseController(w)
	_ = control.EnableFullDuplex() // only HTTP/1 needs it
	f.write(w, p.target.dialect)
	_ = control.Flush() // the client may be gone
	if p.body != nil && r.Header.Get("Expect") == "" && f.status != http.StatusRequestTimeout {
		p.body.discard()
	}
}

// rewrite addresses a request to its upstream. Everything else stays.
func rewrite(pr *httputil.ProxyRequest) {
	p := passageOf(pr.In.Context())
	u := p.target.join()
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

// sender sends requests and watches their answers from the beginning on.
type sender struct{ http.RoundTripper }

// RoundTrip sends one request. A mistake in whatever manages it ends that request, and
// nothing else.
func (s sender) RoundTrip(r *http.Request) (resp *http.Response, err error) {
	p := passageOf(r.Context())
	defer func() {
		if thrown := recover(); thrown != nil {
			p.server.options.Logger.ErrorContext(r.Context(), "a request was ended by a mistake in this program", "panic", thrown, "stack", string(debug.Stack()))
			resp, err = nil, &fault{status: http.StatusInternalServerError, code: "internal", message: "This proxy failed. Its log says more."}
		}
	}()
	if resp, err = s.RoundTripper.RoundTrip(r); err != nil {
		return nil, err
	}
	p.begun(resp)
	return resp, nil
}

// begun stops waiting for the answer. The request is on its way and needs no more than
// its own bytes.
func (p *passage) begun(resp *http.Response) {
	p.timer.Stop()
	if p.claim != nil {
		p.claim.shrink(p.body.got.Load() + p.body.decoded)
	}
	resp.Body = newAnswer(resp.Body, &p.server.options, p.cancel)
}

// failed answers for an upstream that has no answer to pass on.
func failed(w http.ResponseWriter, r *http.Request, err error) {
	p := passageOf(r.Context())
	p.timer.Stop()
	f := p.explain(r.Context(), err)
	logger := p.server.options.Logger
	if f == nil {
		logger.DebugContext(r.Context(), "the client left", "method", r.Method, "path", r.URL.Path)
		w.WriteHeader(statusClientClosed) // for metrics only
		return
	}
	what := withoutAddresses(err)
	if isAnswered(err) {
		what = withoutContent(err)
	}
	logger.WarnContext(r.Context(), "not answered by the upstream", "status", f.status, "code", f.code,
		"method", r.Method, "path", r.URL.Path, "upstream", p.target.upstream.Host, "error", what)
	p.answer(w, r, f)
}

// statusClientClosed is what servers write into their logs for a client that left.
const statusClientClosed = 499

// explain returns the fault that a client gets for an error; nil if the client has left.
func (p *passage) explain(ctx context.Context, err error) *fault {
	if failure := p.body.failure(); failure != nil {
		err = failure
	}
	host := p.target.upstream.Host
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
