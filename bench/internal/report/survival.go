package report

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/bench/internal/measure"
	"github.com/plimsoll/plimsoll/bench/internal/survival"
)

// The part of the page about compactions has markers of its own, because it can be
// measured alone.
const (
	survivalBegin = "<!-- written by bench/run --only survival: begin -->\n"
	survivalEnd   = "<!-- written by bench/run --only survival: end -->\n"
)

// UpdateSurvival replaces the tables of a page that Survival makes.
func UpdateSurvival(file, markdown string) error {
	return update(file, survivalBegin, survivalEnd, markdown)
}

// Survival returns the report on what compactions keep.
func Survival(r *survival.Result, m measure.Machine) string {
	t := &table{head: []string{"in the place of the old messages", "tokens", "at most", "exact", "lenient", "exact, decoded"}}
	for _, w := range r.Ways {
		t.add(w.Name, fmt.Sprint(w.Tokens), fmt.Sprint(w.Most), survived(w.Exact), survived(w.Lenient), survived(w.Meant))
	}
	cuts := &table{head: []string{"cuts with a tail", "cuts", "needed", "tokens", "exact", "lenient", "exact, decoded", "its ledger", "list of its size"}}
	for _, c := range r.Cuts {
		cuts.add(c.Name, fmt.Sprint(c.Cuts), fmt.Sprint(c.Needed), fmt.Sprint(c.Tokens), survived(c.Exact), survived(c.Lenient), survived(c.Meant), survived(c.Ledger), survived(c.List))
	}
	slowest := slices.MaxFunc(r.Times, func(a, b survival.Duration) int { return int(a.Took - b.Took) })
	goals := &table{head: []string{"what", "goal", "here", "reached"}, text: []int{1, 2, 3}}
	for _, g := range SurvivalGoals(r) {
		goals.add(g.What, g.Want, g.Got, g.verdict())
	}
	return strings.Join([]string{
		fmt.Sprintf("%s, %s, %s. %d compactions, %d needed identifiers, %d with decoded arguments. Tokens are means in o200k_base. The slowest checkpoint took %v for %d tokens.\n",
			m.When.Format("2006-01-02"), m.CPU, m.Go, r.Compactions, r.Needed, r.Decoded, slowest.Took.Round(time.Millisecond), slowest.Tokens),
		t.String(),
		cuts.String(),
		"### Goals of compactions\n\n" + goals.String(),
	}, "\n")
}

func survived(x float64) string { return fmt.Sprintf("%.1f %%", 100*x) }

// SurvivalGoals judges a run.
func SurvivalGoals(r *survival.Result) []Goal {
	i := slices.IndexFunc(r.Ways, func(w survival.Way) bool { return w.Name == survival.Ours })
	ours := r.Ways[i]
	j := slices.IndexFunc(r.Cuts, func(c survival.Cut) bool { return c.Name == survival.AllCuts })
	cuts := r.Cuts[j]
	slowest := slices.MaxFunc(r.Times, func(a, b survival.Duration) int { return int(a.Took - b.Took) }).Took
	return []Goal{
		{What: "identifiers that a checkpoint keeps, exact", Want: "≥ 90 %", Got: survived(ours.Exact), Reached: ours.Exact >= 0.9},
		{What: "the same at cuts with a tail", Want: "≥ 82 %", Got: survived(cuts.Exact), Reached: cuts.Exact >= 0.82},
		{What: "the same at cuts with a tail, decoded", Want: "≥ 82 %", Got: survived(cuts.Meant), Reached: cuts.Meant >= 0.82},
		{What: "tokens of a checkpoint without its tail", Want: "≤ 6000", Got: fmt.Sprint(ours.Most), Reached: ours.Most <= 6000},
		{What: "time of a checkpoint without a model", Want: "< 1 s", Got: slowest.Round(time.Millisecond).String(), Reached: slowest < time.Second},
	}
}
