// Package account adds up what conversations used and what cutting saved. It knows no
// provider and no store.
package account

import (
	"fmt"
	"math"
	"time"

	"github.com/plimsoll/plimsoll"
)

// Account adds up what a conversation, or several, used and saved.
type Account struct {
	// Conversation is its name: the identity of its beginning up to the first message
	// of the user. It is empty in a sum over several.
	Conversation string
	// Model of the last request.
	Model string
	// Requests that were answered, and their Usage as billed.
	Requests int64
	Usage    plimsoll.Usage
	// Saved is the tokens that were not sent because of cuts, as weighed; Written what
	// had to be written to a prompt cache again because of them.
	Saved, Written int64
	// Estimated is what was sent, as weighed before; Usage.Prompt is the same as
	// billed.
	Estimated int64
	// Cuts is the requests for which something was cut that had not been cut before,
	// Breaks those that did not begin with what had been sent before.
	Cuts, Breaks int64
	// Priced is the requests whose prices are known. Paid is what they cost, Uncut what
	// they would have cost without any cut, with prompt caches as they were, and
	// Summaries what was paid for checkpoints.
	Priced                 int64
	Paid, Uncut, Summaries Money
	// First and Last say when it was added to.
	First, Last time.Time
}

// Add returns the sum of two accounts. It has the name that both have, and the model
// of the later one.
func (a Account) Add(b Account) Account {
	sum := Account{
		Conversation: a.Conversation, Model: b.Model,
		Requests: a.Requests + b.Requests, Usage: a.Usage.Add(b.Usage),
		Saved: a.Saved + b.Saved, Written: a.Written + b.Written, Estimated: a.Estimated + b.Estimated,
		Cuts: a.Cuts + b.Cuts, Breaks: a.Breaks + b.Breaks,
		Priced: a.Priced + b.Priced, Paid: a.Paid + b.Paid, Uncut: a.Uncut + b.Uncut, Summaries: a.Summaries + b.Summaries,
		First: b.First, Last: b.Last,
	}
	if a.Conversation != b.Conversation {
		sum.Conversation = ""
	}
	if a.Last.After(b.Last) {
		sum.Model, sum.Last = a.Model, a.Last
	}
	if b.First.IsZero() || !a.First.IsZero() && a.First.Before(b.First) {
		sum.First = a.First
	}
	return sum
}

// Net is what cutting saved after its effects on prompt caches and the price of
// summaries. It is negative where cutting cost more than it saved.
func (a Account) Net() Money { return a.Uncut - a.Paid - a.Summaries }

// CacheShare is the share of the prompts that was read from a cache.
func (a Account) CacheShare() float64 {
	return shareOf(float64(a.Usage.CacheRead), float64(a.Usage.Prompt()))
}

// BreaksPer100 is how many of a hundred requests did not begin with what had been sent
// before.
func (a Account) BreaksPer100() float64 { return 100 * shareOf(float64(a.Breaks), float64(a.Requests)) }

// Drift is by how much what was weighed exceeds what was billed, as a share of that.
func (a Account) Drift() float64 {
	billed := float64(a.Usage.Prompt())
	return shareOf(float64(a.Estimated)-billed, billed)
}

func shareOf(part, of float64) float64 {
	if of == 0 {
		return 0
	}
	return part / of
}

// Money is an amount in picodollars (10⁻¹² US dollars), in which the price of every
// token is a whole number, so that sums do not drift. It may be negative.
type Money int64

const picodollars = 1e12

// Dollars returns an amount of US dollars, at most nine million either way.
func Dollars(usd float64) Money {
	const most = 9e6
	if math.IsNaN(usd) {
		return 0
	}
	return Money(math.Round(min(most, max(-most, usd)) * picodollars))
}

// USD returns the amount in US dollars.
func (m Money) USD() float64 { return float64(m) / picodollars }

// String returns the amount in dollars, small amounts with more digits.
func (m Money) String() string {
	sign, usd := "", m.USD()
	if m < 0 {
		sign, usd = "-", -usd
	}
	if usd >= 1 || m == 0 {
		return fmt.Sprintf("%s$%.2f", sign, usd)
	}
	return fmt.Sprintf("%s$%.4f", sign, usd)
}
