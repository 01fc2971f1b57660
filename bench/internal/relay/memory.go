package relay

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Bodies that are under way at the same time.
const (
	heldCount = 8
	heldSize  = 8 << 20
)

// heapInUse is what the heap has taken and not given back or freed.
const heapInUse = "go_memstats_heap_alloc_bytes"

// bodies holds large bodies in each proxy: the model has read them and does not answer
// yet. Each is a fresh process, so that nothing is counted that was there before.
func (r *run) bodies() error {
	series := make([]*conversation, heldCount)
	for i := range series {
		series[i] = r.maker.history(heldSize, 0)
	}
	for _, running := range r.targets {
		if running.server == nil {
			continue
		}
		m, err := r.holdFresh(running.Peer, series)
		if err != nil {
			r.fail(running, "large bodies", err)
			continue
		}
		r.Bodies = append(r.Bodies, m)
	}
	return nil
}

func (r *run) holdFresh(p Peer, series []*conversation) (Bodies, error) {
	s, err := start(p.Command, r.model.base, r.options.Scratch)
	if err != nil {
		return Bodies{}, err
	}
	defer s.stop()
	t := &target{Peer: p, client: newClient(s.base), server: s}
	defer t.close()
	if _, err := t.ask(r.maker.short(512, false), 0); err != nil {
		return Bodies{}, err
	}
	return r.hold(t, series)
}

func (r *run) hold(t *target, series []*conversation) (Bodies, error) {
	m := Bodies{Target: t.Name, Count: len(series)}
	for _, c := range series {
		m.Bytes += int64(c.size())
	}
	var before gauges
	if t.Own {
		var err error
		if before, err = t.server.settled(20 * time.Second); err != nil {
			return m, err
		}
	}
	if err := r.mode("hold=1"); err != nil {
		return m, err
	}
	forgetPeak(t.server.pid())
	resident := Resident(t.server.pid())
	watch := t.watch()
	answered := make(chan error, 1)
	go func() {
		answered <- together(series, func(c *conversation) error { _, err := t.ask(c, 0); return err })
	}()
	err := r.arrive(len(series), answered)
	if err == nil && t.Own {
		var held gauges
		held, err = t.server.gauges()
		m.Held = int64(held[heapInUse] - before[heapInUse])
	}
	most, failed := watch()
	m.Heap = max(0, most-int64(before[heapInUse]))
	m.Resident = max(0, peak(t.server.pid())-resident)
	return m, errors.Join(err, failed, r.mode(""), <-answered)
}

// arrive waits until the model has read so many requests.
func (r *run) arrive(n int, answered chan error) error {
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		resp, err := http.Get(r.model.base + "/arrived")
		if err != nil {
			return err
		}
		text, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil {
			return err
		}
		if got, err := strconv.Atoi(strings.TrimSpace(string(text))); err != nil || got >= n {
			return err
		}
		select {
		case err := <-answered:
			answered <- err
			return fmt.Errorf("answered before all had arrived: %w", err)
		default:
		}
	}
	return errors.New("not all requests arrive")
}

// watch looks at the heap of ours every 20 ms until the returned function is called,
// which returns the most that was seen.
func (t *target) watch() func() (int64, error) {
	if !t.Own {
		return func() (int64, error) { return 0, nil }
	}
	var most float64
	var failed error
	stop := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			now, err := t.server.gauges()
			if err != nil {
				failed = err
				return
			}
			most = max(most, now[heapInUse])
			select {
			case <-stop:
				return
			case <-time.After(20 * time.Millisecond):
			}
		}
	})
	return func() (int64, error) {
		close(stop)
		wg.Wait()
		return int64(most), failed
	}
}
