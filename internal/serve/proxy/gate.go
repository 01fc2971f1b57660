package proxy

import (
	"context"
	"sync"
	"time"
)

const (
	// perByte is what a byte of a body costs while it is worked on: the body, its
	// index, and what is sent instead.
	perByte = 3
	// smallBody is a body that does not wait behind large ones.
	smallBody = 256 << 10
	// maxWaiting is how many requests may wait for memory.
	maxWaiting = 2048
)

// gate hands out memory for bodies. An eighth of it is kept for small ones, so that
// they get through while large ones wait.
type gate struct {
	mu sync.Mutex
	// budget is for everything, most for what is large.
	budget, most int64
	// used is handed out in all, large the part of it that large bodies have.
	used, large int64
	// waiting are those that did not fit, in the order in which they came.
	waiting [2][]*waiter // small, large
}

// waiter is closed when its claim is granted.
type waiter struct {
	weight int64
	ready  chan struct{}
}

func newGate(budget int64) *gate {
	return &gate{budget: budget, most: budget - budget/8}
}

// claim is memory that was handed out. It belongs to one request, whose goroutines may
// all use it.
type claim struct {
	gate  *gate
	held  int64
	large bool
	done  bool
}

// weigh returns what a body of so many bytes claims, and whether that is large. What
// is larger than everything there is gets everything.
func (g *gate) weigh(size int64) (weight int64, large bool) {
	return min(size*perByte, g.most), size >= smallBody
}

// enter claims memory for a body. It waits until there is some, the time is over or the
// context ends; then it returns nil.
func (g *gate) enter(ctx context.Context, size int64, patience time.Duration) *claim {
	weight, large := g.weigh(size)
	c := &claim{gate: g, held: weight, large: large}
	lane := 0
	if large {
		lane = 1
	}
	g.mu.Lock()
	if len(g.waiting[lane]) == 0 && g.fits(weight, large) {
		g.take(weight, large)
		g.mu.Unlock()
		return c
	}
	if len(g.waiting[0])+len(g.waiting[1]) >= maxWaiting {
		g.mu.Unlock()
		return nil
	}
	w := &waiter{weight: weight, ready: make(chan struct{})}
	g.waiting[lane] = append(g.waiting[lane], w)
	g.mu.Unlock()

	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case <-w.ready:
		return c
	case <-timer.C:
	case <-ctx.Done():
	}
	if g.leave(w, lane) {
		return nil
	}
	return c // it was granted just now
}

// leave takes a waiter out of the queue, unless its claim was granted.
func (g *gate) leave(w *waiter, lane int) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	for i, other := range g.waiting[lane] {
		if other == w {
			g.waiting[lane] = append(g.waiting[lane][:i], g.waiting[lane][i+1:]...)
			g.wake()
			return true
		}
	}
	return false
}

// fits reports whether a claim can be granted. One that is alone always can.
func (g *gate) fits(weight int64, large bool) bool {
	if large && g.large > 0 && g.large+weight > g.most {
		return false
	}
	return g.used == 0 || g.used+weight <= g.budget
}

func (g *gate) take(weight int64, large bool) {
	g.used += weight
	if large {
		g.large += weight
	}
}

// wake grants what fits now, small ones first.
func (g *gate) wake() {
	for lane, large := range []bool{false, true} {
		for len(g.waiting[lane]) > 0 && g.fits(g.waiting[lane][0].weight, large) {
			w := g.waiting[lane][0]
			g.waiting[lane] = g.waiting[lane][1:]
			g.take(w.weight, large)
			close(w.ready)
		}
	}
}

// grow makes the claim that of a larger body, if there is memory. It does not wait:
// bodies that wait for one another, each half read, would never end.
func (c *claim) grow(size int64) bool {
	g := c.gate
	g.mu.Lock()
	defer g.mu.Unlock()
	weight, large := g.weigh(size)
	if weight <= c.held || c.done {
		return !c.done
	}
	c.drop()
	granted := g.fits(weight, large)
	if granted {
		c.held, c.large = weight, large
	}
	g.take(c.held, c.large)
	return granted
}

// shrink keeps only a part of the claim: what a body of so many bytes takes that is held
// and not worked on.
func (c *claim) shrink(size int64) {
	g := c.gate
	g.mu.Lock()
	defer g.mu.Unlock()
	if size >= c.held {
		return
	}
	c.drop()
	c.held = size
	g.take(c.held, c.large)
	g.wake()
}

// release gives everything back, for good. It may be called again.
func (c *claim) release() {
	c.shrink(0)
	c.gate.mu.Lock()
	defer c.gate.mu.Unlock()
	c.done = true
}

func (c *claim) drop() {
	c.gate.used -= c.held
	if c.large {
		c.gate.large -= c.held
	}
}
