package transport

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/fit"
	"github.com/plimsoll/plimsoll/internal/coding"
	"github.com/plimsoll/plimsoll/internal/lru"
	"github.com/plimsoll/plimsoll/transport/internal/breaker"
	"github.com/plimsoll/plimsoll/transport/internal/history"
	"github.com/plimsoll/plimsoll/transport/internal/limit"
	"github.com/plimsoll/plimsoll/wire"
	"github.com/plimsoll/plimsoll/wire/dialects"
)

// Transport manages the conversations in the requests that it sends. It is safe for
// concurrent use.
type Transport struct {
	options Options
	// secret keeps names of tenants apart where no store does.
	secret  [32]byte
	owners  *lru.Map[string, owner]
	limits  *limit.Limits
	history *history.History
	breaker *breaker.Breaker
	// ledger writes accounts; nil without a store.
	ledger *ledger
	// ambiguity knows messages that can be read in one way only.
	ambiguity ambiguity
	// billed counts the bills for certain counts.
	billed  atomic.Int64
	heavy   heavy
	lacking lacking
}

var _ http.RoundTripper = (*Transport)(nil)

// New returns a transport; nil options mean the zero value.
func New(o *Options) (*Transport, error) {
	t := &Transport{}
	if o != nil {
		t.options = *o
	}
	if err := t.options.fill(); err != nil {
		return nil, fmt.Errorf("new transport: %w", err)
	}
	if _, err := rand.Read(t.secret[:]); err != nil {
		return nil, fmt.Errorf("new transport: %w", err)
	}
	t.limits = limit.New(t.options.Store, t.options.Now)
	t.breaker = breaker.New(t.options.Now)
	t.history = history.New(t.breaker)
	t.ambiguity.clear = lru.New[plimsoll.Digest, struct{}](clearLimit, nil)
	t.owners = lru.New[string, owner](ownerLimit, nil)
	t.heavy = make(heavy, runtime.GOMAXPROCS(0))
	if t.options.Store != nil {
		t.ledger = newLedger(func(err error) { t.options.Logger.Warn("the accounts could not be written", "error", err) })
	}
	return t, nil
}

// Close waits until all accounts are written. The transport must not be used after it.
func (t *Transport) Close() error {
	if t.ledger != nil {
		t.ledger.close()
	}
	return nil
}

// RoundTrip sends a request and returns the answer. A request that carries no
// conversation is sent as it is.
func (t *Transport) RoundTrip(req *http.Request) (*http.Response, error) {
	e, ok := recognise(req)
	if !ok {
		return t.pass(req)
	}
	defer req.Body.Close()
	f := t.begin(req, e)
	resp, err := f.guarded()
	if err != nil {
		f.end(err)
		return nil, err
	}
	f.announce(resp)
	return resp, nil
}

// pass sends a request that is not managed.
func (t *Transport) pass(req *http.Request) (*http.Response, error) {
	out := req.Clone(req.Context())
	stripControls(out.Header)
	return t.options.Base.RoundTrip(out)
}

// flow is one request on its way.
type flow struct {
	t   *Transport
	ctx context.Context
	in  *http.Request
	endpoint
	controls
	owner
	codec  wire.Codec
	keeper *fit.Keeper
	x      Exchange

	// raw is the body as it came, body the same without its content coding.
	raw, body []byte
	// shown is the conversation as the client knows it, request what the model is to
	// know: with what the client was not shown, before anything is cut.
	shown, request *wire.Request
	thread         *history.Thread
	task           fit.Task
	plan           *plimsoll.Plan
	// weaves says that calls of ours are answered on the way; passing is the body of an
	// answer that passes without that.
	weaves  bool
	passing *watched
	// renamed says that the answer has another name than the server knows it by.
	renamed bool
	// woven says that request has rounds that the client was not shown.
	woven bool
	// sent is the body that goes upstream.
	sent []byte
	// wanted are pins that follow from what the client asked its provider for.
	wanted []fit.Pin
	// offered says that the model can call tools of ours, last that it has done so often
	// enough and is to answer now.
	offered, last bool
	// rescued says that the one retry was used, plain that the request was sent without
	// what the upstream does not know, sends how often it was sent.
	rescued, plain bool
	sends          int
	ended          bool
}

