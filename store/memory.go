package store

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"time"

	"github.com/plimsoll/plimsoll"
)

// Memory returns the tenant's decisions as a keeper wants them.
func (t *Tenant) Memory() plimsoll.Memory { return memory{t} }

type memory struct{ tenant *Tenant }

// Recall implements [plimsoll.Memory].
func (m memory) Recall(ctx context.Context, keys []plimsoll.Digest) (plimsoll.Decision, error) {
	d, err := m.tenant.FindDecision(ctx, keys...)
	return plimsoll.Decision{Key: d.Key, Body: d.Body, Refs: d.Refs}, err
}

// Remember implements [plimsoll.Memory].
func (m memory) Remember(ctx context.Context, d plimsoll.Decision) error {
	return m.tenant.PutDecision(ctx, Decision{Key: d.Key, Body: d.Body, Refs: d.Refs})
}

// Forget implements [plimsoll.Memory].
func (m memory) Forget(ctx context.Context, keys ...plimsoll.Digest) error {
	_, err := m.tenant.DeleteDecisions(ctx, keys...)
	return err
}

// Lease implements [plimsoll.Memory].
func (m memory) Lease(ctx context.Context, name string, life time.Duration) (func(), bool, error) {
	name, holder := hex.EncodeToString(m.tenant.id[:])+":"+name, rand.Text()
	ok, err := m.tenant.store.Lease(ctx, name, holder, life)
	if err != nil || !ok {
		return nil, false, err
	}
	return func() {
		// The lease ends by itself; giving it back early is a courtesy to others.
		_ = m.tenant.store.Release(context.WithoutCancel(ctx), name, holder)
	}, true, nil
}
