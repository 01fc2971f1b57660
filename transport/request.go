package transport

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/fit"
	"github.com/plimsoll/plimsoll/transport/internal/history"
	"github.com/plimsoll/plimsoll/wire"
)

// clientRequest is what a client asks. It is filled while it is read, and does not change
// once something is sent.
type clientRequest struct {
	t   *Transport
	ctx context.Context
	in  *http.Request
	endpoint
	controls
	owner
	codec  wire.Codec
	keeper *fit.Keeper

	// raw is the body, and body the same without its content coding.
	raw, body []byte
	// verified says that the client signed the request with the operator's keys for AWS.
	verified bool
	// client is the decoded body.
	client *wire.Request
	// shown is client with the history that the body only names.
	shown *wire.Request
	// restored is shown with the rounds that the client was not shown.
	restored *wire.Request
	// hidden says that there are such rounds.
	hidden bool
	thread *history.Thread
	// management is the member context_management of the body; nil if it has none.
	management []byte
}

// errLarge says that a body has more bytes than may be held.
var errLarge = errors.New("the request body is too large")

// readBody reads a request body of at most so many bytes.
func readBody(req *http.Request, most int64) ([]byte, error) {
	if req.ContentLength > most {
		return nil, fmt.Errorf("%w: %d bytes, at most %d are taken", errLarge, req.ContentLength, most)
	}
	if n := req.ContentLength; n > 0 {
		body := make([]byte, n)
		_, err := io.ReadFull(req.Body, body)
		return body, err
	}
	body, err := io.ReadAll(io.LimitReader(req.Body, most+1))
	if err == nil && int64(len(body)) > most {
		return nil, fmt.Errorf("%w: at most %d bytes are taken", errLarge, most)
	}
	return body, err
}

// decode reads the conversation. What is remembered of it must not hold the body.
func (r *clientRequest) decode() (err error) {
	if r.client, err = r.codec.Decode(r.body); err != nil {
		r.client = nil
		return err
	}
	if r.bedrock && !hasMember(r.client, "anthropic_version") {
		r.client = nil
		return fmt.Errorf("the model at Bedrock is none of Anthropic's: %w", plimsoll.ErrUnsupported)
	}
	r.shown, r.restored = r.client, r.client
	if c := r.client.Conversation(); c.Model != "" && r.codec.Traits().InPath == "" {
		r.model = strings.Clone(c.Model)
	}
	if len(r.model) > maxName { // names are remembered
		r.client, r.model = nil, ""
		return fmt.Errorf("the name of the model has more than %d bytes: %w", maxName, plimsoll.ErrInvalid)
	}
	r.model = r.visible(r.model) // it is remembered and shown
	r.stream = r.stream || r.client.Stream()
	r.events = r.events || r.codec.Traits().InPath == ""
	r.management = managementIn(r.client)
	return nil
}

// perElement is about a third of what a message or a part costs beside its bytes while it
// is worked on. The server's budget counts each byte three times.
const perElement = 512

// claim asks for memory for the messages, parts and tools: small ones cost much more than
// their bytes.
func (r *clientRequest) claim() error {
	c := r.client.Conversation()
	elements := c.Messages.Len() + c.Tools.Len()
	for _, m := range c.Messages.All() {
		elements += m.Parts.Len()
	}
	decoded := 0
	if len(r.raw) > 0 && len(r.body) > 0 && &r.raw[0] != &r.body[0] {
		decoded = len(r.body)
	}
	return r.grow(int64(decoded + elements*perElement))
}

// hasMember reports whether a body has a member of that name.
func hasMember(request *wire.Request, name string) bool {
	for key := range request.Members() {
		if key == name {
			return true
		}
	}
	return false
}

// grow asks for memory for the decoded body, if the body of the request has a method for
// that: the server that holds the budget gives it one.
func (r *clientRequest) grow(size int64) error {
	if b, ok := r.in.Body.(interface{ Grow(size int64) error }); ok {
		return b.Grow(size)
	}
	return nil
}

// received returns the request as the client sent it. A server that changed it gives its
// body a method for that.
func (r *clientRequest) received() *http.Request {
	if b, ok := r.in.Body.(interface{ Received() *http.Request }); ok {
		return b.Received()
	}
	return r.in
}

// open finds the history of the request.
func (r *clientRequest) open(report func(what string, err error)) {
	r.thread = r.t.history.Open(r.ctx, r.client, history.Options{
		Owner: r.owner.key, Tenant: r.tenant, Scope: r.scope(), Codec: r.codec, Report: report,
	})
	r.shown, r.restored, r.hidden = r.thread.Shown, r.thread.Restored, r.thread.Hidden
}

// scope keeps requests apart that ask for something else than others that begin alike.
func (r *clientRequest) scope() fit.Scope {
	return fit.Scope{Tenant: r.owner.key, Conversation: r.conversation, Preset: r.preset, Limit: r.limit}
}

// conversationName is the name that the client gives the conversation, or else its id.
func (r *clientRequest) conversationName() string {
	return cmp.Or(r.conversation, r.account())
}

// account is the id of the conversation in the accounts; empty if nothing was decoded.
func (r *clientRequest) account() string {
	if r.thread == nil {
		return ""
	}
	return r.thread.Conversation
}
