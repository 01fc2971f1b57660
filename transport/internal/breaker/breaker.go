// Package breaker is a circuit breaker for the store: a store that fails or hangs must
// not hold up requests.
package breaker

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/plimsoll/plimsoll"
)

const (
	// ReadTimeout bounds an operation, WriteTimeout one that may store much.
	ReadTimeout  = 5 * time.Second
	WriteTimeout = 20 * time.Second
	// openFor is how long the breaker stays open after a failure.
	openFor = 5 * time.Second
)

// ErrOpen says that the breaker is open, so that the operation was not run.
var ErrOpen = errors.New("the store has failed a moment ago")

// Breaker runs operations of the store, each with a time limit. After a failure it is
// open for a while, and runs none. It is safe for concurrent use.
type Breaker struct {
	now       func() time.Time
	openUntil atomic.Int64 // in nanoseconds
}

// New returns a closed breaker.
func New(now func() time.Time) *Breaker { return &Breaker{now: now} }

// Closed reports whether operations are run.
func (b *Breaker) Closed() bool { return b.now().UnixNano() >= b.openUntil.Load() }

// Do runs an operation, or returns [ErrOpen].
func (b *Breaker) Do(ctx context.Context, timeout time.Duration, operation func(context.Context) error) error {
	if !b.Closed() {
		return ErrOpen
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	err := operation(ctx)
	b.Note(err)
	return err
}

// Note opens the breaker if an error of the store means that it fails.
func (b *Breaker) Note(err error) {
	if err != nil && !errors.Is(err, plimsoll.ErrNotFound) && !errors.Is(err, context.Canceled) {
		b.openUntil.Store(b.now().Add(openFor).UnixNano())
	}
}
