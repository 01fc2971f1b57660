package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/bench/internal/measure"
	"github.com/plimsoll/plimsoll/bench/internal/relay"
)

// The parts of the page about proxies have markers of their own, because they can be
// measured alone.
const (
	proxyBegin = "<!-- written by bench/run --only proxy: begin -->\n"
	proxyEnd   = "<!-- written by bench/run --only proxy: end -->\n"
	leakBegin  = "<!-- written by bench/run --only proxy-leak: begin -->\n"
	leakEnd    = "<!-- written by bench/run --only proxy-leak: end -->\n"
)

// UpdateProxy replaces the tables of a page that Proxy makes.
func UpdateProxy(file, markdown string) error { return update(file, proxyBegin, proxyEnd, markdown) }

// UpdateProxyLeak replaces the tables of a page that ProxyLeak makes.
func UpdateProxyLeak(file, markdown string) error { return update(file, leakBegin, leakEnd, markdown) }

// Proxy returns the report on proxies.
func Proxy(r *relay.Result, m measure.Machine) string {
	var missing []string
	for _, p := range r.Peers {
		if p.Missing != "" {
			missing = append(missing, fmt.Sprintf("**Not measured:** %s %s: %s.", p.Name, p.Version, p.Missing))
		}
	}
	for _, f := range r.Failures {
		missing = append(missing, "**Failed:** "+f+".")
	}
	parts := []string{
		where(m),
		"### Answers in one piece\n\n" + latencyTable(r).String() + "\n" + decisions(r),
		"### Streams\n\n" + streamTable(r).String(),
		"### Throughput of 300 KB\n\n" + throughputTable(r).String(),
		"### Memory\n\n" + memoryTable(r).String(),
		"### Goals of the proxy\n\n" + goals(ProxyGoals(r)).String(),
	}
	if len(missing) > 0 {
		parts = append(parts, strings.Join(missing, "\n\n")+"\n")
	}
	return strings.Join(parts, "\n")
}

func where(m measure.Machine) string {
	return fmt.Sprintf("%s, %d cores, %s, %s, %s; load average %s at the start and %s at the end.\n",
		m.When.Format("2006-01-02"), m.Cores, m.CPU, m.OS, m.Go, m.Load[0], m.Load[1])
}

func latencyTable(r *relay.Result) *table {
	t := &table{head: []string{"body, by way of", "p50", "p99", "added, p50", "added, p99", "first sight", "CPU", "of the floor's CPU"}}
	for _, l := range r.Latency {
		floor, ok := r.Find(l.Case, relay.Floor)
		now, added := l.Middle(), l.Over(floor)
		row := []string{fmt.Sprintf("%s, %s", l.Case, l.Target), duration(now.P50), duration(now.P99), "–", "–", duration(now.First), duration(now.CPU), "–"}
		if ok && l.Target != relay.Floor && l.Target != relay.Direct {
			row[3], row[4], row[7] = signed(added.P50), signed(added.P99), times(now.CPU.Seconds(), floor.Middle().CPU.Seconds())
		}
		t.add(row...)
	}
	return t
}

// signed shows a difference, which noise can make negative.
func signed(d time.Duration) string {
	if d < 0 {
		return "−" + duration(-d)
	}
	return duration(d)
}

// decisions says what Plimsoll did with the requests, so that nobody takes a request
// that went by for one that was worked on.
func decisions(r *relay.Result) string {
	var all []string
	for _, l := range r.Latency {
		var some []string
		for _, d := range slices.Sorted(maps.Keys(l.Decisions)) {
			some = append(some, fmt.Sprintf("%s %d", d, l.Decisions[d]))
		}
		if len(some) > 0 {
			all = append(all, fmt.Sprintf("%s, %s: %s", l.Case, l.Target, strings.Join(some, ", ")))
		}
	}
	if len(all) == 0 {
		return ""
	}
	return "Decisions: " + strings.Join(all, "; ") + ".\n"
}

func streamTable(r *relay.Result) *table {
	t := &table{head: []string{"by way of", "first byte", "added", "event on its way", "added", "p99", "coalesced", "streams changed", "CPU of a stream"}}
	floor := streamsOf(r, relay.Floor)
	for _, s := range r.Streams {
		now, added := s.Middle(), s.Over(floor)
		row := []string{
			s.Target, duration(now.First), "–", duration(now.Delay), "–", duration(now.DelayP99),
			fmt.Sprintf("%d of %d", s.Coalesced, s.Events), fmt.Sprintf("%d of %d", s.Changed, s.Streams), duration(now.CPU),
		}
		if len(floor.Rounds) > 0 && s.Target != relay.Floor && s.Target != relay.Direct {
			row[2], row[4] = signed(added.First), signed(added.Delay)
		}
		t.add(row...)
	}
	return t
}

func streamsOf(r *relay.Result, target string) relay.Streams {
	for _, s := range r.Streams {
		if s.Target == target {
			return s
		}
	}
	return relay.Streams{}
}

func throughputTable(r *relay.Result) *table {
	t := &table{head: []string{"by way of", "requests a second", "of the floor", "CPU"}}
	floor := throughputOf(r, relay.Floor)
	for _, one := range r.Throughput {
		t.add(one.Target, fmt.Sprintf("%.0f", one.Rate()), percent(one.Of(floor)), duration(middle(one.CPU)))
	}
	return t
}

func throughputOf(r *relay.Result, target string) relay.Throughput {
	for _, one := range r.Throughput {
		if one.Target == target {
			return one
		}
	}
	return relay.Throughput{}
}

func middle(all []time.Duration) time.Duration {
	if len(all) == 0 {
		return 0
	}
	return slices.Sorted(slices.Values(all))[len(all)/2]
}

func memoryTable(r *relay.Result) *table {
	t := &table{head: []string{"process", "resident at the start", "after a request", "8 × 8 MiB: resident, per byte", "heap at its peak", "heap while they wait"}}
	for _, idle := range r.Idle {
		row := []string{idle.Target, mebibytes(idle.Started), mebibytes(idle.Asked), "–", "–", "–"}
		if b, ok := bodiesOf(r, idle.Target); ok {
			row[3], row[4], row[5] = perByte(b, b.Resident), perByte(b, b.Heap), perByte(b, b.Held)
		}
		t.add(row...)
	}
	t.add("the vocabulary alone", "–", mebibytes(r.Vocabulary), "–", "–", "–")
	return t
}

func bodiesOf(r *relay.Result, target string) (relay.Bodies, bool) {
	for _, b := range r.Bodies {
		if b.Target == target {
			return b, true
		}
	}
	return relay.Bodies{}, false
}

func perByte(b relay.Bodies, figure int64) string {
	if figure <= 0 {
		return "–"
	}
	return fmt.Sprintf("%.2f", b.PerByte(figure))
}

// ProxyLeak returns the report on what many requests leave behind.
func ProxyLeak(l *relay.Leak, m measure.Machine) string {
	t := &table{head: []string{"requests", "streams broken off", "goroutines", "heap", "resident"}}
	for _, p := range l.Points {
		t.add(fmt.Sprint(p.Requests), fmt.Sprint(p.Aborts), fmt.Sprint(p.Goroutines), mebibytes(int64(p.Heap)), mebibytes(p.Resident))
	}
	return strings.Join([]string{where(m), t.String(), "### Goals of what is left behind\n\n" + goals(LeakGoals(l)).String()}, "\n")
}
