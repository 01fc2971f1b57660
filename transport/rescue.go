package transport

import (
	"bytes"
	"io"
	"net/http"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/coding"
	"github.com/plimsoll/plimsoll/internal/sse"
	"github.com/plimsoll/plimsoll/wire"
)

// maxError bounds an error answer that is looked at.
const maxError = 1 << 20

// rescue sends a request once more, with less, if the upstream says that the context
// is full. Whatever else an upstream says is the client's to hear.
func (f *flow) rescue(resp *http.Response) (*http.Response, error) {
	if f.plan != nil && !f.rescued && f.unknownManagement(resp) {
		return f.sendPlain(resp)
	}
	o, full, err := f.overflow(resp)
	if err != nil || !full || f.plan == nil || f.rescued {
		return resp, err
	}
	f.rescued = true
	conversation, weighed := f.task.Conversation, f.plan.After.Total
	is := learn(o, weighed, conversation.MaxOutput)
	if err := f.t.limits.put(f.ctx, f.x.Upstream, f.model, is, f.t.options.Now()); err != nil {
		f.failed("the limit of the model could not be stored", err)
	}
	line := is.line(conversation, f.plan.Line)
	if line.Limit() >= weighed {
		line = plimsoll.Line{Window: weighed * 9 / 10}
	}
	was := *f
	if err := f.fit(&line); err != nil || sameSlice(f.sent, was.sent) {
		*f = was
		f.warn("the upstream says that the context is full, and nothing more can be cut: " + advice)
		return resp, nil
	}
	_ = resp.Body.Close()
	if resp, err = f.send(); err != nil {
		return nil, err
	}
	f.x.Rescued = true
	if _, full, err = f.overflow(resp); full {
		f.warn("the upstream says twice that the context is full: " + advice)
	}
	return resp, err
}

const advice = "shorten the newest message or start a new conversation, or tell the model's window with " + HeaderLimit

// overflow reports whether an answer says that the context is full. The answer's body
// is as it was.
func (f *flow) overflow(resp *http.Response) (wire.Overflow, bool, error) {
	switch {
	case resp.StatusCode >= 400:
		return overflowInBody(resp)
	case resp.StatusCode == http.StatusOK && f.isEvents(resp) && f.nearLimit():
		return f.overflowInStream(resp)
	}
	return wire.Overflow{}, false, nil
}

// sendPlain sends the request once more, without what the upstream does not know.
func (f *flow) sendPlain(resp *http.Response) (*http.Response, error) {
	f.rescued = true
	body, err := withoutManagement(f.sent)
	if err != nil {
		return resp, nil
	}
	_ = resp.Body.Close()
	f.t.lacking.note(f.x.Upstream, managementKey)
	f.sent = body
	return f.send()
}

func overflowInBody(resp *http.Response) (wire.Overflow, bool, error) {
	plain, ok := peeked(resp)
	if !ok {
		return wire.Overflow{}, false, nil
	}
	o, full := wire.FindOverflow(resp.StatusCode, plain)
	return o, full, nil
}

// peeked returns the body of an error answer, decoded. The answer still has it, and
// whatever goes wrong behind what was read.
func peeked(resp *http.Response) ([]byte, bool) {
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxError))
	rest := io.Reader(resp.Body)
	if err != nil {
		rest = failing{err}
	}
	resp.Body = &prefixed{Reader: io.MultiReader(bytes.NewReader(body), rest), Closer: resp.Body}
	if err != nil {
		return nil, false
	}
	plain, err := coding.Decode(resp.Header.Get("Content-Encoding"), body, maxError)
	return plain, err == nil
}

// nearLimit reports whether an overflow is to be expected: then the beginning of a
// stream is looked at before the client gets it.
func (f *flow) nearLimit() bool {
	if f.plan == nil {
		return false
	}
	limit := f.plan.Line.Limit()
	return limit >= unbounded/2 || f.plan.After.Total > limit/10*7
}

// overflowInStream looks at the first event that says something.
func (f *flow) overflowInStream(resp *http.Response) (wire.Overflow, bool, error) {
	var seen bytes.Buffer
	from := resp.Body
	resp.Body = &prefixed{Reader: io.MultiReader(&seen, from), Closer: from}
	plain, err := coding.NewReader(resp.Header.Get("Content-Encoding"), io.TeeReader(from, &seen))
	if err != nil {
		return wire.Overflow{}, false, nil
	}
	a, events := f.codec.NewAssembler(), sse.NewReader(plain, &sse.Options{MaxEvent: maxError})
	for {
		e, err := events.Next()
		if err != nil {
			// What was read is what the client gets, and the same error behind it.
			resp.Body = &prefixed{Reader: io.MultiReader(&seen, failing{err}), Closer: from}
			return wire.Overflow{}, false, nil
		}
		if !e.HasData() || opening(e.Name) {
			continue
		}
		a.Event(e.Name, e.Data)
		if apiError := a.Response().Error; apiError != nil && apiError.Overflows() {
			o, full := wire.FindOverflow(http.StatusBadRequest, e.Data)
			return o, full || true, nil
		}
		return wire.Overflow{}, false, nil
	}
}

// opening reports whether an event only says that an answer begins.
func opening(event string) bool {
	return event == "response.created" || event == "response.in_progress" || event == "response.queued"
}

// prefixed is a body of which something was read already.
type prefixed struct {
	io.Reader
	io.Closer
}

// failing is a reader that ends with an error.
type failing struct{ err error }

// Read returns the error.
func (f failing) Read([]byte) (int, error) { return 0, f.err }
