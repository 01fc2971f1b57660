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
			s.Used += v.used()
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
	n := 0
	r.both(ours, theirs, func(a, b Verdict) {
		if a.Kind == Refused && b.Kind == Usable {
			n++
		}
	})
	return n
}

// Match is what two ways make of the cases for which both have usable results.
type Match struct {
	Cases int
	// Ours and Theirs are the mean shares of the budget that the results fill.
	Ours, Theirs float64
}

// Match compares two ways on the cases that are wanted.
func (r *Result) Match(ours, theirs string, wanted func(Verdict) bool) Match {
	var m Match
	r.both(ours, theirs, func(a, b Verdict) {
		if a.Kind == Usable && b.Kind == Usable && wanted(a) {
			m.Cases++
			m.Ours += a.used()
			m.Theirs += b.used()
		}
	})
	if m.Cases > 0 {
		m.Ours, m.Theirs = m.Ours/float64(m.Cases), m.Theirs/float64(m.Cases)
	}
	return m
}

func (v Verdict) used() float64 { return float64(v.Tokens) / float64(v.Budget.Tokens) }

// both visits the verdicts of two ways on the same case.
func (r *Result) both(ours, theirs string, visit func(ours, theirs Verdict)) {
	type key struct {
		id     string
		budget Budget
	}
	known := map[key]Verdict{}
	for _, v := range r.Verdicts {
		if v.Way == ours {
			known[key{v.Case, v.Budget}] = v
		}
	}
	for _, v := range r.Verdicts {
		if a, ok := known[key{v.Case, v.Budget}]; ok && v.Way == theirs {
			visit(a, v)
		}
	}
}
