package sqlite

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/store"
)

// addObject adds an object with its extents, or marks it as used, or replaces it if it
// is damaged.
func addObject(s *handle, tenant store.TenantID, o *store.Object, extents []store.Extent) error {
	old, err := findObject(s, tenant, o.ID)
	switch {
	case err == nil && !old.Damaged:
		_, err := s.exec("UPDATE objects SET used = max(used, ?) WHERE tenant = ? AND id = ?", o.Used.UnixMicro(), tenant[:], o.ID)
		return err
	case err == nil:
		renewed := *o
		renewed.Created, renewed.Note = old.Created, old.Note
		if old.Used.After(o.Used) {
			renewed.Used = old.Used
		}
		o = &renewed
	case !errors.Is(err, plimsoll.ErrNotFound) && (!errors.Is(err, store.ErrCorrupt) || code(err) != 0):
		return err
	}
	if _, err := s.exec("DELETE FROM objects WHERE tenant = ? AND id = ?", tenant[:], o.ID); err != nil {
		return err
	}
	row, err := s.insert(`INSERT INTO objects (tenant, id, kind, bytes, lines, stored, note, created, used, sum, pinned)
		VALUES (?1, ?2, ?, ?, ?, ?, ?, ?, ?, ?, EXISTS (SELECT 1 FROM pins WHERE tenant = ?1 AND object = ?2))`,
		tenant[:], o.ID, string(o.Kind), o.Bytes, o.Lines, o.Stored, o.Note, o.Created.UnixMicro(), o.Used.UnixMicro(), objectSum(tenant, o))
	if err != nil {
		return err
	}
	for i := range extents {
		e := &extents[i]
		n, err := s.exec(`INSERT INTO extents (object, start, line, size, lines, sum, chunk)
			SELECT ?, ?, ?, ?, ?, ?, row FROM chunks WHERE tenant = ? AND id = ?`,
			row, e.Offset, e.Line, e.Size, e.Lines, extentSum(tenant, o.ID, e), tenant[:], e.Chunk[:])
		if err != nil {
			return err
		}
		if n == 0 {
			return fmt.Errorf("%w: %x", store.ErrMissingChunk, e.Chunk[:8])
		}
	}
	return nil
}

func objectSum(tenant store.TenantID, o *store.Object) int64 {
	return newSum("objects").bytes(tenant[:]).text(o.ID).text(string(o.Kind)).
		ints(o.Bytes, o.Lines, o.Stored, o.Created.UnixMicro()).text(o.Note).value()
}

// errIndex: an index led to a row that was not asked for.
var errIndex = broken("an index of objects")

// objectColumns are what scanObject reads.
const objectColumns = "tenant, id, kind, bytes, lines, stored, note, created, used, damaged, sum"

func scanObject(scan func(...any) error) (store.Owned, error) {
	var owned store.Owned
	var tenant []byte
	var created, used, sum int64
	o := &owned.Object
	if err := scan(&tenant, &o.ID, &o.Kind, &o.Bytes, &o.Lines, &o.Stored, &o.Note, &created, &used, &o.Damaged, &sum); err != nil {
		return owned, err
	}
	copy(owned.Tenant[:], tenant)
	o.Created, o.Used = when(created), when(used)
	if len(tenant) != len(owned.Tenant) || sum != objectSum(owned.Tenant, o) {
		return owned, broken("object %q", o.ID)
	}
	return owned, nil
}

// Object implements [store.Backend].
func (db *backend) Object(ctx context.Context, tenant store.TenantID, id string) (store.Object, error) {
	var o store.Object
	err := db.read(ctx, "read an object", func(s *handle) (err error) {
		o, err = findObject(s, tenant, id)
		return err
	})
	return o, err
}

func findObject(s *handle, tenant store.TenantID, id string) (store.Object, error) {
	var owned store.Owned
	err := s.rowOf("SELECT "+objectColumns+" FROM objects WHERE tenant = ? AND id = ?", []any{tenant[:], id},
		func(scan func(...any) error) (err error) {
			owned, err = scanObject(scan)
			if err == nil && (owned.Tenant != tenant || owned.Object.ID != id) {
				err = errIndex
			}
			return err
		})
	return owned.Object, err
}

// MarkDamaged implements [store.Backend].
func (db *backend) MarkDamaged(ctx context.Context, tenant store.TenantID, id string, chunks []store.ChunkID) error {
	return db.write(ctx, "mark as damaged", func(s *handle) error {
		_, err := s.exec("UPDATE objects SET damaged = 1 WHERE tenant = ? AND id = ?", tenant[:], id)
		for i := 0; err == nil && i < len(chunks); i++ {
			_, err = s.exec("UPDATE chunks SET damaged = 1 WHERE tenant = ? AND id = ?", tenant[:], chunks[i][:])
		}
		return err
	})
}

