// Package rent says when cutting a conversation pays. Providers charge a tenth or
// less for a prefix that they have seen, so every token that could be removed costs
// rent on each call, and a cut has a price: what follows it must be written
// again. When to pay that price, without knowing how long the conversation will last,
// is the ski rental problem: cut when the rent paid equals the price.
//
// Everything here is a pure function of prices and state; the keeper hands both in.
package rent

import (
	"time"

	"github.com/plimsoll/plimsoll/fit"
	"github.com/plimsoll/plimsoll/model"
)

// Prices are what tokens cost, relative to uncached input.
type Prices struct {
	// Read is the price of a token that the cache has, Write of one that it takes
	// in, Output of one that the model writes.
	Read, Write, Output float64
	// Life is how long the cache keeps a prefix that is not used; 0 means that there
	// is no cache.
	Life time.Duration
	// MinPrefix is the shortest prefix that is cached: a prompt below it costs the full
	// price on every call.
	MinPrefix int
	// Cliff is the prompt above which everything costs CliffFactor times as much; 0
	// if there is none.
	Cliff       int
	CliffFactor float64
}

// Conservative is what is assumed of a model without known prices: a cache that
// makes cuts expensive, so that they are rare.
func Conservative() Prices {
	return Prices{Read: 0.1, Write: 1.25, Output: 5, Life: 5 * time.Minute, MinPrefix: 1024}
}

// Of returns the prices of a model as the registry knows them.
func Of(m model.Model) Prices {
	p, known := Conservative(), m.Prices
	if known.Input <= 0 {
		return p
	}
	p.Output = share(known.Output, known.Input)
	p.Read, p.Write, p.MinPrefix = 1, 1, m.Cache.MinPrefix
	if known.CacheRead > 0 {
		p.Read = share(known.CacheRead, known.Input)
		p.Life = life(m.Cache)
	} else {
		p.Life = 0
	}
	if known.CacheWrite > 0 {
		p.Write = share(known.CacheWrite, known.Input)
	}
	if len(m.Cliffs) > 0 && m.Cliffs[0].Prices.Input > 0 {
		p.Cliff, p.CliffFactor = m.Cliffs[0].Above, share(m.Cliffs[0].Prices.Input, known.Input)
	}
	return p
}

func share(a, of model.Rate) float64 { return float64(a) / float64(of) }

func life(c model.Cache) time.Duration {
	if c.LifeSeconds > 0 {
		return time.Duration(c.LifeSeconds) * time.Second
	}
	return Conservative().Life
}

// Caches reports whether a prompt of so many tokens is cached.
func (p Prices) Caches(tokens int) bool { return p.Life > 0 && tokens >= p.MinPrefix }

// Prompt returns what a prompt costs of which the cache has so many tokens.
func (p Prices) Prompt(tokens, cached int) float64 {
	if !p.Caches(tokens) {
		return float64(tokens)
	}
	cached = min(tokens, cached)
	return p.Read*float64(cached) + p.Write*float64(tokens-cached)
}

// Cold reports whether the cache is known to have forgotten a conversation. Of one
// that is seen for the first time nothing is known.
func (p Prices) Cold(s fit.PolicyState, now time.Time) bool {
	return p.Life == 0 || s.Calls > 0 && now.Sub(s.Last) > p.Life
}
