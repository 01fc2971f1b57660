package postgres

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/jackc/pgx/v5"
)

const (
	// firstPause and longestPause between tries; they double in between.
	firstPause   = 20 * time.Millisecond
	longestPause = 500 * time.Millisecond
	// maxConflicts is how often an operation is repeated that others got in the way of.
	maxConflicts = 20
)

// task is an operation on a connection. What it changes it changes in one
// transaction.
type task func(ctx context.Context, conn *pgx.Conn) error

// do runs an operation until it succeeds, fails for a reason that will not go away,
// or has waited long enough. An operation that may not be repeated is tried again
// only if it certainly changed nothing.
func (db *backend) do(ctx context.Context, op string, repeatable bool, f task) error {
	end := time.Now().Add(db.options.Wait)
	if db.away.Load() {
		end = time.Now()
	}
	pause, conflicts := firstPause, 0
	for {
		err := db.try(ctx, f)
		if err == nil {
			db.away.Store(false)
			return nil
		}
		if ctx.Err() != nil {
			return fmt.Errorf("postgres: %s: %w", op, ctx.Err())
		}
		found := diagnose(err)
		if found.dead {
			db.pool.Reset()
		}
		switch {
		case found.next == giveUp, found.next == ask && !repeatable:
			return found.report(op)
		case found.conflict:
			if conflicts++; conflicts > maxConflicts {
				return found.report(op)
			}
		case !time.Now().Add(pause).Before(end):
			db.away.Store(true)
			return found.report(op)
		}
		if err := sleep(ctx, pause); err != nil {
			return fmt.Errorf("postgres: %s: %w", op, err)
		}
		pause = min(2*pause, longestPause)
	}
}

// try runs an operation once, on a connection from the pool.
func (db *backend) try(ctx context.Context, f task) error {
	ctx, cancel := context.WithTimeout(ctx, db.options.Timeout)
	defer cancel()
	waiting, stop := context.WithTimeout(ctx, db.options.Wait)
	conn, err := db.pool.Acquire(waiting)
	stop()
	if err != nil {
		if s := db.pool.Stat(); waiting.Err() != nil && s.AcquiredConns() >= s.MaxConns() {
			return fmt.Errorf("%w: %d of %d", errBusy, s.AcquiredConns(), s.MaxConns())
		}
		return fmt.Errorf("%w to %s: %w", errUnreachable, db.hosts, err)
	}
	defer conn.Release()
	return f(ctx, conn.Conn())
}

// sleep waits for about the given time, each time a little differently so that
// those who collided do not again.
func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d/2 + rand.N(d))
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// exec runs one statement and returns how many rows it changed.
func (db *backend) exec(ctx context.Context, op, sql string, args ...any) (int, error) {
	n := 0
	err := db.do(ctx, op, true, func(ctx context.Context, conn *pgx.Conn) error {
		tag, err := conn.Exec(ctx, sql, args...)
		n = int(tag.RowsAffected())
		return err
	})
	return n, err
}

// list runs one query and returns its rows.
func list[T any](ctx context.Context, db *backend, op string, scan pgx.RowToFunc[T], sql string, args ...any) ([]T, error) {
	var all []T
	err := db.do(ctx, op, true, func(ctx context.Context, conn *pgx.Conn) error {
		rows, err := conn.Query(ctx, sql, args...)
		if err != nil {
			return err
		}
		all, err = pgx.AppendRows(all[:0], rows, scan)
		return err
	})
	return all, err
}

// one runs one query and returns its row.
func one[T any](ctx context.Context, db *backend, op string, scan pgx.RowToFunc[T], sql string, args ...any) (T, error) {
	var row T
	err := db.do(ctx, op, true, func(ctx context.Context, conn *pgx.Conn) error {
		rows, err := conn.Query(ctx, sql, args...)
		if err != nil {
			return err
		}
		row, err = pgx.CollectExactlyOneRow(rows, scan)
		return err
	})
	return row, err
}
