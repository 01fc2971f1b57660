package model_test

import (
	"encoding/json"
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/model"
)

func usd(t *testing.T, perMillion float64) model.Rate {
	t.Helper()
	r, err := model.RateOf(perMillion, 1e6)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestCostOfACall(t *testing.T) {
	t.Parallel()
	haiku := lookup(t, model.Default(), "claude-haiku-5-5")
	gemini := lookup(t, model.Default(), "gemini-2.5-pro")
	gpt := lookup(t, model.Default(), "gpt-4o")
	for _, tc := range []struct {
		name  string
		model model.Model
		usage plimsoll.Usage
		want  float64
	}{
		{"nothing", gpt, plimsoll.Usage{}, 0},
		{"a million in", gpt, plimsoll.Usage{Input: 1_000_000}, 2.50},
		{"a million out", gpt, plimsoll.Usage{Output: 1_000_000}, 10},
		{"a million from the cache", gpt, plimsoll.Usage{CacheRead: 1_000_000}, 1.25},
		{"a write without a price of its own costs what input costs", gpt, plimsoll.Usage{CacheCreation: 1_000_000}, 2.50},
		{"negative counts are none", gpt, plimsoll.Usage{Input: -5, Output: 1_000_000, CacheRead: math.MinInt}, 10},
		{"a write with a price of its own", haiku, plimsoll.Usage{CacheCreation: 40_000}, 0.005},
		{"just below the cliff", haiku, plimsoll.Usage{Input: 100_000, Output: 1_000}, 0.01 + 0.0005},
		{"one token above the cliff all tokens cost more", haiku, plimsoll.Usage{Input: 100_001, Output: 1_000}, 0.0500005 + 0.0025},
		{"cached tokens count towards the cliff", haiku, plimsoll.Usage{Input: 1, CacheRead: 100_000, Output: 1_000}, 0.0000005 + 0.005 + 0.0025},
		{"output does not count towards the cliff", haiku, plimsoll.Usage{Input: 1_000, Output: 200_000}, 0.0001 + 0.1},
		{"the other side of another cliff", gemini, plimsoll.Usage{Input: 200_001}, 0.5000025},
	} {
		got, ok := tc.model.Cost(tc.usage)
		if !ok || math.Abs(got.USD()-tc.want) > 1e-12 {
			t.Errorf("%s: %.9f (%v), want %.9f", tc.name, got.USD(), ok, tc.want)
		}
	}
}

func TestCostIsUnknownWithoutPricesAndZeroForLocalWeights(t *testing.T) {
	t.Parallel()
	if c, ok := (model.Model{}).Cost(plimsoll.Usage{Input: 5}); ok {
		t.Errorf("a model without prices costs %v", c)
	}
	if c, ok := lookup(t, model.Default(), "llama3.1:8b").Cost(plimsoll.Usage{Input: 5}); !ok || c != 0 {
		t.Errorf("local weights cost %v (%v)", c, ok)
	}
}

func TestCostStaysAtItsLargestValue(t *testing.T) {
	t.Parallel()
	m := model.Model{Prices: model.Prices{Known: true, Input: usd(t, 100), Output: usd(t, 100)}}
	c, ok := m.Cost(plimsoll.Usage{Input: math.MaxInt, Output: math.MaxInt, CacheRead: math.MaxInt})
	if !ok || c != math.MaxInt64 {
		t.Errorf("got %d", c)
	}
}

func TestPricesAreExactInJSON(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		`{"input":2.5,"output":10,"cache_read":1.25}`,
		`{"input":0.435,"output":0.87,"cache_read":0.003625}`,
		`{"input":3,"output":15,"cache_read":0.3,"cache_write":3.75,"cache_write_long":6}`,
		`{"input":0,"output":0}`,
	} {
		var p model.Prices
		if err := json.Unmarshal([]byte(text), &p); err != nil {
			t.Fatal(err)
		}
		got, err := json.Marshal(p)
		if err != nil || string(got) != text || !p.Known {
			t.Errorf("got %s, want %s (%v)", got, text, err)
		}
	}
	for _, text := range []string{`{"input":-1,"output":1}`, `{"input":"2","output":1}`, `{"input":1e300,"output":1}`, `{"input":100001,"output":1}`} {
		var p model.Prices
		if err := json.Unmarshal([]byte(text), &p); err == nil {
			t.Errorf("%s is taken as %+v", text, p)
		}
	}
}

func TestMoreTokensNeverCostLess(t *testing.T) {
	t.Parallel()
	models := model.Default().All()
	rapid.Check(t, func(t *rapid.T) {
		m := rapid.SampledFrom(models).Draw(t, "model")
		count := rapid.IntRange(0, 3_000_000)
		u := plimsoll.Usage{Input: count.Draw(t, "in"), Output: count.Draw(t, "out"), CacheRead: count.Draw(t, "read"), CacheCreation: count.Draw(t, "write")}
		more := u
		more.Input += count.Draw(t, "more in")
		more.Output += count.Draw(t, "more out")
		more.CacheRead += count.Draw(t, "more read")
		a, okA := m.Cost(u)
		b, okB := m.Cost(more)
		if a > b || okA != okB || okA != m.Prices.Known {
			t.Fatalf("%s: %+v costs %v, %+v costs %v", m.ID, u, a, more, b)
		}
	})
}
