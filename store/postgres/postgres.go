// Package postgres keeps a store in a PostgreSQL database, which any number of
// processes on any number of machines may share.
//
// Everything is in one schema, "plimsoll", that [Open] makes and brings up to date.
// Every statement names it, so the search path does not matter, and poolers that
// share connections between clients are fine. It needs PostgreSQL 13 or newer and a
// database in UTF-8.
//
// # When the server is away
//
// An operation that finds its connection broken, or the server restarting, full of
// clients or read-only, drops all connections and tries again for a while
// ([Options.Wait]); only then it is [store.ErrUnavailable]. Operations after that
// fail at their first try until one succeeds, so that a server that is down costs
// its users nothing but one wait. Nothing has to be restarted when it is back.
//
// Every operation may be repeated but AddAccount, which is not when the connection
// broke between sending and the answer: then it may or may not have counted.
//
// With several hosts in the URL, the one that can be written to is used, and looked
// for again when it cannot any more.
//
// # What deletion leaves
//
// Sweep frees the space of what it deleted; PostgreSQL writes over it when it needs
// it. [Options.Erase] does not leave it at that. Either way the server's log has it
// for some time, and backups and replicas for as long as they keep theirs.
package postgres

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/plimsoll/plimsoll/store"
)

var _ store.Backend = (*backend)(nil)

// Options configure a store in a PostgreSQL database.
type Options struct {
	// Now is the clock for what the caller gives no time; nil means time.Now. Leases
	// go by the server's clock.
	Now func() time.Time
	// Wait is how long an operation goes on trying while the server is away, or waits
	// for one of the connections; 0 means 3 seconds.
	Wait time.Duration
	// Timeout is how long one try of an operation may take; 0 means 30 seconds.
	// Reading or sweeping the whole store is many operations.
	Timeout time.Duration
	// Erase lets Sweep rewrite the tables after it has deleted something, so that
	// nothing of it is left in their files. The store is locked meanwhile, and
	// the disk needs room for both. Without it the space is free to be written over.
	Erase bool
}

// backend is a store in a PostgreSQL database. It is safe for concurrent use.
type backend struct {
	pool    *pgxpool.Pool
	options Options
	// hosts is where the server is looked for, for errors.
	hosts string
	// away says that an operation has waited in vain and none succeeded since.
	away atomic.Bool
}

// Open connects to a database, and makes or migrates the store in it. The URL is
// postgres://user:password@host:port/database?setting=value; the settings are those
// of libpq and pgxpool, such as sslmode, target_session_attrs, connect_timeout and
// pool_max_conns. Options may be nil.
func Open(ctx context.Context, url string, o *Options) (store.Backend, error) {
	db := &backend{}
	if o != nil {
		db.options = *o
	}
	db.options.setDefaults()
	config, err := db.configure(url)
	if err != nil {
		return nil, err
	}
	if db.pool, err = pgxpool.NewWithConfig(ctx, config); err != nil {
		return nil, fmt.Errorf("postgres: %w", err)
	}
	if err := db.migrate(ctx); err != nil {
		db.pool.Close()
		return nil, err
	}
	return db, nil
}

func (o *Options) setDefaults() {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Wait == 0 {
		o.Wait = 3 * time.Second
	}
	if o.Timeout == 0 {
		o.Timeout = 30 * time.Second
	}
}

// Close ends all connections, when the operations under way are done.
func (db *backend) Close() error {
	db.pool.Close()
	return nil
}
