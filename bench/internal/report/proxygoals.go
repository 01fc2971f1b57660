package report

import (
	"fmt"
	"math"
	"time"

	"github.com/plimsoll/plimsoll/bench/internal/relay"
)

// ProxyGoals judges a run.
func ProxyGoals(r *relay.Result) []Goal {
	if len(r.Latency) == 0 {
		return nil
	}
	const ms = time.Millisecond
	p50 := func(a relay.Round) time.Duration { return a.P50 }
	p99 := func(a relay.Round) time.Duration { return a.P99 }
	return []Goal{
		addedGoal(r, "added to 4 KB, p50", relay.Small, relay.Us, p50, ms/5),
		addedGoal(r, "added to 4 KB, p99", relay.Small, relay.Us, p99, ms),
		addedGoal(r, "added to 300 KB, warm, under the line, p50", relay.History, relay.Us, p50, 3*ms),
		addedGoal(r, "added to 300 KB, warm, cut, p50", relay.History, relay.UsCut, p50, 3*ms),
		addedGoal(r, "added to 4 MiB, warm, under the line, p50", relay.Large, relay.Us, p50, 25*ms),
		addedGoal(r, "added to 4 MiB, warm, cut, p50", relay.Large, relay.UsCut, p50, 25*ms),
		firstByteGoal(r),
		unchangedGoal(r),
		throughputGoal(r, relay.Us, "under the line"),
		throughputGoal(r, relay.UsCut, "cut"),
		heapGoal(r, relay.Us, "under the line"),
		heapGoal(r, relay.UsCut, "cut"),
		idleGoal(r),
	}
}

func addedGoal(r *relay.Result, what string, c relay.Case, target string, of func(relay.Round) time.Duration, want time.Duration) Goal {
	g := Goal{What: what, Want: "≤ " + duration(want), Got: "–"}
	us, ours := r.Find(c, target)
	floor, theirs := r.Find(c, relay.Floor)
	if ours && theirs {
		got := of(us.Over(floor))
		g.Got, g.Reached = signed(got), got <= want
	}
	return g
}

func firstByteGoal(r *relay.Result) Goal {
	g := Goal{What: "added to the first byte of a stream, p50", Want: "≤ 1.0 ms", Got: "–"}
	us, floor := streamsOf(r, relay.Us), streamsOf(r, relay.Floor)
	if len(us.Rounds) > 0 && len(floor.Rounds) > 0 {
		got := us.Over(floor).First
		g.Got, g.Reached = signed(got), got <= time.Millisecond
	}
	return g
}

// unchangedGoal lets as many events come together as by the floor, and one in a hundred
// more: a client that is late finds two.
func unchangedGoal(r *relay.Result) Goal {
	g := Goal{What: "streams pass event by event, unchanged", Want: "no byte changed, coalesced as by the floor (± 1 %)", Got: "–"}
	us, floor := streamsOf(r, relay.Us), streamsOf(r, relay.Floor)
	if us.Streams > 0 && floor.Streams > 0 {
		g.Got = fmt.Sprintf("%d streams changed, %d events coalesced (floor %d)", us.Changed, us.Coalesced, floor.Coalesced)
		g.Reached = us.Changed == 0 && us.Coalesced <= floor.Coalesced+us.Events/100
	}
	return g
}

func throughputGoal(r *relay.Result, target, how string) Goal {
	g := Goal{What: "throughput of 300 KB, " + how, Want: "≥ 60 % of the floor's", Got: "–"}
	if share := throughputOf(r, target).Of(throughputOf(r, relay.Floor)); share > 0 {
		g.Got, g.Reached = percent(share), share >= 0.6
	}
	return g
}

func heapGoal(r *relay.Result, target, how string) Goal {
	g := Goal{What: "heap with eight bodies of 8 MiB, " + how, Want: "≤ 3 bytes a byte", Got: "–"}
	if b, ok := bodiesOf(r, target); ok && b.Heap > 0 {
		g.Got, g.Reached = fmt.Sprintf("%s at its peak, %s while they wait", perByte(b, b.Heap), perByte(b, b.Held)), b.PerByte(b.Heap) <= 3
	}
	return g
}

func idleGoal(r *relay.Result) Goal {
	g := Goal{What: "resident when idle, beyond the vocabulary", Want: "≤ 60 MB", Got: "–"}
	for _, idle := range r.Idle {
		if idle.Target == relay.Us && idle.Started > 0 && r.Vocabulary > 0 {
			beyond := idle.Asked - r.Vocabulary
			g.Got = fmt.Sprintf("%.0f MB at the start, %.0f MB after a request", float64(idle.Started)/1e6, float64(beyond)/1e6)
			g.Reached = idle.Started <= 60e6 && beyond <= 60e6
		}
	}
	return g
}

// LeakGoals judges what many requests leave behind.
func LeakGoals(l *relay.Leak) []Goal {
	if l == nil || len(l.Points) < 2 {
		return nil
	}
	before, after := l.Points[0], l.Points[len(l.Points)-1]
	what := fmt.Sprintf(" after %d requests and %d streams broken off", l.Requests, l.Aborts)
	more := after.Goroutines - before.Goroutines
	grown := after.Heap/before.Heap - 1
	return []Goal{
		{What: "goroutines" + what, Want: "± 2", Got: fmt.Sprintf("%+d", more), Reached: max(more, -more) <= 2},
		{What: "heap" + what, Want: "± 5 %", Got: fmt.Sprintf("%+.1f %%", 100*grown), Reached: math.Abs(grown) <= 0.05},
	}
}

func goals(all []Goal) *table {
	t := &table{head: []string{"what", "goal", "here", "reached"}, text: []int{1, 2, 3}}
	for _, g := range all {
		t.add(g.What, g.Want, g.Got, g.verdict())
	}
	return t
}
