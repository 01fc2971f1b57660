package replay

import "math"

// class is the kind of cuts among which the optimum is sought: everything but the
// newest messages of at most keep tokens is replaced by a summary that a model
// writes, and nothing grows over hard.
type class struct{ keep, summary, hard int }

// summaryAsk is what the request for a summary adds to the conversation.
const summaryAsk = 200

// classOf is the class for a session of a size: short ones leave no room for the cuts
// of long ones.
func classOf(t *track) class {
	if t.raw < smallSession {
		return class{3000, 400, math.MaxInt}
	}
	return class{20_000, 3500, overflowAt(t.window)}
}

const smallSession = 32_000

// optimum returns the least that the session can cost if the future is known, over
// all choices of when to cut.
func (t *track) optimum(c class) float64 {
	n := len(t.calls)
	if n == 0 {
		return 0
	}
	d := newSchedule(t, c)
	// best[a] is the least cost of all calls before a, with a cut right before a.
	best := make([]float64, n)
	for a := range best {
		best[a] = math.Inf(1)
	}
	best[0] = 0
	least := math.Inf(1)
	for a := range n {
		if math.IsInf(best[a], 1) {
			continue
		}
		sum, whole := best[a], true
		for b := a; b < n; b++ {
			if b > a {
				best[b] = min(best[b], sum+d.cut(a, b))
				if d.load(a, b) > c.hard {
					whole = false
					break
				}
			}
			sum += d.call(a, b)
		}
		if whole {
			least = min(least, sum)
		}
	}
	return least
}

// schedule prices calls by where the last cut before them was; 0 means that there
// was none.
type schedule struct {
	t    *track
	c    class
	till *till
	// before is what the messages before each call weigh, tail what of them a cut
	// there would leave.
	before, tail []int
	cold         []bool
}

func newSchedule(t *track, c class) *schedule {
	d := &schedule{t: t, c: c, till: &till{prices: t.prices}}
	sums := make([]int, len(t.items)+1)
	for i, it := range t.items {
		sums[i+1] = sums[i] + it.tokens
	}
	clock := newClock()
	for _, k := range t.calls {
		now := clock.at(k.time)
		d.before = append(d.before, sums[k.at])
		d.tail = append(d.tail, sums[k.at]-sums[t.tailStart(k.at, c.keep)])
		d.cold = append(d.cold, d.till.calls == 0 || d.till.cold(now))
		d.till.calls++
		d.till.last = now
	}
	return d
}

// tailStart is where the newest messages before a call begin that weigh at most keep,
// without results whose calls are not among them.
func (t *track) tailStart(at, keep int) int {
	j, sum := at, 0
	for j > 0 && sum+t.items[j-1].tokens <= keep {
		j--
		sum += t.items[j].tokens
	}
	for j < at && t.items[j].result {
		j++
	}
	return j
}

// load is what call b sends if the last cut was before call a.
func (d *schedule) load(a, b int) int {
	if a == 0 {
		return d.t.base + d.before[b]
	}
	return d.t.base + d.c.summary + d.tail[a] + d.before[b] - d.before[a]
}

// known is what the cache may have for call b: all that was sent and answered before,
// or the base behind a cut.
func (d *schedule) known(a, b int) int {
	switch {
	case d.cold[b]:
		return 0
	case b > a && !d.t.prices.Caches(d.load(a, b-1)):
		return 0
	case b > a:
		return d.load(a, b-1) + d.t.calls[b-1].output
	case d.t.base < d.t.prices.MinPrefix:
		return 0
	}
	return d.t.base
}

// call is what call b costs.
func (d *schedule) call(a, b int) float64 {
	p, load := d.t.prices, d.load(a, b)
	return (p.Prompt(load, d.known(a, b)) + p.Output*float64(d.t.calls[b].output)) * d.till.factor(load)
}

// cut is what the summary costs for a cut right before call b.
func (d *schedule) cut(a, b int) float64 {
	p, load := d.t.prices, d.load(a, b)
	hit := min(load, d.known(a, b))
	return (p.Read*float64(hit) + float64(load-hit) + p.Output*float64(d.c.summary) + summaryAsk) * d.till.factor(load)
}
