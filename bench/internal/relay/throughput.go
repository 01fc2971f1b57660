package relay

import (
	"errors"
	"runtime"
	"sync"
	"time"
)

// throughput sends histories as fast as they are answered, with two clients for each
// core, to each target in turn. Each client has a conversation of its own, which
// grows, and begins again when it has grown by 32 rounds.
func (r *run) throughput() error {
	if err := r.mode(""); err != nil {
		return err
	}
	const rounds = 32
	clients, span := 2*runtime.NumCPU(), 2*time.Second
	measured, failed := make([]Throughput, len(r.targets)), make([]bool, len(r.targets))
	for range r.times(7) {
		series := make([]*conversation, clients)
		for i := range series {
			series[i] = r.maker.history(300<<10, rounds)
		}
		for i, t := range r.targets {
			m := &measured[i]
			m.Target, m.Clients = t.Name, clients
			if failed[i] {
				continue
			}
			if err := m.round(t, series, span); err != nil {
				r.fail(t, "throughput", err)
				failed[i] = true
			}
		}
	}
	for i, m := range measured {
		if !failed[i] {
			r.Throughput = append(r.Throughput, m)
		}
	}
	return nil
}

// round keeps one target busy for a while.
func (m *Throughput) round(t *target, series []*conversation, span time.Duration) error {
	if err := together(series, func(c *conversation) error { _, err := t.ask(c, 0); return err }); err != nil {
		return err
	}
	quiet()
	var mu sync.Mutex
	var done int
	before, began := t.cpu(), time.Now()
	err := together(series, func(c *conversation) error {
		n := 0
		for ; time.Since(began) < span; n++ {
			if _, err := t.ask(c, n%len(c.ends)); err != nil {
				return err
			}
		}
		mu.Lock()
		defer mu.Unlock()
		done += n
		return nil
	})
	if err != nil {
		return err
	}
	m.Rates = append(m.Rates, float64(done)/time.Since(began).Seconds())
	m.CPU = append(m.CPU, (t.cpu()-before)/time.Duration(max(done, 1)))
	return nil
}

// together does something for each conversation at the same time.
func together(series []*conversation, do func(*conversation) error) error {
	errs := make([]error, len(series))
	var wg sync.WaitGroup
	for i, c := range series {
		wg.Go(func() { errs[i] = do(c) })
	}
	wg.Wait()
	return errors.Join(errs...)
}
