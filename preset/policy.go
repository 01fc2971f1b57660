package preset

import (
	"fmt"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/fit"
	"github.com/plimsoll/plimsoll/fit/rent"
	"github.com/plimsoll/plimsoll/model"
)

// The policies: when a conversation is cut.
const (
	// PolicyRent cuts when the rent paid on what could go equals the price of
	// cutting it, and at the high mark.
	PolicyRent = "rent"
	// PolicyThreshold cuts at the high mark.
	PolicyThreshold = "threshold"
	// PolicyEveryTurn cuts whatever can go on every request.
	PolicyEveryTurn = "every-turn"
	// PolicyOff cuts only what does not fit.
	PolicyOff = "off"
)

// policy sets when the keeper cuts. What was cut stays cut, but for every-turn, which
// begins again each time.
func (o *Options) policy(k *fit.Options, registry *model.Registry, own string) error {
	name := o.Policy
	if name == "" {
		name = own
	}
	k.Sticky = name != PolicyEveryTurn
	switch name {
	case PolicyRent:
		k.Policy = &rent.Rent{Prices: o.prices(registry), Alpha: o.Alpha}
	case PolicyEveryTurn:
		k.Policy = rent.Always{}
	case PolicyOff:
		k.Marks.High = 1
	case PolicyThreshold:
	default:
		return &plimsoll.Error{
			Op: "policy " + name, Hint: "choose rent, threshold, every-turn or off",
			Err: fmt.Errorf("unknown: %w", plimsoll.ErrInvalid),
		}
	}
	return nil
}

// prices returns what the registry knows of a model's prices, unless the caller does.
func (o *Options) prices(registry *model.Registry) func(string) rent.Prices {
	if o.Prices != nil {
		return o.Prices
	}
	return func(name string) rent.Prices {
		m, err := registry.Lookup(name)
		if err != nil {
			return rent.Conservative()
		}
		return rent.Of(m)
	}
}
