package fit

import (
	"slices"
	"time"
)

// Summary is what a way made of a set of cases.
type Summary struct {
	Cases int
	Kinds map[Kind]int
	// Used is the mean share of the budget that usable results fill.
	Used float64
	// Newest counts the results with the newest message of the user.
	Newest int
	// Median and Total of the CPU times.
	Median, Total time.Duration
}

// Summary joins the verdicts on a way that are wanted.
func (r *Result) Summary(way string, wanted func(Verdict) bool) Summary {
	s := Summary{Kinds: map[Kind]int{}}
	var times []time.Duration
	for _, v := range r.Verdicts {
		if v.Way != way || !wanted(v) {
			continue
		}
		s.Cases++
		s.Kinds[v.Kind]++
		s.Total += v.CPU
		times = append(times, v.CPU)
		if v.Newest {
			s.Newest++
		}
		if v.Kind == Usable {
			s.Used += float64(v.Tokens) / float64(v.Budget.Tokens)
		}
	}
	if n := s.Kinds[Usable]; n > 0 {
		s.Used /= float64(n)
	}
	if len(times) > 0 {
		slices.Sort(times)
		s.Median = times[len(times)/2]
	}
	return s
}

// Rescued counts the cases that Plimsoll's way refuses and another way makes usable
// results of.
func (r *Result) Rescued(ours, theirs string) int {
	type key struct {
		id     string
		budget Budget
	}
	refused := map[key]bool{}
	for _, v := range r.Verdicts {
		if v.Way == ours && v.Kind == Refused {
			refused[key{v.Case, v.Budget}] = true
		}
	}
	n := 0
	for _, v := range r.Verdicts {
		if v.Way == theirs && v.Kind == Usable && refused[key{v.Case, v.Budget}] {
			n++
		}
	}
	return n
}
