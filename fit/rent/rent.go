package rent

import (
	"github.com/plimsoll/plimsoll/fit"
)

// defaultAlpha is how many times the price the rent must reach. A little more than
// once buys reach, and costs next to nothing.
const defaultAlpha = 1.75

// Rent cuts when the rent that has been paid on what could be removed equals the
// price of removing it. Clearing and checkpoints have an account each; where both are
// due a checkpoint is made, which takes the outputs with it.
type Rent struct {
	// Prices of a model; nil means [Conservative] for all.
	Prices func(model string) Prices
	// Alpha is the multiple of the price at which a cut is made; 0 means 1.75.
	Alpha float64
	// MinGap is how many calls must lie between cuts; 0 means 5. After two cuts that
	// are closer than twice that, with little growth between them, the next one waits
	// four times as long. At a price cliff a cut that leaves room to grow does not wait.
	MinGap int
}

var _ fit.Policy = (*Rent)(nil)

const (
	defaultGap = 5
	latchedGap = 4
	// markRoom is kept free below a mark, for one answer and one output.
	markRoom = 4000
	// An eighth of what a conversation may have above its base is room to grow; behind
	// a cut that leaves less the next one would follow at once.
	growShare = 8
	// On recorded sessions about one thing is read again for each cut: an output of
	// about so many tokens, by a call of so many.
	rereadTokens = 2000
	rereadCall   = 60
	// minGain is what a cut must gain a call, in tokens of uncached input: short
	// conversations end before less than that has paid for it.
	minGain = 500
)

// Next implements [fit.Policy].
func (r *Rent) Next(s fit.PolicyState, o fit.Outlook) (fit.PolicyState, fit.Action) {
	p := r.prices(o.Model)
	cold := p.Cold(s, o.Now)
	action := r.choose(&s, o, p, cold)
	s.Calls++
	s.Last = o.Now
	if action != fit.Wait {
		if r.close(s, o, p) {
			s.Close++
		} else {
			s.Close = 0
		}
		s.CutAt, s.CutLoad = s.Calls, left(o, o.Cheap)
		if action == fit.CutDeep {
			s.CutLoad = left(o, o.Deep)
		}
	}
	return s, action
}

// close reports whether a cut follows the last one closely: few calls behind it, and
// before much has come to what it left.
func (r *Rent) close(s fit.PolicyState, o fit.Outlook, p Prices) bool {
	grown, room := o.Load-s.CutLoad, p.mark(o)-o.Base
	return s.CutAt > 0 && s.Calls-s.CutAt < 2*r.gap() && (room <= 0 || grown < room/growShare)
}

// choose adds the rent of this call to the accounts and decides.
func (r *Rent) choose(s *fit.PolicyState, o fit.Outlook, p Prices, cold bool) fit.Action {
	s.CheapRent += max(0, p.rent(o, o.Cheap, cold))
	s.DeepRent += max(0, p.rent(o, o.Deep, cold))
	if s.Calls == 0 {
		return fit.Wait // a conversation that is seen for the first time may be seen only once
	}
	soon := r.tooSoon(*s)
	action := fit.Wait
	if p.Cliff > 0 && p.Cliff < o.High { // the rungs make room at the high mark
		action = p.atMark(o, soon)
	}
	if action == fit.Wait && !soon {
		action = r.due(*s, o, p, cold)
	}
	switch action {
	case fit.CutDeep:
		s.CheapRent, s.DeepRent = 0, 0
	case fit.CutCheap:
		s.CheapRent = 0
	}
	return action
}

// due compares the accounts with the prices. There is nothing to hedge against where
// nothing has to be written again.
func (r *Rent) due(s fit.PolicyState, o fit.Outlook, p Prices, cold bool) fit.Action {
	alpha := r.alpha()
	if cold {
		alpha = min(alpha, 1)
	}
	switch {
	case p.gains(o, o.Deep) && spares(o, o.Deep, cold) && s.DeepRent >= alpha*p.Price(o, o.Deep, cold):
		return fit.CutDeep
	case p.gains(o, o.Cheap) && spares(o, o.Cheap, cold) && s.CheapRent >= alpha*p.Price(o, o.Cheap, cold):
		return fit.CutCheap
	}
	return fit.Wait
}

