package proxy

import (
	"context"
	"slices"
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
	// budget is for everything, most for large bodies.
	budget, most int64
	// used is handed out in all, large the part of it that large bodies have.
	used, large int64
	// waiting are those that did not fit, in the order in which they came.
	waiting [2][]*reservation // small, large
}

// reservation is memory for the body of one request. All goroutines of the request may
// use it.
type reservation struct {
	gate  *gate
	large bool
	// wanted is what the request waits for. Granted is closed when it is there.
	wanted  int64
	granted chan struct{}
	held    int64
	ended   bool
}

func newGate(budget int64) *gate {
	return &gate{budget: budget, most: budget - budget/8}
}

// weight is what a body costs while it is worked on. A body that is larger than the
// budget gets all of it.
func (g *gate) weight(size int64) int64 { return min(size*perByte, g.most) }

// enter reserves memory for a body. It waits until there is some, the time is over or
// the context ends; then it returns nil.
func (g *gate) enter(ctx context.Context, size int64, patience time.Duration) *reservation {
	r := &reservation{gate: g, wanted: g.weight(size), large: size >= smallBody, granted: make(chan struct{})}
	g.mu.Lock()
	lane := &g.waiting[0]
	if r.large {
		lane = &g.waiting[1]
	}
	*lane = append(*lane, r)
	g.wake()
	full := len(g.waiting[0])+len(g.waiting[1]) > maxWaiting
	g.mu.Unlock()
	select {
	case <-r.granted:
		return r
	default:
	}
	if !full {
		timer := time.NewTimer(patience)
		defer timer.Stop()
		select {
		case <-r.granted:
		case <-timer.C:
		case <-ctx.Done():
		}
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	at := slices.Index(*lane, r)
	if at < 0 {
		return r // it was granted
	}
	*lane = slices.Delete(*lane, at, at+1)
	g.wake()
	return nil
}

// wake grants what fits now, small bodies first.
func (g *gate) wake() {
	for lane := range g.waiting {
		for len(g.waiting[lane]) > 0 {
			r := g.waiting[lane][0]
			if !g.fits(r.wanted, r.large) {
				break
			}
			g.waiting[lane] = g.waiting[lane][1:]
			r.hold(r.wanted)
			close(r.granted)
		}
	}
}

// fits reports whether memory can be granted. To a request that is alone it always can.
func (g *gate) fits(weight int64, large bool) bool {
	if large && g.large > 0 && g.large+weight > g.most {
		return false
	}
	return g.used == 0 || g.used+weight <= g.budget
}

// load returns how many requests wait, and how many bytes are handed out.
func (g *gate) load() (waiting int, used int64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return len(g.waiting[0]) + len(g.waiting[1]), g.used
}

// hold changes what the reservation holds. Its caller has locked the gate.
func (r *reservation) hold(weight int64) {
	r.gate.used += weight - r.held
	if r.large {
		r.gate.large += weight - r.held
	}
	r.held = weight
}

// grow makes the reservation that of a larger body, if there is memory. It does not wait:
// bodies that wait for one another, each half read, would never end.
func (r *reservation) grow(size int64) bool {
	g := r.gate
	g.mu.Lock()
	defer g.mu.Unlock()
	before, weight := r.held, g.weight(size)
	if r.ended || weight <= before {
		return !r.ended
	}
	r.hold(0)
	if !g.fits(weight, size >= smallBody) {
		r.hold(before)
		return false
	}
	r.large = size >= smallBody
	r.hold(weight)
	return true
}

// shrink keeps only so many bytes.
func (r *reservation) shrink(bytes int64) {
	r.gate.mu.Lock()
	defer r.gate.mu.Unlock()
	if bytes < r.held {
		r.hold(bytes)
		r.gate.wake()
	}
}

// release gives everything back, for good. It may be called again.
func (r *reservation) release() {
	r.gate.mu.Lock()
	defer r.gate.mu.Unlock()
	r.ended = true
	r.hold(0)
	r.gate.wake()
}
