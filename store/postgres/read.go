package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/store"
)

// Secret returns the key of the store.
func (db *backend) Secret(ctx context.Context) (secret [32]byte, err error) {
	key, err := one(ctx, db, "read the key", pgx.RowTo[[]byte], `SELECT secret FROM plimsoll.store`)
	if err != nil {
		return secret, err
	}
	if copy(secret[:], key) != len(secret) {
		return secret, fmt.Errorf("postgres: %w: the key has %d bytes, want %d", store.ErrCorrupt, len(key), len(secret))
	}
	return secret, nil
}

// HasChunks reports which of the chunks are there and not damaged.
func (db *backend) HasChunks(ctx context.Context, tenant store.TenantID, ids []store.ChunkID) ([]bool, error) {
	found, err := list(ctx, db, "look for chunks", pgx.RowTo[[]byte],
		`SELECT id FROM plimsoll.chunk WHERE tenant = $1 AND id = ANY ($2) AND NOT damaged`, tenant[:], names(ids))
	if err != nil {
		return nil, err
	}
	there := make(map[store.ChunkID]bool, len(found))
	for _, id := range found {
		there[store.ChunkID(id)] = true
	}
	has := make([]bool, len(ids))
	for i, id := range ids {
		has[i] = there[id]
	}
	return has, nil
}

// Chunk returns a chunk.
func (db *backend) Chunk(ctx context.Context, tenant store.TenantID, id store.ChunkID) (store.Chunk, error) {
	scan := func(row pgx.CollectableRow) (store.Chunk, error) {
		c := store.Chunk{ID: id}
		return c, row.Scan(&c.Size, &c.Data)
	}
	return one(ctx, db, "read a chunk", scan,
		`SELECT size, data FROM plimsoll.chunk WHERE tenant = $1 AND id = $2`, tenant[:], id[:])
}

const objectColumns = `id, kind, bytes, lines, stored, note, created, used, damaged`

// objectFields returns where the columns of an object go.
func objectFields(o *store.Object) []any {
	return []any{&o.ID, (*string)(&o.Kind), &o.Bytes, &o.Lines, &o.Stored, &o.Note, utc{&o.Created}, utc{&o.Used}, &o.Damaged}
}

func scanObject(row pgx.CollectableRow) (o store.Object, err error) {
	return o, row.Scan(objectFields(&o)...)
}

// utc scans a time without the zone of this machine.
type utc struct{ time *time.Time }

// Scan implements [database/sql.Scanner].
func (u utc) Scan(value any) error {
	t, ok := value.(time.Time)
	if !ok {
		return fmt.Errorf("postgres: %T is no time", value)
	}
	*u.time = t.UTC()
	return nil
}

// Object returns an object.
func (db *backend) Object(ctx context.Context, tenant store.TenantID, id string) (store.Object, error) {
	return one(ctx, db, "find an object", scanObject,
		`SELECT `+objectColumns+` FROM plimsoll.object WHERE tenant = $1 AND id = $2`, tenant[:], id)
}

// Objects lists a tenant's objects, newest first.
func (db *backend) Objects(ctx context.Context, tenant store.TenantID, after string, limit int) ([]store.Object, error) {
	behind := ``
	args := []any{tenant[:], max(limit, 0)}
	if after != "" {
		behind = `AND (created, id) < (SELECT created, id FROM plimsoll.object WHERE tenant = $1 AND id = $3)`
		args = append(args, after)
	}
	all, err := list(ctx, db, "list objects", scanObject, `
		SELECT `+objectColumns+` FROM plimsoll.object WHERE tenant = $1 `+behind+`
		ORDER BY created DESC, id DESC LIMIT $2`, args...)
	if err == nil && len(all) == 0 && after != "" {
		_, err = db.Object(ctx, tenant, after)
	}
	return all, err
}

// selectExtents returns a row without a chunk for an object that has none, and none
// if there is no object.
const selectExtents = `
	SELECT e.chunk, e.pos, e.line, e.size, e.lines FROM plimsoll.object AS o LEFT JOIN LATERAL (
		SELECT * FROM plimsoll.extent WHERE tenant = $1 AND object = $2 AND pos >= (%s) ORDER BY pos LIMIT $4
	) AS e ON true WHERE o.tenant = $1 AND o.id = $2 ORDER BY e.pos`

// The first extent is found by its index alone, wherever it stands.
var (
	extentsAt = fmt.Sprintf(selectExtents, `
		SELECT CASE WHEN pos + size > $3 THEN pos END FROM plimsoll.extent
		WHERE tenant = $1 AND object = $2 AND pos <= $3 ORDER BY pos DESC LIMIT 1`)
	extentsAtLine = fmt.Sprintf(selectExtents, `coalesce((
		SELECT pos FROM plimsoll.extent
		WHERE tenant = $1 AND object = $2 AND line < $3 ORDER BY line DESC, pos DESC LIMIT 1), 0)`)
)

// ExtentsAt returns extents from the one on that holds a byte.
func (db *backend) ExtentsAt(ctx context.Context, tenant store.TenantID, id string, offset int64, limit int) ([]store.Extent, error) {
	return db.extents(ctx, extentsAt, tenant, id, offset, limit)
}

// ExtentsAtLine returns extents from the last one on that begins before a line.
func (db *backend) ExtentsAtLine(ctx context.Context, tenant store.TenantID, id string, n int64, limit int) ([]store.Extent, error) {
	return db.extents(ctx, extentsAtLine, tenant, id, n, limit)
}

func (db *backend) extents(ctx context.Context, query string, tenant store.TenantID, id string, at int64, limit int) ([]store.Extent, error) {
	const op = "find extents"
	found, err := list(ctx, db, op, scanExtent, query, tenant[:], id, at, max(limit, 0))
	switch {
	case err != nil:
		return nil, err
	case len(found) == 0:
		return nil, fmt.Errorf("postgres: %s: %w", op, plimsoll.ErrNotFound)
	case found[0] == nil:
		return nil, nil
	}
	extents := make([]store.Extent, len(found))
	for i, e := range found {
		extents[i] = *e
	}
	return extents, nil
}

// scanExtent returns nil for a row without one.
func scanExtent(row pgx.CollectableRow) (*store.Extent, error) {
	var chunk []byte
	var pos, line *int64
	var size, lines *int
	if err := row.Scan(&chunk, &pos, &line, &size, &lines); err != nil || pos == nil {
		return nil, err
	}
	e := &store.Extent{Offset: *pos, Line: *line, Size: *size, Lines: *lines}
	if copy(e.Chunk[:], chunk) != len(e.Chunk) {
		return nil, fmt.Errorf("%w: a chunk's name has %d bytes", store.ErrCorrupt, len(chunk))
	}
	return e, nil
}

// Tenants lists the tenants that have objects or accounts.
func (db *backend) Tenants(ctx context.Context) ([]store.TenantID, error) {
	return list(ctx, db, "list tenants", scanTenant, `SELECT tenant FROM plimsoll.object UNION SELECT tenant FROM plimsoll.account ORDER BY tenant`)
}

func scanTenant(row pgx.CollectableRow) (t store.TenantID, err error) {
	var id []byte
	err = row.Scan(&id)
	copy(t[:], id)
	return t, err
}