// Touch implements [store.Backend].
func (db *backend) Touch(ctx context.Context, tenant store.TenantID, ids []string, at time.Time) error {
	if len(ids) == 0 {
		return ctx.Err()
	}
	return db.write(ctx, "mark objects as used", func(s *handle) error {
		for _, id := range ids {
			if _, err := s.exec("UPDATE objects SET used = ?3 WHERE tenant = ?1 AND id = ?2 AND used < ?3", tenant[:], id, at.UnixMicro()); err != nil {
				return err
			}
		}
		return nil
	})
}

// Objects implements [store.Backend].
func (db *backend) Objects(ctx context.Context, tenant store.TenantID, after string, limit int) ([]store.Object, error) {
	const columns = "SELECT " + objectColumns + " FROM objects WHERE tenant = ?"
	const order = " ORDER BY created DESC, row DESC LIMIT ?"
	var all []store.Object
	err := db.readTogether(ctx, "list objects", func(s *handle) error {
		all = nil
		query, args := columns+order, []any{tenant[:], limit}
		if after != "" {
			var created, row int64
			err := s.row("SELECT created, row FROM objects WHERE tenant = ? AND id = ?", []any{tenant[:], after}, &created, &row)
			if err != nil {
				return err
			}
			query, args = columns+" AND (created, row) < (?, ?)"+order, []any{tenant[:], created, row, limit}
		}
		return s.rows(query, args, func(scan func(...any) error) error {
			owned, err := scanObject(scan)
			if err == nil && owned.Tenant != tenant {
				err = errIndex
			}
			all = append(all, owned.Object)
			return err
		})
	})
	return all, err
}

// Delete implements [store.Backend].
func (db *backend) Delete(ctx context.Context, tenant store.TenantID, ids []string) (int, error) {
	return db.count(ctx, "delete objects", len(ids), func(s *handle, i int) (int64, error) {
		return s.exec("DELETE FROM objects WHERE tenant = ? AND id = ?", tenant[:], ids[i])
	})
}

// Evict implements [store.Backend].
func (db *backend) Evict(ctx context.Context, objects []store.Owned) (int, error) {
	return db.count(ctx, "evict objects", len(objects), func(s *handle, i int) (int64, error) {
		o := &objects[i]
		return s.exec("DELETE FROM objects WHERE tenant = ? AND id = ? AND used = ?", o.Tenant[:], o.Object.ID, o.Object.Used.UnixMicro())
	})
}

// count runs n changes in one transaction and adds up how many rows they changed.
func (db *backend) count(ctx context.Context, op string, n int, change func(*handle, int) (int64, error)) (int, error) {
	if n == 0 {
		return 0, ctx.Err()
	}
	total := 0
	err := db.write(ctx, op, func(s *handle) error {
		total = 0
		for i := range n {
			changed, err := change(s, i)
			if err != nil {
				return err
			}
			total += int(changed)
		}
		return nil
	})
	if err != nil {
		total = 0
	}
	return total, err
}

// tenants goes from one tenant's accounts to the next tenant's by the index.
const tenants = `WITH RECURSIVE billed(tenant) AS (
		SELECT MIN(tenant) FROM accounts
		UNION ALL SELECT (SELECT MIN(tenant) FROM accounts WHERE tenant > billed.tenant) FROM billed WHERE tenant IS NOT NULL
	)
	SELECT tenant FROM totals WHERE objects > 0 UNION ALL SELECT tenant FROM billed WHERE tenant IS NOT NULL`

// Tenants implements [store.Backend].
func (db *backend) Tenants(ctx context.Context) ([]store.TenantID, error) {
	var all []store.TenantID
	err := db.read(ctx, "list tenants", func(s *handle) error {
		all = nil
		return s.rows(tenants, nil, func(scan func(...any) error) error {
			var tenant []byte
			if err := scan(&tenant); err != nil {
				return err
			}
			if len(tenant) != len(store.TenantID{}) {
				return broken("a tenant's name of %d bytes", len(tenant))
			}
			all = append(all, store.TenantID(tenant))
			return nil
		})
	})
	slices.SortFunc(all, func(a, b store.TenantID) int { return bytes.Compare(a[:], b[:]) })
	return slices.Compact(all), err
}

// rowOf reads one row with a function, or returns [plimsoll.ErrNotFound].
func (s *handle) rowOf(query string, args []any, read func(scan func(...any) error) error) error {
	err := plimsoll.ErrNotFound
	return errors.Join(s.rows(query, args, func(scan func(...any) error) error {
		err = nil
		return read(scan)
	}), err)
}
