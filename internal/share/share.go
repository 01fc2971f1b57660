// Package share has a piece of work done by all processors while somebody waits for it.
package share

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// most is how many goroutines work at one piece: each needs scratch memory for itself,
// and not much of that is kept.
const most = 4

// Do calls do for all numbers below n, from several goroutines if there is enough to do
// for two: each takes so many at a time as batch says. A panic of one becomes the
// caller's.
func Do(n, batch int, do func(i int)) {
	sharers := min(runtime.GOMAXPROCS(0), most, n/(2*batch))
	if sharers < 2 {
		for i := range n {
			do(i)
		}
		return
	}
	var next atomic.Int64
	var failed atomic.Value
	work := func() {
		defer func() {
			if r := recover(); r != nil {
				failed.CompareAndSwap(nil, &r)
			}
		}()
		for failed.Load() == nil {
			end := int(next.Add(int64(batch)))
			if end-batch >= n {
				return
			}
			for i := end - batch; i < min(end, n); i++ {
				do(i)
			}
		}
	}
	all := helpers{gone: make(chan struct{})}
	for range sharers - 1 {
		go all.help(work)
	}
	work()
	all.wait()
	if r, ok := failed.Load().(*any); ok {
		panic(*r)
	}
}

// helpers are the goroutines that work beside the caller. A processor that sleeps takes a
// while to come, and short work is done by then: who comes too late is not waited for.
type helpers struct {
	mu      sync.Mutex
	closed  bool
	working int
	gone    chan struct{}
}

// help works, unless it is too late.
func (h *helpers) help(work func()) {
	h.mu.Lock()
	late := h.closed
	if !late {
		h.working++
	}
	h.mu.Unlock()
	if late {
		return
	}
	work()
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.working--; h.closed && h.working == 0 {
		close(h.gone)
	}
}

// wait sends those away who come from now on, and waits for those who are at work.
func (h *helpers) wait() {
	h.mu.Lock()
	h.closed = true
	working := h.working
	h.mu.Unlock()
	if working > 0 {
		<-h.gone
	}
}
