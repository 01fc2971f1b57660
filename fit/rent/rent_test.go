package rent_test

import (
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/plimsoll/plimsoll/fit"
	"github.com/plimsoll/plimsoll/fit/rent"
	"github.com/plimsoll/plimsoll/model"
)

var start = time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)

// calls asks a rule so many times, a minute apart, with an outlook that does not
// change once there is something old, and returns at which calls it cut.
func calls(r *rent.Rent, n int, o fit.Outlook, pauses map[int]time.Duration) (cheap, deep []int) {
	var s fit.PolicyState
	now := start
	for i := 1; i <= n; i++ {
		now = now.Add(time.Minute + pauses[i])
		asked := o
		asked.Now = now
		if i == 1 && n > 1 { // nothing is old yet
			asked.Cheap, asked.Deep = fit.Prospect{}, fit.Prospect{}
		}
		var action fit.Action
		s, action = r.Next(s, asked)
		switch action {
		case fit.CutCheap:
			cheap = append(cheap, i)
		case fit.CutDeep:
			deep = append(deep, i)
		}
	}
	return cheap, deep
}

func anthropic(string) rent.Prices {
	return rent.Prices{Read: 0.1, Write: 1.25, Output: 5, Life: 5 * time.Minute}
}

// TestACutIsMadeWhenTheRentPaidIsItsPrice has a cut that lets as much stand as it
// removes, which costs 1.15 for each of 10,000 tokens, and something read again: 9,000
// for the rest of the prompt, 2,500 for its 2,000 tokens, 300 for the call. It gains
// 1,000 a call, so at alpha 1 it is due at the 24th call that pays rent.
func TestACutIsMadeWhenTheRentPaidIsItsPrice(t *testing.T) {
	t.Parallel()
	o := fit.Outlook{Load: 100_000, High: 160_000, Limit: 180_000, Cheap: fit.Prospect{Removable: 10_000, Rewritten: 10_000}}
	for _, tt := range []struct {
		name   string
		alpha  float64
		pauses map[int]time.Duration
		want   int
	}{
		{"once the price", 1, nil, 25},
		{"twice the price", 2, nil, 48},
		{"a pause that lets the cache go leaves only what is read again to pay", 2, map[int]time.Duration{7: time.Hour}, 7},
		{"a pause that the cache survives changes nothing", 2, map[int]time.Duration{7: 2 * time.Minute}, 48},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			cheap, _ := calls(&rent.Rent{Prices: anthropic, Alpha: tt.alpha}, 60, o, tt.pauses)
			if len(cheap) == 0 || cheap[0] != tt.want {
				t.Errorf("cut at %v, want first at %d", cheap, tt.want)
			}
		})
	}
}

// TestACutWaitsWhileMuchWouldBeReadAgain has the cut of the test above, which leaves
// 90,000 tokens of 100,000 and lets 10,000 be read again: of the prompts until the load
// is back, two in 95 for each 1,000 tokens that a call adds.
func TestACutWaitsWhileMuchWouldBeReadAgain(t *testing.T) {
	t.Parallel()
	hour := map[int]time.Duration{30: time.Hour}
	for _, tt := range []struct {
		name   string
		pace   int
		pauses map[int]time.Duration
		want   int
	}{
		{"little is added", 4000, nil, 25},
		{"more is added than may be new", 5000, nil, 0},
		{"the cache is cold", 5000, hour, 30},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			o := fit.Outlook{Load: 100_000, High: 160_000, Limit: 180_000, PerCall: tt.pace, Cheap: fit.Prospect{Removable: 10_000, Rewritten: 10_000}}
			cheap, _ := calls(&rent.Rent{Prices: anthropic, Alpha: 1}, 60, o, tt.pauses)
			if got := append(cheap, 0)[0]; got != tt.want {
				t.Errorf("cut at %v, want first at %d", cheap, tt.want)
			}
		})
	}
}

