package transport

import (
	"context"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/account"
	"github.com/plimsoll/plimsoll/fit"
	"github.com/plimsoll/plimsoll/transport/internal/breaker"
)

// memoryOf returns the memory of an owner; nil if there is no store.
func (t *Transport) memoryOf(o owner) fit.Memory {
	if o.tenant == nil {
		return nil
	}
	return safeMemory{o.tenant.Memory(), o, t.breaker, t.accounts}
}

// billsOf returns the memory of an owner for what an answer cost; nil if there is no store.
func (t *Transport) billsOf(o owner) fit.Memory {
	if o.tenant == nil {
		return nil
	}
	return lateMemory{safeMemory{o.tenant.Memory(), o, t.breaker, t.accounts}}
}

// safeArchive is the archive of an owner behind the circuit breaker.
type safeArchive struct {
	fit.Archive
	owner   string
	breaker *breaker.Breaker
}

// Put implements [fit.Archive].
func (a safeArchive) Put(ctx context.Context, content plimsoll.List[plimsoll.Part]) (ref plimsoll.Ref, err error) {
	err = a.breaker.Do(ctx, a.owner, breaker.WriteTimeout, func(ctx context.Context) error {
		ref, err = a.Archive.Put(ctx, content)
		return err
	})
	return ref, err
}

// Content implements [fit.Archive].
func (a safeArchive) Content(ctx context.Context, id string) (parts plimsoll.List[plimsoll.Part], err error) {
	err = a.breaker.Do(ctx, a.owner, breaker.ReadTimeout, func(ctx context.Context) error {
		parts, err = a.Archive.Content(ctx, id)
		return err
	})
	return parts, err
}

// safeMemory is the memory of an owner behind the circuit breaker.
type safeMemory struct {
	fit.Memory
	owner    owner
	breaker  *breaker.Breaker
	accounts *accountWriter
}

// Recall implements [fit.Memory].
func (m safeMemory) Recall(ctx context.Context, keys []plimsoll.Digest) (d fit.Decision, err error) {
	err = m.breaker.Do(ctx, m.owner.key, breaker.ReadTimeout, func(ctx context.Context) error {
		d, err = m.Memory.Recall(ctx, keys)
		return err
	})
	return d, err
}

// Remember implements [fit.Memory].
func (m safeMemory) Remember(ctx context.Context, d fit.Decision) error {
	return m.breaker.Do(ctx, m.owner.key, breaker.ReadTimeout, func(ctx context.Context) error { return m.Memory.Remember(ctx, d) })
}

// Lease implements [fit.Memory].
func (m safeMemory) Lease(ctx context.Context, name string, life time.Duration) (release func(), ok bool, err error) {
	err = m.breaker.Do(ctx, m.owner.key, breaker.ReadTimeout, func(ctx context.Context) error {
		release, ok, err = m.Memory.Lease(ctx, name, life)
		return err
	})
	return release, ok, err
}

// AddAccount implements [fit.Memory]. The account writer writes the figures later.
func (m safeMemory) AddAccount(_ context.Context, a account.Account) error {
	m.accounts.add(entry{Account: a, owner: m.owner.key, books: m.owner.tenant})
	return nil
}

// lateMemory is a memory that no request waits for: the account writer writes its records.
type lateMemory struct{ safeMemory }

// Remember implements [fit.Memory].
func (m lateMemory) Remember(_ context.Context, d fit.Decision) error {
	m.accounts.add(entry{bill: d, memory: m.Memory, owner: m.owner.key})
	return nil
}

// panicError is the error for a recovered panic.
func panicError(recovered any) error { return fmt.Errorf("panic: %v\n%s", recovered, debug.Stack()) }
