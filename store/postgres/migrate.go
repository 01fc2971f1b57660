package postgres

import (
	"context"
	"crypto/rand"
	"embed"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/plimsoll/plimsoll"
)

// files are the steps from nothing to the newest schema, in order. A step that was
// released is never changed.
//
//go:embed schema/*.sql
var files embed.FS

// migrationLock is the advisory lock that only one process at a time migrates under.
const migrationLock = 0x706c696d736f6c6c

func steps() ([]string, error) {
	entries, err := files.ReadDir("schema")
	if err != nil {
		return nil, err
	}
	all := make([]string, len(entries))
	for i, e := range entries {
		text, err := files.ReadFile("schema/" + e.Name())
		if err != nil {
			return nil, err
		}
		all[i] = string(text)
	}
	return all, nil
}

// migrate brings the schema up to date. Processes that start at once wait for each
// other, unless there is nothing to do.
func (db *backend) migrate(ctx context.Context) error {
	all, err := steps()
	if err != nil {
		return err
	}
	return db.do(ctx, "open", true, func(ctx context.Context, conn *pgx.Conn) error {
		if version, err := schemaVersion(ctx, conn); err != nil || version >= len(all) {
			return errors.Join(err, refuseNewer(version, len(all)))
		}
		return pgx.BeginTxFunc(ctx, conn, pgx.TxOptions{IsoLevel: pgx.ReadCommitted}, func(tx pgx.Tx) error { return apply(ctx, tx, all) })
	})
}

func apply(ctx context.Context, tx pgx.Tx, all []string) error {
	if _, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock($1)`, int64(migrationLock)); err != nil {
		return err
	}
	version, err := schemaVersion(ctx, tx)
	if err != nil {
		return err
	}
	if err := refuseNewer(version, len(all)); err != nil {
		return err
	}
	if version == 0 {
		if err := create(ctx, tx, all[0]); err != nil {
			return err
		}
		version = 1
	}
	for ; version < len(all); version++ {
		if _, err := tx.Exec(ctx, all[version]); err != nil {
			return fmt.Errorf("step %d: %w", version+1, err)
		}
	}
	_, err = tx.Exec(ctx, `UPDATE plimsoll.store SET version = $1`, len(all))
	return err
}

// create takes the first step.
func create(ctx context.Context, tx pgx.Tx, step string) error {
	var encoding string
	var there bool
	err := tx.QueryRow(ctx, `
		SELECT current_setting('server_encoding'), EXISTS (SELECT FROM pg_namespace WHERE nspname = 'plimsoll')`).Scan(&encoding, &there)
	if err != nil {
		return err
	}
	if encoding != "UTF8" {
		return &plimsoll.Error{
			Op: "postgres: open", Code: plimsoll.CodeUnsupported, Hint: "CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0",
			Err: fmt.Errorf("%w: the database is in %s, not in UTF-8", plimsoll.ErrUnsupported, encoding),
		}
	}
	if !there {
		if _, err := tx.Exec(ctx, `CREATE SCHEMA plimsoll`); err != nil {
			return err
		}
	}
	if _, err := tx.Exec(ctx, step); err != nil {
		return err
	}
	var secret [32]byte
	rand.Read(secret[:])
	_, err = tx.Exec(ctx, `INSERT INTO plimsoll.store (version, secret) VALUES (1, $1)`, secret[:])
	return err
}

// querier is a connection or a transaction.
type querier interface {
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

// schemaVersion returns how many steps were taken.
func schemaVersion(ctx context.Context, q querier) (int, error) {
	var there bool
	// The tables of the catalog, unlike its functions, always tell what is there now.
	err := q.QueryRow(ctx, `SELECT EXISTS (SELECT FROM pg_tables WHERE schemaname = 'plimsoll' AND tablename = 'store')`).Scan(&there)
	if err != nil || !there {
		return 0, err
	}
	var version int
	err = q.QueryRow(ctx, `SELECT version FROM plimsoll.store`).Scan(&version)
	return version, err
}

func refuseNewer(version, known int) error {
	if version <= known {
		return nil
	}
	return &plimsoll.Error{
		Op: "postgres: open", Code: plimsoll.CodeUnsupported, Hint: "update this program, or use another database",
		Err: fmt.Errorf("%w: the store has schema %d, and this version knows up to %d", plimsoll.ErrUnsupported, version, known),
	}
}
