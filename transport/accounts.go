package transport

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/plimsoll/plimsoll"
)

// accounts gathers what requests add to the accounts, and writes it a little later:
// one write for many requests of a conversation.
type accounts struct {
	mu    sync.Mutex
	sums  map[accountKey]entry
	timer *time.Timer
	// failed is told of writes that fail.
	failed func(error)
	idle   sync.WaitGroup
	closed bool
}

type accountKey struct{ owner, conversation string }

type entry struct {
	plimsoll.Account
	books plimsoll.Bookkeeper
}

const (
	// accountDelay is how much later accounts are written.
	accountDelay = time.Second
	// maxAccounts is how many conversations may wait for that.
	maxAccounts = 1024
)

// add takes figures. They are written to the books of their owner.
func (a *accounts) add(owner string, books plimsoll.Bookkeeper, is plimsoll.Account) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.sums == nil {
		a.sums = map[accountKey]entry{}
	}
	key := accountKey{owner, is.Conversation}
	sum, ok := a.sums[key]
	if ok {
		is = sum.Add(is)
	}
	a.sums[key] = entry{is, books}
	switch {
	case len(a.sums) >= maxAccounts:
		a.start(0)
	case a.timer == nil:
		a.start(accountDelay)
	}
}

func (a *accounts) start(delay time.Duration) {
	if a.timer != nil && !a.timer.Stop() {
		return // it is being written already
	}
	if a.timer == nil {
		a.idle.Add(1)
	}
	a.timer = time.AfterFunc(delay, func() {
		defer a.idle.Done()
		a.write()
	})
}

// write writes everything that is there.
func (a *accounts) write() {
	a.mu.Lock()
	sums := a.sums
	a.sums, a.timer = nil, nil
	a.mu.Unlock()
	for key, sum := range sums {
		err := sum.books.AddAccount(context.Background(), sum.Account)
		switch {
		case errors.Is(err, errResting) && !a.closed:
			a.add(key.owner, sum.books, sum.Account)
		case err != nil:
			a.failed(err)
		}
	}
}

// close writes what is left.
func (a *accounts) close() {
	a.mu.Lock()
	a.closed = true
	if a.timer != nil && a.timer.Stop() {
		a.idle.Done()
	}
	a.mu.Unlock()
	a.idle.Wait()
	a.write()
}
