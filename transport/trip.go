package transport

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/fit"
	"github.com/plimsoll/plimsoll/internal/coding"
	"github.com/plimsoll/plimsoll/transport/internal/answer"
	"github.com/plimsoll/plimsoll/transport/internal/limit"
	"github.com/plimsoll/plimsoll/wire"
	"github.com/plimsoll/plimsoll/wire/dialects"
)

// trip is one round trip: a request, what was sent for it, and what observers get.
type trip struct {
	*clientRequest
	x Exchange
	// current is the last attempt: what was sent, or would be.
	current attempt
	// attempts is how often something was sent.
	attempts int
	// told is the window that the upstream told when it was asked; 0 if it told none or was
	// not asked.
	told int
	// rescued says that the one retry after an overflow was used.
	rescued bool
	// managementRefused says that the upstream has refused context_management, so that the
	// request was sent again without it.
	managementRefused bool
	// joins says that calls of our tools are answered on the way.
	joins bool
	// passing is the body of an answer in which they are not.
	passing *passing
	// renamed says that the client knows the answer by another id than the server.
	renamed bool
	// ended says that observers have the exchange.
	ended bool
}

// attempt is a request body, and how it came about.
type attempt struct {
	// request is the conversation before anything is cut.
	request *wire.Request
	// hidden says that it has rounds that the client was not shown.
	hidden bool
	// last says that the model has called our tools often enough and must answer.
	last bool
	// line is a lower one than the model's: after an overflow, or because the client's
	// context_management asks for it. It is nil if the model's holds.
	line *plimsoll.Line
	// pins are what context_management keeps.
	pins []fit.Pin
	task fit.Task
	// plan is nil if the request is sent without one.
	plan *plimsoll.Plan
	// body is nil if the client's bytes are sent.
	body []byte
	// offered says that the model can call our tools.
	offered bool
	// learned is the limit that the attempt proves if it is answered; nil if it proves none.
	learned *limit.Learned
}

func (t *Transport) newTrip(req *http.Request, e endpoint) *trip {
	r := &trip{clientRequest: &clientRequest{t: t, ctx: req.Context(), in: req, endpoint: e, codec: dialects.Codec(e.dialect), owner: t.ownerOf(req)}}
	r.x = Exchange{
		Start: t.options.Now(), Dialect: e.dialect, Endpoint: e.name, Upstream: req.URL.Host,
		Tenant: r.owner.label, Decision: Bypassed,
	}
	return r
}

// guarded runs the round trip. If it panics before anything was sent, the client's bytes
// are sent.
func (r *trip) guarded() (resp *http.Response, err error) {
	defer func() {
		thrown := recover()
		if thrown == nil {
			return
		}
		r.failed("the request could not be managed", panicError(thrown))
		if r.attempts > 0 || r.raw == nil {
			resp, err = nil, fmt.Errorf("manage the request: %v", thrown)
			return
		}
		r.client, r.x.Decision = nil, Failed
		resp, err = r.forward("")
	}()
	return r.run()
}

