package report

import (
	"fmt"
	"time"

	"github.com/plimsoll/plimsoll/bench/internal/storage"
)

// StoreGoals judges a run.
func StoreGoals(r *storage.Result) []Goal {
	return []Goal{
		pairGoal(r.Pairs),
		offsetGoal(r.Large),
		memoryGoal("memory of reading parts of a large output", r.Large.Reading),
		memoryGoal("memory of searching it", r.Large.Grep),
		searchGoal(r.Large),
		flatGoal(r.Refs, "put", func(r storage.Refs) time.Duration { return r.Put }),
		flatGoal(r.Refs, "get", func(r storage.Refs) time.Duration { return r.Get }),
		flatGoal(r.Refs, "gc", func(r storage.Refs) time.Duration { return r.GC }),
		flatGoal(r.Server.Refs, "PostgreSQL: put", func(r storage.Refs) time.Duration { return r.Put }),
		flatGoal(r.Server.Refs, "PostgreSQL: get", func(r storage.Refs) time.Duration { return r.Get }),
		flatGoal(r.Server.Refs, "PostgreSQL: gc", func(r storage.Refs) time.Duration { return r.GC }),
	}
}

func pairGoal(p storage.Pairs) Goal {
	store, files := p.Best()
	rate := over(files.Both().Seconds(), store.Both().Seconds())
	g := Goal{What: "put and get of 1 MiB, SQLite", Want: "≥ 60 % of the rate of files", Got: "–", Reached: rate >= 0.6}
	if rate > 0 {
		g.Got = percent(rate)
	}
	return g
}

// offsetGoal takes medians: one slow read says something about the machine.
func offsetGoal(l storage.Large) Goal {
	const most = 1.5
	g := Goal{What: "reading lines at any offset", Want: "same time: slowest place ≤ 1.5× the fastest", Got: "–"}
	var times []time.Duration
	for _, r := range l.Reads {
		times = append(times, r.Median)
	}
	if ratio := spread(times); ratio > 0 {
		g.Got, g.Reached = fmt.Sprintf("%.2f×", ratio), ratio <= most
	}
	return g
}

func memoryGoal(what string, r storage.Run) Goal {
	return Goal{What: what, Want: "< 32 MiB", Got: mebibytes(r.Peak), Reached: r.Peak > 0 && r.Peak < 32<<20}
}

func searchGoal(l storage.Large) Goal {
	g := Goal{What: "searching a large output for a text", Want: "≤ 2× `zstdcat` and `grep -F`", Got: "–"}
	if l.Grep.Wall > 0 && l.Pipe.Wall > 0 {
		wall, cpu := over(l.Grep.Wall.Seconds(), l.Pipe.Wall.Seconds()), over(l.Grep.CPU.Seconds(), l.Pipe.CPU.Seconds())
		g.Got, g.Reached = fmt.Sprintf("%.2f× wall, %.2f× CPU", wall, cpu), wall <= 2 && cpu <= 2
	}
	return g
}

func flatGoal(all []storage.Refs, what string, of func(storage.Refs) time.Duration) Goal {
	const most = 2
	g := Goal{What: what + " with 1,000, 10,000 and 100,000 references", Want: "flat: with the most ≤ 2× with the fewest", Got: "–"}
	if len(all) < 2 {
		return g
	}
	if ratio := over(of(all[len(all)-1]).Seconds(), of(all[0]).Seconds()); ratio > 0 {
		g.Got, g.Reached = fmt.Sprintf("%.2f×", ratio), ratio <= most
	}
	return g
}

// spread is how many times the least the greatest is; 0 if that is not known.
func spread(times []time.Duration) float64 {
	if len(times) == 0 {
		return 0
	}
	low, high := times[0], times[0]
	for _, t := range times {
		low, high = min(low, t), max(high, t)
	}
	return over(high.Seconds(), low.Seconds())
}

func storeGoalTable(r *storage.Result) *table {
	t := &table{head: []string{"what", "goal", "here", "reached"}, text: []int{1, 2, 3}}
	for _, g := range StoreGoals(r) {
		t.add(g.What, g.Want, g.Got, g.verdict())
	}
	return t
}