func TestTheHighMarkIsLeftToTheRungs(t *testing.T) {
	t.Parallel()
	o := fit.Outlook{Now: start, Load: 97_000, High: 100_000, Cheap: fit.Prospect{Removable: 60_000, Rewritten: 60_000}}
	state := fit.PolicyState{Calls: 9, Last: start}
	cliff := func(string) rent.Prices {
		p := anthropic("")
		p.Cliff, p.CliffFactor = 95_000, 5
		return p
	}
	for want, prices := range map[fit.Action]func(string) rent.Prices{fit.Wait: anthropic, fit.CutCheap: cliff} {
		if _, got := (&rent.Rent{Prices: prices}).Next(state, o); got != want {
			t.Errorf("action %v, want %v", got, want)
		}
	}
}

func TestAConversationThatIsSeenForTheFirstTimeIsLeftAlone(t *testing.T) {
	t.Parallel()
	o := fit.Outlook{Load: 100_000, Cheap: fit.Prospect{Removable: 90_000}, Deep: fit.Prospect{Removable: 90_000}}
	for name, prices := range map[string]func(string) rent.Prices{
		"with a cache": anthropic, "without one": func(string) rent.Prices { return rent.Prices{Read: 1, Write: 1, Output: 5} },
	} {
		if cheap, deep := calls(&rent.Rent{Prices: prices}, 1, o, nil); len(cheap)+len(deep) > 0 {
			t.Errorf("%s it was cut", name)
		}
	}
}

func TestPricesComeFromTheRegistry(t *testing.T) {
	t.Parallel()
	m := model.Model{
		Prices: model.Prices{Known: true, Input: 100, Output: 500, CacheRead: 10, CacheWrite: 125},
		Cache:  model.Cache{Mode: model.CacheBreakpoint, LifeSeconds: 300, MinPrefix: 1024},
		Cliffs: []model.Cliff{{Above: 100_000, Prices: model.Prices{Known: true, Input: 500}}},
	}
	want := rent.Prices{Read: 0.1, Write: 1.25, Output: 5, Life: 5 * time.Minute, MinPrefix: 1024, Cliff: 100_000, CliffFactor: 5}
	if got := rent.Of(m); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if got := rent.Of(model.Model{}); got != rent.Conservative() {
		t.Errorf("a model without prices has %+v", got)
	}
	m.Prices.CacheRead, m.Prices.CacheWrite = 0, 0
	if got := rent.Of(m); got.Life != 0 || got.Read != 1 || got.Write != 1 {
		t.Errorf("a model without a cache has %+v", got)
	}
}

func TestBelowAPriceCliffTheCutIsMadeThatIsEnough(t *testing.T) {
	t.Parallel()
	cliff := func(string) rent.Prices {
		p := anthropic("")
		p.Cliff, p.CliffFactor = 100_000, 5
		return p
	}
	// The mark is at 96,000; a conversation may have what is between the base and that.
	for _, tt := range []struct {
		name                    string
		base, load, cheap, deep int
		soon                    bool
		want                    fit.Action
	}{
		{"well below it nothing happens", 0, 95_000, 60_000, 60_000, false, fit.Wait},
		{"near it what needs no model goes, if that is half", 0, 97_000, 49_000, 60_000, true, fit.CutCheap},
		{"if it is less, a checkpoint is made", 0, 97_000, 48_999, 40_000, true, fit.CutDeep},
		{"half is half of what stands above the base", 36_000, 97_000, 31_000, 60_000, true, fit.CutCheap},
		{"and less than that is not enough", 36_000, 97_000, 30_999, 60_000, true, fit.CutDeep},
		{"if a checkpoint is not enough, clearing is", 0, 120_000, 24_000, 23_999, false, fit.CutCheap},
		{"what cannot come below it is left to the rent", 0, 120_000, 23_999, 23_999, false, fit.Wait},
		{"soon after a cut there must be room to grow", 0, 97_000, 0, 13_000, true, fit.CutDeep},
		{"or the next would follow at once", 0, 97_000, 12_999, 12_999, true, fit.Wait},
		{"room to grow is a part of what stands above the base", 56_000, 97_000, 0, 6_000, true, fit.CutDeep},
		{"later a cut need only be enough", 0, 97_000, 0, 1000, false, fit.CutDeep},
		{"a base above the mark is nothing that can be cut", 96_000, 120_000, 24_000, 24_000, false, fit.Wait},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			o := fit.Outlook{
				Now: start, Load: tt.load, Base: tt.base, High: 180_000, Cheap: fit.Prospect{Removable: tt.cheap, Rewritten: 60_000},
				Deep: fit.Prospect{Removable: tt.deep, Rewritten: 60_000},
			}
			state := fit.PolicyState{Calls: 9, Last: start}
			if tt.soon {
				state.CutAt = 8
			}
			if _, got := (&rent.Rent{Prices: cliff}).Next(state, o); got != tt.want {
				t.Errorf("action %v, want %v", got, tt.want)
			}
		})
	}
}