// spares reports whether a cut leaves enough of the following prompts in the cache. One
// that does not waits, even if it pays: until the load is higher, or the cache is cold.
func spares(o fit.Outlook, cut fit.Prospect, cold bool) bool {
	return cold || fit.RewriteShare(o.Load, left(o, cut), cut.Rewritten, o.PerCall) <= fit.MostRewritten
}

// rent is what a call costs more because a cut has not been made. It is less than
// nothing where the cut would leave a prompt that is too short to be cached.
func (p Prices) rent(o fit.Outlook, cut fit.Prospect, cold bool) float64 {
	rest := left(o, cut)
	if cold {
		return p.Prompt(o.Load, 0) - p.Prompt(rest, 0)
	}
	return p.Prompt(o.Load, o.Load) - p.Prompt(rest, rest)
}

func left(o fit.Outlook, cut fit.Prospect) int { return max(0, o.Load-cut.Removable) }

func (p Prices) gains(o fit.Outlook, cut fit.Prospect) bool {
	return cut.Removable > 0 && p.rent(o, cut, false) >= minGain
}

// atMark chooses a cut for a load that has come to a price cliff or to where something
// must be done: one that brings it down, and if there is a choice by half of what a
// conversation may have above its base, so that there need not be another soon. One
// that leaves little room to grow would be followed by the next at once, so it keeps
// its distance like any other.
func (p Prices) atMark(o fit.Outlook, soon bool) fit.Action {
	mark := p.mark(o)
	over, room := o.Load-mark, mark-o.Base
	enough := over
	if soon {
		enough += room / growShare
	}
	switch {
	case room <= 0 || over <= 0:
		return fit.Wait
	case o.Cheap.Removable >= over+room/2:
		return fit.CutCheap
	case o.Deep.Removable >= enough:
		return fit.CutDeep
	case o.Cheap.Removable >= enough:
		return fit.CutCheap
	}
	return fit.Wait
}

// mark is the load at which something must be done, or will cost much more: with room
// for one more call. It is 0 or less if there is none.
func (p Prices) mark(o fit.Outlook) int {
	mark := o.High
	if p.Cliff > 0 && (p.Cliff < mark || mark == 0) {
		mark = p.Cliff
	}
	return mark - markRoom
}

// Price returns what a cut costs: what follows it is written instead of read,
// something is read again later, and where a model is asked it reads everything and
// writes the summary. With a cold cache everything is written anyway, and a prompt that
// is too short for it is neither written nor read.
func (p Prices) Price(o fit.Outlook, cut fit.Prospect, cold bool) float64 {
	rest := left(o, cut)
	price := p.Prompt(rest, rest) + p.Output*rereadCall
	if p.Caches(rest) {
		price += p.Write * rereadTokens
	} else {
		price += rereadTokens
	}
	if !cold && p.Caches(o.Load) && p.Caches(rest) {
		price += (p.Write - p.Read) * float64(cut.Rewritten)
	}
	if cut.Written > 0 {
		cached := o.Load
		if cold || !p.Caches(o.Load) {
			cached = 0
		}
		price += p.Read*float64(cached) + float64(o.Load-cached) + p.Output*float64(cut.Written)
	}
	return price
}

// tooSoon keeps cuts apart, further after two that were close together.
func (r *Rent) tooSoon(s fit.PolicyState) bool {
	gap := r.gap()
	if s.Close > 0 {
		gap *= latchedGap
	}
	return s.CutAt > 0 && s.Calls+1-s.CutAt < gap
}

func (r *Rent) gap() int {
	if r.MinGap > 0 {
		return r.MinGap
	}
	return defaultGap
}

func (r *Rent) alpha() float64 {
	if r.Alpha > 0 {
		return r.Alpha
	}
	return defaultAlpha
}

func (r *Rent) prices(model string) Prices {
	if r.Prices == nil {
		return Conservative()
	}
	return r.Prices(model)
}

// Always cuts what needs no model on every request. It is here to be compared with.
type Always struct{}

var _ fit.Policy = Always{}

// Next implements [fit.Policy].
func (Always) Next(s fit.PolicyState, o fit.Outlook) (fit.PolicyState, fit.Action) {
	s.Calls++
	s.Last = o.Now
	if o.Cheap.Removable > 0 {
		return s, fit.CutCheap
	}
	return s, fit.Wait
}
