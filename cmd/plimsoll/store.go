package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"slices"
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
	Tenant string `placeholder:"NAME" help:"Whose content it is: a name, or the beginning of a tenant that the dashboard and the log show. Tenants see nothing of each other."`
}

// withTenant opens the store, does something with the tenant's part, and closes it. It
// creates a store that is not there.
func (f storeFlags) withTenant(p *process, root *cli, do func(context.Context, *store.Store, *store.Tenant) error) error {
	return f.open(p, root, p.openStore, do)
}

// readTenant is withTenant for a command that stores nothing.
func (f storeFlags) readTenant(p *process, root *cli, do func(context.Context, *store.Store, *store.Tenant) error) error {
	return f.open(p, root, p.openExisting, do)
}

func (f storeFlags) open(p *process, root *cli, open storeOpener, do func(context.Context, *store.Store, *store.Tenant) error) error {
	settings, err := p.settings(root, []config.Flag{{Key: "store", Value: f.Store}})
	if err != nil {
		return err
	}
	ctx, stop := p.untilSignal()
	defer stop()
	s, err := open(ctx, string(settings.Settings.Store))
	if err != nil {
		return err
	}
	tenant, err := tenantNamed(ctx, s, f.Tenant)
	if err == nil {
		err = do(ctx, s, tenant)
	}
	if closed := s.Close(); err == nil {
		err = closed
	}
	return err
}

// hashStart is the beginning of a tenant's hash, as dashboard and log show it.
var hashStart = regexp.MustCompile(`^[0-9a-f]{8,32}$`)

// tenantNamed returns the tenant whose hash begins with a name, else the one that has
// the name.
func tenantNamed(ctx context.Context, s *store.Store, name string) (*store.Tenant, error) {
	if !hashStart.MatchString(name) {
		return s.Tenant(name), nil
	}
	all, err := s.Tenants(ctx)
	if err != nil {
		return nil, err
	}
	for _, t := range all {
		if strings.HasPrefix(t.Key(), name) {
			return t, nil
		}
	}
	return s.Tenant(name), nil
}

// noteOthers names the other tenants that have something in the store, if none was asked
// for: a proxy that is open to others, or was, has one for each credential.
func (f storeFlags) noteOthers(ctx context.Context, p *process, s *store.Store) error {
	if f.Tenant != "" {
		return nil
	}
	all, err := s.Tenants(ctx)
	if err != nil {
		return err
	}
	local := s.Tenant("").Key()
	others := slices.DeleteFunc(slices.Clone(all), func(t *store.Tenant) bool { return t.Key() == local })
	if len(others) == 0 {
		return nil
	}
	var names []string
	for _, t := range others[:min(3, len(others))] {
		names = append(names, t.Key()[:16])
	}
	if more := len(others) - len(names); more > 0 {
		names = append(names, fmt.Sprintf("and %d more", more))
	}
	what := "the local tenant has nothing in this store; read another one with --tenant: "
	if len(others) < len(all) {
		what = "this is the local tenant; the store has others, which you read with --tenant: "
	}
	p.warn(what + strings.Join(names, ", "))
	return nil
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

// storeOpener opens the store at a path or an address.
type storeOpener func(ctx context.Context, where string) (*store.Store, error)

// openExisting is openStore for those who only read: a path with a mistake in it must not
// become an empty store.
func (p *process) openExisting(ctx context.Context, where string) (*store.Store, error) {
	path, err := where, error(nil)
	if where == "" {
		path, err = sqlite.DefaultPath(p.getenv)
	}
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) && !strings.Contains(where, "://") {
		return nil, &plimsoll.Error{
			Op: "open the store", Code: plimsoll.CodeNotFound, Err: fmt.Errorf("%s: %w", path, fs.ErrNotExist),
			Hint: "check --store, PLIMSOLL_STORE and the setting store; plimsoll serve, run, chat and cache put create a store",
		}
	}
	return p.openStore(ctx, where)
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
