package store_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/hex"
	"slices"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/account"
	"github.com/plimsoll/plimsoll/store"
)

func (m *memory) PutDecision(ctx context.Context, tenant store.TenantID, d store.Decision) error {
	if err := m.begin(ctx, "PutDecision"); err != nil {
		return err
	}
	defer m.mu.Unlock()
	d.Body, d.Refs = bytes.Clone(d.Body), slices.Clone(d.Refs)
	m.decisions[of[plimsoll.Digest]{tenant, d.Key}] = d
	return nil
}

func (m *memory) FindDecision(ctx context.Context, tenant store.TenantID, keys []plimsoll.Digest) (store.Decision, error) {
	if err := m.begin(ctx, "FindDecision"); err != nil {
		return store.Decision{}, err
	}
	defer m.mu.Unlock()
	for _, k := range keys {
		key := of[plimsoll.Digest]{tenant, k}
		if d, ok := m.decisions[key]; ok {
			d.Used = later(d.Used, m.now())
			m.decisions[key] = d
			return d, nil
		}
	}
	return store.Decision{}, plimsoll.ErrNotFound
}

func (m *memory) DeleteDecisions(ctx context.Context, tenant store.TenantID, keys []plimsoll.Digest) (int, error) {
	if err := m.begin(ctx, "DeleteDecisions"); err != nil {
		return 0, err
	}
	defer m.mu.Unlock()
	before := len(m.decisions)
	for _, k := range keys {
		delete(m.decisions, of[plimsoll.Digest]{tenant, k})
	}
	return before - len(m.decisions), nil
}

func (m *memory) AddAccount(ctx context.Context, tenant store.TenantID, accounts ...account.Account) error {
	if err := m.begin(ctx, "AddAccount"); err != nil {
		return err
	}
	defer m.mu.Unlock()
	for _, a := range accounts {
		key := of[string]{tenant, a.Conversation}
		if sum, ok := m.accounts[key]; ok {
			a = sum.Add(a)
		}
		m.accounts[key] = a
	}
	return nil
}

func (m *memory) Accounts(ctx context.Context, tenant store.TenantID, after string, limit int) ([]account.Account, error) {
	if err := m.begin(ctx, "Accounts"); err != nil {
		return nil, err
	}
	defer m.mu.Unlock()
	var all []account.Account
	for key, a := range m.accounts {
		if key.tenant == tenant {
			all = append(all, a)
		}
	}
	slices.SortFunc(all, func(a, b account.Account) int {
		return cmp.Or(b.Last.Compare(a.Last), cmp.Compare(a.Conversation, b.Conversation))
	})
	return pageOf(all, after, limit, func(a account.Account) string { return a.Conversation })
}

func (m *memory) PutValue(ctx context.Context, name string, value []byte) error {
	if err := m.begin(ctx, "PutValue"); err != nil {
		return err
	}
	defer m.mu.Unlock()
	m.values[name] = bytes.Clone(value)
	return nil
}

func (m *memory) Value(ctx context.Context, name string) ([]byte, error) {
	if err := m.begin(ctx, "Value"); err != nil {
		return nil, err
	}
	defer m.mu.Unlock()
	v, ok := m.values[name]
	if !ok {
		return nil, plimsoll.ErrNotFound
	}
	return v, nil
}

func (m *memory) Erase(ctx context.Context) error {
	if err := m.begin(ctx, "Erase"); err != nil {
		return err
	}
	m.mu.Unlock()
	return nil
}

func (m *memory) Lease(ctx context.Context, name, holder string, life time.Duration) (bool, error) {
	if err := m.begin(ctx, "Lease"); err != nil {
		return false, err
	}
	defer m.mu.Unlock()
	if l, ok := m.leases[name]; ok && l.holder != holder && m.now().Before(l.until) {
		return false, nil
	}
	m.leases[name] = lease{holder, m.now().Add(life)}
	return true, nil
}

func (m *memory) Release(ctx context.Context, name, holder string) error {
	if err := m.begin(ctx, "Release"); err != nil {
		return err
	}
	defer m.mu.Unlock()
	if m.leases[name].holder == holder {
		delete(m.leases, name)
	}
	return nil
}

// owned lists objects, the longest unused first, those that are referred to by a
// decision that was used since a time last.
func (m *memory) owned(since time.Time) (free, needed []store.Owned) {
	refs := map[of[string]]bool{}
	for key, d := range m.decisions {
		for _, r := range d.Refs {
			if !d.Used.Before(since) {
				refs[of[string]{key.tenant, r}] = true
			}
		}
	}
	for key, o := range m.objects {
		if refs[key] {
			needed = append(needed, store.Owned{Tenant: key.tenant, Object: o})
		} else {
			free = append(free, store.Owned{Tenant: key.tenant, Object: o})
		}
	}
	byUse := func(a, b store.Owned) int {
		return cmp.Or(a.Object.Used.Compare(b.Object.Used), cmp.Compare(a.Object.ID, b.Object.ID))
	}
	slices.SortFunc(free, byUse)
	slices.SortFunc(needed, byUse)
	return free, needed
}