// TestCutsAreCloseByCallsAndByWhatGrewAboveTheBase has a mark at 96,000, so that an
// eighth of what stands above a base of 16,000 is 10,000.
func TestCutsAreCloseByCallsAndByWhatGrewAboveTheBase(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name        string
		calls, load int
		want        int
	}{
		{"few calls and little growth", 20, 59_999, 1},
		{"few calls, but the load has jumped", 20, 60_000, 0},
		{"little growth, but many calls", 26, 59_999, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			rich := fit.PolicyState{CheapRent: 1e6, Calls: tt.calls, Last: start, CutAt: 15, CutLoad: 50_000}
			o := fit.Outlook{Now: start, Load: tt.load, Base: 16_000, High: 100_000, Cheap: fit.Prospect{Removable: 20_000, Rewritten: 1}}
			s, action := (&rent.Rent{Prices: anthropic}).Next(rich, o)
			if action != fit.CutCheap || s.Close != tt.want || s.CutLoad != tt.load-20_000 || s.CutAt != tt.calls+1 {
				t.Errorf("action %v, state %+v, want close %d", action, s, tt.want)
			}
		})
	}
}

// TestAPromptThatIsTooShortToBeCachedPaysInFull has a least length of 4,096 tokens.
func TestAPromptThatIsTooShortToBeCachedPaysInFull(t *testing.T) {
	t.Parallel()
	p := anthropic("")
	p.MinPrefix = 4096
	for _, tt := range []struct {
		name              string
		load, removable   int
		rent, price       float64
		gainsWhateverPaid bool
	}{
		{"above it a cut saves what reading costs", 20_000, 10_000, 1000, 0.1*10_000 + 1.25*2000 + 300 + 1.15*5000, true},
		{"below it everything that goes is saved", 4000, 3000, 3000, 1000 + 2000 + 300, true},
		{"a cut that ends the caching costs more on each call", 20_000, 16_000, 0, 4000 + 2000 + 300, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			o := fit.Outlook{Now: start, Load: tt.load, Cheap: fit.Prospect{Removable: tt.removable, Rewritten: 5000}}
			r := &rent.Rent{Prices: func(string) rent.Prices { return p }}
			s, _ := r.Next(fit.PolicyState{}, o)
			if s.CheapRent != tt.rent {
				t.Errorf("rent of %v, want %v", s.CheapRent, tt.rent)
			}
			if got := p.Price(o, o.Cheap, false); math.Abs(got-tt.price) > 1e-6 {
				t.Errorf("price of %v, want %v", got, tt.price)
			}
			rich := fit.PolicyState{CheapRent: 1e6, Calls: 20, Last: start}
			if _, action := r.Next(rich, o); (action == fit.CutCheap) != tt.gainsWhateverPaid {
				t.Errorf("action %v", action)
			}
		})
	}
}

func TestAPromptCostsWhatTheCacheHasOfIt(t *testing.T) {
	t.Parallel()
	p := anthropic("")
	p.MinPrefix = 1000
	for _, tt := range []struct {
		tokens, cached int
		want           float64
	}{{999, 999, 999}, {1000, 0, 1250}, {1000, 1000, 100}, {2000, 1000, 1350}, {1000, 5000, 100}} {
		if got := p.Prompt(tt.tokens, tt.cached); math.Abs(got-tt.want) > 1e-6 {
			t.Errorf("%d tokens, %d of them cached, cost %v, want %v", tt.tokens, tt.cached, got, tt.want)
		}
	}
}

