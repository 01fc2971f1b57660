package replay

import (
	"time"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/fit"
	"github.com/plimsoll/plimsoll/fit/rent"
)

// plannedRequest is what would be sent for a call.
type plannedRequest struct {
	// keys and tokens of the messages. Equal keys mean equal bytes.
	keys   []plimsoll.Digest
	tokens []int
	// total is what everything weighs, base included, and tools how many tools the base
	// was given. A provider that is sent others reads everything again.
	total, tools int
}

// base is what stands before the messages.
func (r *plannedRequest) base() int {
	n := r.total
	for _, tokens := range r.tokens {
		n -= tokens
	}
	return n
}

// till is the account of one conversation with a provider: what each call costs,
// in tokens of uncached input.
type till struct {
	prices rent.Prices
	// keys that the cache has: those of the last request and of its answer.
	keys []plimsoll.Digest
	// length of the last request, and the tools that it was given.
	length, tools int
	last          time.Time
	calls         int

	cost           float64
	sent, read     int
	common, shared int // for the stability of the prefix
	breaks         int
	excess, fresh  int
}

// cold reports whether the cache has forgotten the conversation by now.
func (t *till) cold(now time.Time) bool {
	return t.prices.Cold(fit.PolicyState{Calls: t.calls, Last: t.last}, now)
}

// factor is what a price cliff multiplies everything by.
func (t *till) factor(tokens int) float64 {
	if t.prices.Cliff > 0 && tokens > t.prices.Cliff && t.prices.CliffFactor > 0 {
		return t.prices.CliffFactor
	}
	return 1
}

// match returns how much of the request begins as the last one and its answer did,
// and how many messages that are.
func (t *till) match(r *plannedRequest) (tokens, messages int) {
	if t.calls == 0 || r.tools != t.tools {
		return 0, 0
	}
	tokens = r.base()
	for i := range min(len(r.keys), len(t.keys)) {
		if r.keys[i] != t.keys[i] {
			break
		}
		tokens += r.tokens[i]
		messages++
	}
	return tokens, messages
}

// hit is how much of a request the cache has.
func (t *till) hit(r *plannedRequest, now time.Time) int {
	tokens, _ := t.match(r)
	if t.calls == 0 || t.cold(now) || tokens < t.prices.MinPrefix || !t.prices.Caches(t.length) {
		return 0
	}
	return tokens
}

// pay adds a call and takes its answer into the cache. Fresh is what of the request
// could not have been sent before. It reports whether what was sent before changed.
func (t *till) pay(r *plannedRequest, fresh, output int, now time.Time, answer ...plimsoll.Digest) (broke bool) {
	hit := t.hit(r, now)
	t.cost += (t.prices.Prompt(r.total, hit) + t.prices.Output*float64(output)) * t.factor(r.total)
	t.sent += r.total
	t.read += hit
	if t.calls > 0 {
		same, messages := t.match(r)
		t.common += min(same, r.total, t.length)
		t.shared += min(r.total, t.length)
		t.excess += max(0, r.total-same-fresh)
		t.fresh += fresh
		if messages < len(t.keys) {
			broke = true
			t.breaks++
		}
	}
	t.keys = append(append(t.keys[:0], r.keys...), answer...)
	t.length, t.tools, t.last = r.total, r.tools, now
	t.calls++
	return broke
}
