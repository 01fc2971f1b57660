package transport

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync/atomic"
	"time"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/account"
	"github.com/plimsoll/plimsoll/fit"
	"github.com/plimsoll/plimsoll/store"
)

// guard keeps a store that fails or hangs from holding up requests. Each thing that is
// asked of it has a time limit, and after a failure nothing is asked for a while.
type guard struct {
	now      func() time.Time
	down     atomic.Int64 // until when, in nanoseconds
	accounts accounts
}

const (
	// guardWait bounds one thing that is asked of the store, and guardPut what is to be
	// stored, which may be much.
	guardWait = 5 * time.Second
	guardPut  = 20 * time.Second
	// guardRest is for how long nothing is asked after a failure.
	guardRest = 5 * time.Second
)

// errResting says that the store has failed a moment ago.
var errResting = errors.New("the store has failed a moment ago")

// up reports whether the store is asked at all.
func (g *guard) up() bool { return g.now().UnixNano() >= g.down.Load() }

// of returns the archive and the memory of an owner, guarded; nil if there is no store
// or it rests.
func (g *guard) of(o owner) (fit.Archive, fit.Memory) {
	if o.tenant == nil || !g.up() {
		return nil, nil
	}
	return guardedArchive{o.tenant, g}, g.memory(o)
}

// memory returns the memory of an owner, guarded; nil if there is no store.
func (g *guard) memory(o owner) fit.Memory {
	if o.tenant == nil {
		return nil
	}
	return guardedMemory{o.tenant.Memory(), o.key, o.tenant, g}
}

// mistake is the error for what a function of ours has thrown.
func mistake(thrown any) error { return fmt.Errorf("panic: %v\n%s", thrown, debug.Stack()) }

// ask does something with the store.
func (g *guard) ask(ctx context.Context, do func(context.Context) error) error {
	return g.askFor(ctx, guardWait, do)
}

func (g *guard) askFor(ctx context.Context, patience time.Duration, do func(context.Context) error) error {
	if !g.up() {
		return errResting
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	err := do(ctx)
	g.judge(err)
	return err
}

// judge lets the store rest if it has failed.
func (g *guard) judge(err error) {
	if err != nil && !errors.Is(err, plimsoll.ErrNotFound) && !errors.Is(err, context.Canceled) {
		g.down.Store(g.now().Add(guardRest).UnixNano())
	}
}

type guardedArchive struct {
	fit.Archive
	guard *guard
}

// Put implements [fit.Archive].
func (a guardedArchive) Put(ctx context.Context, content plimsoll.List[plimsoll.Part]) (ref plimsoll.Ref, err error) {
	err = a.guard.askFor(ctx, guardPut, func(ctx context.Context) error {
		ref, err = a.Archive.Put(ctx, content)
		return err
	})
	return ref, err
}

// Content implements [fit.Archive].
func (a guardedArchive) Content(ctx context.Context, id string) (parts plimsoll.List[plimsoll.Part], err error) {
	err = a.guard.ask(ctx, func(ctx context.Context) error {
		parts, err = a.Archive.Content(ctx, id)
		return err
	})
	return parts, err
}

type guardedMemory struct {
	fit.Memory
	owner  string
	tenant *store.Tenant
	guard  *guard
}

// Recall implements [fit.Memory].
func (m guardedMemory) Recall(ctx context.Context, keys []plimsoll.Digest) (d fit.Decision, err error) {
	err = m.guard.ask(ctx, func(ctx context.Context) error {
		d, err = m.Memory.Recall(ctx, keys)
		return err
	})
	return d, err
}

// Remember implements [fit.Memory].
func (m guardedMemory) Remember(ctx context.Context, d fit.Decision) error {
	return m.guard.ask(ctx, func(ctx context.Context) error { return m.Memory.Remember(ctx, d) })
}

// Lease implements [fit.Memory].
func (m guardedMemory) Lease(ctx context.Context, name string, life time.Duration) (release func(), ok bool, err error) {
	if !m.guard.up() {
		return nil, false, errResting
	}
	release, ok, err = m.Memory.Lease(ctx, name, life)
	m.guard.judge(err)
	return release, ok, err
}

// AddAccount implements [fit.Memory]. It is done a little later.
func (m guardedMemory) AddAccount(_ context.Context, a account.Account) error {
	m.guard.accounts.add(m.owner, guardedBooks{m.tenant, m.guard}, a)
	return nil
}

type guardedBooks struct {
	tenant *store.Tenant
	guard  *guard
}

// AddAccount writes to the store.
func (b guardedBooks) AddAccount(ctx context.Context, accounts ...account.Account) error {
	return b.guard.askFor(ctx, guardPut, func(ctx context.Context) error { return b.tenant.AddAccount(ctx, accounts...) })
}
