package store

import (
	"context"
	"encoding/hex"
	"slices"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/account"
	"github.com/plimsoll/plimsoll/fit"
)

// Tenant is one tenant's part of a [Store]. It is safe for concurrent use.
type Tenant struct {
	store *Store
	id    TenantID
	key   key
}

var _ fit.Archive = (*Tenant)(nil)

// Key returns the [TenantID] in hexadecimal, for [fit.Scope].
func (t *Tenant) Key() string { return hex.EncodeToString(t.id[:]) }

// Objects lists what is stored, newest first, at most limit, behind the one with the
// given id if it is not empty.
func (t *Tenant) Objects(ctx context.Context, after string, limit int) ([]Object, error) {
	objects, err := t.store.backend.Objects(ctx, t.id, after, limit)
	return objects, fault("list", err)
}

// Delete takes objects out and returns how many were there. What they held is
// deleted for good by [Store.Sweep].
func (t *Tenant) Delete(ctx context.Context, ids ...string) (int, error) {
	n, err := t.store.backend.Delete(ctx, t.id, wellFormed(ids))
	return n, fault("delete", err)
}

// Stats counts what the tenant has stored.
func (t *Tenant) Stats(ctx context.Context) (Stats, error) {
	stats, err := t.store.backend.Stats(ctx, &t.id)
	return stats, fault("count", err)
}

// PutDecision adds or replaces a decision. Times that are zero become now.
func (t *Tenant) PutDecision(ctx context.Context, d Decision) error {
	now := t.store.options.Now()
	if d.Created.IsZero() {
		d.Created = now
	}
	if d.Used.IsZero() {
		d.Used = now
	}
	d.Refs, d.Conversation = wellFormed(d.Refs), plain(d.Conversation)
	return fault("keep decision", t.store.backend.PutDecision(ctx, t.id, d))
}

// FindDecision returns the decision of the first of the keys that has one, and
// marks it as used.
func (t *Tenant) FindDecision(ctx context.Context, keys ...plimsoll.Digest) (Decision, error) {
	d, err := t.store.backend.FindDecision(ctx, t.id, keys)
	return d, fault("find decision", err)
}

// AddAccount adds figures to the accounts of conversations, all of them or none.
func (t *Tenant) AddAccount(ctx context.Context, accounts ...account.Account) error {
	accounts = slices.Clone(accounts)
	for i := range accounts {
		accounts[i].Conversation, accounts[i].Model = plain(accounts[i].Conversation), plain(accounts[i].Model)
	}
	return fault("account", t.store.backend.AddAccount(ctx, t.id, accounts...))
}

// Accounts lists accounts, the last used first, at most limit, behind the given
// conversation if it is not empty.
func (t *Tenant) Accounts(ctx context.Context, after string, limit int) ([]account.Account, error) {
	accounts, err := t.store.backend.Accounts(ctx, t.id, plain(after), limit)
	return accounts, fault("list accounts", err)
}
