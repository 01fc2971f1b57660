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
func Do(n, batch int, do func(i int)) { Call(n, batch).Do(do) }

// Crew is the caller and goroutines that help it. A processor that sleeps takes a while to
// come: who calls it before the work is quite ready waits less.
type Crew struct {
	n, batch, helpers int

	mu sync.Mutex
	// ready is closed when it is known what is to be done, which is nil if that is nothing.
	// Who joins when it is too late must do nothing.
	ready chan struct{}
	work  func(join func() bool)
	// closed says that who comes now comes too late, working how many are at work, and gone
	// is closed when those are through.
	closed  bool
	working int
	gone    chan struct{}
	set     atomic.Bool
}

// Call calls those who help with work for all numbers below n, so many at a time as batch
// says. Do or Dismiss must follow.
func Call(n, batch int) *Crew {
	c := &Crew{n: n, batch: batch, helpers: max(0, min(runtime.GOMAXPROCS(0), most, n/(2*batch))-1)}
	if c.helpers == 0 {
		return c
	}
	c.ready, c.gone = make(chan struct{}), make(chan struct{})
	for range c.helpers {
		go c.help()
	}
	return c
}

// Do is the function Do, with those who were called.
func (c *Crew) Do(do func(i int)) { c.DoPrepared(func() {}, do) }

// DoPrepared is Do for work that takes preparations, which each goroutine makes before its
// first number. Nobody waits for a helper that is still at its own: it may come to an end
// with them when all is done.
func (c *Crew) DoPrepared(prepare func(), do func(i int)) {
	if c.helpers == 0 {
		prepare()
		for i := range c.n {
			do(i)
		}
		return
	}
	var next atomic.Int64
	var failed atomic.Value
	c.begin(func(join func() bool) {
		defer func() {
			if r := recover(); r != nil {
				failed.CompareAndSwap(nil, &r)
			}
		}()
		prepare()
		if !join() {
			return
		}
		for failed.Load() == nil {
			end := int(next.Add(int64(c.batch)))
			if end-c.batch >= c.n {
				return
			}
			for i := end - c.batch; i < min(end, c.n); i++ {
				do(i)
			}
		}
	})
	c.work(func() bool { return true })
	c.wait()
	if r, ok := failed.Load().(*any); ok {
		panic(*r)
	}
}

// Dismiss sends those away who were called, unless the work has been done.
func (c *Crew) Dismiss() {
	if c.helpers > 0 && !c.set.Load() {
		c.begin(nil)
	}
}

func (c *Crew) begin(work func(join func() bool)) {
	c.work = work
	c.set.Store(true)
	close(c.ready)
}

// patience is how often a helper asks what is to be done before it sleeps again.
const patience = 200

func (c *Crew) help() {
	for i := 0; i < patience && !c.set.Load(); i++ {
		runtime.Gosched()
	}
	<-c.ready
	if c.work == nil {
		return
	}
	joined := false
	c.work(func() bool {
		joined = c.join()
		return joined
	})
	if joined {
		c.leave()
	}
}

func (c *Crew) leave() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.working--; c.closed && c.working == 0 {
		close(c.gone)
	}
}

// join reports whether a helper does not come too late. Short work is done by then, and
// nobody waits for those who do.
func (c *Crew) join() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.closed {
		c.working++
	}
	return !c.closed
}

// wait sends those away who come from now on, and waits for those who are at work.
func (c *Crew) wait() {
	c.mu.Lock()
	c.closed = true
	working := c.working
	c.mu.Unlock()
	if working > 0 {
		<-c.gone
	}
}
