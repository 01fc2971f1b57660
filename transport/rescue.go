package transport

import (
	"bytes"
	"io"
	"net/http"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/coding"
	"github.com/plimsoll/plimsoll/transport/internal/limit"
	"github.com/plimsoll/plimsoll/wire"
)

// maxError bounds an error answer that is looked at.
const maxError = 1 << 20

// rescue sends a request once more, with less, if the upstream says that the context
// is full. Whatever else an upstream says is the client's to hear.
func (f *flow) rescue(resp *http.Response) (*http.Response, error) {
	if f.plan == nil {
		return resp, nil
	}
	resp, err := f.sendPlain(resp)
	if err != nil {
		return nil, err
	}
	switch {
	case resp.StatusCode >= 400:
		return f.rescueError(resp)
	case resp.StatusCode == http.StatusOK && f.isEvents(resp) && resp.Header.Get("Content-Encoding") == "":
		resp.Body = newHead(f, resp.Body)
	}
	return resp, nil
}

// rescueError does it for an answer that is an error as a whole.
func (f *flow) rescueError(resp *http.Response) (*http.Response, error) {
	o, full := overflowInBody(resp)
	if !full {
		return resp, nil
	}
	second, err := f.again(o)
	if second == nil || err != nil {
		return resp, err
	}
	_ = resp.Body.Close()
	if second.StatusCode >= 400 {
		if _, full := overflowInBody(second); full {
			f.warn("the upstream says twice that the context is full: " + advice)
		}
		return second, nil
	}
	return f.rescue(second)
}

const advice = "shorten the newest message or start a new conversation, or tell the model's window with " + HeaderLimit

// again sends the request once more after an overflow. It returns nil if that was done
// already or nothing more can be cut.
func (f *flow) again(o wire.Overflow) (*http.Response, error) {
	if f.rescued {
		return nil, nil
	}
	f.rescued = true
	conversation, weighed := f.task.Conversation, f.plan.After.Total
	key := f.limitKey(f.model)
	is, sure := limit.Learn(o, weighed, conversation.MaxOutput, f.t.limits.Largest(key))
	sure = sure && limit.Believable(o, conversation, f.sent)
	line := is.Line(conversation, f.plan.Line)
	if line.Limit() >= weighed {
		line = plimsoll.Line{Window: weighed * 9 / 10}
	}
	was := *f
	if err := f.fit(&line); err != nil || sameSlice(f.sent, was.sent) {
		*f = was
		f.warn("the upstream says that the context is full, and nothing more can be cut: " + advice)
		return nil, nil
	}
	f.x.Rescued = true
	resp, err := f.send()
	if err == nil {
		resp, err = f.sendPlain(resp)
	}
	if err == nil && resp.StatusCode == http.StatusOK && sure {
		if err := f.t.limits.Put(f.ctx, key, is); err != nil {
			f.failed("the limit of the model could not be stored", err)
		}
	}
	return resp, err
}

// sendPlain sends the request once more, without what the upstream does not know, if it
// was refused for that. Any other answer is returned as it is.
func (f *flow) sendPlain(resp *http.Response) (*http.Response, error) {
	if f.plain || !f.unknownManagement(resp) {
		return resp, nil
	}
	f.plain = true
	body, err := withoutManagement(f.sent)
	if err != nil {
		return resp, nil
	}
	_ = resp.Body.Close()
	f.t.lacking.note(f.x.Upstream, managementKey, f.t.options.Now())
	f.sent = body
	return f.send()
}

// overflowInBody reports whether an error says that the context is full. Its body is as
// it was.
func overflowInBody(resp *http.Response) (wire.Overflow, bool) {
	plain, ok := peeked(resp)
	if !ok {
		return wire.Overflow{}, false
	}
	return wire.FindOverflow(resp.StatusCode, plain)
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
	plain, err := coding.Decode(resp.Header.Get("Content-Encoding"), body, maxError, nil)
	return plain, err == nil
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
