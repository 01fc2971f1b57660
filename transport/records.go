package transport

import (
	"context"
	"errors"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/lru"
	"github.com/plimsoll/plimsoll/store"
	"github.com/plimsoll/plimsoll/wire"
)

// records keeps small things that belong to a place in a conversation: what the client
// was not shown there, and what an answer of the server's said. They are at hand in
// memory, as far as there is room, and in the owner's part of the store.
type records = lru.Map[recordKey, []byte]

type recordKey struct {
	owner string
	key   plimsoll.Digest
}

// recordBytes is what is at hand, in bytes: the newest places of some ten thousand
// requests.
const recordBytes = 6 << 20

// recordCost is what a record takes of that, with its place in the map.
func recordCost(_ recordKey, body []byte) int { return len(body) + 128 }

// keyFor is the key of a kind of record for a place.
func keyFor(kind string, at plimsoll.Digest) plimsoll.Digest {
	return wire.DigestOf(append([]byte(kind+"\x00"), at[:]...))
}

// record keeps a record for other processes, too.
func (f *flow) record(ctx context.Context, key plimsoll.Digest, body []byte) {
	f.t.records.Put(recordKey{f.owner.key, key}, body)
	if f.tenant == nil {
		return
	}
	err := f.t.breaker.do(ctx, func(ctx context.Context) error {
		return f.tenant.PutDecision(ctx, store.Decision{Key: key, Body: body})
	})
	if err != nil {
		f.failed("what the client was not shown could not be stored", err)
	}
}

// recorded returns the first of the records that there is. One that is at hand does not
// hide those before it that another process may have stored.
func (f *flow) recorded(keys ...plimsoll.Digest) (plimsoll.Digest, []byte, bool) {
	for i, key := range keys {
		if body, ok := f.t.records.Get(recordKey{f.owner.key, key}); ok {
			if found, stored, ok := f.stored(keys[:i]...); ok {
				return found, stored, true
			}
			return key, body, true
		}
	}
	return f.stored(keys...)
}

// stored returns the first of the records that there is in the store.
func (f *flow) stored(keys ...plimsoll.Digest) (plimsoll.Digest, []byte, bool) {
	if f.tenant == nil || len(keys) == 0 {
		return plimsoll.Digest{}, nil, false
	}
	var found store.Decision
	err := f.t.breaker.do(f.ctx, func(ctx context.Context) (err error) {
		found, err = f.tenant.FindDecision(ctx, keys...)
		return err
	})
	if err != nil {
		if !errors.Is(err, plimsoll.ErrNotFound) && !errors.Is(err, errOpen) {
			f.failed("the store could not be asked", err)
		}
		return plimsoll.Digest{}, nil, false
	}
	f.t.records.Put(recordKey{f.owner.key, found.Key}, found.Body)
	return found.Key, found.Body, true
}

// freshly returns a record as it is in the store, or at hand if it cannot be had there.
func (f *flow) freshly(key plimsoll.Digest) ([]byte, bool) {
	if _, body, ok := f.stored(key); ok {
		return body, true
	}
	return f.t.records.Get(recordKey{f.owner.key, key})
}
