package sqlite

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"time"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/store"
	sqlite3 "modernc.org/sqlite"
	lib "modernc.org/sqlite/lib"
)

// errForeign: the file belongs to another program.
var errForeign = &plimsoll.Error{
	Code: plimsoll.CodeInvalid, Hint: "name another file; this one was left as it is",
	Err: fmt.Errorf("%w: it is a database of another program", plimsoll.ErrInvalid),
}

// errPages: content would not be erased, see sealed.go.
var errPages = &plimsoll.Error{
	Code: plimsoll.CodeUnsupported, Hint: "copy it with VACUUM INTO after PRAGMA page_size = 4096, or name another file",
	Err: fmt.Errorf("%w: the size of its pages was changed", plimsoll.ErrUnsupported),
}

// errNoLog: the file system cannot share memory between processes.
var errNoLog = &plimsoll.Error{
	Code: plimsoll.CodeUnavailable, Hint: "put the file on a local disk",
	Err: fmt.Errorf("%w: the file system does not support a write-ahead log", store.ErrUnavailable),
}

// broken says what is damaged.
func broken(format string, args ...any) error {
	return fmt.Errorf("%w: %s", store.ErrCorrupt, fmt.Sprintf(format, args...))
}

// code returns the primary code of SQLite's that an error carries, or 0.
func code(err error) int {
	var e *sqlite3.Error
	if errors.As(err, &e) {
		return e.Code() & 0xff
	}
	return 0
}

// errReading: another connection still reads what the log holds.
var errReading = errors.New("the log is in use")

// busy reports an error that goes away when another process is done.
func busy(err error) bool {
	if errors.Is(err, errReading) {
		return true
	}
	switch code(err) {
	case lib.SQLITE_BUSY, lib.SQLITE_LOCKED, lib.SQLITE_PROTOCOL, lib.SQLITE_SCHEMA:
		return true
	}
	return false
}

// spoils reports an error after which a connection is not to be trusted.
func spoils(err error) bool {
	if errors.Is(err, driver.ErrBadConn) {
		return true
	}
	switch code(err) {
	case lib.SQLITE_IOERR, lib.SQLITE_CORRUPT, lib.SQLITE_NOTADB, lib.SQLITE_CANTOPEN, lib.SQLITE_READONLY, lib.SQLITE_NOMEM:
		return true
	}
	return false
}

// retry calls do until the file is not busy any more.
func (db *backend) retry(ctx context.Context, do func() error) error {
	end := time.Now().Add(db.options.Wait)
	for pause := time.Millisecond; ; pause = min(2*pause, 50*time.Millisecond) {
		err := do()
		if !busy(err) || time.Now().After(end) {
			return err
		}
		// At random, so that two who wait do not meet again.
		select {
		case <-time.After(pause/2 + rand.N(pause)):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// fail gives an error its type, what was done and to which file, and what to do now.
func (db *backend) fail(op string, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	}
	e := &plimsoll.Error{Op: "store " + db.path + ": " + op, Err: err}
	var path *fs.PathError
	switch {
	case errors.Is(err, plimsoll.ErrNotFound), errors.Is(err, store.ErrMissingChunk), errors.Is(err, plimsoll.ErrInvalid),
		errors.Is(err, plimsoll.ErrUnsupported), errors.Is(err, errNoLog):
	case errors.Is(err, store.ErrCorrupt):
		e.Hint = hintCorrupt
	case errors.As(err, &path):
		e.Code, e.Err = plimsoll.CodeUnavailable, fmt.Errorf("%w: %w", store.ErrUnavailable, err)
		e.Hint = hintOpen
	case errors.Is(err, driver.ErrBadConn), errors.Is(err, errReading):
		e.Code, e.Err = plimsoll.CodeUnavailable, fmt.Errorf("%w: %w", store.ErrUnavailable, err)
		e.Hint = hintHeld
	case code(err) != 0:
		classify(e, err)
	}
	return e
}

const (
	hintCorrupt = "the rest of the store is usable; to begin with an empty one, move the file away"
	hintHeld    = "another program has held the file for long; end it, or try again"
	hintOpen    = "look at the path and its permissions, or name another file"
)

// classify gives an error of SQLite's its type. Our statements are known to be right,
// so a complaint about one means that the file is not what we made.
func classify(e *plimsoll.Error, err error) {
	kind := store.ErrUnavailable
	e.Code = plimsoll.CodeUnavailable
	switch code(err) {
	case lib.SQLITE_BUSY, lib.SQLITE_LOCKED, lib.SQLITE_PROTOCOL:
		e.Hint = hintHeld
	case lib.SQLITE_FULL:
		e.Hint = "free space on the disk, or delete what is old with `plimsoll cache gc`"
	case lib.SQLITE_IOERR:
		e.Hint = "look at the disk and the system's log; what was acknowledged is safe"
	case lib.SQLITE_CANTOPEN, lib.SQLITE_PERM, lib.SQLITE_READONLY, lib.SQLITE_AUTH, lib.SQLITE_NOLFS:
		e.Hint = hintOpen
	case lib.SQLITE_NOMEM, lib.SQLITE_INTERRUPT, lib.SQLITE_ABORT:
		e.Hint = "try again"
	case lib.SQLITE_NOTADB:
		e.Code, e.Hint = plimsoll.CodeInvalid, "name another file; this one was left as it is"
		kind = errNotDatabase
	default:
		kind, e.Code, e.Hint = store.ErrCorrupt, "", hintCorrupt
	}
	e.Err = fmt.Errorf("%w: %w", kind, err)
}

// errNotDatabase: the file is something else, or its beginning is damaged.
var errNotDatabase = fmt.Errorf("%w: %w: it is not a database, or its beginning is damaged", plimsoll.ErrInvalid, store.ErrCorrupt)
