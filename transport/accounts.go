package transport

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/plimsoll/plimsoll"
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

type entry struct {
	plimsoll.Account
	books plimsoll.Bookkeeper
}

const (
	// accountDelay is how much later accounts are written.
	accountDelay = 2 * time.Second
	// maxAccounts is how many conversations may wait for that.
	maxAccounts = 4096
)

// add takes figures. They are written to the books of their owner.
func (a *accounts) add(owner string, books plimsoll.Bookkeeper, is plimsoll.Account) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.written == nil {
		a.written = sync.NewCond(&a.mu)
	}
	for len(a.sums) >= maxAccounts && a.writing {
		a.written.Wait()
	}
	a.put(accountKey{owner, is.Conversation}, entry{is, books})
	if a.timer == nil && !a.writing && !a.closed {
		a.timer = time.AfterFunc(accountDelay, a.write)
	}
}

func (a *accounts) put(key accountKey, is entry) {
	if a.sums == nil {
		a.sums = map[accountKey]entry{}
	}
	if sum, ok := a.sums[key]; ok {
		is.Account = sum.Add(is.Account)
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

// store writes accounts and returns those that a store which rests has not taken.
func (a *accounts) store(sums map[accountKey]entry) map[accountKey]entry {
	left := map[accountKey]entry{}
	for key, sum := range sums {
		err := sum.books.AddAccount(context.Background(), sum.Account)
		switch {
		case errors.Is(err, errResting):
			left[key] = sum
		case err != nil:
			a.failed(err)
		}
	}
	return left
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
}
