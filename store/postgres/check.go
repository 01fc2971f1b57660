package postgres

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/plimsoll/plimsoll/store"
)

// Stats counts what a tenant, or everybody, has stored.
func (db *DB) Stats(ctx context.Context, tenant *store.TenantID) (store.Stats, error) {
	of := ``
	var args []any
	if tenant != nil {
		of = `WHERE tenant = $1`
		args = append(args, tenant[:])
	}
	scan := func(row pgx.CollectableRow) (s store.Stats, err error) {
		return s, row.Scan(&s.Objects, &s.Bytes, &s.Chunks, &s.Compressed, &s.Decisions)
	}
	return one(ctx, db, "count", scan, strings.ReplaceAll(`
		SELECT o.n, o.bytes::bigint, c.n, c.bytes::bigint, d.n
		FROM (SELECT count(*) AS n, coalesce(sum(stored), 0) AS bytes FROM plimsoll.object {of}) AS o,
		     (SELECT count(*) AS n, coalesce(sum(octet_length(data)), 0) AS bytes FROM plimsoll.chunk {of}) AS c,
		     (SELECT count(*) AS n FROM plimsoll.decision {of}) AS d`, `{of}`, of), args...)
}

// faults are queries for what cannot be, each of which returns sentences.
var faults = [...]string{
	`SELECT format('object %s: extents do not follow each other at byte %s', id, pos) FROM (
		SELECT object AS id, pos, line,
			coalesce(lag(pos + size) OVER w, 0) AS next_pos, coalesce(lag(line + lines) OVER w, 0) AS next_line
		FROM plimsoll.extent WINDOW w AS (PARTITION BY tenant, object ORDER BY pos)) AS e
	WHERE pos <> next_pos OR line <> next_line`,
	`SELECT format('object %s: its extents have %s bytes, want %s', o.id, coalesce(sum(e.size), 0), o.stored)
	FROM plimsoll.object AS o LEFT JOIN plimsoll.extent AS e ON e.tenant = o.tenant AND e.object = o.id
	GROUP BY o.tenant, o.id HAVING coalesce(sum(e.size), 0) <> o.stored`,
	`SELECT format('object %s: the chunk at byte %s is missing or has another size', e.object, e.pos)
	FROM plimsoll.extent AS e LEFT JOIN plimsoll.chunk AS c ON c.tenant = e.tenant AND c.id = e.chunk
	WHERE c.size IS DISTINCT FROM e.size`,
}

// Check reads everything and returns what is broken.
func (db *DB) Check(ctx context.Context) ([]string, error) {
	var broken []string
	for _, query := range faults {
		found, err := list(ctx, db, "check", pgx.RowTo[string], query)
		if errors.Is(err, store.ErrCorrupt) {
			found, err = []string{err.Error()}, nil
		}
		if err != nil {
			return broken, err
		}
		broken = append(broken, found...)
	}
	unreadable, err := db.unreadable(ctx)
	return append(broken, unreadable...), err
}

// position is where a walk through the chunks has got to.
type position struct{ tenant, id []byte }

const checkPage = 64

// unreadable reads the data of all chunks, without fetching them.
func (db *DB) unreadable(ctx context.Context) (broken []string, err error) {
	scan := func(row pgx.CollectableRow) (p position, err error) { return p, row.Scan(&p.tenant, &p.id) }
	at := position{[]byte{}, []byte{}}
	for {
		page, err := list(ctx, db, "check", scan, `
			SELECT tenant, id FROM plimsoll.chunk WHERE (tenant, id) > ($1, $2)
			ORDER BY tenant, id LIMIT $3`, at.tenant, at.id, checkPage)
		if err != nil || len(page) == 0 {
			return broken, err
		}
		found, err := db.unreadableOf(ctx, page)
		if err != nil {
			return broken, err
		}
		broken = append(broken, found...)
		at = page[len(page)-1]
	}
}

// unreadableOf reads some chunks at once, and each by itself if that fails.
func (db *DB) unreadableOf(ctx context.Context, page []position) (broken []string, err error) {
	err = db.readable(ctx, page)
	if !errors.Is(err, store.ErrCorrupt) {
		return nil, err
	}
	for i := range page {
		err := db.readable(ctx, page[i:i+1])
		switch {
		case errors.Is(err, store.ErrCorrupt):
			broken = append(broken, fmt.Sprintf("chunk %x: %v", page[i].id, err))
		case err != nil:
			return broken, err
		}
	}
	return broken, nil
}

func (db *DB) readable(ctx context.Context, page []position) error {
	tenants, ids := make([][]byte, len(page)), make([][]byte, len(page))
	for i, p := range page {
		tenants[i], ids[i] = p.tenant, p.id
	}
	_, err := db.exec(ctx, "read chunks", `
		SELECT sha256(c.data) FROM plimsoll.chunk AS c
		JOIN unnest($1::bytea[], $2::bytea[]) AS n (tenant, id) ON c.tenant = n.tenant AND c.id = n.id`, tenants, ids)
	return err
}