// run reads the request and does what its endpoint asks for.
func (r *trip) run() (*http.Response, error) {
	var err error
	if r.controls, err = readControls(r.in.Header); err != nil {
		return r.refuse(err), nil
	}
	if r.raw, err = readBody(r.in, r.t.options.MaxBody); err != nil {
		return r.refuseUnread(err)
	}
	r.x.Bytes = len(r.raw)
	signed := signedByAWS(r.in)
	if r.verified = signed && r.t.aws.verify(r.received(), r.raw, r.t.options.Now()); r.verified {
		r.owner = r.t.ownerOf(withoutSignature(r.in))
		r.x.Tenant = r.owner.label
	}
	if r.bypass {
		return r.forward("")
	}
	if signed && !r.verified {
		return r.forward("the request has no valid signature, of the last 15 minutes, with the keys in AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN, and is not managed")
	}
	if r.body, err = coding.Decode(r.in.Header.Get("Content-Encoding"), r.raw, r.t.options.MaxBody, r.grow); err != nil {
		return r.refuseUnread(err)
	}
	if r.keeper, err = r.t.options.Keeper(r.preset); err != nil {
		if errors.Is(err, plimsoll.ErrInvalid) && r.preset != "" {
			err = badHeader(HeaderPreset, plimsoll.HintOf(err))
		}
		return r.refuse(err), nil
	}
	if err = r.decode(); err != nil {
		if r.dryRun || plimsoll.CodeOf(err) == plimsoll.CodeTooLarge {
			return r.refuse(err), nil
		}
		return r.forward("the body was not understood and is not managed")
	}
	if err = r.claim(); err != nil {
		return r.refuseUnread(err)
	}
	r.x.Model, r.x.Stream = r.model, r.stream
	if r.dryRun && (r.name == countOnly || r.name == compactOnly) {
		return r.refuse(badHeader(HeaderDryRun, "leave it out: there is no plan for this path")), nil
	}
	switch r.name {
	case countOnly:
		return r.count()
	case compactOnly:
		return r.compact()
	}
	return r.manage()
}

// manage makes the conversation fit, sends it and returns the answer.
func (r *trip) manage() (*http.Response, error) {
	r.open(r.report)
	r.x.Conversation = r.conversationName()
	if r.conversation != "" {
		r.x.Conversation = r.visible(r.conversation)
	}
	s, err := r.prepare(attempt{request: r.restored, hidden: r.hidden})
	if err != nil {
		if r.ctx.Err() != nil {
			return nil, r.ctx.Err()
		}
		r.take(s)
		return r.refuse(err), nil
	}
	r.take(s)
	if r.dryRun {
		return r.explain(), nil
	}
	resp, err := r.deliver(s)
	if err != nil {
		return nil, err
	}
	return r.answer(resp)
}

// forward sends the client's bytes.
func (r *trip) forward(warning string) (*http.Response, error) {
	r.warn(warning)
	resp, err := r.send(attempt{})
	if err != nil {
		return nil, err
	}
	resp.Body = r.passed(resp)
	return resp, nil
}

// deliver sends an attempt. If the upstream refuses it and we can remove the reason, another
// attempt follows, once for each reason. Any other answer is the client's.
func (r *trip) deliver(s attempt) (*http.Response, error) {
	for {
		resp, err := r.send(s)
		if err != nil {
			return nil, err
		}
		next, ok := r.corrected(s, resp)
		if !ok {
			if s.learned != nil && resp.StatusCode == http.StatusOK {
				r.learn(*s.learned)
			}
			return resp, nil
		}
		_ = resp.Body.Close()
		s = next
	}
}

// corrected returns the attempt that follows one that the upstream refused; false if there
// is none. There is one without context_management, and one that is shorter.
func (r *trip) corrected(s attempt, resp *http.Response) (attempt, bool) {
	if s.plan == nil {
		return s, false
	}
	if r.management != nil && !r.managementRefused && r.refusesManagement(resp) {
		r.managementRefused = true
		r.t.unsupported.add(r.owner.key, r.x.Upstream, managementKey, r.t.options.Now())
		s.body = r.withoutManagement(s)
		return s, true
	}
	if o, full := answer.Overflow(resp); full {
		return r.shorter(s, o)
	}
	return s, false
}

const advice = "shorten the newest message or start a new conversation, or tell the model's window with " + HeaderWindow

