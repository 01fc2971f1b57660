package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/store"
)

// PutDecision adds or replaces a decision, in one round trip.
func (db *backend) PutDecision(ctx context.Context, tenant store.TenantID, d store.Decision) error {
	refs := append([]string{}, d.Refs...)
	return db.send(ctx, "keep a decision", func(batch *pgx.Batch) {
		batch.Queue(putDecision, tenant[:], d.Key[:], present(d.Body), refs, d.Created, d.Used, d.Kind, d.Conversation)
		batch.Queue(`DELETE FROM plimsoll.reference WHERE tenant = $1 AND key = $2`, tenant[:], d.Key[:])
		batch.Queue(putReferences, tenant[:], d.Key[:], refs)
	})
}

const (
	putDecision = `
		INSERT INTO plimsoll.decision (tenant, key, body, refs, created, used, kind, conversation) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
		ON CONFLICT (tenant, key) DO UPDATE
		SET body = excluded.body, refs = excluded.refs, created = excluded.created, used = excluded.used, conversation = excluded.conversation`
	putReferences = `
		INSERT INTO plimsoll.reference (tenant, object, key)
		SELECT DISTINCT $1::bytea, object, $2::bytea FROM unnest($3::text[]) AS object`
)

const findDecision = `
	WITH found AS (
		SELECT d.key FROM unnest($2::bytea[]) WITH ORDINALITY AS k (key, n)
		JOIN plimsoll.decision AS d ON d.tenant = $1 AND d.key = k.key ORDER BY k.n LIMIT 1)
	SELECT key, kind, conversation, body, refs, created, used FROM plimsoll.decision
	WHERE tenant = $1 AND key = (SELECT key FROM found)`

// FindDecision returns the decision of the first of the keys that has one.
func (db *backend) FindDecision(ctx context.Context, tenant store.TenantID, keys []plimsoll.Digest) (store.Decision, error) {
	d, err := one(ctx, db, "find a decision", scanDecision, findDecision, tenant[:], digests(keys))
	if err != nil {
		return store.Decision{}, err
	}
	now := db.options.Now()
	if !d.Used.Before(now.Add(-fresh)) {
		return d, nil
	}
	_, err = db.exec(ctx, "use a decision",
		`UPDATE plimsoll.decision SET used = $3 WHERE tenant = $1 AND key = $2 AND used < $3`, tenant[:], d.Key[:], now)
	if err != nil {
		return store.Decision{}, err
	}
	d.Used = now.UTC().Truncate(time.Microsecond)
	return d, nil
}

func scanDecision(row pgx.CollectableRow) (d store.Decision, err error) {
	var key []byte
	err = row.Scan(&key, &d.Kind, &d.Conversation, &d.Body, &d.Refs, utc{&d.Created}, utc{&d.Used})
	copy(d.Key[:], key)
	return d, err
}

// DeleteDecisions takes decisions out.
func (db *backend) DeleteDecisions(ctx context.Context, tenant store.TenantID, keys []plimsoll.Digest) (int, error) {
	return db.exec(ctx, "delete decisions", `
		WITH locked AS (
			SELECT key FROM plimsoll.decision WHERE tenant = $1 AND key = ANY ($2) ORDER BY key FOR UPDATE)
		DELETE FROM plimsoll.decision AS d USING locked WHERE d.tenant = $1 AND d.key = locked.key`,
		tenant[:], digests(keys))
}

// ExpiredDecisions counts the decisions that were last used before a time.
func (db *backend) ExpiredDecisions(ctx context.Context, before time.Time) (int, error) {
	return one(ctx, db, "count decisions", pgx.RowTo[int], `SELECT count(*) FROM plimsoll.decision WHERE used < $1`, before)
}

// ExpireDecisions deletes the decisions that were last used before a time, some at a
// time so that no caller waits for long.
func (db *backend) ExpireDecisions(ctx context.Context, before time.Time) (int, error) {
	for total := 0; ; {
		n, err := db.exec(ctx, "expire decisions", `
			WITH locked AS (
				SELECT tenant, key FROM plimsoll.decision WHERE used < $1 ORDER BY tenant, key LIMIT $2 FOR UPDATE)
			DELETE FROM plimsoll.decision AS d USING locked WHERE d.tenant = locked.tenant AND d.key = locked.key`, before, pageSize)
		total += n
		if err != nil || n == 0 {
			return total, err
		}
	}
}

func digests(keys []plimsoll.Digest) [][]byte {
	all := make([][]byte, len(keys))
	for i := range keys {
		all[i] = keys[i][:]
	}
	return all
}
