package replay

import (
	"fmt"
	"slices"
	"strings"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/fit"
	"github.com/plimsoll/plimsoll/fit/rent"
	"github.com/plimsoll/plimsoll/preset"
)

// The policies that are no presets and no methods.
const (
	// None is what the others are compared with: nothing until the window is nearly
	// full, and then a summary of everything.
	None = "none"
	// Off leaves the rungs of auto to the line alone.
	Off = preset.PolicyOff
	// Threshold cuts at 0.8 of the limit down to 0.3.
	Threshold = preset.PolicyThreshold
	// EveryTurn clears old tool outputs before each call.
	EveryTurn = preset.PolicyEveryTurn
	// Sliding keeps the newest 40,000 tokens.
	Sliding = "sliding"
	// Serve is what [Options.Serve] describes.
	Serve = "serve"
)

// Names lists the policies, without [Serve].
func Names() []string {
	return slices.Concat([]string{None, Off, Threshold, EveryTurn, Sliding}, methods, preset.Names())
}

// methods are played with the triggers of auto.
var methods = []string{preset.MethodWindow, preset.MethodSummary, preset.MethodHybrid}

// Defaults lists the policies that are compared where none is named.
func Defaults() []string {
	return []string{None, preset.NameAuto, Threshold, EveryTurn, Sliding, preset.NameAgent, preset.NameGemini}
}

// policy makes a planner for a run.
type policy struct {
	name  string
	build func(*policyRun, *Options) (planner, error)
}

func policyOf(name string) (policy, error) {
	switch {
	case name == None:
		return policy{name, func(r *policyRun, _ *Options) (planner, error) { return &none{till: r.till}, nil }}, nil
	case name == Serve || slices.Contains(Names(), name):
		return policy{name, func(r *policyRun, o *Options) (planner, error) {
			k, err := o.keeper(name, r)
			if err != nil {
				return nil, err
			}
			return newEngine(k, o.Offer)
		}}, nil
	}
	return policy{}, &plimsoll.Error{
		Op: "replay", Code: plimsoll.CodeInvalid, Err: fmt.Errorf("policy %q is unknown: %w", name, plimsoll.ErrInvalid),
		Hint: "choose from " + strings.Join(append(Names(), Serve), ", "),
	}
}

// slidingWindow is what sliding keeps beside the base.
const slidingWindow = 40_000

// keeper returns the options of the keeper for a policy.
func (o *Options) keeper(name string, r *policyRun) (*fit.Options, error) {
	if name == Serve {
		return o.served(r)
	}
	with := preset.Options{
		Model: r.conversation.Model, Window: r.window, Reserve: o.Reserve, Meter: r.meter, Archive: r.archive,
		Alpha: o.Alpha, Prices: pricesOf(r),
	}
	with.Outputs.KeepNewest, with.Compaction.Tail, with.Compaction.Size = o.KeepNewest, o.Tail, o.Size
	base := name
	switch name {
	case Off, Threshold, EveryTurn, Sliding:
		base, with.Policy = preset.NameAuto, name
	case preset.MethodWindow, preset.MethodSummary, preset.MethodHybrid:
		base, with.Method = preset.NameAuto, name
	}
	switch name {
	case Threshold:
		with.Marks = fit.Watermarks{High: 0.8, Low: 0.3}
	case Sliding:
		with.Policy = preset.PolicyThreshold
		with.Rungs, with.Outputs.Off = []string{"slide"}, true
		with.Marks = fit.Watermarks{High: 1, Low: 1}
		with.Window, with.Reserve = min(r.window, r.base+slidingWindow), new(0)
	}
	k, err := preset.Named(base, &with)
	if err != nil {
		return nil, err
	}
	if rent, ok := k.Policy.(*rent.Rent); ok && o.MinGap > 0 {
		rent.MinGap = o.MinGap
	}
	return k, nil
}

// served returns the options of a server's keeper, in the window and by the prices of the
// session. What the record lacks of system and tools weighs in every count.
func (o *Options) served(r *policyRun) (*fit.Options, error) {
	k, err := o.Serve()
	if err != nil {
		return nil, err
	}
	k.Model, k.Window, k.Archive, k.Memory = r.conversation.Model, r.window, r.archive, nil
	if k.Best == nil {
		k.Meter = r.meter
	} else {
		k.Best = r.meter
		if hidden, ok := r.meter.(*based); ok {
			k.Meter = &based{k.Meter, hidden.base}
		}
	}
	if rent, ok := k.Policy.(*rent.Rent); ok {
		rent.Prices = pricesOf(r)
	}
	return k, nil
}

func pricesOf(r *policyRun) func(string) rent.Prices {
	return func(string) rent.Prices { return r.prices }
}
