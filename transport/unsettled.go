package transport

import (
	"context"
	"sync"
	"time"
)

// unsettled counts, by conversation, the answers that a client has to its end, while
// what they were billed and what is remembered of them is not yet written down. So
// nobody waits for that at the end of an answer, and yet the next request of the
// conversation is decided with all that was learned from the last.
type unsettled struct {
	mu   sync.Mutex
	open map[string]*settling
}

type settling struct {
	left int
	over chan struct{}
}

// settlingWait is how long a request waits: a store that has to be asked can be slow.
const settlingWait = 100 * time.Millisecond

// begin counts one more, until end is called.
func (u *unsettled) begin(conversation string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	s := u.open[conversation]
	if s == nil {
		if u.open == nil {
			u.open = map[string]*settling{}
		}
		s = &settling{over: make(chan struct{})}
		u.open[conversation] = s
	}
	s.left++
}

func (u *unsettled) end(conversation string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	s := u.open[conversation]
	if s.left--; s.left == 0 {
		delete(u.open, conversation)
		close(s.over)
	}
}

// wait waits until all of a conversation is settled, but not for long.
func (u *unsettled) wait(ctx context.Context, conversation string) {
	u.mu.Lock()
	s := u.open[conversation]
	u.mu.Unlock()
	if s == nil {
		return
	}
	timer := time.NewTimer(settlingWait)
	defer timer.Stop()
	select {
	case <-s.over:
	case <-timer.C:
	case <-ctx.Done():
	}
}
