package sqlite

import (
	"context"
	"crypto/rand"
	"embed"
	"fmt"
	"strconv"

	"github.com/plimsoll/plimsoll"
)

// migrations are what brings a file from each version to the next: 1.sql makes an
// empty file version 1. They only go forward, and never change once released.
//
//go:embed migrations/*.sql
var migrations embed.FS

// version is the newest that is known.
const version = 5

// application marks our files in their header, for file(1) and for [backend.identify].
const application = 0x506c696d

// prepare makes sure that the file is ours and brings it up to date.
func (db *backend) prepare(ctx context.Context) error {
	// An empty file takes the form that the first change to it asks for.
	form := []string{
		fmt.Sprintf("PRAGMA page_size = %d", pageSize),
		"PRAGMA auto_vacuum = INCREMENTAL",
	}
	// What these change is in the file, not in the connection.
	mark := []string{
		fmt.Sprintf("PRAGMA application_id = %d", application),
	}
	return db.retry(ctx, func() error {
		c, err := db.writer.take(ctx)
		if err != nil {
			return err
		}
		s := &handle{ctx: ctx, conn: c}
		err = db.prepareWith(s, form, mark)
		db.writer.give(c, err)
		return err
	})
}

func (db *backend) prepareWith(s *handle, form, mark []string) error {
	empty, err := identify(s)
	if err != nil {
		return err
	}
	if empty {
		if err := s.run(form...); err != nil {
			return err
		}
		if err := s.transact(func() error { return s.run(mark...) }); err != nil {
			return err
		}
	}
	var mode string
	if err := s.row("PRAGMA journal_mode = WAL", nil, &mode); err != nil {
		return err
	}
	if mode != "wal" {
		return errNoLog
	}
	return migrate(s)
}

// identify reports whether the file is empty, or ours; any other is refused before
// anything in it changes.
//
// The form that we ask for writes a first page, before the mark can be written. So a
// file of that form without a mark and without content is taken for empty: its
// maker is at work or has died.
func identify(s *handle) (empty bool, err error) {
	var pages, id, size, vacuum, schema int64
	for _, read := range []struct {
		query string
		into  *int64
	}{
		{"PRAGMA page_count", &pages},
		{"PRAGMA page_size", &size},
		{"PRAGMA auto_vacuum", &vacuum},
		{"PRAGMA schema_version", &schema},
		{"PRAGMA application_id", &id}, // last: what has a schema has its mark
	} {
		if err := s.row(read.query, nil, read.into); err != nil {
			return false, err
		}
	}
	const incremental = 2
	switch {
	case pages == 0, id == 0 && size == pageSize && vacuum == incremental && schema == 0:
		return true, nil
	case id != application:
		return false, errForeign
	case size != pageSize:
		return false, errPages
	}
	return false, nil
}

// migrate runs what is missing, all of it or nothing. Of several processes one does
// it, the others find it done.
func migrate(s *handle) error {
	if have, err := fileVersion(s); err != nil || have == version {
		return err
	}
	return s.transact(func() error {
		have, err := fileVersion(s)
		if err != nil {
			return err
		}
		for next := have + 1; next <= version; next++ {
			script, err := migrations.ReadFile("migrations/" + strconv.FormatInt(next, 10) + ".sql")
			if err != nil {
				return err
			}
			if err := s.run(string(script)); err != nil {
				return fmt.Errorf("bring the file to version %d: %w", next, err)
			}
		}
		if have == 0 {
			if err := makeSecret(s); err != nil {
				return err
			}
		}
		return s.run(fmt.Sprintf("PRAGMA user_version = %d", version))
	})
}

// fileVersion returns the version of the file, which must not be newer than we are.
func fileVersion(s *handle) (int64, error) {
	var have int64
	if err := s.row("PRAGMA user_version", nil, &have); err != nil {
		return 0, err
	}
	if have < 0 || have > version {
		return 0, &plimsoll.Error{
			Code: plimsoll.CodeUnsupported, Hint: "update plimsoll, or name another file",
			Err: fmt.Errorf("%w: the file has version %d, this program knows versions up to %d", plimsoll.ErrUnsupported, have, version),
		}
	}
	return have, nil
}

// makeSecret makes the store's key.
func makeSecret(s *handle) error {
	secret := make([]byte, 32)
	rand.Read(secret) // Never fails, by contract.
	return putSetting(s, secretName, secret)
}
