// Package history keeps what a client does not send back: rounds of a conversation that
// it was not shown, and answers that it only names by their id. It puts both back into
// the client's next request.
//
// What it keeps is in memory, as far as there is room, and in the owner's part of the
// store. It knows no HTTP, and it decides nothing about cuts.
package history

import (
	"context"
	"encoding/hex"
	"errors"

	"github.com/zeebo/xxh3"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/fit"
	"github.com/plimsoll/plimsoll/internal/lru"
	"github.com/plimsoll/plimsoll/store"
	"github.com/plimsoll/plimsoll/transport/internal/breaker"
	"github.com/plimsoll/plimsoll/wire"
)

// History keeps records of all owners. It is safe for concurrent use.
type History struct {
	breaker *breaker.Breaker
	// bodies are records. Places are what this process knows of the requests that it has
	// answered. Checked are replies for which the store has no record.
	bodies  *lru.Map[key, []byte]
	places  *lru.Map[key, place]
	checked *lru.Map[key, struct{}]
}

// key is a digest of one owner.
type key struct {
	owner  string
	digest plimsoll.Digest
}

// place is what is known as of a request: what the client was shown in answer to it,
// and the newest hidden record up to there, if there is one. The client may have got
// another answer from another process.
type place struct {
	shown  plimsoll.Digest
	newest plimsoll.Digest
	known  bool
}

const (
	// maxBytes bounds the records in memory, maxPlaces the requests.
	maxBytes  = 4 << 20
	maxPlaces = 1 << 14
)

// New returns an empty history. The breaker runs the operations of the store.
func New(b *breaker.Breaker) *History {
	return &History{
		breaker: b, bodies: lru.New(maxBytes, func(_ key, body []byte) int { return len(body) + 128 }),
		places: lru.New[key, place](maxPlaces, nil), checked: lru.New[key, struct{}](maxPlaces, nil),
	}
}

// Options say whose conversation a request is part of.
type Options struct {
	// Owner tells owners apart. Tenant is the owner's part of the store; nil means none.
	Owner  string
	Tenant *store.Tenant
	Scope  fit.Scope
	Codec  wire.Codec
	// Report gets what went wrong; the error is nil if no part of Plimsoll failed.
	Report func(what string, err error)
}

// Thread is the history of one request. It belongs to one goroutine.
type Thread struct {
	h      *History
	o      Options
	client *wire.Request
	// Shown is the request with all messages that the client knows, and Restored with all
	// that the model knows. Hidden says that these are more than the client sent or the
	// server has.
	Shown, Restored *wire.Request
	Hidden          bool
	// Conversation is the id of the conversation, as in its account.
	Conversation string
	// chain identifies the messages of Shown, apart from those of requests that ask for
	// something else. Replies are the places where a reply of the model begins.
	chain   []plimsoll.Digest
	replies []int
	// newest is the key of the last hidden record of the conversation; known says that
	// there is one.
	newest plimsoll.Digest
	known  bool
	// followed says that this process has answered an earlier request of the conversation.
	followed bool
}

// Open finds the history of a request.
func (h *History) Open(ctx context.Context, r *wire.Request, o Options) *Thread {
	t := &Thread{h: h, o: o, client: r, Shown: r}
	t.resume(ctx)
	t.Restored = t.Shown
	t.chain, t.replies = o.Scope.Salt(t.Shown.Chain()), replies(t.Shown)
	t.Conversation = conversationID(t.Shown, o.Scope)
	t.newest, t.known = t.findNewest(ctx)
	if t.known && len(t.replies) > 0 {
		t.restore(ctx)
	}
	return t
}

// conversationID is the id of a conversation: by the name that the client gave it, else by
// what it begins with, up to the first message of the user.
func conversationID(r *wire.Request, s fit.Scope) string {
	if s.Conversation != "" {
		return fit.ConversationID(s.Conversation)
	}
	c, chain := r.Conversation(), r.Chain()
	begins := len(chain) - 1
	for i := range c.Messages.Len() {
		if c.Messages.At(i).Role == plimsoll.User {
			begins = i + 1
			break
		}
	}
	return hex.EncodeToString(chain[begins][:])
}

// Delivered is what a client got.
type Delivered struct {
	// Record is what the client was shown and, if Hidden, what it was not shown.
	Record wire.Record
	Hidden bool
	// ID is the id by which the client can name the answer; empty if it has none. Final
	// is the whole answer or its last event.
	ID    string
	Final []byte
	// Renamed says that the server knows the answer by another id.
	Renamed bool
}

// Answered notes the answer to the request, even if the client has gone.
func (t *Thread) Answered(ctx context.Context, a Delivered) {
	ctx = context.WithoutCancel(ctx)
	t.noteReply(ctx, a)
	t.noteID(ctx, a)
}

// keyFor is the key of a kind of record.
func keyFor(kind string, at plimsoll.Digest) plimsoll.Digest {
	return xxh3.Hash128(append([]byte(kind+"\x00"), at[:]...)).Bytes()
}

// put keeps a record, in the store too.
func (t *Thread) put(ctx context.Context, kind string, digest plimsoll.Digest, body []byte) {
	t.h.bodies.Put(key{t.o.Owner, digest}, body)
	if t.o.Tenant == nil {
		return
	}
	err := t.h.breaker.Do(ctx, t.o.Owner, breaker.ReadTimeout, func(ctx context.Context) error {
		return t.o.Tenant.PutDecision(ctx, store.Decision{Key: digest, Kind: kind, Body: body, Conversation: t.Conversation})
	})
	if err != nil {
		t.o.Report("what the client was not shown could not be stored", err)
	}
}

// first returns the first of the records that there is. One in memory does not hide
// those before it that another process may have stored.
func (t *Thread) first(ctx context.Context, digests ...plimsoll.Digest) (plimsoll.Digest, []byte, bool) {
	for i, digest := range digests {
		if body, ok := t.h.bodies.Get(key{t.o.Owner, digest}); ok {
			if found, stored, ok := t.stored(ctx, digests[:i]...); ok {
				return found, stored, true
			}
			return digest, body, true
		}
	}
	return t.stored(ctx, digests...)
}

// stored returns the first of the records that the store has.
func (t *Thread) stored(ctx context.Context, digests ...plimsoll.Digest) (plimsoll.Digest, []byte, bool) {
	if t.o.Tenant == nil || len(digests) == 0 {
		return plimsoll.Digest{}, nil, false
	}
	var found store.Decision
	err := t.h.breaker.Do(ctx, t.o.Owner, breaker.ReadTimeout, func(ctx context.Context) (err error) {
		found, err = t.o.Tenant.FindDecision(ctx, digests...)
		return err
	})
	if err != nil {
		if !errors.Is(err, plimsoll.ErrNotFound) && !errors.Is(err, breaker.ErrOpen) {
			t.o.Report("the store could not be asked", err)
		}
		return plimsoll.Digest{}, nil, false
	}
	t.h.bodies.Put(key{t.o.Owner, found.Key}, found.Body)
	return found.Key, found.Body, true
}

// newestOf returns a record as the store has it, or else as it is in memory.
func (t *Thread) newestOf(ctx context.Context, digest plimsoll.Digest) ([]byte, bool) {
	if _, body, ok := t.stored(ctx, digest); ok {
		return body, true
	}
	return t.h.bodies.Get(key{t.o.Owner, digest})
}