func (t *Transport) begin(req *http.Request, e endpoint) *flow {
	f := &flow{t: t, ctx: req.Context(), in: req, endpoint: e, codec: dialects.Codec(e.dialect), owner: t.ownerOf(req)}
	f.x = Exchange{
		Start: t.options.Now(), Dialect: e.dialect, Endpoint: e.name, Upstream: req.URL.Host,
		Tenant: f.owner.label, Decision: Bypassed,
	}
	return f
}

// guarded runs the request, and lets it go on as it came if that fails by a mistake of
// ours before anything was sent.
func (f *flow) guarded() (resp *http.Response, err error) {
	defer func() {
		r := recover()
		if r == nil {
			return
		}
		f.failed("the request could not be managed", panicError(r))
		if f.sends > 0 || f.raw == nil {
			resp, err = nil, fmt.Errorf("manage the request: %v", r)
			return
		}
		f.shown, f.plan, f.offered, f.x.Decision = nil, nil, false, Failed
		resp, err = f.forward("")
	}()
	return f.run()
}

func (f *flow) run() (*http.Response, error) {
	var err error
	if f.controls, err = readControls(f.in.Header); err != nil {
		return f.refuse(err), nil
	}
	if f.raw, err = readBody(f.in, f.t.options.MaxBody); err != nil {
		return f.refuseUnread(err)
	}
	f.x.Bytes = len(f.raw)
	if f.bypass {
		return f.forward("")
	}
	if f.body, err = coding.Decode(f.in.Header.Get("Content-Encoding"), f.raw, f.t.options.MaxBody, f.grow); err != nil {
		return f.refuseUnread(err)
	}
	if f.keeper, err = f.t.options.Keeper(f.preset); err != nil {
		return f.refuse(err), nil
	}
	if f.shown, err = f.codec.Decode(f.body); err != nil {
		if f.dryRun || plimsoll.CodeOf(err) == plimsoll.CodeTooLarge {
			return f.refuse(err), nil
		}
		return f.forward("the body was not understood and is not managed")
	}
	f.read()
	if f.dryRun && (f.name == countOnly || f.name == compact) {
		return f.refuse(badHeader(HeaderDryRun, f.in.Header.Get(HeaderDryRun), "leave it out: there is no plan for this path")), nil
	}
	switch f.name {
	case countOnly:
		return f.count()
	case compact:
		return f.compact()
	}
	return f.manage()
}

// read takes from the request what the exchange tells about it.
func (f *flow) read() {
	c := f.shown.Conversation()
	if c.Model != "" && f.dialect != plimsoll.Gemini {
		f.model = strings.Clone(c.Model) // what is remembered must not hold the body
	}
	f.stream = f.stream || f.shown.Stream()
	f.events = f.events || f.dialect != plimsoll.Gemini
	f.x.Model, f.x.Stream = f.model, f.stream
}

// open finds the history of the request.
func (f *flow) open() {
	f.thread = f.t.history.Open(f.ctx, f.shown, history.Options{
		Owner: f.owner.key, Tenant: f.tenant, Scope: f.scope(), Codec: f.codec, Report: f.report,
	})
	f.shown = f.thread.Shown()
	f.request, f.woven = f.thread.Restored()
}

// manage makes the conversation fit, sends it and returns the answer.
func (f *flow) manage() (*http.Response, error) {
	f.open()
	f.x.Conversation = f.beginning()
	if err := f.fit(nil); err != nil {
		if f.ctx.Err() != nil {
			return nil, f.ctx.Err()
		}
		return f.refuse(err), nil
	}
	if f.dryRun {
		return f.explain(), nil
	}
	resp, err := f.send()
	if err != nil {
		return nil, err
	}
	return f.answer(resp)
}

// heavy lets as many large conversations be worked on at once as there are processors:
// more would only take memory, and keep each other from the store.
type heavy chan struct{}

