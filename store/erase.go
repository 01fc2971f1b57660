package store

import (
	"context"

	"github.com/plimsoll/plimsoll/fit"
)

// Erase clears what was deleted from the backend's files. The store cannot be used
// meanwhile.
func (s *Store) Erase(ctx context.Context) error { return fault("erase", s.now().backend.Erase(ctx)) }

// Purge deletes all that the tenant has: content, decisions, accounts and what was learned
// for it. If a conversation is given, by the client's name for it or by its id, Purge deletes
// what belongs to that: its decisions and its account, and the content that no other
// conversation refers to. It sweeps; [Store.Erase] clears the files of a backend that only
// frees the space.
func (t *Tenant) Purge(ctx context.Context, conversation string) (Purged, error) {
	ids := []string{conversation}
	if conversation != "" {
		ids = append(ids, fit.ConversationID(conversation))
	}
	var all Purged
	for _, id := range ids {
		purged, err := t.store.backend.Purge(ctx, &t.id, plain(id))
		all.Objects += purged.Objects
		all.Decisions += purged.Decisions
		all.Accounts += purged.Accounts
		all.Values += purged.Values
		if err != nil {
			return all, fault("purge", err)
		}
	}
	_, err := t.store.Sweep(ctx)
	return all, err
}

// Purge deletes all that all tenants have. The store stays, with its key.
func (s *Store) Purge(ctx context.Context) (Purged, error) {
	purged, err := s.now().backend.Purge(ctx, nil, "")
	if err == nil {
		_, err = s.Sweep(ctx)
	}
	return purged, fault("purge", err)
}
