package plan

import "github.com/plimsoll/plimsoll"

// DefaultAlpha is how many times the price the rent must reach. A little more than
// once buys reach, and costs next to nothing.
const DefaultAlpha = 1.75

// Rent cuts when the rent that has been paid on what could be removed equals the
// price of removing it. Cuts that need no model have an account of their own and come
// first.
type Rent struct {
	// Prices of a model; nil means [Conservative] for all.
	Prices func(model string) Prices
	// Alpha is the multiple of the price at which a cut is made; 0 means
	// [DefaultAlpha].
	Alpha float64
	// MinGap is how many calls must lie between cuts; 0 means 5. Two cuts that are
	// closer than twice that double it for the rest of the conversation.
	MinGap int
}

var _ plimsoll.Policy = (*Rent)(nil)

const (
	defaultGap = 5
	// cliffRoom is kept free below a price cliff, for one answer and one output.
	cliffRoom = 4000
	// latched is how many cuts close together make the rule wait longer.
	latched = 2
)

// Next implements [plimsoll.Policy].
func (r *Rent) Next(s plimsoll.PolicyState, o plimsoll.Outlook) (plimsoll.PolicyState, plimsoll.Action) {
	p := r.prices(o.Model)
	cold := p.Cold(s, o.Now)
	action := r.choose(&s, o, p, cold)
	s.Calls++
	s.Last = o.Now
	if action != plimsoll.Wait {
		if s.CutAt > 0 && s.Calls-s.CutAt < 2*r.gap() {
			s.Close++
		} else {
			s.Close = 0
		}
		s.CutAt = s.Calls
	}
	return s, action
}

// choose adds the rent of this call to the accounts and decides.
func (r *Rent) choose(s *plimsoll.PolicyState, o plimsoll.Outlook, p Prices, cold bool) plimsoll.Action {
	rate := p.Read
	if cold {
		rate = p.Write
	}
	s.CheapRent += rate * float64(o.Cheap.Removable)
	s.DeepRent += rate * float64(o.Deep.Removable)
	// A conversation that is seen for the first time may be seen only once.
	if s.Calls == 0 || r.tooSoon(*s) {
		return plimsoll.Wait
	}
	cliff := p.Cliff > 0 && o.Load > p.Cliff-cliffRoom
	if o.Cheap.Removable > 0 && (cliff || due(s.CheapRent, r.alpha(), p.Price(o, o.Cheap, cold))) {
		s.CheapRent = 0
		return plimsoll.CutCheap
	}
	if o.Deep.Removable > 0 && (cliff || due(s.DeepRent, r.alpha(), p.Price(o, o.Deep, cold))) {
		s.CheapRent, s.DeepRent = 0, 0
		return plimsoll.CutDeep
	}
	return plimsoll.Wait
}

func due(rent, alpha, price float64) bool { return rent >= alpha*price }

// Price returns what a cut costs: what stands behind it is written instead of read,
// and where a model is asked it reads everything and writes the summary. A cold cache
// makes cuts that need no model free: everything is written anyway.
func (p Prices) Price(o plimsoll.Outlook, cut plimsoll.Prospect, cold bool) float64 {
	price := 0.0
	if !cold {
		price = (p.Write - p.Read) * float64(cut.Rewritten)
	}
	if cut.Written > 0 {
		read := p.Read
		if cold {
			read = 1
		}
		price += read*float64(o.Load) + p.Output*float64(cut.Written)
	}
	return price
}

// tooSoon keeps cuts apart, further after two that were close together.
func (r *Rent) tooSoon(s plimsoll.PolicyState) bool {
	gap := r.gap()
	if s.Close >= latched {
		gap *= 4
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
	return DefaultAlpha
}

func (r *Rent) prices(model string) Prices {
	if r.Prices == nil {
		return Conservative()
	}
	return r.Prices(model)
}

// Always cuts what needs no model on every request. It is here to be compared with.
type Always struct{}

var _ plimsoll.Policy = Always{}

// Next implements [plimsoll.Policy].
func (Always) Next(s plimsoll.PolicyState, o plimsoll.Outlook) (plimsoll.PolicyState, plimsoll.Action) {
	s.Calls++
	s.Last = o.Now
	if o.Cheap.Removable > 0 {
		return s, plimsoll.CutCheap
	}
	return s, plimsoll.Wait
}
