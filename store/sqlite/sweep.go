package sqlite

import (
	"context"
	"time"

	"github.com/plimsoll/plimsoll/store"
)

// A step of a sweep, so that writers get their turn in between.
const (
	sweepChunks = 256
	sweepBytes  = 8 << 20
	sweepPages  = "1024"
)

// Sweep implements [store.Backend]. It ends when the write-ahead log has been emptied
// into the file, for which it waits until no connection reads what is old.
func (db *backend) Sweep(ctx context.Context, before time.Time) (store.Swept, error) {
	var swept store.Swept
	for {
		n, err := db.sweepSome(ctx, before.UnixMicro())
		if err != nil {
			return swept, err
		}
		if n.Chunks == 0 {
			break
		}
		swept.Chunks += n.Chunks
		swept.Bytes += n.Bytes
	}
	if err := db.shrink(ctx); err != nil {
		return swept, err
	}
	return swept, db.use(ctx, "empty the log", db.writer, checkpoint)
}

// Erase implements [store.Backend]. Sweep and Purge leave nothing in the file, so it has
// nothing to do.
func (db *backend) Erase(context.Context) error { return nil }

// sweepSome deletes the chunks that were not used for longest.
func (db *backend) sweepSome(ctx context.Context, before int64) (store.Swept, error) {
	var swept store.Swept
	err := db.write(ctx, "sweep", func(s *handle) error {
		swept = store.Swept{}
		var rows []int64
		err := s.rows("SELECT row, stored FROM chunks WHERE orphan = 1 AND used < ? ORDER BY used LIMIT ?",
			[]any{before, sweepChunks}, func(scan func(...any) error) error {
				var row, stored int64
				if err := scan(&row, &stored); err != nil || swept.Bytes > sweepBytes {
					return err
				}
				rows = append(rows, row)
				swept.Chunks, swept.Bytes = swept.Chunks+1, swept.Bytes+stored
				return nil
			})
		if err != nil {
			return err
		}
		for _, row := range rows {
			if _, err := s.exec("DELETE FROM chunks WHERE row = ?", row); err != nil {
				return err
			}
		}
		return nil
	})
	return swept, err
}

// shrink gives free pages back to the file system.
func (db *backend) shrink(ctx context.Context) error {
	for was := int64(-1); ; {
		var free int64
		err := db.use(ctx, "shrink", db.writer, func(s *handle) error {
			if err := s.row("PRAGMA freelist_count", nil, &free); err != nil || free == 0 {
				return err
			}
			return s.run("PRAGMA incremental_vacuum(" + sweepPages + ")")
		})
		// Who turned the vacuum off in the file gets no space back.
		if err != nil || free == 0 || free == was {
			return err
		}
		was = free
	}
}

// checkpoint empties the log.
func checkpoint(s *handle) error {
	var busy, pages, done int64
	if err := s.row("PRAGMA wal_checkpoint(TRUNCATE)", nil, &busy, &pages, &done); err != nil {
		return err
	}
	if busy != 0 {
		return errReading
	}
	return nil
}
