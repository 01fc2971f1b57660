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

// breaker is the circuit breaker of the store: a store that fails or hangs must not
// hold up requests. Each operation has a time limit. After a failure the breaker is
// open for a while, and the store is not used.
type breaker struct {
	now       func() time.Time
	openUntil atomic.Int64 // in nanoseconds
	ledger    *ledger
}

const (
	// readTimeout bounds one operation, writeTimeout one that may store much.
	readTimeout  = 5 * time.Second
	writeTimeout = 20 * time.Second
	// openFor is how long the breaker stays open after a failure.
	openFor = 5 * time.Second
)

// errOpen says that the breaker is open.
var errOpen = errors.New("the store has failed a moment ago")

// closed reports whether the store is used.
func (b *breaker) closed() bool { return b.now().UnixNano() >= b.openUntil.Load() }

// do runs an operation of the store.
func (b *breaker) do(ctx context.Context, operation func(context.Context) error) error {
	return b.doWithin(ctx, readTimeout, operation)
}

func (b *breaker) doWithin(ctx context.Context, timeout time.Duration, operation func(context.Context) error) error {
	if !b.closed() {
		return errOpen
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	err := operation(ctx)
	b.note(err)
	return err
}

// note opens the breaker if the error is the store's.
func (b *breaker) note(err error) {
	if err != nil && !errors.Is(err, plimsoll.ErrNotFound) && !errors.Is(err, context.Canceled) {
		b.openUntil.Store(b.now().Add(openFor).UnixNano())
	}
}

// of returns the archive and the memory of an owner; nil if there is no store or the
// breaker is open.
func (b *breaker) of(o owner) (fit.Archive, fit.Memory) {
	if o.tenant == nil || !b.closed() {
		return nil, nil
	}
	return safeArchive{o.tenant, b}, b.memory(o)
}

// memory returns the memory of an owner; nil if there is no store.
func (b *breaker) memory(o owner) fit.Memory {
	if o.tenant == nil {
		return nil
	}
	return safeMemory{o.tenant.Memory(), o, b}
}

type safeArchive struct {
	fit.Archive
	breaker *breaker
}

// Put implements [fit.Archive].
func (a safeArchive) Put(ctx context.Context, content plimsoll.List[plimsoll.Part]) (ref plimsoll.Ref, err error) {
	err = a.breaker.doWithin(ctx, writeTimeout, func(ctx context.Context) error {
		ref, err = a.Archive.Put(ctx, content)
		return err
	})
	return ref, err
}

// Content implements [fit.Contents].
func (a safeArchive) Content(ctx context.Context, id string) (parts plimsoll.List[plimsoll.Part], err error) {
	err = a.breaker.do(ctx, func(ctx context.Context) error {
		parts, err = a.Archive.(fit.Contents).Content(ctx, id)
		return err
	})
	return parts, err
}

type safeMemory struct {
	fit.Memory
	owner   owner
	breaker *breaker
}

// Recall implements [fit.Memory].
func (m safeMemory) Recall(ctx context.Context, keys []plimsoll.Digest) (d fit.Decision, err error) {
	err = m.breaker.do(ctx, func(ctx context.Context) error {
		d, err = m.Memory.Recall(ctx, keys)
		return err
	})
	return d, err
}

// Remember implements [fit.Memory].
func (m safeMemory) Remember(ctx context.Context, d fit.Decision) error {
	return m.breaker.do(ctx, func(ctx context.Context) error { return m.Memory.Remember(ctx, d) })
}

// Lease implements [fit.Memory].
func (m safeMemory) Lease(ctx context.Context, name string, life time.Duration) (release func(), ok bool, err error) {
	if !m.breaker.closed() {
		return nil, false, errOpen
	}
	release, ok, err = m.Memory.Lease(ctx, name, life)
	m.breaker.note(err)
	return release, ok, err
}

// AddAccount implements [fit.Bookkeeper]. The ledger writes the figures later.
func (m safeMemory) AddAccount(_ context.Context, a account.Account) error {
	m.breaker.ledger.add(entry{Account: a, owner: m.owner.key, books: safeBooks{m.owner.tenant, m.breaker}})
	return nil
}

type safeBooks struct {
	tenant  *store.Tenant
	breaker *breaker
}

// AddAccount writes to the store.
func (s safeBooks) AddAccount(ctx context.Context, accounts ...account.Account) error {
	return s.breaker.doWithin(ctx, writeTimeout, func(ctx context.Context) error { return s.tenant.AddAccount(ctx, accounts...) })
}

// panicError is the error for a recovered panic.
func panicError(recovered any) error { return fmt.Errorf("panic: %v\n%s", recovered, debug.Stack()) }
