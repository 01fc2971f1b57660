package postgres

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/plimsoll/plimsoll/store"
)

// Stats counts what a tenant, or everybody, has stored.
func (db *backend) Stats(ctx context.Context, tenant *store.TenantID) (store.Stats, error) {
	of := ``
	var args []any
	if tenant != nil {
		of = ` WHERE tenant = $1`
		args = append(args, tenant[:])
	}
	scan := func(row pgx.CollectableRow) (s store.Stats, err error) {
		return s, row.Scan(&s.Objects, &s.Bytes, &s.Chunks, &s.Compressed, &s.Decisions)
	}
	return one(ctx, db, "count", scan, `
		SELECT coalesce(sum(objects), 0)::bigint, coalesce(sum(bytes), 0)::bigint, coalesce(sum(chunks), 0)::bigint,
			coalesce(sum(compressed), 0)::bigint, coalesce(sum(decisions), 0)::bigint
		FROM plimsoll.total`+of, args...)
}

// miscounted are the tenants whose counters do not say what is there.
const miscounted = `
	SELECT format('totals of tenant %s are wrong', encode(tenant, 'hex')) FROM (
		SELECT tenant, 1 AS objects, stored AS bytes, 0 AS chunks, 0 AS compressed, 0 AS decisions FROM plimsoll.object
		UNION ALL SELECT tenant, 0, 0, 1, octet_length(data), 0 FROM plimsoll.chunk
		UNION ALL SELECT tenant, 0, 0, 0, 0, 1 FROM plimsoll.decision WHERE kind = ''
		UNION ALL SELECT tenant, -objects, -bytes, -chunks, -compressed, -decisions FROM plimsoll.total) AS rows
	GROUP BY tenant
	HAVING sum(objects) <> 0 OR sum(bytes) <> 0 OR sum(chunks) <> 0 OR sum(compressed) <> 0 OR sum(decisions) <> 0`

// faults are queries for what cannot be, among the objects behind one and up to
// another; each returns sentences.
var faults = [...]string{
	`SELECT format('object %s: extents do not follow each other at byte %s', id, pos) FROM (
		SELECT object AS id, pos, line,
			coalesce(lag(pos + size) OVER w, 0) AS next_pos, coalesce(lag(line + lines) OVER w, 0) AS next_line
		FROM plimsoll.extent WHERE (tenant, object) > ($1, $2) AND (tenant, object) <= ($3, $4)
		WINDOW w AS (PARTITION BY tenant, object ORDER BY pos)) AS e
	WHERE pos <> next_pos OR line <> next_line`,
	`SELECT format('object %s: its extents have %s bytes, want %s', o.id, coalesce(sum(e.size), 0), o.stored)
	FROM plimsoll.object AS o LEFT JOIN plimsoll.extent AS e ON e.tenant = o.tenant AND e.object = o.id
	WHERE (o.tenant, o.id) > ($1, $2) AND (o.tenant, o.id) <= ($3, $4)
	GROUP BY o.tenant, o.id HAVING coalesce(sum(e.size), 0) <> o.stored`,
	`SELECT format('object %s: the chunk at byte %s is missing or has another size', e.object, e.pos)
	FROM plimsoll.extent AS e LEFT JOIN plimsoll.chunk AS c ON c.tenant = e.tenant AND c.id = e.chunk
	WHERE (e.tenant, e.object) > ($1, $2) AND (e.tenant, e.object) <= ($3, $4) AND c.size IS DISTINCT FROM e.size`,
}

// Check reads everything and returns what is broken.
func (db *backend) Check(ctx context.Context) ([]string, error) {
	var broken []string
	err := walk(ctx, db, "object", "", func(after position[string], page []position[string]) error {
		last := page[len(page)-1]
		for _, query := range faults {
			found, err := list(ctx, db, "check objects", pgx.RowTo[string], query, after.tenant, after.id, last.tenant, last.id)
			if errors.Is(err, store.ErrCorrupt) {
				found, err = []string{err.Error()}, nil
			}
			if err != nil {
				return err
			}
			broken = append(broken, found...)
		}
		return nil
	})
	if err != nil {
		return broken, err
	}
	err = walk(ctx, db, "chunk", []byte{}, func(_ position[[]byte], page []position[[]byte]) error {
		found, err := db.unreadable(ctx, page)
		broken = append(broken, found...)
		return err
	})
	if err != nil {
		return broken, err
	}
	found, err := list(ctx, db, "check totals", pgx.RowTo[string], miscounted)
	return append(broken, found...), err
}

// position is where a walk through a table has got to.
type position[ID any] struct {
	tenant []byte
	id     ID
}

// checkPage is how many rows are checked at once.
const checkPage = 64

// walk goes through a table by its key, from the given id on. It hands f some rows at
// a time, and the one before them.
func walk[ID any](ctx context.Context, db *backend, table string, first ID, f func(after position[ID], page []position[ID]) error) error {
	scan := func(row pgx.CollectableRow) (p position[ID], err error) { return p, row.Scan(&p.tenant, &p.id) }
	after := position[ID]{[]byte{}, first}
	for {
		page, err := list(ctx, db, "check", scan, `
			SELECT tenant, id FROM plimsoll.`+table+` WHERE (tenant, id) > ($1, $2)
			ORDER BY tenant, id LIMIT $3`, after.tenant, after.id, checkPage)
		if err != nil || len(page) == 0 {
			return err
		}
		if err := f(after, page); err != nil {
			return err
		}
		after = page[len(page)-1]
	}
}

// unreadable reads some chunks at once, without fetching them, and each by itself if
// that fails.
func (db *backend) unreadable(ctx context.Context, page []position[[]byte]) (broken []string, err error) {
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

func (db *backend) readable(ctx context.Context, page []position[[]byte]) error {
	tenants, ids := make([][]byte, len(page)), make([][]byte, len(page))
	for i, p := range page {
		tenants[i], ids[i] = p.tenant, p.id
	}
	_, err := db.exec(ctx, "read chunks", `
		SELECT sha256(c.data) FROM plimsoll.chunk AS c
		JOIN unnest($1::bytea[], $2::bytea[]) AS n (tenant, id) ON c.tenant = n.tenant AND c.id = n.id`, tenants, ids)
	return err
}
