package dashboard

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/plimsoll/plimsoll/account"
	"github.com/plimsoll/plimsoll/store"
)

const (
	// ledgerLife is how long what was read from the store is shown, ledgerRest how long
	// a store that failed is not asked again, ledgerTime how long reading may take.
	ledgerLife = 2 * time.Second
	ledgerRest = 10 * time.Second
	ledgerTime = 3 * time.Second
	// ledgerPage is how many accounts are asked for at once, ledgerMost how many are
	// listed in all.
	ledgerPage = 500
	ledgerMost = 5000
)

// ledger reads accounts from the store, and not again for every page.
type ledger struct {
	store *store.Store
	now   func() time.Time
	mu    sync.Mutex
	last  statement
}

// statement is what the store had at a moment.
type statement struct {
	at time.Time
	// tenants by their labels.
	tenants  map[string]*store.Tenant
	accounts []owned
	total    account.Account
	stats    store.Stats
	// partial says that there are more accounts than are listed.
	partial bool
	err     error
}

// owned is an account with its tenant.
type owned struct {
	account.Account
	tenant string
}

// read returns what the store has. Also are tenants that may have nothing in it yet.
func (l *ledger) read(ctx context.Context, also map[string]*store.Tenant) statement {
	l.mu.Lock()
	defer l.mu.Unlock()
	life := ledgerLife
	if l.last.err != nil {
		life = ledgerRest
	}
	if l.store == nil || !l.last.at.IsZero() && l.now().Sub(l.last.at) < life {
		return l.last
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), ledgerTime)
	defer cancel()
	l.last = l.take(ctx, also)
	l.last.at = l.now()
	return l.last
}

func (l *ledger) take(ctx context.Context, also map[string]*store.Tenant) statement {
	local := l.store.Tenant("")
	s := statement{tenants: map[string]*store.Tenant{labelOf(local): local}}
	maps.Copy(s.tenants, also)
	found, err := l.store.Tenants(ctx)
	if err != nil {
		s.err = err
		return s
	}
	for _, t := range found {
		s.tenants[labelOf(t)] = t
	}
	if s.stats, s.err = l.store.Stats(ctx); s.err != nil {
		return s
	}
	for _, label := range slices.Sorted(maps.Keys(s.tenants)) {
		if s.err = s.add(ctx, label); s.err != nil {
			break
		}
	}
	slices.SortStableFunc(s.accounts, func(a, b owned) int { return b.Last.Compare(a.Last) })
	return s
}

// add adds the accounts of a tenant.
func (s *statement) add(ctx context.Context, label string) error {
	for after := ""; ; {
		page, err := s.tenants[label].Accounts(ctx, after, ledgerPage)
		if err != nil {
			return err
		}
		for _, a := range page {
			after = a.Conversation
			s.total = s.total.Add(a)
			s.accounts = append(s.accounts, owned{a, label})
		}
		switch {
		case len(page) < ledgerPage:
			return nil
		case len(s.accounts) >= ledgerMost:
			s.partial = true
			return nil
		}
	}
}

// find returns the account of a conversation.
func (s *statement) find(key string) (owned, bool) {
	for _, a := range s.accounts {
		if keyOf(a.tenant, a.Conversation) == key {
			return a, true
		}
	}
	return owned{}, false
}

// failure says what is wrong with the store; empty if nothing is.
func (s *statement) failure() string {
	if s.err == nil {
		return ""
	}
	return strings.TrimSpace(s.err.Error())
}
