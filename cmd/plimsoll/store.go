package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/config"
	"github.com/plimsoll/plimsoll/store"
	"github.com/plimsoll/plimsoll/store/postgres"
	"github.com/plimsoll/plimsoll/store/sqlite"
)

// storeFlags say where content is kept, and whose.
type storeFlags struct {
	Store  string `placeholder:"PATH|URL" complete:"file" help:"Where content is kept: a file, or a PostgreSQL database as postgres://… (PLIMSOLL_STORE). Default: plimsoll/store.db in the user's data directory."`
	Tenant string `placeholder:"NAME" help:"Whose content it is. Tenants see nothing of each other."`
}

// withTenant opens the store, does something with the tenant's part, and closes it.
func (f storeFlags) withTenant(p *process, root *cli, do func(context.Context, *store.Store, *store.Tenant) error) error {
	settings, err := p.settings(root, []config.Flag{{Key: "store", Value: f.Store}})
	if err != nil {
		return err
	}
	ctx, stop := p.untilSignal()
	defer stop()
	s, err := p.openStore(ctx, string(settings.Settings.Store))
	if err != nil {
		return err
	}
	err = do(ctx, s, s.Tenant(f.Tenant))
	if closed := s.Close(); err == nil {
		err = closed
	}
	return err
}

// openStore opens the store at a path or an address, or the user's own if that is
// empty.
func (p *process) openStore(ctx context.Context, where string) (*store.Store, error) {
	backend, err := p.openBackend(ctx, where)
	if err != nil {
		return nil, err
	}
	s, err := store.New(ctx, backend, nil)
	if err != nil {
		return nil, errors.Join(err, backend.Close())
	}
	return s, nil
}

func (p *process) openBackend(ctx context.Context, where string) (store.Backend, error) {
	scheme, _, isURL := strings.Cut(where, "://")
	switch {
	case isURL && (scheme == "postgres" || scheme == "postgresql"):
		return postgres.Open(ctx, where, nil)
	case isURL:
		return nil, &plimsoll.Error{
			Op: "open the store", Code: plimsoll.CodeInvalid, Err: fmt.Errorf("addresses of %s:// are not known", scheme),
			Hint: "name a file, or a PostgreSQL database as postgres://user@host/database",
		}
	case where == "":
		path, err := sqlite.DefaultPath(p.getenv)
		if err != nil {
			return nil, err
		}
		where = path
	}
	return sqlite.Open(ctx, where, nil)
}
