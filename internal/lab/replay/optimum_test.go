package replay

import (
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/fit/rent"
)

// tiny is a session of a few calls of any sizes.
func tiny(t *rapid.T) *track {
	track := &track{base: rapid.IntRange(0, 50).Draw(t, "base")}
	at := noon
	for range rapid.IntRange(1, 8).Draw(t, "calls") {
		track.items = append(track.items, item{tokens: rapid.IntRange(1, 200).Draw(t, "heard"), result: rapid.Bool().Draw(t, "result")})
		at = at.Add(time.Duration(rapid.IntRange(0, 600).Draw(t, "seconds")) * time.Second)
		n := len(track.items)
		size := rapid.IntRange(1, 60).Draw(t, "said")
		track.calls = append(track.calls, recordedCall{at: n, end: n + 1, time: at, output: size})
		track.items = append(track.items, item{tokens: size, message: plimsoll.Message{Role: plimsoll.Assistant}})
	}
	track.prices = rapid.SampledFrom([]rent.Prices{
		anthropic,
		{Read: 1, Write: 1, Output: 5},
		{Read: 0.5, Write: 1, Output: 4, Life: 10 * time.Minute},
		{Read: 0.1, Write: 1.25, Output: 5, Life: 5 * time.Minute, Cliff: 300, CliffFactor: 5},
		{Read: 0.1, Write: 1.25, Output: 5, Life: 5 * time.Minute, MinPrefix: 30},
		{Read: 0.1, Write: 1.25, Output: 5, Life: 5 * time.Minute, MinPrefix: 300},
	}).Draw(t, "prices")
	return track
}

// byHand plays one choice of cuts, call by call, and returns what it costs; infinite
// if something grows over the limit that was not cut.
func byHand(t *track, c class, cuts int) float64 {
	cost, from, size := 0.0, 0, t.base // what stands from message from on, behind size tokens
	known := 0                         // what the cache has
	last := time.Time{}
	factor := func(n int) float64 {
		if t.prices.Cliff > 0 && n > t.prices.Cliff {
			return t.prices.CliffFactor
		}
		return 1
	}
	p := t.prices
	for i, k := range t.calls {
		load := size
		for _, it := range t.items[from:k.at] {
			load += it.tokens
		}
		warm := i > 0 && p.Life > 0 && k.time.Sub(last) <= p.Life
		last = k.time
		if !warm {
			known = 0
		}
		if cuts&(1<<i) != 0 {
			hit := min(known, load)
			cost += (p.Read*float64(hit) + float64(load-hit) + p.Output*float64(c.summary) + summaryAsk) * factor(load)
			from, size = t.tailStart(k.at, c.keep), t.base+c.summary
			load = size
			for _, it := range t.items[from:k.at] {
				load += it.tokens
			}
			if known = 0; warm && t.base >= p.MinPrefix {
				known = t.base
			}
		} else if i > 0 && load > c.hard {
			return math.Inf(1)
		}
		hit := min(known, load)
		known = load + k.output
		prompt := p.Read*float64(hit) + p.Write*float64(load-hit)
		if load < p.MinPrefix { // neither read nor written
			prompt, known = float64(load), 0
		}
		cost += (prompt + p.Output*float64(k.output)) * factor(load)
	}
	return cost
}

func TestTheOptimumIsTheBestOfAllChoicesOfCuts(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		track := tiny(t)
		c := class{rapid.IntRange(0, 150).Draw(t, "keep"), rapid.IntRange(1, 60).Draw(t, "summary"), rapid.IntRange(300, 2000).Draw(t, "hard")}
		best := math.Inf(1)
		for cuts := 0; cuts < 1<<len(track.calls); cuts += 2 { // nothing can be cut before the first call
			best = min(best, byHand(track, c, cuts))
		}
		got := track.optimum(c)
		if math.Abs(got-best) > 1e-6 && !(math.IsInf(got, 1) && math.IsInf(best, 1)) {
			t.Fatalf("optimum %v, the best of all is %v", got, best)
		}
	})
}
