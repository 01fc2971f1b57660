package relay

import "time"

// load is a series of requests that is sent to each target in turn.
type load struct {
	kind Case
	size int
	// rounds of so many requests each.
	rounds, requests int
	// fresh requests are conversations of their own; others are one conversation that
	// grows, after a first request that is not among them.
	fresh bool
}

func (r *run) loads() []load {
	return []load{
		{Small, 4 << 10, r.times(15), 200, true},
		{History, 300 << 10, r.times(15), 20, false},
		{Large, 4 << 20, r.times(9), 6, false},
	}
}

// latencies sends all loads.
func (r *run) latencies() error {
	if err := r.mode(""); err != nil {
		return err
	}
	for _, l := range r.loads() {
		r.log("%s", l.kind)
		r.latency(l)
	}
	return nil
}

// latency sends a load to every target, round by round. A target that fails once is
// left out from then on.
func (r *run) latency(l load) {
	targets := r.comparable(!l.fresh)
	measured := make([]Latency, len(targets))
	failed := make([]bool, len(targets))
	for i, t := range targets {
		measured[i] = Latency{Case: l.kind, Target: t.Name, Decisions: map[string]int{}}
		if _, err := t.ask(r.maker.short(1<<10, false), 0); err != nil { // opens the connection
			r.fail(t, string(l.kind), err)
			failed[i] = true
		}
	}
	for range l.rounds {
		series := r.series(l)
		for i, t := range targets {
			if failed[i] {
				continue
			}
			if err := measured[i].round(t, l, series); err != nil {
				r.fail(t, string(l.kind), err)
				failed[i] = true
			}
		}
	}
	for i, m := range measured {
		if !failed[i] {
			r.Latency = append(r.Latency, m)
		}
	}
}

// series makes the conversations of a round.
func (r *run) series(l load) []*conversation {
	if !l.fresh {
		return []*conversation{r.maker.history(l.size, l.requests)}
	}
	all := make([]*conversation, l.requests)
	for i := range all {
		all[i] = r.maker.short(l.size, false)
	}
	return all
}

// round sends one round to one target.
func (m *Latency) round(t *target, l load, series []*conversation) error {
	quiet()
	m.Bytes = series[0].size()
	var round Round
	ask := func(c *conversation, n int) (time.Duration, error) {
		a, err := t.ask(c, n)
		if a.decision != "" {
			m.Decisions[a.decision]++
		}
		return a.took, err
	}
	if !l.fresh {
		var err error
		if round.First, err = ask(series[0], 0); err != nil {
			return err
		}
	}
	before, times := t.cpu(), make([]time.Duration, l.requests)
	for i := range times {
		c, n := series[0], i+1
		if l.fresh {
			c, n = series[i], 0
		}
		var err error
		if times[i], err = ask(c, n); err != nil {
			return err
		}
	}
	round.CPU = (t.cpu() - before) / time.Duration(l.requests)
	round.P50, round.P99 = quantile(times, 0.5), quantile(times, 0.99)
	m.Rounds = append(m.Rounds, round)
	return nil
}
