package replay

import (
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/fit/rent"
)

// requests of a base of 1,000 tokens and messages of 100 each.
func ask(keys ...byte) *plannedRequest {
	r := &plannedRequest{total: 1000}
	for _, k := range keys {
		r.keys = append(r.keys, key(k))
		r.tokens = append(r.tokens, 100)
		r.total += 100
	}
	return r
}

func TestACallReadsWhatTheLastOneSentAndWritesTheRest(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		second *plannedRequest
		pause  time.Duration
		cost   float64
		broke  bool
	}{
		{"the answer and one message more", ask(1, 2, 3), time.Minute, 0.1*1200 + 1.25*100 + 5*10, false},
		{"another message at the beginning", ask(9, 2, 3), time.Minute, 0.1*1000 + 1.25*300 + 5*10, true},
		{"after the cache has forgotten", ask(1, 2, 3), 6 * time.Minute, 1.25*1300 + 5*10, false},
		{"fewer messages than before", ask(1), time.Minute, 0.1*1100 + 5*10, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := &till{prices: anthropic}
			b.pay(ask(1), 100, 20, noon, key(2))
			near(t, "first call", b.cost, 1.25*1100+5*20)
			first := b.cost
			broke := b.pay(tt.second, 100, 10, noon.Add(tt.pause), key(4))
			near(t, "second call", b.cost-first, tt.cost)
			if broke != tt.broke {
				t.Errorf("broke = %v", broke)
			}
		})
	}
}

func TestAboveACliffEverythingCostsMore(t *testing.T) {
	t.Parallel()
	p := anthropic
	p.Cliff, p.CliffFactor = 1100, 5
	b := &till{prices: p}
	b.pay(ask(1), 100, 0, noon)
	near(t, "at the cliff", b.cost, 1.25*1100)
	b.pay(ask(1, 2), 100, 0, noon)
	near(t, "above it", b.cost-1.25*1100, 5*(0.1*1100+1.25*100))
}

// TestAPromptThatIsTooShortIsNeitherWrittenNorRead grows one over the least length: the
// first call pays in full, the second writes everything, the third reads it.
func TestAPromptThatIsTooShortIsNeitherWrittenNorRead(t *testing.T) {
	t.Parallel()
	p := anthropic
	p.MinPrefix = 1101
	b := &till{prices: p}
	for i, want := range []float64{1100, 1.25 * 1200, 0.1*1200 + 1.25*100} {
		before := b.cost
		b.pay(ask([]byte{1, 2, 3}[:i+1]...), 100, 0, noon)
		near(t, []string{"below", "over it", "then"}[i], b.cost-before, want)
	}
}

func TestOtherToolsLetTheProviderReadEverythingAgain(t *testing.T) {
	t.Parallel()
	b := &till{prices: anthropic}
	b.pay(ask(1), 100, 0, noon)
	for _, want := range []float64{1.25 * 1200, 0.1 * 1200} { // with tools for the first time, and again
		before, given := b.cost, ask(1, 2)
		given.tools = 2
		b.pay(given, 100, 0, noon)
		near(t, "cost", b.cost-before, want)
	}
	if b.breaks != 1 {
		t.Errorf("%d breaks", b.breaks)
	}
}

func TestStabilityIsTheShareOfTokensThatStoodBefore(t *testing.T) {
	t.Parallel()
	b := &till{prices: anthropic}
	b.pay(ask(1, 2), 200, 0, noon, key(3))
	b.pay(ask(1, 2, 3, 4), 100, 0, noon) // nothing changed: 1,200 of 1,200
	b.pay(ask(1, 9, 3, 4), 0, 0, noon)   // from the second message on: 1,100 of 1,400
	if b.common != 1200+1100 || b.shared != 1200+1400 || b.breaks != 1 {
		t.Errorf("%d of %d, %d breaks", b.common, b.shared, b.breaks)
	}
	if b.excess != 300 || b.fresh != 100 {
		t.Errorf("%d written again beside %d new", b.excess, b.fresh)
	}
}

func TestWithoutACacheEverythingIsPaidInFull(t *testing.T) {
	t.Parallel()
	b := &till{prices: rent.Prices{Read: 1, Write: 1, Output: 5}}
	b.pay(ask(1), 100, 10, noon)
	b.pay(ask(1, 2), 100, 10, noon)
	near(t, "cost", b.cost, 1100+1200+100)
	if b.read != 0 {
		t.Errorf("%d tokens came from a cache", b.read)
	}
}

func TestTheClockFollowsTheRecordAndNeverGoesBack(t *testing.T) {
	t.Parallel()
	c := newClock()
	c.at(noon)
	if got := c.at(noon.Add(-time.Hour)); got != noon {
		t.Errorf("an earlier time gave %v", got)
	}
	if got := c.at(time.Time{}); got != noon.Add(pause) {
		t.Errorf("no time gave %v", got)
	}
}
