package sqlite

import (
	"context"
	"database/sql"
	"errors"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/store"
)

// staleness is how far a time of use may be behind, so that what is used often is
// not written as often.
const staleness = 60_000_000

// Write implements [store.Backend].
func (db *backend) Write(ctx context.Context, tenant store.TenantID, chunks []store.Chunk, object *store.Object, extents []store.Extent) error {
	return db.write(ctx, "write", func(s *handle) error {
		now := db.now()
		for i := range chunks {
			if err := addChunk(s, tenant, &chunks[i], now); err != nil {
				return err
			}
		}
		if object == nil {
			return nil
		}
		return addObject(s, tenant, object, extents)
	})
}

// addChunk adds a chunk, or marks it as used, or replaces it if it is damaged.
func addChunk(s *handle, tenant store.TenantID, c *store.Chunk, now int64) error {
	var row, used int64
	var damaged bool
	err := s.row("SELECT row, used, damaged FROM chunks WHERE tenant = ? AND id = ?", []any{tenant[:], c.ID[:]}, &row, &used, &damaged)
	switch {
	case err == nil && damaged:
		return replaceChunk(s, tenant, c, row, now)
	case err == nil && used < now-staleness:
		_, err = s.exec("UPDATE chunks SET used = ? WHERE row = ?", now, row)
		return err
	case !errors.Is(err, plimsoll.ErrNotFound):
		return err
	}
	row, err = s.insert("INSERT INTO chunks (tenant, id, size, stored, used, sum) VALUES (?, ?, ?, ?, ?, ?)",
		tenant[:], c.ID[:], c.Size, len(c.Data), now, chunkSum(tenant, c))
	if err != nil {
		return err
	}
	_, err = s.exec("INSERT INTO contents (row, data) VALUES (?, ?)", row, sealed(c.Data))
	return err
}

func replaceChunk(s *handle, tenant store.TenantID, c *store.Chunk, row, now int64) error {
	_, err := s.exec("UPDATE chunks SET size = ?, stored = ?, used = ?, sum = ?, damaged = 0 WHERE row = ?",
		c.Size, len(c.Data), now, chunkSum(tenant, c), row)
	if err == nil {
		_, err = s.exec("REPLACE INTO contents (row, data) VALUES (?, ?)", row, sealed(c.Data))
	}
	return err
}

func chunkSum(tenant store.TenantID, c *store.Chunk) int64 {
	return newSum("chunks").bytes(tenant[:]).bytes(c.ID[:]).ints(int64(c.Size)).value(c.Data)
}

// HasChunks implements [store.Backend].
func (db *backend) HasChunks(ctx context.Context, tenant store.TenantID, ids []store.ChunkID) ([]bool, error) {
	there := make([]bool, len(ids))
	err := db.read(ctx, "look for chunks", func(s *handle) error {
		for i, id := range ids {
			var one int
			err := s.row("SELECT 1 FROM chunks WHERE tenant = ? AND id = ? AND damaged = 0", []any{tenant[:], id[:]}, &one)
			if err != nil && !errors.Is(err, plimsoll.ErrNotFound) {
				return err
			}
			there[i] = err == nil
		}
		return s.ctx.Err()
	})
	return there, err
}

// Chunk implements [store.Backend].
func (db *backend) Chunk(ctx context.Context, tenant store.TenantID, id store.ChunkID) (store.Chunk, error) {
	c := store.Chunk{ID: id}
	err := db.read(ctx, "read a chunk", func(s *handle) error {
		var data sql.RawBytes
		var stored, sum int64
		return s.rowOf(`SELECT c.size, c.stored, c.sum, d.data FROM chunks c LEFT JOIN contents d ON d.row = c.row
			WHERE c.tenant = ? AND c.id = ?`, []any{tenant[:], id[:]}, func(scan func(...any) error) error {
			err := scan(&c.Size, &stored, &sum, &data)
			if err != nil {
				return err
			}
			// The driver has copied it for us and does not use it again.
			if c.Data, err = unsealed(data, stored); err != nil || sum != chunkSum(tenant, &c) {
				return broken("chunk %x", id[:8])
			}
			return nil
		})
	})
	if err != nil {
		return store.Chunk{}, err
	}
	return c, nil
}
