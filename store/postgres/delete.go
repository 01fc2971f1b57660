package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/plimsoll/plimsoll/store"
)

// Touch marks objects as used.
func (db *backend) Touch(ctx context.Context, tenant store.TenantID, ids []string, at time.Time) error {
	_, err := db.exec(ctx, "touch objects", `
		WITH locked AS (
			SELECT id FROM plimsoll.object WHERE tenant = $1 AND id = ANY ($2) AND used < $3
			ORDER BY id FOR NO KEY UPDATE)
		UPDATE plimsoll.object AS o SET used = $3 FROM locked
		WHERE o.tenant = $1 AND o.id = locked.id AND o.used < $3`, tenant[:], ids, at)
	return err
}

// Delete takes objects out.
func (db *backend) Delete(ctx context.Context, tenant store.TenantID, ids []string) (int, error) {
	return db.remove(ctx, "delete objects", `
		SELECT tenant, id FROM plimsoll.object WHERE tenant = $1 AND id = ANY ($2)
		ORDER BY tenant, id FOR UPDATE`, tenant[:], ids)
}

// Evict takes out those of the listed objects that were not used since.
func (db *backend) Evict(ctx context.Context, objects []store.Owned) (int, error) {
	n := len(objects)
	tenants, ids, used := make([][]byte, n), make([]string, n), make([]time.Time, n)
	for i := range objects {
		tenants[i], ids[i], used[i] = objects[i].Tenant[:], objects[i].Object.ID, objects[i].Object.Used
	}
	return db.remove(ctx, "evict objects", `
		SELECT o.tenant, o.id FROM plimsoll.object AS o
		JOIN unnest($1::bytea[], $2::text[], $3::timestamptz[]) AS n (tenant, id, used)
		  ON o.tenant = n.tenant AND o.id = n.id AND o.used = n.used
		ORDER BY o.tenant, o.id FOR UPDATE OF o`, tenants, ids, used)
}

// remove deletes the objects that a query locks. Their chunks are marked first:
// a reader of the mark holds the same lock, so no chunk is overlooked.
func (db *backend) remove(ctx context.Context, op, lock string, args ...any) (int, error) {
	deleted := 0
	err := db.do(ctx, op, true, func(ctx context.Context, conn *pgx.Conn) error {
		return pgx.BeginTxFunc(ctx, conn, pgx.TxOptions{IsoLevel: pgx.ReadCommitted}, func(tx pgx.Tx) error {
			tenants, ids, err := lockRows[string](ctx, tx, lock, args...)
			if err != nil || len(ids) == 0 {
				deleted = 0
				return err
			}
			batch := &pgx.Batch{}
			batch.Queue(loosen, tenants, ids)
			batch.Queue(`
				DELETE FROM plimsoll.object AS o USING unnest($1::bytea[], $2::text[]) AS n (tenant, id)
				WHERE o.tenant = n.tenant AND o.id = n.id`, tenants, ids)
			deleted = len(ids)
			return tx.SendBatch(ctx, batch).Close()
		})
	})
	if err != nil {
		return 0, err
	}
	return deleted, nil
}

const loosen = `
	WITH locked AS (
		SELECT tenant, id FROM plimsoll.chunk WHERE (tenant, id) IN (
			SELECT e.tenant, e.chunk FROM plimsoll.extent AS e
			JOIN unnest($1::bytea[], $2::text[]) AS n (tenant, id) ON e.tenant = n.tenant AND e.object = n.id)
		ORDER BY tenant, id FOR NO KEY UPDATE)
	UPDATE plimsoll.chunk AS c SET loose = true FROM locked WHERE c.tenant = locked.tenant AND c.id = locked.id`

// byKeys holds for a transaction: some rows of large tables are looked up by their keys.
// Until the server has statistics of a table it would rather read all of it.
const byKeys = `SELECT set_config('enable_seqscan', 'off', true), set_config('enable_hashjoin', 'off', true), set_config('enable_mergejoin', 'off', true)`

// lockRows runs a query that locks rows and returns their keys.
func lockRows[K any](ctx context.Context, tx pgx.Tx, lock string, args ...any) (tenants [][]byte, keys []K, err error) {
	if _, err := tx.Exec(ctx, byKeys); err != nil {
		return nil, nil, err
	}
	rows, err := tx.Query(ctx, lock, args...)
	if err != nil {
		return nil, nil, err
	}
	var tenant []byte
	var key K
	_, err = pgx.ForEachRow(rows, []any{&tenant, &key}, func() error {
		tenants, keys = append(tenants, tenant), append(keys, key)
		return nil
	})
	return tenants, keys, err
}
