package limit

import (
	"context"
	"encoding/json"
	"time"

	"github.com/plimsoll/plimsoll/internal/lru"
	"github.com/plimsoll/plimsoll/store"
)

// ModelKey names what a limit is learned of: a model of a server. Limits are kept apart by
// tenant, since an error may quote what the tenant sent.
type ModelKey struct{ Tenant, Upstream, Model string }

// shared is the key without the tenant.
func (k ModelKey) shared() ModelKey { return ModelKey{Upstream: k.Upstream, Model: k.Model} }

func (k ModelKey) name() string { return "limit:" + k.Tenant + "/" + k.Upstream + "/" + k.Model }

// Learner keeps the limits that were learned. The store keeps them for other processes
// and later ones. It is safe for concurrent use.
type Learner struct {
	store *store.Store
	now   func() time.Time
	known *lru.Map[ModelKey, found]
	// largest are the largest prompts that were answered to any tenant.
	largest *lru.Map[ModelKey, answered]
}

// found is what is known of a key; ok is false if the store has nothing.
type found struct {
	Learned
	ok bool
	at time.Time
}

type answered struct {
	Prompt
	at time.Time
}

const (
	// life is how long a limit is believed: servers are given other windows.
	life = 24 * time.Hour
	// recheck is when the store is asked again about a model without a limit.
	recheck = time.Minute
	// maxKnown bounds how many models are remembered.
	maxKnown = 4096
	// timeout bounds how long a request waits for the store.
	timeout = 250 * time.Millisecond
)

// New returns a learner that knows no limits; without a store if that is nil.
func New(s *store.Store, now func() time.Time) *Learner {
	return &Learner{store: s, now: now, known: lru.New[ModelKey, found](maxKnown, nil), largest: lru.New[ModelKey, answered](maxKnown, nil)}
}

// Find returns the limit of a model, but not less than what was answered.
func (l *Learner) Find(ctx context.Context, key ModelKey) (Learned, bool) {
	now := l.now()
	f, ok := l.known.Get(key)
	if !ok || f.ok && now.Sub(f.At) >= life || !f.ok && now.Sub(f.at) >= recheck {
		f = l.load(ctx, key)
		l.known.Put(key, f)
	}
	return f.atLeast(l.Largest(key)), f.ok
}

func (l *Learner) load(ctx context.Context, key ModelKey) found {
	f := found{at: l.now()}
	if l.store == nil {
		return f
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	if value, err := l.store.Value(ctx, key.name()); err == nil {
		f.ok = json.Unmarshal(value, &f.Learned) == nil && f.Limit > 0 && f.Ratio > 0 && f.at.Sub(f.At) < life
	}
	return f
}

// Put remembers a limit.
func (l *Learner) Put(ctx context.Context, key ModelKey, is Learned) error {
	is.At = l.now()
	l.known.Put(key, found{is, true, is.At})
	if l.store == nil {
		return nil
	}
	value, err := json.Marshal(is)
	if err != nil {
		return err
	}
	return l.store.PutValue(ctx, key.name(), value)
}

// Answered takes note of a prompt that was answered. One that is larger than the limit
// of its tenant raises that.
func (l *Learner) Answered(ctx context.Context, key ModelKey, p Prompt) {
	f, ok := l.known.Get(key)
	raised := ok && f.ok && p.Billed > f.atLeast(l.Largest(key)).Limit
	if p.Weighed > l.Largest(key).Weighed {
		l.largest.Put(key.shared(), answered{p, l.now()})
	}
	if raised {
		ctx, cancel := context.WithTimeout(ctx, timeout)
		defer cancel()
		_ = l.Put(ctx, key, f.atLeast(p)) // otherwise it is learned again
	}
}

// Largest returns the largest prompt that the server has answered within a limit's life.
func (l *Learner) Largest(key ModelKey) Prompt {
	if a, ok := l.largest.Get(key.shared()); ok && l.now().Sub(a.at) < life {
		return a.Prompt
	}
	return Prompt{}
}

// Known returns the limits that are still believed, by upstream and model. Of several
// tenants' limits it is the newest.
func (l *Learner) Known() map[ModelKey]Learned {
	newest := map[ModelKey]Learned{}
	for key, f := range l.known.All() {
		if f.ok && l.now().Sub(f.At) < life && f.At.After(newest[key.shared()].At) {
			newest[key.shared()] = f.Learned
		}
	}
	return newest
}