// heavyBody is a body that has to wait for its turn.
const heavyBody = 1 << 20

// heavyWait is how long it waits: those before it may be waiting for a summary.
const heavyWait = 5 * time.Second

// enter waits for a turn, but not for ever, and returns what ends it.
func (h heavy) enter(ctx context.Context, bytes int) (leave func(), err error) {
	if bytes < heavyBody {
		return func() {}, nil
	}
	timer := time.NewTimer(heavyWait)
	defer timer.Stop()
	select {
	case h <- struct{}{}:
		return func() { <-h }, nil
	case <-timer.C:
		return func() {}, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// forward sends the client's bytes as they came.
func (f *flow) forward(warning string) (*http.Response, error) {
	f.warn(warning)
	f.sent = f.raw
	resp, err := f.send()
	if err != nil {
		return nil, err
	}
	resp.Body = f.watched(resp)
	return resp, nil
}

// send sends the body. What is unchanged goes as it came, in its content coding.
func (f *flow) send() (*http.Response, error) {
	out := f.in.Clone(f.ctx)
	stripControls(out.Header)
	if f.sends++; f.sends > 1 {
		// It is another request, and a server that knows the key would answer the first.
		out.Header.Del("Idempotency-Key")
		out.Header.Del("X-Idempotency-Key")
	}
	body := f.sent
	if sameSlice(body, f.body) {
		body = f.raw
	} else if !sameSlice(body, f.raw) {
		out.Header.Del("Content-Encoding")
		out.Header.Del("Content-Md5")
		out.Header.Del("Content-Digest")
		out.Header.Del("Digest")
	}
	if f.offered || f.weaves {
		// The answer must be read before the client gets it.
		out.Header.Set("Accept-Encoding", "identity")
	}
	if out.Header.Get("Content-Length") != "" {
		out.Header.Set("Content-Length", strconv.Itoa(len(body)))
	}
	out.ContentLength, out.TransferEncoding = int64(len(body)), nil
	out.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
	out.Body, _ = out.GetBody()
	f.x.Sent = len(body)
	if f.x.Manage == 0 {
		f.x.Manage = f.t.options.Now().Sub(f.x.Start)
	}
	return f.t.options.Base.RoundTrip(out)
}

func sameSlice(a, b []byte) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
}

// warn notes something that failed without harm. The first is what the client is told.
func (f *flow) warn(text string) {
	if text == "" {
		return
	}
	if f.x.Warning == "" {
		f.x.Warning = text
	}
	f.t.options.Logger.WarnContext(f.ctx, text, "dialect", f.dialect, "model", f.x.Model, "upstream", f.x.Upstream, "tenant", f.x.Tenant)
}

// end tells what became of the request, once.
func (f *flow) end(err error) {
	if f.ended {
		return
	}
	f.ended = true
	f.x.End, f.x.Err = f.t.options.Now(), err
	if f.x.Err == nil && errors.Is(f.ctx.Err(), context.Canceled) {
		f.x.Err = f.ctx.Err()
	}
	if f.t.options.Observe != nil {
		f.t.options.Observe(f.ctx, f.x)
	}
	if f.t.options.Watch != nil {
		f.t.options.Watch(f.ctx, f.sight())
	}
}

// announce says in headers of the answer what was done.
func (f *flow) announce(resp *http.Response) {
	f.x.Status = resp.StatusCode
	h := resp.Header
	if h == nil {
		h = http.Header{}
		resp.Header = h
	}
	h.Set(HeaderDecision, string(f.x.Decision))
	if f.plan != nil {
		h.Set(HeaderLoad, strconv.Itoa(f.x.After.Total))
		h.Set(HeaderSaved, strconv.Itoa(f.x.Before.Total-f.x.After.Total))
		if tokens := f.x.Line.Limit(); tokens < limit.Unbounded/2 {
			h.Set(HeaderLimit, strconv.Itoa(tokens))
		}
	}
	if f.x.Warning != "" {
		h.Set(HeaderWarning, clean(f.x.Warning))
	}
}
