package transport

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/account"
	"github.com/plimsoll/plimsoll/fit"
	"github.com/plimsoll/plimsoll/transport/internal/breaker"
)

// accountWriter writes bills and the figures of accounts to the store. One goroutine does it,
// so that no request waits for the store. Bills are written at once, because another process
// may count by them; figures a little later, so that one write serves many requests.
type accountWriter struct {
	entries chan entry
	dropped atomic.Int64
	breaker *breaker.Breaker
	// quit ends the goroutine, which then closes ended.
	quit  context.CancelFunc
	ended chan struct{}
	// failed gets what the store did not take.
	failed func(error)
}

// entry is what requests add to the account of one conversation, or a bill for its memory.
type entry struct {
	bill   fit.Decision
	memory fit.Memory // nil: figures

	account.Account
	owner string
	books books
	// tries is how often the store has refused it.
	tries int
}

// books are an owner's accounts in the store.
type books interface {
	AddAccount(ctx context.Context, accounts ...account.Account) error
}

type accountKey struct{ owner, conversation string }

const (
	// writeDelay is how much later figures are written.
	writeDelay = 2 * time.Second
	// maxEntries bounds the entries that wait for the goroutine, and the conversations
	// whose figures wait for the store. The rest is dropped and counted.
	maxEntries = 4096
	// maxBatch is how many accounts one write has.
	maxBatch = 256
	// maxTries is how often an entry is written again that the store has refused. The
	// breaker opens after each failure, so this lasts for minutes.
	maxTries = 60
)

// newAccountWriter starts the goroutine, which close ends.
func newAccountWriter(b *breaker.Breaker, failed func(error)) *accountWriter {
	ctx, quit := context.WithCancel(context.Background())
	w := &accountWriter{entries: make(chan entry, maxEntries), breaker: b, quit: quit, ended: make(chan struct{}), failed: failed}
	go w.run(ctx)
	return w
}

// add takes figures. It never waits.
func (w *accountWriter) add(e entry) {
	select {
	case w.entries <- e:
	default:
		w.dropped.Add(1)
	}
}

// close writes what is left.
func (w *accountWriter) close() {
	w.quit()
	<-w.ended
}

func (w *accountWriter) run(ctx context.Context) {
	defer close(w.ended)
	sums := map[accountKey]entry{}
	var due <-chan time.Time
	for {
		select {
		case e := <-w.entries:
			w.take(sums, e)
			if due == nil && len(sums) > 0 {
				due = time.After(writeDelay)
			}
			continue
		case <-due:
		case <-ctx.Done():
			for len(w.entries) > 0 {
				w.take(sums, <-w.entries)
			}
			if n := len(w.write(sums)); n > 0 {
				w.failed(fmt.Errorf("the accounts of %d conversations are lost: %w", n, breaker.ErrOpen))
			}
			return
		}
		due = nil
		if sums = w.write(sums); len(sums) > 0 {
			due = time.After(writeDelay)
		}
	}
}

// take writes a bill, or adds figures to what waits for the same account. A bill that the
// store refuses is lost: the next one replaces it.
func (w *accountWriter) take(sums map[accountKey]entry, e entry) {
	if e.memory != nil {
		if err := w.try(e.owner, breaker.ReadTimeout, func(ctx context.Context) error { return e.memory.Remember(ctx, e.bill) }); err != nil && !errors.Is(err, breaker.ErrOpen) {
			w.failed(err)
		}
		return
	}
	key := accountKey{e.owner, e.Conversation}
	waiting, ok := sums[key]
	if !ok && len(sums) >= maxEntries {
		w.dropped.Add(1)
		return
	}
	if ok {
		e.Account, e.tries = waiting.Add(e.Account), waiting.tries
	}
	sums[key] = e
}

// write writes all accounts of an owner at once, and returns those that the store has
// not taken.
func (w *accountWriter) write(sums map[accountKey]entry) (left map[accountKey]entry) {
	if n := w.dropped.Swap(0); n > 0 {
		w.failed(fmt.Errorf("the figures of %d requests were dropped: the store is too slow", n))
	}
	of := map[string][]entry{}
	for _, e := range sums {
		of[e.owner] = append(of[e.owner], e)
	}
	left = map[accountKey]entry{}
	for owner, list := range of {
		for batch := range slices.Chunk(list, maxBatch) {
			err := w.addTo(batch[0].books, batch)
			if errors.Is(err, plimsoll.ErrInvalid) { // one row must not cost the others their figures
				batch, err = w.addEach(batch)
			}
			if err == nil {
				continue
			}
			tried := 0
			if !errors.Is(err, breaker.ErrOpen) {
				tried = 1
				w.failed(err)
			}
			for _, e := range batch {
				if e.tries += tried; e.tries < maxTries {
					left[accountKey{owner, e.Conversation}] = e
				}
			}
		}
	}
	return left
}

// addEach writes accounts one by one, and returns those that the store has not taken. It
// drops what the store refuses as data: that would be refused again.
func (w *accountWriter) addEach(batch []entry) (left []entry, err error) {
	for i := range batch {
		switch e := w.addTo(batch[i].books, batch[i:i+1]); {
		case errors.Is(e, plimsoll.ErrInvalid):
			w.failed(e)
		case e != nil:
			left, err = append(left, batch[i]), e
		}
	}
	return left, err
}

// addTo hands figures to an owner's books.
func (w *accountWriter) addTo(b books, batch []entry) error {
	all := make([]account.Account, len(batch))
	for i, e := range batch {
		all[i] = e.Account
	}
	return w.try(batch[0].owner, breaker.WriteTimeout, func(ctx context.Context) error { return b.AddAccount(ctx, all...) })
}

// try writes to the store. A panic there does not end the process.
func (w *accountWriter) try(owner string, timeout time.Duration, write func(context.Context) error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = panicError(r)
		}
	}()
	return w.breaker.Do(context.Background(), owner, timeout, write)
}