func (m *memory) Expired(ctx context.Context, before time.Time, limit int) ([]store.Owned, error) {
	return m.idle(ctx, before, before, limit)
}

func (m *memory) Unreferenced(ctx context.Context, before time.Time, limit int) ([]store.Owned, error) {
	return m.idle(ctx, time.Time{}, before, limit)
}

func (m *memory) idle(ctx context.Context, since, before time.Time, limit int) ([]store.Owned, error) {
	if err := m.begin(ctx, "Idle"); err != nil {
		return nil, err
	}
	defer m.mu.Unlock()
	free, _ := m.owned(since)
	free = slices.DeleteFunc(free, func(o store.Owned) bool { return !o.Object.Used.Before(before) })
	return free[:min(limit, len(free))], nil
}

func (m *memory) Oldest(ctx context.Context, limit int) ([]store.Owned, error) {
	if err := m.begin(ctx, "Oldest"); err != nil {
		return nil, err
	}
	defer m.mu.Unlock()
	free, needed := m.owned(time.Time{})
	all := append(free, needed...)
	return all[:min(limit, len(all))], nil
}

func (m *memory) Evict(ctx context.Context, objects []store.Owned) (int, error) {
	if err := m.begin(ctx, "Evict"); err != nil {
		return 0, err
	}
	defer m.mu.Unlock()
	n := 0
	for _, o := range objects {
		key := of[string]{o.Tenant, o.Object.ID}
		if m.objects[key].Used.Equal(o.Object.Used) {
			n += m.remove(key)
		}
	}
	return n, nil
}

func (m *memory) ExpiredDecisions(ctx context.Context, before time.Time) (int, error) {
	return m.expire(ctx, before, false)
}

func (m *memory) ExpireDecisions(ctx context.Context, before time.Time) (int, error) {
	return m.expire(ctx, before, true)
}

func (m *memory) expire(ctx context.Context, before time.Time, remove bool) (int, error) {
	if err := m.begin(ctx, "ExpireDecisions"); err != nil {
		return 0, err
	}
	defer m.mu.Unlock()
	n := 0
	for key, d := range m.decisions {
		if d.Used.Before(before) {
			n++
			if remove {
				delete(m.decisions, key)
			}
		}
	}
	return n, nil
}

func (m *memory) Sweep(ctx context.Context, before time.Time) (store.Swept, error) {
	if err := m.begin(ctx, "Sweep"); err != nil {
		return store.Swept{}, err
	}
	defer m.mu.Unlock()
	used := map[of[store.ChunkID]]bool{}
	for key, extents := range m.extents {
		for _, e := range extents {
			used[of[store.ChunkID]{key.tenant, e.Chunk}] = true
		}
	}
	var swept store.Swept
	for key, k := range m.chunks {
		if !used[key] && k.used.Before(before) {
			delete(m.chunks, key)
			swept.Chunks++
			swept.Bytes += int64(len(k.chunk.Data))
		}
	}
	return swept, nil
}

func (m *memory) Stats(ctx context.Context, tenant *store.TenantID) (store.Stats, error) {
	if err := m.begin(ctx, "Stats"); err != nil {
		return store.Stats{}, err
	}
	defer m.mu.Unlock()
	var s store.Stats
	for key, o := range m.objects {
		if tenant == nil || key.tenant == *tenant {
			s.Objects++
			s.Bytes += o.Stored
		}
	}
	for key, k := range m.chunks {
		if tenant == nil || key.tenant == *tenant {
			s.Chunks++
			s.Compressed += int64(len(k.chunk.Data))
		}
	}
	for key, d := range m.decisions {
		if d.Kind == "" && (tenant == nil || key.tenant == *tenant) {
			s.Decisions++
		}
	}
	return s, nil
}

func (m *memory) Purge(ctx context.Context, tenant *store.TenantID, conversation string) (store.Purged, error) {
	if err := m.begin(ctx, "Purge"); err != nil {
		return store.Purged{}, err
	}
	defer m.mu.Unlock()
	var p store.Purged
	others, own := map[of[string]]bool{}, map[of[string]]bool{}
	for key, d := range m.decisions {
		goes := (tenant == nil || key.tenant == *tenant) && (conversation == "" || d.Conversation == conversation)
		for _, ref := range d.Refs {
			if goes {
				own[of[string]{key.tenant, ref}] = true
			} else {
				others[of[string]{key.tenant, ref}] = true
			}
		}
		if goes {
			p.Decisions++
			delete(m.decisions, key)
		}
	}
	for key := range m.objects {
		if (tenant == nil || key.tenant == *tenant) && (conversation == "" || own[key] && !others[key]) {
			p.Objects += int64(m.remove(key))
		}
	}
	for key := range m.accounts {
		if (tenant == nil || key.tenant == *tenant) && (conversation == "" || key.id == conversation) {
			p.Accounts++
			delete(m.accounts, key)
		}
	}
	for name := range m.values {
		if conversation == "" && (tenant == nil || strings.Contains(name, hex.EncodeToString(tenant[:]))) {
			p.Values++
			delete(m.values, name)
		}
	}
	return p, nil
}
