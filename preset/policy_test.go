package preset_test

import (
	"errors"
	"testing"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/fit"
	"github.com/plimsoll/plimsoll/fit/rent"
	"github.com/plimsoll/plimsoll/preset"
)

func TestAPolicySaysWhenToCut(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		preset, policy string
		rent, always   bool
		sticky         bool
		high           float64
	}{
		{preset.NameAuto, "", true, false, true, 0.9},
		{preset.NameAuto, preset.PolicyRent, true, false, true, 0.9},
		{preset.NameAuto, preset.PolicyThreshold, false, false, true, 0.9},
		{preset.NameAuto, preset.PolicyEveryTurn, false, true, false, 0.9},
		{preset.NameAuto, preset.PolicyOff, false, false, true, 1},
		{preset.NameAgent, "", false, false, true, 0.9},
		{preset.NameMultichat, "", false, false, true, 0.9},
		{preset.NameGemini, preset.PolicyRent, true, false, true, 0.9},
	} {
		o, err := preset.Named(tt.preset, &preset.Options{Window: 8000, Policy: tt.policy, Marks: fit.Watermarks{High: 0.9}})
		if err != nil {
			t.Fatal(err)
		}
		_, isRent := o.Policy.(*rent.Rent)
		_, always := o.Policy.(rent.Always)
		if isRent != tt.rent || always != tt.always || o.Sticky != tt.sticky || o.Marks.High != tt.high {
			t.Errorf("%s with policy %q: %T, sticky %v, high %v", tt.preset, tt.policy, o.Policy, o.Sticky, o.Marks.High)
		}
	}
	if _, err := preset.Auto(&preset.Options{Window: 8000, Policy: "sometimes"}); !errors.Is(err, plimsoll.ErrInvalid) {
		t.Errorf("an unknown policy gives %v", err)
	}
}

func TestThePricesOfAModelComeFromTheRegistryUnlessTheyAreGiven(t *testing.T) {
	t.Parallel()
	o, err := preset.Auto(&preset.Options{Window: 8000})
	if err != nil {
		t.Fatal(err)
	}
	known, unknown := o.Policy.(*rent.Rent).Prices("claude-sonnet-4-5"), o.Policy.(*rent.Rent).Prices("unknown-model")
	if known.Read != 0.1 || known.Write != 1.25 || unknown != rent.Conservative() {
		t.Errorf("claude-sonnet-4-5 has %+v, an unknown model %+v", known, unknown)
	}
	own := rent.Prices{Read: 0.5, Write: 1}
	if o, err = preset.Auto(&preset.Options{Window: 8000, Prices: func(string) rent.Prices { return own }}); err != nil {
		t.Fatal(err)
	}
	if got := o.Policy.(*rent.Rent).Prices("claude-sonnet-4-5"); got != own {
		t.Errorf("given prices became %+v", got)
	}
}
