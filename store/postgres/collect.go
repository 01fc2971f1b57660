package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/plimsoll/plimsoll/store"
)

// pageSize is how many rows a transaction deletes at most.
const pageSize = 500

const (
	// selectOwned lists objects, the longest unused first.
	selectOwned = `SELECT tenant, ` + objectColumns + ` FROM plimsoll.object AS o `
	oldestFirst = ` ORDER BY used, tenant, id LIMIT `
	isReferred  = `EXISTS (SELECT FROM plimsoll.reference AS r WHERE r.tenant = o.tenant AND r.object = o.id)`
)

// Expired lists objects that neither they nor a decision about them was used since.
func (db *backend) Expired(ctx context.Context, before time.Time, limit int) ([]store.Owned, error) {
	return list(ctx, db, "list expired objects", scanOwned, selectOwned+`WHERE used < $1 AND NOT EXISTS (
			SELECT FROM plimsoll.reference AS r JOIN plimsoll.decision AS d ON d.tenant = r.tenant AND d.key = r.key
			WHERE r.tenant = o.tenant AND r.object = o.id AND d.used >= $1)`+oldestFirst+`$2`, before, max(limit, 0))
}

// Oldest lists objects, those that decisions refer to last.
func (db *backend) Oldest(ctx context.Context, limit int) ([]store.Owned, error) {
	free, err := list(ctx, db, "list old objects", scanOwned, selectOwned+`WHERE NOT `+isReferred+oldestFirst+`$1`, max(limit, 0))
	if err != nil || len(free) >= limit {
		return free, err
	}
	held, err := list(ctx, db, "list old objects", scanOwned, selectOwned+`WHERE `+isReferred+oldestFirst+`$1`, limit-len(free))
	return append(free, held...), err
}

// Unreferenced lists objects that no decision refers to.
func (db *backend) Unreferenced(ctx context.Context, before time.Time, limit int) ([]store.Owned, error) {
	return list(ctx, db, "list unreferenced objects", scanOwned,
		selectOwned+`WHERE used < $1 AND NOT `+isReferred+oldestFirst+`$2`, before, max(limit, 0))
}

func scanOwned(row pgx.CollectableRow) (o store.Owned, err error) {
	var tenant []byte
	err = row.Scan(append([]any{&tenant}, objectFields(&o.Object)...)...)
	copy(o.Tenant[:], tenant)
	return o, err
}

// Sweep deletes chunks that no object names, a page at a time, and then vacuums.
func (db *backend) Sweep(ctx context.Context, before time.Time) (store.Swept, error) {
	var total store.Swept
	for {
		seen, swept, err := db.sweepPage(ctx, before)
		total.Chunks += swept.Chunks
		total.Bytes += swept.Bytes
		if err != nil {
			return total, err
		}
		if seen == 0 {
			break
		}
	}
	if total.Chunks == 0 {
		return total, nil
	}
	if db.options.Erase {
		return total, db.Erase(ctx)
	}
	// Workers cost more than they save as long as little is deleted.
	return total, db.vacuum(ctx, "vacuum", `VACUUM (PARALLEL 0) `)
}

const (
	// Rows that are locked are being written or let loose just now; there will be
	// another sweep.
	lockLoose = `
		SELECT tenant, id FROM plimsoll.chunk WHERE loose AND used < $1
		ORDER BY used LIMIT $2 FOR UPDATE SKIP LOCKED`
	deleteLoose = `
		WITH gone AS (
			DELETE FROM plimsoll.chunk AS c USING unnest($1::bytea[], $2::bytea[]) AS n (tenant, id)
			WHERE c.tenant = n.tenant AND c.id = n.id AND NOT EXISTS (
				SELECT FROM plimsoll.extent AS e WHERE e.tenant = c.tenant AND e.chunk = c.id)
			RETURNING octet_length(c.data) AS length)
		SELECT count(*), coalesce(sum(length), 0) FROM gone`
	fastenRest = `
		UPDATE plimsoll.chunk AS c SET loose = false FROM unnest($1::bytea[], $2::bytea[]) AS n (tenant, id)
		WHERE c.tenant = n.tenant AND c.id = n.id`
)

// sweepPage looks at some loose chunks and returns how many. The locks are taken by
// a statement of their own, so that the next one sees every extent there is: who
// adds an extent locks the chunk too.
func (db *backend) sweepPage(ctx context.Context, before time.Time) (seen int, swept store.Swept, err error) {
	err = db.do(ctx, "sweep", true, func(ctx context.Context, conn *pgx.Conn) error {
		return pgx.BeginTxFunc(ctx, conn, pgx.TxOptions{IsoLevel: pgx.ReadCommitted}, func(tx pgx.Tx) error {
			tenants, ids, err := lockRows[[]byte](ctx, tx, lockLoose, before, pageSize)
			if seen = len(ids); err != nil || seen == 0 {
				return err
			}
			if err := tx.QueryRow(ctx, deleteLoose, tenants, ids).Scan(&swept.Chunks, &swept.Bytes); err != nil {
				return err
			}
			_, err = tx.Exec(ctx, fastenRest, tenants, ids)
			return err
		})
	})
	if err != nil {
		swept = store.Swept{}
	}
	return seen, swept, err
}

// Erase rewrites the tables, so that nothing that was deleted is left in their
// files. It locks the store meanwhile, and the disk needs room for both.
func (db *backend) Erase(ctx context.Context) error { return db.vacuum(ctx, "erase", `VACUUM (FULL) `) }

// vacuum makes the space of deleted rows free for new ones, or gives it back. It
// takes its time, so only the caller's context limits it.
func (db *backend) vacuum(ctx context.Context, op, command string) error {
	conn, err := db.pool.Acquire(ctx)
	if err == nil {
		_, err = conn.Exec(ctx, command+`plimsoll.chunk, plimsoll.extent, plimsoll.object, plimsoll.decision, plimsoll.reference,
			plimsoll.account, plimsoll.value, plimsoll.lease, plimsoll.total`)
		conn.Release()
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		return diagnose(err).report(op)
	}
	return nil
}
