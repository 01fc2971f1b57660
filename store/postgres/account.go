package postgres

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/plimsoll/plimsoll/account"
	"github.com/plimsoll/plimsoll/store"
)

// AddAccount adds figures to the accounts of conversations.
func (db *backend) AddAccount(ctx context.Context, tenant store.TenantID, accounts ...account.Account) error {
	return db.do(ctx, "add to an account", false, func(ctx context.Context, conn *pgx.Conn) error {
		return pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
			// In one order everywhere, so that two processes do not wait for each other.
			for _, a := range slices.SortedFunc(slices.Values(accounts), func(a, b account.Account) int { return strings.Compare(a.Conversation, b.Conversation) }) {
				if err := addAccount(ctx, tx, tenant, a); err != nil {
					return err
				}
			}
			return nil
		})
	})
}

func addAccount(ctx context.Context, tx pgx.Tx, tenant store.TenantID, a account.Account) error {
	_, err := tx.Exec(ctx, `
			INSERT INTO plimsoll.account AS a (tenant, conversation, model, requests, input, output, cache_creation,
				cache_read, reasoning, saved, written, first, last, estimated, cuts, breaks, priced, paid, uncut, summaries)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20)
			ON CONFLICT (tenant, conversation) DO UPDATE SET
				model = CASE WHEN excluded.last >= a.last THEN excluded.model ELSE a.model END,
				requests = a.requests + excluded.requests,
				input = a.input + excluded.input,
				output = a.output + excluded.output,
				cache_creation = a.cache_creation + excluded.cache_creation,
				cache_read = a.cache_read + excluded.cache_read,
				reasoning = a.reasoning + excluded.reasoning,
				saved = a.saved + excluded.saved,
				written = a.written + excluded.written,
				first = least(a.first, excluded.first),
				last = greatest(a.last, excluded.last),
				estimated = a.estimated + excluded.estimated,
				cuts = a.cuts + excluded.cuts,
				breaks = a.breaks + excluded.breaks,
				priced = a.priced + excluded.priced,
				paid = a.paid + excluded.paid,
				uncut = a.uncut + excluded.uncut,
				summaries = a.summaries + excluded.summaries`,
		tenant[:], a.Conversation, a.Model, a.Requests, a.Usage.Input, a.Usage.Output, a.Usage.CacheCreation,
		a.Usage.CacheRead, a.Usage.Reasoning, a.Saved, a.Written, a.First, a.Last,
		a.Estimated, a.Cuts, a.Breaks, a.Priced, int64(a.Paid), int64(a.Uncut), int64(a.Summaries))
	return err
}

// Accounts lists accounts, the last used first.
func (db *backend) Accounts(ctx context.Context, tenant store.TenantID, after string, limit int) ([]account.Account, error) {
	behind := ``
	args := []any{tenant[:], max(limit, 0)}
	if after != "" {
		behind = `AND (last, conversation) < (SELECT last, conversation FROM plimsoll.account WHERE tenant = $1 AND conversation = $3)`
		args = append(args, after)
	}
	all, err := list(ctx, db, "list accounts", scanAccount, `
		SELECT conversation, model, requests, input, output, cache_creation, cache_read, reasoning, saved, written, first, last,
			estimated, cuts, breaks, priced, paid, uncut, summaries
		FROM plimsoll.account WHERE tenant = $1 `+behind+`
		ORDER BY last DESC, conversation DESC LIMIT $2`, args...)
	if err == nil && len(all) == 0 && after != "" {
		_, err = one(ctx, db, "find an account", pgx.RowTo[string],
			`SELECT conversation FROM plimsoll.account WHERE tenant = $1 AND conversation = $2`, tenant[:], after)
	}
	return all, err
}

func scanAccount(row pgx.CollectableRow) (a account.Account, err error) {
	u := &a.Usage
	return a, row.Scan(&a.Conversation, &a.Model, &a.Requests, &u.Input, &u.Output, &u.CacheCreation, &u.CacheRead,
		&u.Reasoning, &a.Saved, &a.Written, utc{&a.First}, utc{&a.Last}, &a.Estimated, &a.Cuts, &a.Breaks, &a.Priced,
		(*int64)(&a.Paid), (*int64)(&a.Uncut), (*int64)(&a.Summaries))
}

// PutValue keeps a value under a name.
func (db *backend) PutValue(ctx context.Context, name string, value []byte) error {
	_, err := db.exec(ctx, "keep a value", `
		INSERT INTO plimsoll.value (name, value) VALUES ($1, $2)
		ON CONFLICT (name) DO UPDATE SET value = excluded.value`, name, present(value))
	return err
}

// Value returns a value.
func (db *backend) Value(ctx context.Context, name string) ([]byte, error) {
	return one(ctx, db, "read a value", pgx.RowTo[[]byte], `SELECT value FROM plimsoll.value WHERE name = $1`, name)
}

// Lease gives the holder a right for a while.
func (db *backend) Lease(ctx context.Context, name, holder string, life time.Duration) (bool, error) {
	n, err := db.exec(ctx, "lease", `
		INSERT INTO plimsoll.lease AS l (name, holder, until)
		VALUES ($1, $2, clock_timestamp() + $3 * interval '1 microsecond')
		ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, until = excluded.until
		WHERE l.holder = excluded.holder OR l.until <= clock_timestamp()`, name, holder, life.Microseconds())
	return n > 0, err
}

// Release gives a lease up.
func (db *backend) Release(ctx context.Context, name, holder string) error {
	_, err := db.exec(ctx, "release", `DELETE FROM plimsoll.lease WHERE name = $1 AND holder = $2`, name, holder)
	return err
}
