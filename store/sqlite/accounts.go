package sqlite

import (
	"context"
	"errors"
	"slices"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/account"
	"github.com/plimsoll/plimsoll/store"
)

const accountColumns = `tenant, conversation, model, requests, input, output, cache_creation, cache_read, reasoning,
	saved, written, first, last, estimated, cuts, breaks, priced, paid, uncut, summaries, sum`

// accountSum leaves out the figures of version 3 where there are none, as in rows that
// are older.
func accountSum(tenant store.TenantID, a *account.Account) int64 {
	u := &a.Usage
	total := newSum("accounts").bytes(tenant[:]).text(a.Conversation).text(a.Model).ints(
		a.Requests, int64(u.Input), int64(u.Output), int64(u.CacheCreation), int64(u.CacheRead), int64(u.Reasoning),
		a.Saved, a.Written, a.First.UnixMicro(), a.Last.UnixMicro())
	added := []int64{a.Estimated, a.Cuts, a.Breaks, a.Priced, int64(a.Paid), int64(a.Uncut), int64(a.Summaries)}
	if slices.ContainsFunc(added, func(n int64) bool { return n != 0 }) {
		total.ints(added...)
	}
	return total.value()
}

// AddAccount implements [store.Backend].
func (db *backend) AddAccount(ctx context.Context, tenant store.TenantID, accounts ...account.Account) error {
	return db.write(ctx, "add to an account", func(s *handle) error {
		for _, a := range accounts {
			if err := addAccount(s, tenant, a); err != nil {
				return err
			}
		}
		return nil
	})
}

func addAccount(s *handle, tenant store.TenantID, a account.Account) error {
	var old account.Account
	err := s.rowOf("SELECT "+accountColumns+" FROM accounts WHERE tenant = ? AND conversation = ?", []any{tenant[:], a.Conversation},
		func(scan func(...any) error) (err error) {
			old, err = accountOf(tenant, scan)
			if err == nil && old.Conversation != a.Conversation {
				err = broken("the index of accounts at %q", a.Conversation)
			}
			return err
		})
	switch {
	case errors.Is(err, plimsoll.ErrNotFound):
		return putAccount(s, tenant, a)
	case err != nil:
		return err
	}
	return putAccount(s, tenant, old.Add(a))
}

func putAccount(s *handle, tenant store.TenantID, a account.Account) error {
	u := &a.Usage
	_, err := s.exec(`INSERT INTO accounts (`+accountColumns+`) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (tenant, conversation) DO UPDATE SET
			model = excluded.model, requests = excluded.requests, input = excluded.input, output = excluded.output,
			cache_creation = excluded.cache_creation, cache_read = excluded.cache_read, reasoning = excluded.reasoning,
			saved = excluded.saved, written = excluded.written, first = excluded.first, last = excluded.last,
			estimated = excluded.estimated, cuts = excluded.cuts, breaks = excluded.breaks, priced = excluded.priced,
			paid = excluded.paid, uncut = excluded.uncut, summaries = excluded.summaries, sum = excluded.sum`,
		tenant[:], a.Conversation, a.Model, a.Requests, u.Input, u.Output, u.CacheCreation, u.CacheRead, u.Reasoning,
		a.Saved, a.Written, a.First.UnixMicro(), a.Last.UnixMicro(), a.Estimated, a.Cuts, a.Breaks, a.Priced,
		int64(a.Paid), int64(a.Uncut), int64(a.Summaries), accountSum(tenant, &a))
	return err
}

func scanAccount(scan func(...any) error) (store.TenantID, account.Account, error) {
	var a account.Account
	var owner store.TenantID
	var tenant []byte
	var first, last, sum int64
	u := &a.Usage
	err := scan(&tenant, &a.Conversation, &a.Model, &a.Requests, &u.Input, &u.Output, &u.CacheCreation, &u.CacheRead, &u.Reasoning,
		&a.Saved, &a.Written, &first, &last, &a.Estimated, &a.Cuts, &a.Breaks, &a.Priced, &a.Paid, &a.Uncut, &a.Summaries, &sum)
	if err != nil {
		return owner, a, err
	}
	copy(owner[:], tenant)
	a.First, a.Last = when(first), when(last)
	if len(tenant) != len(owner) || sum != accountSum(owner, &a) {
		return owner, a, broken("account %q", a.Conversation)
	}
	return owner, a, nil
}

// accountOf reads an account of a tenant and of no other.
func accountOf(tenant store.TenantID, scan func(...any) error) (account.Account, error) {
	owner, a, err := scanAccount(scan)
	if err == nil && owner != tenant {
		err = broken("the index of accounts at %q", a.Conversation)
	}
	return a, err
}

// Accounts implements [store.Backend].
func (db *backend) Accounts(ctx context.Context, tenant store.TenantID, after string, limit int) ([]account.Account, error) {
	const columns = "SELECT " + accountColumns + " FROM accounts WHERE tenant = ?"
	const order = " ORDER BY last DESC, row DESC LIMIT ?"
	var all []account.Account
	err := db.readTogether(ctx, "list accounts", func(s *handle) error {
		all = nil
		query, args := columns+order, []any{tenant[:], limit}
		if after != "" {
			var last, row int64
			err := s.row("SELECT last, row FROM accounts WHERE tenant = ? AND conversation = ?", []any{tenant[:], after}, &last, &row)
			if err != nil {
				return err
			}
			query, args = columns+" AND (last, row) < (?, ?)"+order, []any{tenant[:], last, row, limit}
		}
		return s.rows(query, args, func(scan func(...any) error) error {
			a, err := accountOf(tenant, scan)
			all = append(all, a)
			return err
		})
	})
	return all, err
}
