package sqlite

import (
	"context"

	"github.com/plimsoll/plimsoll/store"
)

// extentSum holds an extent to its object and to its chunk by their names.
func extentSum(tenant store.TenantID, object string, e *store.Extent) int64 {
	return newSum("extents").bytes(tenant[:]).text(object).bytes(e.Chunk[:]).
		ints(e.Offset, e.Line, int64(e.Size), int64(e.Lines)).value()
}

// Where extents begin: at the one that holds a byte, or before a line.
const (
	byOffset = "SELECT max(start) FROM extents WHERE object = ?1 AND start <= ?2"
	byLine   = "SELECT start FROM extents WHERE object = ?1 AND line < ?2 ORDER BY line DESC, start DESC LIMIT 1"
)

// ExtentsAt implements [store.Backend].
func (db *backend) ExtentsAt(ctx context.Context, tenant store.TenantID, id string, offset int64, limit int) ([]store.Extent, error) {
	extents, err := db.extents(ctx, tenant, id, byOffset, offset, limit)
	if len(extents) > 0 && extents[0].Offset+int64(extents[0].Size) <= offset {
		extents = nil
	}
	return extents, err
}

// ExtentsAtLine implements [store.Backend].
func (db *backend) ExtentsAtLine(ctx context.Context, tenant store.TenantID, id string, n int64, limit int) ([]store.Extent, error) {
	return db.extents(ctx, tenant, id, byLine, n, limit)
}

func (db *backend) extents(ctx context.Context, tenant store.TenantID, id, from string, at int64, limit int) ([]store.Extent, error) {
	var all []store.Extent
	err := db.readTogether(ctx, "read extents", func(s *handle) (err error) {
		all, err = extentsOf(s, tenant, id, from, at, limit)
		return err
	})
	return all, err
}

func extentsOf(s *handle, tenant store.TenantID, id, from string, at int64, limit int) ([]store.Extent, error) {
	var object, stored int64
	err := s.row("SELECT row, stored FROM objects WHERE tenant = ? AND id = ?", []any{tenant[:], id}, &object, &stored)
	if err != nil {
		return nil, err
	}
	var all []store.Extent
	err = s.rows(`SELECT e.start, e.line, e.size, e.lines, e.sum, c.id FROM extents e LEFT JOIN chunks c ON c.row = e.chunk
		WHERE e.object = ?1 AND e.start >= coalesce((`+from+`), 0) ORDER BY e.start LIMIT ?3`,
		[]any{object, at, limit}, func(scan func(...any) error) error {
			e, err := scanExtent(tenant, id, scan)
			all = append(all, e)
			return err
		})
	if err == nil {
		err = contiguous(id, all, stored, limit)
	}
	if err != nil {
		return nil, err
	}
	return all, nil
}

func scanExtent(tenant store.TenantID, id string, scan func(...any) error) (store.Extent, error) {
	var e store.Extent
	var sum int64
	var chunk []byte
	if err := scan(&e.Offset, &e.Line, &e.Size, &e.Lines, &sum, &chunk); err != nil {
		return e, err
	}
	copy(e.Chunk[:], chunk)
	if len(chunk) != len(e.Chunk) || sum != extentSum(tenant, id, &e) {
		return e, broken("extent of object %q at byte %d", id, e.Offset)
	}
	return e, nil
}

// contiguous looks for rows that are missing between the extents or behind them.
func contiguous(id string, extents []store.Extent, stored int64, limit int) error {
	for i := range extents {
		e := &extents[i]
		end := stored
		if i+1 < len(extents) {
			end = extents[i+1].Offset
		} else if len(extents) == limit {
			break
		}
		if e.Offset+int64(e.Size) != end {
			return broken("object %q has a gap at byte %d", id, e.Offset+int64(e.Size))
		}
	}
	if len(extents) == 0 && stored > 0 && limit != 0 {
		return broken("object %q has lost its extents", id)
	}
	return nil
}
