package replay

import "slices"

// Outcome is what a policy did to one conversation. Figures are sums, so that those
// of several conversations can be added.
type Outcome struct {
	Cost    float64
	Calls   int
	Sent    int
	Read    int
	Peak    int
	Breaks  int
	Summary int
	Refetch int

	need, exact, alike, stored, hard, hardSeen int
	valid, checked                             int
	common, shared, breaks, excess, fresh      int
	users, usersKept                           int
	quality                                    quality
	// flaws are the first things that an API would refuse.
	flaws []string
	// loads and cuts over the calls, for a plot.
	loads []int
	cutAt []int
}

// maxFlaws is how many are reported.
const maxFlaws = 5

// add adds what happened to another conversation.
func (o *Outcome) add(p *Outcome) {
	o.Cost += p.Cost
	o.Calls += p.Calls
	o.Sent += p.Sent
	o.Read += p.Read
	o.Peak = max(o.Peak, p.Peak)
	o.Breaks += p.Breaks
	o.Summary += p.Summary
	o.Refetch += p.Refetch
	o.need += p.need
	o.exact += p.exact
	o.alike += p.alike
	o.stored += p.stored
	o.hard += p.hard
	o.hardSeen += p.hardSeen
	o.valid += p.valid
	o.checked += p.checked
	o.common += p.common
	o.shared += p.shared
	o.breaks += p.breaks
	o.excess += p.excess
	o.fresh += p.fresh
	o.users += p.users
	o.usersKept += p.usersKept
	o.quality.add(p.quality)
	o.flaws = append(o.flaws, p.flaws[:min(len(p.flaws), max(0, maxFlaws-len(o.flaws)))]...)
}

// settle takes over what the till counted.
func (o *Outcome) settle(t *till) {
	o.Cost += t.cost
	o.Sent, o.Read = t.sent, t.read
	o.common, o.shared, o.breaks, o.excess, o.fresh = t.common, t.shared, t.breaks, t.excess, t.fresh
}

// saw counts how the identifiers that a call needs can be seen, and returns those
// that cannot.
func (o *Outcome) saw(h *history, v *visible, need []atom) (lost []atom) {
	for _, a := range need {
		s := h.see(v, a)
		o.need++
		count(&o.exact, s.exact())
		count(&o.alike, s.alike)
		count(&o.stored, s.stored)
		if !s.verbatim {
			o.hard++
			count(&o.hardSeen, s.named)
		}
		if !s.exact() {
			lost = append(lost, a)
		}
	}
	return slices.Clip(lost)
}

func count(n *int, yes bool) {
	if yes {
		*n++
	}
}

// share is a part of a whole; of nothing it is everything.
func share(part, whole int) float64 {
	if whole == 0 {
		return 1
	}
	return float64(part) / float64(whole)
}
