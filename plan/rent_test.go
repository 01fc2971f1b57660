package plan_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/model"
	"github.com/plimsoll/plimsoll/plan"
)

var start = time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)

// calls asks a rule so many times, a minute apart, with an outlook that does not
// change once there is something old, and returns at which calls it cut.
func calls(r *plan.Rent, n int, o plimsoll.Outlook, pauses map[int]time.Duration) (cheap, deep []int) {
	var s plimsoll.PolicyState
	now := start
	for i := 1; i <= n; i++ {
		now = now.Add(time.Minute + pauses[i])
		asked := o
		asked.Now = now
		if i == 1 && n > 1 { // nothing is old yet
			asked.Cheap, asked.Deep = plimsoll.Prospect{}, plimsoll.Prospect{}
		}
		var action plimsoll.Action
		s, action = r.Next(s, asked)
		switch action {
		case plimsoll.CutCheap:
			cheap = append(cheap, i)
		case plimsoll.CutDeep:
			deep = append(deep, i)
		}
	}
	return cheap, deep
}

func anthropic(string) plan.Prices {
	return plan.Prices{Read: 0.1, Write: 1.25, Output: 5, Life: 5 * time.Minute}
}

// TestACutIsMadeWhenTheRentPaidIsItsPrice has a cut that lets as much stand as it
// removes: it costs 1.15 a token and gains 0.1 a call, so at alpha 1 it is due at the
// twelfth call that pays rent.
func TestACutIsMadeWhenTheRentPaidIsItsPrice(t *testing.T) {
	t.Parallel()
	o := plimsoll.Outlook{Load: 100_000, High: 160_000, Limit: 180_000, Cheap: plimsoll.Prospect{Removable: 10_000, Rewritten: 10_000}}
	for _, tt := range []struct {
		name   string
		alpha  float64
		pauses map[int]time.Duration
		want   int
	}{
		{"once the price", 1, nil, 13},
		{"twice the price", 2, nil, 24},
		{"a pause that lets the cache go makes it free", 2, map[int]time.Duration{7: time.Hour}, 7},
		{"a pause that the cache survives does not", 2, map[int]time.Duration{7: 2 * time.Minute}, 24},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			cheap, _ := calls(&plan.Rent{Prices: anthropic, Alpha: tt.alpha}, 30, o, tt.pauses)
			if len(cheap) == 0 || cheap[0] != tt.want {
				t.Errorf("cut at %v, want first at %d", cheap, tt.want)
			}
		})
	}
}

func TestAConversationThatIsSeenForTheFirstTimeIsLeftAlone(t *testing.T) {
	t.Parallel()
	o := plimsoll.Outlook{Load: 100_000, Cheap: plimsoll.Prospect{Removable: 90_000}, Deep: plimsoll.Prospect{Removable: 90_000}}
	for name, prices := range map[string]func(string) plan.Prices{
		"with a cache": anthropic, "without one": func(string) plan.Prices { return plan.Prices{Read: 1, Write: 1, Output: 5} },
	} {
		if cheap, deep := calls(&plan.Rent{Prices: prices}, 1, o, nil); len(cheap)+len(deep) > 0 {
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
	want := plan.Prices{Read: 0.1, Write: 1.25, Output: 5, Life: 5 * time.Minute, MinPrefix: 1024, Cliff: 100_000, CliffFactor: 5}
	if got := plan.Of(m); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if got := plan.Of(model.Model{}); got != plan.Conservative() {
		t.Errorf("a model without prices has %+v", got)
	}
	m.Prices.CacheRead, m.Prices.CacheWrite = 0, 0
	if got := plan.Of(m); got.Life != 0 || got.Read != 1 || got.Write != 1 {
		t.Errorf("a model without a cache has %+v", got)
	}
}

func TestBelowAPriceCliffEverythingIsCutThatCanBe(t *testing.T) {
	t.Parallel()
	cliff := func(string) plan.Prices {
		p := anthropic("")
		p.Cliff, p.CliffFactor = 100_000, 5
		return p
	}
	o := plimsoll.Outlook{Load: 97_000, Deep: plimsoll.Prospect{Removable: 10, Rewritten: 90_000, Written: 1500}}
	if _, deep := calls(&plan.Rent{Prices: cliff}, 2, o, nil); len(deep) != 1 {
		t.Error("4,000 tokens below the cliff nothing was cut")
	}
	o.Load = 95_000
	if _, deep := calls(&plan.Rent{Prices: cliff}, 3, o, nil); len(deep) != 0 {
		t.Error("well below the cliff a cut was made that does not pay")
	}
}

// TestTheRuleIsPureAndPaysNoMoreRentThanItMust checks on any course of a conversation
// that equal input gives equal output, that nothing is cut without something to cut,
// and that rent at a cut covers its price.
func TestTheRuleIsPureAndPaysNoMoreRentThanItMust(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		r := &plan.Rent{Prices: anthropic, Alpha: rapid.Float64Range(0.5, 3).Draw(t, "alpha")}
		var s plimsoll.PolicyState
		now := start
		for range rapid.IntRange(1, 60).Draw(t, "calls") {
			now = now.Add(time.Duration(rapid.IntRange(1, 900).Draw(t, "seconds")) * time.Second)
			prospect := func(name string) plimsoll.Prospect {
				return plimsoll.Prospect{
					Removable: rapid.IntRange(0, 50_000).Draw(t, name), Rewritten: rapid.IntRange(0, 80_000).Draw(t, name+" rewritten"),
					Written: rapid.SampledFrom([]int{0, 1500}).Draw(t, name+" written"),
				}
			}
			o := plimsoll.Outlook{Now: now, Load: 150_000, Cheap: prospect("cheap"), Deep: prospect("deep")}
			next, action := r.Next(s, o)
			if again, same := r.Next(s, o); again != next || same != action {
				t.Fatal("asked again it says something else")
			}
			p := anthropic("")
			cold := p.Cold(s, now)
			rate := p.Read
			if cold {
				rate = p.Write
			}
			switch action {
			case plimsoll.CutCheap:
				if o.Cheap.Removable == 0 || s.CheapRent+rate*float64(o.Cheap.Removable) < r.Alpha*p.Price(o, o.Cheap, cold) {
					t.Fatal("a cheap cut that the rent does not cover")
				}
			case plimsoll.CutDeep:
				if o.Deep.Removable == 0 || s.DeepRent+rate*float64(o.Deep.Removable) < r.Alpha*p.Price(o, o.Deep, cold) {
					t.Fatal("a deep cut that the rent does not cover")
				}
			}
			s = next
		}
	})
}
