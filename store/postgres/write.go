package postgres

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/plimsoll/plimsoll/store"
)

// fresh is how old a time of use must be before it is written again.
const fresh = time.Minute

// Rows go in by ascending id everywhere, so that two writers that have some in
// common wait for each other and do not deadlock.
const (
	insertChunks = `
		INSERT INTO plimsoll.chunk AS c (tenant, id, size, data, used)
		SELECT $1, id, size, data, $5 FROM unnest($2::bytea[], $3::integer[], $4::bytea[]) AS n (id, size, data)
		ON CONFLICT (tenant, id) DO UPDATE SET used = excluded.used, damaged = false,
			size = CASE WHEN c.damaged THEN excluded.size ELSE c.size END,
			data = CASE WHEN c.damaged THEN excluded.data ELSE c.data END
		WHERE c.used < $6 OR c.damaged`
	// An object that is there is locked before anything else, so that no other caller evicts it
	// as unused while it is being used. A damaged one loses its extents, which makes
	// their chunks loose.
	useObject = `
		WITH old AS (
			UPDATE plimsoll.object SET used = greatest(used, $3) WHERE tenant = $1 AND id = $2 RETURNING tenant, id, damaged),
		gone AS (
			DELETE FROM plimsoll.extent AS e USING old
			WHERE old.damaged AND e.tenant = old.tenant AND e.object = old.id RETURNING e.tenant, e.chunk)
		UPDATE plimsoll.chunk AS c SET loose = true FROM gone WHERE c.tenant = gone.tenant AND c.id = gone.chunk`
	insertObject = `
		WITH new AS (
			INSERT INTO plimsoll.object AS o (tenant, id, kind, bytes, lines, stored, note, created, used)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
			ON CONFLICT (tenant, id) DO UPDATE SET damaged = false,
				kind = excluded.kind, bytes = excluded.bytes, lines = excluded.lines, stored = excluded.stored
			WHERE o.damaged RETURNING id)
		INSERT INTO plimsoll.extent (tenant, object, pos, line, size, lines, chunk)
		SELECT $1, new.id, e.* FROM new,
			unnest($10::bigint[], $11::bigint[], $12::integer[], $13::integer[], $14::bytea[]) AS e`
)

// Write adds chunks and an object, in one round trip.
func (db *backend) Write(ctx context.Context, tenant store.TenantID, chunks []store.Chunk, object *store.Object, extents []store.Extent) error {
	if len(chunks) == 0 && object == nil {
		return ctx.Err()
	}
	return db.send(ctx, "write", func(batch *pgx.Batch) {
		if len(chunks) > 0 {
			db.queueChunks(batch, tenant, chunks)
		}
		if object != nil {
			batch.Queue(useObject, tenant[:], object.ID, object.Used)
			queueObject(batch, tenant, object, extents)
		}
	})
}

func (db *backend) queueChunks(batch *pgx.Batch, tenant store.TenantID, chunks []store.Chunk) {
	chunks = slices.Clone(chunks)
	slices.SortStableFunc(chunks, func(a, b store.Chunk) int { return bytes.Compare(a.ID[:], b.ID[:]) })
	chunks = slices.CompactFunc(chunks, func(a, b store.Chunk) bool { return a.ID == b.ID })
	ids, data, sizes := make([][]byte, len(chunks)), make([][]byte, len(chunks)), make([]int32, len(chunks))
	for i := range chunks {
		ids[i], data[i], sizes[i] = chunks[i].ID[:], present(chunks[i].Data), int32(chunks[i].Size)
	}
	now := db.options.Now()
	batch.Queue(insertChunks, tenant[:], ids, sizes, data, now, now.Add(-fresh))
}

func queueObject(batch *pgx.Batch, tenant store.TenantID, o *store.Object, extents []store.Extent) {
	n := len(extents)
	pos, line, size, lines, chunk := make([]int64, n), make([]int64, n), make([]int32, n), make([]int32, n), make([][]byte, n)
	for i := range extents {
		e := &extents[i]
		pos[i], line[i], size[i], lines[i], chunk[i] = e.Offset, e.Line, int32(e.Size), int32(e.Lines), e.Chunk[:]
	}
	batch.Queue(insertObject, tenant[:], o.ID, string(o.Kind), o.Bytes, o.Lines, o.Stored, o.Note, o.Created, o.Used,
		pos, line, size, lines, chunk)
}

// MarkDamaged marks an object, and chunks of it, as damaged.
func (db *backend) MarkDamaged(ctx context.Context, tenant store.TenantID, id string, chunks []store.ChunkID) error {
	_, err := db.exec(ctx, "mark as damaged", `
		WITH hurt AS (
			UPDATE plimsoll.chunk SET damaged = true WHERE tenant = $1 AND id = ANY ($3) AND NOT damaged)
		UPDATE plimsoll.object SET damaged = true WHERE tenant = $1 AND id = $2 AND NOT damaged`, tenant[:], id, names(chunks))
	return err
}

// names are the ids of chunks as a parameter takes them.
func names(ids []store.ChunkID) [][]byte {
	all := make([][]byte, len(ids))
	for i := range ids {
		all[i] = ids[i][:]
	}
	return all
}

// send runs statements as one transaction, which they are if they are sent at once.
// A batch remembers the connection that it was sent on, so each try makes its own.
func (db *backend) send(ctx context.Context, op string, queue func(*pgx.Batch)) error {
	return db.do(ctx, op, true, func(ctx context.Context, conn *pgx.Conn) error {
		batch := &pgx.Batch{}
		queue(batch)
		err := conn.SendBatch(ctx, batch).Close()
		var pgErr *pgconn.PgError
		if errors.As(err, &pgErr) && pgErr.ConstraintName == "extent_chunk" {
			return store.ErrMissingChunk
		}
		return err
	})
}

// present makes an empty value of nil, which would be written as NULL.
func present(data []byte) []byte {
	if data == nil {
		return []byte{}
	}
	return data
}
