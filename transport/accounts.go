package transport

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/plimsoll/plimsoll/account"
)

// accounts gathers what requests add to the accounts, and writes it a little later:
// one write for many requests of a conversation. There is one writer at a time, and
// whoever brings more than it can write waits for it.
type accounts struct {
	mu   sync.Mutex
	sums map[accountKey]entry
	// written is told when there is room again; made with the first figures.
	written *sync.Cond
	timer   *time.Timer
	writing bool
	closed  bool
	// failed is told of writes that fail.
	failed func(error)
}

type accountKey struct{ owner, conversation string }

// books are an owner's accounts in the store.
type books interface {
	AddAccount(ctx context.Context, accounts ...account.Account) error
}

type entry struct {
	account.Account
	books books
	// tries is how often it could not be written.
	tries int
}

const (
	// accountDelay is how much later accounts are written.
	accountDelay = 2 * time.Second
	// maxAccounts is how many conversations may wait for that, and maxBatch how many are
	// written at once.
	maxAccounts = 4096
	maxBatch    = 256
	// maxTries is how often figures are written again that a store has not taken. It
	// rests after each failure, so that this lasts for minutes.
	maxTries = 60
)

// add takes figures. They are written to the books of their owner.
func (a *accounts) add(owner string, books books, is account.Account) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.written == nil {
		a.written = sync.NewCond(&a.mu)
	}
	for len(a.sums) >= maxAccounts && a.writing {
		a.written.Wait()
	}
	a.put(accountKey{owner, is.Conversation}, entry{Account: is, books: books})
	if a.timer == nil && !a.writing && !a.closed {
		a.timer = time.AfterFunc(accountDelay, a.write)
	}
}

func (a *accounts) put(key accountKey, is entry) {
	if a.sums == nil {
		a.sums = map[accountKey]entry{}
	}
	if sum, ok := a.sums[key]; ok {
		is.Account, is.tries = sum.Add(is.Account), max(sum.tries, is.tries)
	}
	a.sums[key] = is
}

// write writes everything that is there, and what comes meanwhile after a pause.
func (a *accounts) write() {
	a.mu.Lock()
	if a.writing {
		a.mu.Unlock()
		return
	}
	sums := a.sums
	a.sums, a.timer, a.writing = nil, nil, true
	a.mu.Unlock()
	left := a.store(sums)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.writing = false
	for key, sum := range left {
		a.put(key, sum)
	}
	if a.written != nil {
		a.written.Broadcast()
	}
	if len(a.sums) > 0 && !a.closed {
		a.timer = time.AfterFunc(accountDelay, a.write)
	}
}

// store writes accounts, all of an owner's at once, and returns those that the store has
// not taken.
func (a *accounts) store(sums map[accountKey]entry) map[accountKey]entry {
	of := map[string][]entry{}
	for key, sum := range sums {
		of[key.owner] = append(of[key.owner], sum)
	}
	left := map[accountKey]entry{}
	for owner, list := range of {
		for batch := range slices.Chunk(list, maxBatch) {
			err := addTo(batch[0].books, batch)
			if err == nil {
				continue
			}
			rests := errors.Is(err, errResting)
			if !rests {
				a.failed(err)
			}
			for _, is := range batch {
				if is.tries += count(!rests); is.tries < maxTries {
					left[accountKey{owner, is.Conversation}] = is
				}
			}
		}
	}
	return left
}

// addTo hands figures to an owner's books. No mistake in those ends the process.
func addTo(b books, batch []entry) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = mistake(r)
		}
	}()
	all := make([]account.Account, len(batch))
	for i, is := range batch {
		all[i] = is.Account
	}
	return b.AddAccount(context.Background(), all...)
}

// close writes what is left.
func (a *accounts) close() {
	a.mu.Lock()
	a.closed = true
	if a.timer != nil {
		a.timer.Stop()
	}
	for a.writing {
		a.written.Wait()
	}
	a.mu.Unlock()
	a.write()
	a.mu.Lock()
	defer a.mu.Unlock()
	if n := len(a.sums); n > 0 {
		a.failed(fmt.Errorf("the accounts of %d conversations are lost: %w", n, errResting))
	}
}
