package store

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"time"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/account"
	"github.com/plimsoll/plimsoll/fit"
)

// Memory returns the tenant's decisions as a keeper wants them.
func (t *Tenant) Memory() fit.Memory { return memory{t} }

type memory struct{ tenant *Tenant }

// Recall implements [fit.Memory].
func (m memory) Recall(ctx context.Context, keys []plimsoll.Digest) (fit.Decision, error) {
	d, err := m.tenant.FindDecision(ctx, keys...)
	return fit.Decision{Key: d.Key, Body: d.Body, Refs: d.Refs, Conversation: d.Conversation}, err
}

// Remember implements [fit.Memory].
func (m memory) Remember(ctx context.Context, d fit.Decision) error {
	return m.tenant.PutDecision(ctx, Decision{Key: d.Key, Body: d.Body, Refs: d.Refs, Conversation: d.Conversation})
}

// Forget implements [fit.Memory].
func (m memory) Forget(ctx context.Context, keys ...plimsoll.Digest) error {
	_, err := m.tenant.store.backend.DeleteDecisions(ctx, m.tenant.id, keys)
	return fault("delete decisions", err)
}

// Lease implements [fit.Memory].
func (m memory) Lease(ctx context.Context, name string, life time.Duration) (func(), bool, error) {
	name, holder := hex.EncodeToString(m.tenant.id[:])+":"+name, rand.Text()
	backend := m.tenant.store.backend
	ok, err := backend.Lease(ctx, name, holder, life)
	if err != nil || !ok {
		return nil, false, fault("lease "+name, err)
	}
	background := context.WithoutCancel(ctx)
	held, stop := context.WithCancel(background)
	renewing := make(chan struct{})
	go func() {
		defer close(renewing)
		renew(held, backend, name, holder, life)
	}()
	return func() {
		stop()
		<-renewing // or it could be taken again behind its release
		// The lease ends by itself; giving it back early is a courtesy to others.
		_ = backend.Release(background, name, holder)
	}, true, nil
}

// AddAccount implements [fit.Memory].
func (m memory) AddAccount(ctx context.Context, a account.Account) error {
	return m.tenant.AddAccount(ctx, a)
}

// renew takes a lease again and again before it ends, until the context does or
// another one has it.
func renew(ctx context.Context, b Backend, name, holder string, life time.Duration) {
	const tries = 3 // in the life of a lease
	tick := time.NewTicker(max(life/tries, time.Millisecond))
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		if ok, err := b.Lease(ctx, name, holder, life); err == nil && !ok {
			return
		}
	}
}
