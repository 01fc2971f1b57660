// Package breaker is a circuit breaker for the store: a store that fails or hangs must
// not hold up requests.
package breaker

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/plimsoll/plimsoll/internal/lru"
	"github.com/plimsoll/plimsoll/store"
)

const (
	// ReadTimeout bounds an operation, WriteTimeout one that may store much.
	ReadTimeout  = 5 * time.Second
	WriteTimeout = 20 * time.Second
	// openFor is how long the breaker stays open after a failure.
	openFor = 5 * time.Second
	// maxOwners bounds how many owners it is open for alone.
	maxOwners = 4096
)

// ErrOpen says that the breaker is open, so that the operation was not run.
var ErrOpen = errors.New("the store has failed a moment ago")

// errTimeout is the cause of a context whose operation took too long.
var errTimeout = errors.New("the store took too long")

// Breaker runs operations of the store, each with a time limit. After a failure it is
// open for a while, and runs none. It is safe for concurrent use.
//
// A store fails if it says that it is unavailable, or if it does not answer in time. The
// first opens the breaker for all owners. The second opens it for the owner of the
// operation, because one owner may ask for much. If the store does not answer the next
// owner either, and no other operation ended in between, it opens for all.
// A client's own deadline, data that the store refuses and damaged content are no
// failures of the store.
type Breaker struct {
	now func() time.Time
	mu  sync.Mutex
	// openUntil is for all owners, alone for one.
	openUntil time.Time
	alone     *lru.Map[string, time.Time]
	// slow is the owner whose operation took too long, if none has ended in time since.
	slow string
}

// New returns a closed breaker.
func New(now func() time.Time) *Breaker {
	return &Breaker{now: now, alone: lru.New[string, time.Time](maxOwners, nil)}
}

// Closed reports whether operations of the owner are run.
func (b *Breaker) Closed(owner string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := b.now()
	until, _ := b.alone.Get(owner)
	return !now.Before(b.openUntil) && !now.Before(until)
}

// Do runs an operation of an owner, or returns [ErrOpen].
func (b *Breaker) Do(ctx context.Context, owner string, timeout time.Duration, operation func(context.Context) error) error {
	if !b.Closed(owner) {
		return ErrOpen
	}
	limited, cancel := context.WithTimeoutCause(ctx, timeout, errTimeout)
	defer cancel()
	err := operation(limited)
	b.mu.Lock()
	defer b.mu.Unlock()
	timedOut := errors.Is(err, context.DeadlineExceeded) && errors.Is(context.Cause(limited), errTimeout)
	until := b.now().Add(openFor)
	switch {
	case errors.Is(err, store.ErrUnavailable), timedOut && b.slow != "" && b.slow != owner:
		b.openUntil = until
	case timedOut:
		b.slow = owner
		b.alone.Put(owner, until)
	case limited.Err() == nil: // the store has answered
		b.slow = ""
	}
	return err
}