// shorter returns an attempt with less, after an overflow; false if there was one before
// or nothing more can be cut. An account may send so many tokens a minute. That is no
// limit of the model, so shorter cuts to it only if the line is no higher.
func (r *trip) shorter(s attempt, o wire.Overflow) (attempt, bool) {
	if r.rescued {
		r.warn("the upstream says twice that the context is full: " + advice)
		return s, false
	}
	if o.PerMinute && s.plan.Line.Limit() > o.Limit {
		r.warn(fmt.Sprintf("the account may send %d tokens a minute and this request has %d, so it never succeeds: set a limit for the model that is no higher, and Plimsoll cuts", o.Limit, o.Tokens))
		return s, false
	}
	r.rescued = true
	conversation, weighed := s.task.Conversation, s.plan.After.Total
	if o.Bytes && o.Tokens == 0 {
		o.Tokens = len(r.bodyOf(s)) // with o.Bytes all figures are bytes, this one too
	}
	r.doubt()
	learned, sure := limit.Learn(o, weighed, conversation.MaxOutput, r.t.limits.Largest(r.limitKey(r.model)))
	learned.Asked = r.told
	line := learned.Line(conversation, s.plan.Line)
	if line.Limit() >= weighed {
		// By our count the prompt was not over that limit. The upstream counts more, so the
		// retry has a tenth less.
		line = plimsoll.Line{Window: weighed * 9 / 10}
	}
	next := s
	next.line, next.pins = &line, nil
	next, err := r.prepare(next)
	if err != nil || bytes.Equal(r.bodyOf(next), r.bodyOf(s)) {
		r.warn("the upstream says that the context is full, and nothing more can be cut: " + advice)
		return s, false
	}
	if sure && !o.PerMinute && limit.Believable(o, conversation, r.bodyOf(s)) {
		next.learned = &learned
	}
	r.take(next)
	// The line is by what the upstream has just said, even if only this request uses it.
	r.x.Rescued, r.x.Source = true, sourceLearned
	return next, true
}

// learn keeps the limit that an attempt has proved.
func (r *trip) learn(proved limit.Learned) {
	if err := r.t.limits.Put(context.WithoutCancel(r.ctx), r.limitKey(r.model), proved); err != nil {
		r.failed("the limit of the model could not be stored", err)
	}
}

// bodyOf returns the body of an attempt, without a content coding.
func (r *trip) bodyOf(s attempt) []byte {
	if s.body == nil {
		return r.body
	}
	return s.body
}

// send sends an attempt. The client's bytes go in their content coding.
func (r *trip) send(s attempt) (*http.Response, error) {
	r.current = s
	r.attempts++
	body := s.body
	if body == nil {
		body = r.raw
	}
	out := r.outgoing(r.ctx, body, s.body != nil, r.attempts > 1)
	if s.offered || r.joins {
		// The answer must be read before the client gets it.
		out.Header.Set("Accept-Encoding", "identity")
	}
	r.x.Sent = len(body)
	if r.x.Manage == 0 {
		r.x.Manage = r.t.options.Now().Sub(r.x.Start)
	}
	return r.dispatch(out, body)
}

// outgoing returns the client's request with a body, which may be new: then it has no content
// coding. Another request than the first has no idempotency key, because a server that knows
// the key would answer the first.
func (r *trip) outgoing(ctx context.Context, body []byte, fresh, another bool) *http.Request {
	out := r.in.Clone(ctx)
	stripControls(out.Header)
	if another {
		out.Header.Del("Idempotency-Key")
		out.Header.Del("X-Idempotency-Key")
	}
	if fresh {
		out.Header.Del("Content-Encoding")
		out.Header.Del("Content-Md5")
		out.Header.Del("Content-Digest")
		out.Header.Del("Digest")
	}
	if out.Header.Get("Content-Length") != "" {
		out.Header.Set("Content-Length", strconv.Itoa(len(body)))
	}
	out.ContentLength, out.TransferEncoding = int64(len(body)), nil
	out.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
	out.Body, _ = out.GetBody()
	return out
}

// dispatch sends a request, signed again if the client's was signed.
func (r *trip) dispatch(out *http.Request, body []byte) (*http.Response, error) {
	if r.verified {
		r.t.aws.sign(out, body, r.t.options.Now())
	}
	resp, err := r.t.options.Base.RoundTrip(out)
	return stripped(resp), quiet(err)
}

// mustRefuse reports whether an error is about the request and not about us, so that the
// client must get it.
func mustRefuse(err error) bool {
	var ambiguous *ambiguousError
	return errors.Is(err, plimsoll.ErrOverLimit) || errors.Is(err, plimsoll.ErrUnknownModel) || errors.As(err, &ambiguous)
}
