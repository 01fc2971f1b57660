package sqlite

import (
	"context"
	"time"

	"github.com/plimsoll/plimsoll/store"
)

// The lists of retention ask the index of objects by use for one half of it: objects
// that no decision refers to, then those that one does.
const (
	unpinned = "SELECT " + objectColumns + " FROM objects WHERE pinned = 0"
	pinned   = "SELECT " + objectColumns + " FROM objects o WHERE pinned = 1"
	byUse    = " ORDER BY used LIMIT ?"
)

// Expired implements [store.Backend].
func (db *backend) Expired(ctx context.Context, before time.Time, limit int) ([]store.Owned, error) {
	at := before.UnixMicro()
	// Each half comes in order; together they are put in order by merging.
	free := step{unpinned + " AND used < ?" + byUse, []any{at}}
	held := step{pinned + ` AND used < ? AND NOT EXISTS (
		SELECT 1 FROM pins p CROSS JOIN decisions d ON d.row = p.decision
		WHERE p.tenant = o.tenant AND p.object = o.id AND d.used >= ?)` + byUse, []any{at, at}}
	var halves [2][]store.Owned
	err := db.readTogether(ctx, "list expired objects", func(s *handle) (err error) {
		for i, half := range [...]step{free, held} {
			if halves[i], err = half.list(s, limit); err != nil {
				return err
			}
		}
		return nil
	})
	return merge(halves[0], halves[1], limit), err
}

// merge puts two ordered lists together, up to a limit.
func merge(a, b []store.Owned, limit int) []store.Owned {
	var all []store.Owned
	for len(all) < limit && len(a)+len(b) > 0 {
		if len(b) == 0 || len(a) > 0 && !b[0].Object.Used.Before(a[0].Object.Used) {
			all, a = append(all, a[0]), a[1:]
		} else {
			all, b = append(all, b[0]), b[1:]
		}
	}
	return all
}

// Oldest implements [store.Backend].
func (db *backend) Oldest(ctx context.Context, limit int) ([]store.Owned, error) {
	var all []store.Owned
	err := db.readTogether(ctx, "list the oldest objects", func(s *handle) error {
		free, err := step{unpinned + byUse, nil}.list(s, limit)
		if err != nil {
			return err
		}
		held, err := step{pinned + byUse, nil}.list(s, limit-len(free))
		all = append(free, held...)
		return err
	})
	return all, err
}

// Unreferenced implements [store.Backend].
func (db *backend) Unreferenced(ctx context.Context, before time.Time, limit int) ([]store.Owned, error) {
	var all []store.Owned
	err := db.read(ctx, "list unreferenced objects", func(s *handle) (err error) {
		all, err = step{unpinned + " AND used < ?" + byUse, []any{before.UnixMicro()}}.list(s, limit)
		return err
	})
	return all, err
}

// step is a query that ends in a limit, without it.
type step struct {
	query string
	args  []any
}

func (q step) list(s *handle, limit int) ([]store.Owned, error) {
	var all []store.Owned
	err := s.rows(q.query, append(q.args[:len(q.args):len(q.args)], limit), func(scan func(...any) error) error {
		owned, err := scanObject(scan)
		all = append(all, owned)
		return err
	})
	return all, err
}
