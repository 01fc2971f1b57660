package relay

import (
	"context"
	"errors"
	"io"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Requests and aborts of the whole, which come in steps. Steps before them do not
// count: they make what is made once and fill what is remembered of conversations, which
// is the weight of 65,536 messages and much else that is bounded by less.
const (
	leakRequests = 100_000
	leakAborts   = 10_000
	leakSteps    = 10
	leakBefore   = 12
)

// leak sends many small requests and breaks off many streams, and looks at what is left
// when nothing is under way.
func (r *run) leak() error {
	i := slices.IndexFunc(r.Peers, func(p Peer) bool { return p.Name == Us })
	if i < 0 || r.Peers[i].Missing != "" {
		return errors.New("plimsoll is not there")
	}
	if err := r.startModel(); err != nil {
		return err
	}
	defer func() { r.model.stop() }()
	s, err := start(r.Peers[i].Command, r.model.base, r.options.Scratch)
	if err != nil {
		return err
	}
	defer s.stop()
	t := &target{Peer: r.Peers[i], client: newClient(s.base), server: s}
	r.Leak = &Leak{Requests: r.times(leakRequests), Aborts: r.times(leakAborts)}
	for range leakBefore - 1 {
		if err := r.leakStep(t); err != nil {
			return err
		}
	}
	for step := range leakSteps + 1 {
		if err := r.leakStep(t); err != nil {
			return err
		}
		p, err := r.rest(t)
		if err != nil {
			return err
		}
		p.Requests, p.Aborts = step*r.Leak.Requests/leakSteps, step*r.Leak.Aborts/leakSteps
		r.log("leaks, step %d of %d: %d goroutines, heap %.1f MB", step, leakSteps, p.Goroutines, p.Heap/1e6)
		r.Leak.Points = append(r.Leak.Points, p)
	}
	return nil
}

// leakStep sends a step's requests and aborts.
func (r *run) leakStep(t *target) error {
	if err := r.mode(""); err != nil {
		return err
	}
	if err := r.many(r.Leak.Requests/leakSteps, false, func(c *conversation) error { _, err := t.ask(c, 0); return err }); err != nil {
		return err
	}
	if err := r.mode("events=1000&gap=1ms"); err != nil {
		return err
	}
	return r.many(r.Leak.Aborts/leakSteps, true, t.abort)
}

// many does something for so many small conversations, as many at a time as there are
// clients.
func (r *run) many(n int, streamed bool, do func(*conversation) error) error {
	var mu sync.Mutex // makers are not safe for concurrent use
	var left atomic.Int64
	left.Store(int64(n))
	return together(make([]*conversation, 4*runtime.NumCPU()), func(*conversation) error {
		for left.Add(-1) >= 0 {
			mu.Lock()
			c := r.maker.short(1<<10, streamed)
			mu.Unlock()
			if err := do(c); err != nil {
				return err
			}
		}
		return nil
	})
}

// abort breaks a stream off after its first bytes.
func (t *target) abort(c *conversation) error {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	resp, err := t.send(ctx, c, 0)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	_, err = io.ReadFull(resp.Body, make([]byte, 256))
	return err
}

// rest waits until nothing is under way any more: until the goroutines have not become
// fewer for a while, and the process does nothing but answer us. No connection is kept
// open for later.
func (r *run) rest(t *target) (LeakPoint, error) {
	const (
		pause  = 500 * time.Millisecond
		calm   = 3 * time.Second
		asking = pause / 10 // more than a question for metrics costs
	)
	t.close()
	if err := r.mode("rest=1"); err != nil {
		return LeakPoint{}, err
	}
	fewest, since := 1<<30, time.Now()
	for end := since.Add(2 * time.Minute); time.Since(since) < calm && time.Now().Before(end); {
		before := t.cpu()
		time.Sleep(pause)
		now, err := t.server.gauges()
		if err != nil {
			return LeakPoint{}, err
		}
		if n := int(now["go_goroutines"]); n < fewest || t.cpu()-before > asking {
			fewest, since = min(n, fewest), time.Now()
		}
	}
	now, err := t.server.settled(time.Minute)
	return LeakPoint{Goroutines: fewest, Heap: now[heapInUse], Resident: Resident(t.server.pid())}, err
}
