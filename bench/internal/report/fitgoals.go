package report

import (
	"fmt"
	"slices"
	"time"

	"github.com/plimsoll/plimsoll/bench/internal/fit"
)

// FitGoals judges a run.
func FitGoals(r *fit.Result) []Goal {
	goals := []Goal{validity(r)}
	if len(r.Figures) == 0 {
		return goals
	}
	f := r.Figures[0]
	next := func(where string, t fit.Times) Goal {
		return Goal{
			What: "`Fit` with one more round, " + where + " the line", Want: "≥ 50× faster than the first",
			Got: fmt.Sprintf("%.0f×", t.Ratio()), Reached: t.Ratio() >= 50,
		}
	}
	return append(append(goals, waits(r)...), next("under", f.Under), next("over", f.Over), linear(r))
}

// waits judges first sights by the clock, on all processors.
func waits(r *fit.Result) []Goal {
	i := slices.IndexFunc(r.Waits, func(w fit.Waiting) bool { return w.Processors > 1 && !w.Fresh })
	if i < 0 {
		return nil
	}
	w := r.Waits[i]
	first := func(where string, took time.Duration) Goal {
		ratio := took.Seconds() / aloneWeigh(r, false).Seconds()
		return Goal{
			What: "first `Fit` of 200,000 tokens, " + where + " the line", Want: "≤ one tokenisation (`Weigh` on one processor), its own included",
			Got: fmt.Sprintf("%.2f× by the clock, on %d processors", ratio, w.Processors), Reached: ratio <= 1,
		}
	}
	return []Goal{first("under", w.Under), first("over", w.Over)}
}

// validity asks that no result of ours is invalid or over the budget.
func validity(r *fit.Result) Goal {
	g := Goal{What: "results valid and within the budget", Want: "all that are not refused", Got: "– (not compared)"}
	if r.Missing != "" || len(r.Verdicts) == 0 {
		return g
	}
	results, good := 0, 0
	for _, way := range fit.Ways {
		if way.Ours {
			s := r.Summary(way.ID, func(fit.Verdict) bool { return true })
			results, good = results+s.Cases-s.Kinds[fit.Refused], good+s.Kinds[fit.Usable]
		}
	}
	g.Got, g.Reached = fmt.Sprintf("%d of %d", good, results), good == results && good > 0
	return g
}

// linear compares the cost of a message in the longest conversation with the
// shortest.
func linear(r *fit.Result) Goal {
	const most = 1.5
	g := Goal{What: "time of a message in ten times as many", Want: "≤ 1.5×, by any row", Got: "–"}
	if len(r.Figures) < 3 {
		return g
	}
	small, large := r.Figures[1], r.Figures[len(r.Figures)-1]
	worst := 0.0
	for _, pair := range [][2]float64{
		{small.Under.First.Seconds(), large.Under.First.Seconds()},
		{small.Under.Next.Seconds(), large.Under.Next.Seconds()},
		{small.Over.First.Seconds(), large.Over.First.Seconds()},
		{small.Over.Next.Seconds(), large.Over.Next.Seconds()},
	} {
		worst = max(worst, pair[1]/float64(large.Messages)/(pair[0]/float64(small.Messages)))
	}
	g.Got, g.Reached = fmt.Sprintf("%.2f×", worst), worst <= most
	return g
}

func fitGoalTable(r *fit.Result) *table {
	t := &table{head: []string{"what", "goal", "here", "reached"}, text: []int{1, 2, 3}}
	for _, g := range FitGoals(r) {
		t.add(g.What, g.Want, g.Got, g.verdict())
	}
	return t
}
