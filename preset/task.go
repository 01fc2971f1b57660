package preset

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/account"
	"github.com/plimsoll/plimsoll/fit"
	"github.com/plimsoll/plimsoll/rung"
	"github.com/plimsoll/plimsoll/summary"
	"github.com/plimsoll/plimsoll/wire"
	"github.com/plimsoll/plimsoll/wire/dialects"
)

// Client says for whom a conversation is fitted and what the client asked for. The
// transport, the API, the chat, the command line and the lab fill it and call [Task], so
// that the same conversation gets the same count, the same cut and the same bytes
// through all of them, and what one of them decided can be undone by another.
type Client struct {
	// Tenant owns what is stored; empty means a single user. Archive and Memory are the
	// tenant's; nil means the keeper's own.
	Tenant  string
	Archive fit.Archive
	Memory  fit.Memory
	// Conversation is the name that the client gave. Preset, Window and Limit are what it
	// asked for instead of the operator's own. Window is for prompt and answer together, in
	// tokens. Limit is the most that the prompt may weigh, and wins over Window.
	Conversation, Preset string
	Window, Limit        int
	// Model replaces the one that the request names. If there is neither, it is
	// [DefaultModel].
	Model string
	// Pins choose messages that stay as they are, beside those of the keeper.
	Pins []fit.Pin
	// Offer are tools that read what was cut; OfferAlways adds them from the first
	// request on.
	Offer       []plimsoll.Tool
	OfferAlways bool
	// Offered says that other requests of the conversation get them, and this one must not.
	Offered bool
	// Dry stores and remembers nothing.
	Dry bool
}

// Task returns the task of fitting a request: what is left must be valid for its API,
// and a result whose call the provider holds must not go.
func Task(r *wire.Request, c Client) fit.Task {
	t := ConversationTask(r.Conversation(), c)
	t.Keep, t.Raw, t.Chain, t.Encode = dialects.ResultsOfHeldCalls(r), r.Raw, r.Chain, r.Encode
	t.Nameless = r.Conversation().Model == "" && dialects.Codec(r.Dialect()).Traits().InPath == ""
	t.Parse = func(list []byte) ([]plimsoll.Message, error) { return dialects.Messages(r.Dialect(), list) }
	t.Check = func(_ *plimsoll.Draft, body []byte) error { return dialects.Verify(r, body) }
	return t
}

// ConversationTask is [Task] for a conversation that no codec has read.
func ConversationTask(conversation plimsoll.Conversation, c Client) fit.Task {
	switch {
	case c.Model != "":
		conversation.Model = c.Model
	case conversation.Model == "":
		conversation.Model = DefaultModel(conversation.Dialect)
	}
	t := fit.Task{
		Conversation: conversation, Archive: c.Archive, Memory: c.Memory, Pins: c.Pins, Offer: c.Offer, OfferAlways: c.OfferAlways,
		Scope: fit.Scope{Tenant: c.Tenant, Conversation: c.Conversation, Preset: c.Preset, Window: c.Window, Limit: c.Limit},
	}
	t.NoReader = len(c.Offer) == 0 && !c.Offered && !hasReader(conversation)
	if c.Dry {
		if t.Archive != nil {
			t.Archive = NamesOnly{t.Archive}
		}
		if t.Memory != nil {
			t.Memory = recallOnly{t.Memory}
		}
	}
	return t
}

// hasReader reports whether the client itself gave the model a tool that reads what was
// cut. Clients of our MCP server put a prefix before the names.
func hasReader(c plimsoll.Conversation) bool {
	for _, tool := range c.Tools.All() {
		if slices.ContainsFunc(rung.ExpansionTools(), func(name string) bool { return strings.HasSuffix(tool.Name, name) }) {
			return true
		}
	}
	return false
}

// DefaultModel is assumed for a request of an API that names no model.
func DefaultModel(d plimsoll.Dialect) string {
	if c := dialects.Codec(d); c != nil {
		return c.Traits().Model
	}
	return dialects.Codec(plimsoll.OpenAI).Traits().Model
}

// NamesOnly is an archive that gives references and stores nothing.
type NamesOnly struct{ fit.Archive }

// Put returns the reference.
func (a NamesOnly) Put(ctx context.Context, content plimsoll.List[plimsoll.Part]) (plimsoll.Ref, error) {
	return a.Ref(ctx, content)
}

// recallOnly is a memory to which nothing is added.
type recallOnly struct{ fit.Memory }

// Remember does nothing.
func (recallOnly) Remember(context.Context, fit.Decision) error { return nil }

// Forget does nothing.
func (recallOnly) Forget(context.Context, ...plimsoll.Digest) error { return nil }

// AddAccount does nothing.
func (recallOnly) AddAccount(context.Context, account.Account) error { return nil }

// Lease is always granted.
func (recallOnly) Lease(context.Context, string, time.Duration) (func(), bool, error) {
	return func() {}, true, nil
}

// Body returns the request as a plan leaves it.
func Body(r *wire.Request, p *plimsoll.Plan) ([]byte, error) {
	switch {
	case p.Body != nil:
		return p.Body, nil
	case p.Changed(): // planned without a request
		return r.Encode(p.Draft)
	}
	return r.Body(), nil
}

// Undo returns the request with the archived messages instead of the checkpoint that
// names the reference, and makes the keeper forget the decision. A request without such
// a checkpoint is whole already.
func Undo(ctx context.Context, k *fit.Keeper, r *wire.Request, c Client, ref string) (*wire.Request, error) {
	whole := r
	span, compacted := summary.CheckpointSpan(r.Conversation(), ref)
	list, err := archived(ctx, c, ref)
	if compacted && err != nil {
		return nil, err
	}
	codec := dialects.Codec(r.Dialect())
	if head := r.Conversation().Outline().Head; !compacted && err == nil && head < r.Conversation().Messages.Len() {
		// A checkpoint without a receipt is known by what was decided for its messages.
		if body, err := dialects.Restore(r, plimsoll.Span{Start: head, End: head + 1}, list); err == nil {
			if before, err := codec.Decode(body); err == nil {
				if cp := k.CheckpointOf(ctx, Task(before, c)); cp != nil && cp.Ref != nil && cp.Ref.ID == ref {
					span, compacted = cp.In(r.Conversation())
				}
			}
		}
	}
	if compacted {
		body, err := dialects.Restore(r, span, list)
		if err != nil {
			return nil, err
		}
		if whole, err = codec.Decode(body); err != nil {
			return nil, err
		}
	}
	_, err = k.Undo(ctx, Task(whole, c), ref)
	if compacted && errors.Is(err, plimsoll.ErrNotFound) {
		err = nil // the store never had the decision, or has forgotten it
	}
	return whole, err
}

// archived returns the messages of a reference, as a JSON list.
func archived(ctx context.Context, c Client, ref string) ([]byte, error) {
	content, err := c.Archive.Content(ctx, ref)
	if err != nil {
		return nil, err
	}
	return fit.SpanOf(content)
}