func TestWhereBothCutsAreDueACheckpointIsMade(t *testing.T) {
	t.Parallel()
	rich := fit.PolicyState{CheapRent: 1e6, DeepRent: 1e6, Calls: 20, Last: start}
	o := fit.Outlook{Now: start, Load: 100_000, Cheap: fit.Prospect{Removable: 10_000, Rewritten: 10_000}, Deep: fit.Prospect{Removable: 50_000, Rewritten: 30_000}}
	s, action := (&rent.Rent{Prices: anthropic}).Next(rich, o)
	if action != fit.CutDeep || s.CheapRent != 0 || s.DeepRent != 0 {
		t.Errorf("action %v, accounts %v and %v", action, s.CheapRent, s.DeepRent)
	}
}

func TestACutThatGainsLittleIsNotMadeHoweverMuchRentWasPaid(t *testing.T) {
	t.Parallel()
	rich := fit.PolicyState{CheapRent: 1e6, DeepRent: 1e6, Calls: 20, Last: start}
	for removable, want := range map[int]fit.Action{4999: fit.Wait, 5000: fit.CutCheap} {
		o := fit.Outlook{Now: start, Load: 20_000, Cheap: fit.Prospect{Removable: removable, Rewritten: 1}}
		if _, got := (&rent.Rent{Prices: anthropic}).Next(rich, o); got != want {
			t.Errorf("%d removable tokens: action %v, want %v", removable, got, want)
		}
	}
}

func TestCutsKeepTheirDistanceAndMoreOfItAfterTwoThatWereClose(t *testing.T) {
	t.Parallel()
	o := fit.Outlook{Load: 100_000, Cheap: fit.Prospect{Removable: 90_000, Rewritten: 1}}
	cheap, _ := calls(&rent.Rent{Prices: func(string) rent.Prices { return rent.Prices{Read: 1, Write: 1, Output: 5} }}, 60, o, nil)
	if diff := cmp.Diff([]int{2, 7, 27, 32, 52, 57}, cheap); diff != "" {
		t.Errorf("cuts (-want +got):\n%s", diff)
	}
}

func TestPriceListsCanBeFoundByName(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, l := range rent.Lists() {
		got, ok := rent.Listed(l.Name)
		if !ok || got != l.Prices || l.Says == "" || seen[l.Name] {
			t.Errorf("list %q: found %v, %+v", l.Name, ok, got)
		}
		seen[l.Name] = true
		if got.Read <= 0 || got.Read > got.Write || (got.Life == 0) != (got.Read == 1) {
			t.Errorf("list %q cannot be: %+v", l.Name, got)
		}
	}
	if _, ok := rent.Listed("nobody"); ok {
		t.Error("a list that does not exist was found")
	}
}

// TestTheRuleIsPureAndPaysNoMoreRentThanItMust checks on any course of a conversation
// that equal input gives equal output, that nothing is cut without something to cut,
// and that rent at a cut covers its price.
func TestTheRuleIsPureAndPaysNoMoreRentThanItMust(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		r := &rent.Rent{Prices: anthropic, Alpha: rapid.Float64Range(0.5, 3).Draw(t, "alpha")}
		var s fit.PolicyState
		now := start
		for range rapid.IntRange(1, 60).Draw(t, "calls") {
			now = now.Add(time.Duration(rapid.IntRange(1, 900).Draw(t, "seconds")) * time.Second)
			prospect := func(name string) fit.Prospect {
				return fit.Prospect{
					Removable: rapid.IntRange(0, 50_000).Draw(t, name), Rewritten: rapid.IntRange(0, 80_000).Draw(t, name+" rewritten"),
					Written: rapid.SampledFrom([]int{0, 1500}).Draw(t, name+" written"),
				}
			}
			o := fit.Outlook{Now: now, Load: 150_000, Cheap: prospect("cheap"), Deep: prospect("deep")}
			next, action := r.Next(s, o)
			if again, same := r.Next(s, o); again != next || same != action {
				t.Fatal("asked again it says something else")
			}
			p, alpha := anthropic(""), r.Alpha
			cold := p.Cold(s, now)
			rate := p.Read
			if cold {
				rate, alpha = p.Write, min(alpha, 1)
			}
			switch action {
			case fit.CutCheap:
				if o.Cheap.Removable == 0 || s.CheapRent+rate*float64(o.Cheap.Removable) < alpha*p.Price(o, o.Cheap, cold) {
					t.Fatal("a cheap cut that the rent does not cover")
				}
			case fit.CutDeep:
				if o.Deep.Removable == 0 || s.DeepRent+rate*float64(o.Deep.Removable) < alpha*p.Price(o, o.Deep, cold) {
					t.Fatal("a deep cut that the rent does not cover")
				}
			}
			s = next
		}
	})
}

