package model

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/account"
)

// Rate is a price in micro-dollars per million tokens, which is the same number
// in picodollars per token. Money is an integer here because sums over many
// calls must not drift, and this unit holds every published price exactly: the
// cheapest cache read is a few thousand. As JSON it is US dollars per million
// tokens, the way price lists are written.
type Rate int64

// maxRate keeps one request's cost far inside 64 bits and rejects lists whose
// unit was misread.
const maxRate Rate = 100_000 * 1_000_000

// rateOf gives the rate of a price; scale is how many micro-dollars for a million tokens its unit is.
func rateOf(value, scale float64) (Rate, error) {
	scaled := math.Round(value * scale)
	if math.IsNaN(scaled) || scaled < 0 || scaled > float64(maxRate) {
		return 0, fmt.Errorf("price %v is outside 0 … %d USD per million tokens", value, maxRate/1_000_000)
	}
	return Rate(scaled), nil
}

// PerMillion is the rate in US dollars per million tokens.
func (r Rate) PerMillion() float64 { return float64(r) / 1e6 }

// MarshalJSON writes US dollars per million tokens.
func (r Rate) MarshalJSON() ([]byte, error) {
	return strconv.AppendFloat(nil, r.PerMillion(), 'f', -1, 64), nil
}

// UnmarshalJSON reads US dollars per million tokens.
func (r *Rate) UnmarshalJSON(b []byte) error {
	usd, err := strconv.ParseFloat(string(b), 64)
	if err != nil {
		return fmt.Errorf("price: want US dollars per million tokens, got %s", clip(string(b)))
	}
	rate, err := rateOf(usd, 1e6)
	*r = rate
	return err
}

// Prices are what a provider charges per token. Every rate is the one billed:
// where a list gives no cache price, reading and writing the cache cost what
// input costs.
type Prices struct {
	// Known tells a model that costs nothing from one whose price is not known.
	Known bool
	Input Rate
	// Output is the price of answers, thinking included.
	Output    Rate
	CacheRead Rate
	// CacheWrite is the price of writing with the default life.
	CacheWrite Rate
	// CacheWriteLong is the price of writing with the long life.
	CacheWriteLong Rate
}

// IsZero says that no prices are known.
func (p Prices) IsZero() bool { return !p.Known }

// priceFields is the written form of Prices: what is not there follows from
// what is.
type priceFields struct {
	Input          Rate  `json:"input"`
	Output         Rate  `json:"output"`
	CacheRead      *Rate `json:"cache_read,omitempty"`
	CacheWrite     *Rate `json:"cache_write,omitempty"`
	CacheWriteLong *Rate `json:"cache_write_long,omitempty"`
}

// MarshalJSON leaves out the cache prices that equal their default.
func (p Prices) MarshalJSON() ([]byte, error) {
	f := priceFields{Input: p.Input, Output: p.Output}
	if p.CacheRead != p.Input {
		f.CacheRead = &p.CacheRead
	}
	if p.CacheWrite != p.Input {
		f.CacheWrite = &p.CacheWrite
	}
	if p.CacheWriteLong != p.CacheWrite {
		f.CacheWriteLong = &p.CacheWriteLong
	}
	return json.Marshal(f)
}

// UnmarshalJSON fills the cache prices that are not given.
func (p *Prices) UnmarshalJSON(b []byte) error {
	var f priceFields
	if err := json.Unmarshal(b, &f); err != nil {
		return err
	}
	*p = f.prices()
	return nil
}

func (f priceFields) prices() Prices {
	p := Prices{Known: true, Input: f.Input, Output: f.Output, CacheRead: f.Input, CacheWrite: f.Input}
	if f.CacheRead != nil {
		p.CacheRead = *f.CacheRead
	}
	if f.CacheWrite != nil {
		p.CacheWrite = *f.CacheWrite
	}
	p.CacheWriteLong = p.CacheWrite
	if f.CacheWriteLong != nil {
		p.CacheWriteLong = *f.CacheWriteLong
	}
	return p
}

// Cliff is a step in the price list: a request whose prompt has more than Above
// tokens pays Prices for all of its tokens, not only for those above.
type Cliff struct {
	Above  int    `json:"above"`
	Prices Prices `json:"prices"`
}

// pricesAt gives the prices that apply to a prompt of that many tokens.
func (m Model) pricesAt(prompt int) Prices {
	p := m.Prices
	for _, c := range m.Cliffs {
		if prompt > c.Above {
			p = c.Prices
		}
	}
	return p
}

// Cost is what a call with that usage costs; ok is false when the model's prices
// are not known. Negative counts are none, and an amount that is too large for
// [account.Money] is the largest.
func (m Model) Cost(u plimsoll.Usage) (cost account.Money, ok bool) {
	if !m.Prices.Known {
		return 0, false
	}
	prompt := 0
	for _, n := range []int{u.Input, u.CacheRead, u.CacheCreation} {
		if prompt += max(n, 0); prompt < 0 {
			prompt = math.MaxInt
		}
	}
	p := m.pricesAt(prompt)
	for _, item := range []struct {
		tokens int
		rate   Rate
	}{
		{u.Input, p.Input},
		{u.Output, p.Output},
		{u.CacheRead, p.CacheRead},
		{u.CacheCreation, p.CacheWrite},
	} {
		cost = plus(cost, item.tokens, item.rate)
	}
	return cost, true
}

func plus(m account.Money, tokens int, rate Rate) account.Money {
	if tokens <= 0 || rate <= 0 {
		return m
	}
	if int64(tokens) > (math.MaxInt64-int64(m))/int64(rate) {
		return math.MaxInt64
	}
	return m + account.Money(int64(tokens)*int64(rate))
}

// clip shortens foreign text for an error message.
func clip(s string) string {
	const most = 40
	if len(s) <= most {
		return s
	}
	return s[:most] + "…"
}