// TestThePriceOfACutIsWorkedOutByHand has a load of 10,000 of which 6,000 stay, with
// 3,000 of them behind the first edit.
func TestThePriceOfACutIsWorkedOutByHand(t *testing.T) {
	t.Parallel()
	p := rent.Prices{Read: 0.1, Write: 1.25, Output: 5, Life: 5 * time.Minute, MinPrefix: 1024}
	const (
		again   = 5*60 + 1.25*2000 // a call, and an output that is read again
		rewrite = 1.15 * 3000      // written instead of read
	)
	for _, tt := range []struct {
		name    string
		load    int
		removed int
		written int
		cold    bool
		want    float64
	}{
		{"without a summary", 10_000, 4000, 0, false, 600 + again + rewrite},
		{"with one, for which the model reads the cache", 10_000, 4000, 1500, false, 600 + again + rewrite + 1000 + 5*1500},
		{"with a cold cache everything is written anyway", 10_000, 4000, 0, true, 600 + again},
		{"with a cold cache the model reads at the full price", 10_000, 4000, 1500, true, 600 + again + 10_000 + 5*1500},
		{"what is too short for the cache is read at the full price", 1023, 23, 1500, false, 1000 + 5*60 + 2000 + 1023 + 5*1500},
		{"what becomes too short for it is not written to it", 2000, 1000, 0, false, 1000 + 5*60 + 2000},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := p.Price(fit.Outlook{Load: tt.load}, fit.Prospect{Removable: tt.removed, Rewritten: 3000, Written: tt.written}, tt.cold)
			if math.Abs(got-tt.want) > 1e-6 {
				t.Errorf("the price is %v, want %v", got, tt.want)
			}
		})
	}
}

func TestACacheHasItsLimits(t *testing.T) {
	t.Parallel()
	p := rent.Prices{Read: 0.1, Write: 1.25, Life: 5 * time.Minute, MinPrefix: 1024}
	if p.Caches(1023) || !p.Caches(1024) || (rent.Prices{}).Caches(5000) {
		t.Error("a prompt is cached from its shortest prefix on, where there is a cache")
	}
	for age, cold := range map[time.Duration]bool{5 * time.Minute: false, 5*time.Minute + 1: true} {
		if got := p.Cold(fit.PolicyState{Calls: 1, Last: start}, start.Add(age)); got != cold {
			t.Errorf("after %v the cache is cold: %v", age, got)
		}
	}
	known := model.Model{Prices: model.Prices{Input: 100, CacheRead: 10}}
	for seconds, want := range map[int]time.Duration{0: 5 * time.Minute, 60: time.Minute} {
		known.Cache.LifeSeconds = seconds
		if got := rent.Of(known).Life; got != want {
			t.Errorf("a cache of %d seconds lasts %v, want %v", seconds, got, want)
		}
	}
	if got := rent.Conservative().Life; got != 5*time.Minute {
		t.Errorf("an unknown cache lasts %v", got)
	}
}

func TestAlwaysCutsWhatCanGo(t *testing.T) {
	t.Parallel()
	var s fit.PolicyState
	for i, tt := range []struct {
		removable int
		want      fit.Action
	}{{0, fit.Wait}, {1, fit.CutCheap}, {1000, fit.CutCheap}} {
		var got fit.Action
		s, got = rent.Always{}.Next(s, fit.Outlook{Now: start, Cheap: fit.Prospect{Removable: tt.removable}})
		if got != tt.want || s.Calls != i+1 || !s.Last.Equal(start) {
			t.Errorf("%d tokens can go: action %v, want %v; state %+v", tt.removable, got, tt.want, s)
		}
	}
}
