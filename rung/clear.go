package rung

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/fit"
)

// outputBudget is the default of Clear.Budget.
func outputBudget(window int) int { return min(max(window/4, 20_000), 60_000) }

// Clear replaces the oldest tool outputs by placeholders:
//
//	[tool output trimmed; ref=…]
//
// Outputs that report a failure go last. An output that weighs no more than its
// placeholder stays. Those of the expansion tools go without a new reference: they
// can be asked for again.
type Clear struct {
	// Budget is what all outputs may weigh together, in tokens, whatever the load is. 0
	// means a quarter of the window, but at least 20,000 and at most 60,000; negative
	// means no budget.
	Budget int
	// KeepNewest outputs always stay and, if there are any such, all of the newest
	// round, which the model has not seen yet.
	KeepNewest int
	// Yield lets those that KeepNewest keeps go as well, but for the newest round, where
	// the goal is not reached without: in a small window a few outputs are most of it.
	Yield bool
	// Rewrite, if not 0, is the share of the prompts after a cut that may miss the prompt
	// cache. Where more would, because outputs are large for their window, a
	// conversation that was cut before is cut from its newest end: what comes before
	// that stays in the prompt cache.
	Rewrite float64
	// MinReclaim is what must come off, in tokens, for a cut to be worth the
	// prompt cache that it breaks. Unless that much can come off, or the goal is
	// reached by less, nothing is done. 0 means a tenth of the limit but at most
	// 20,000, negative none.
	MinReclaim int
	// ToGoal goes on beyond the budget until the goal is reached.
	ToGoal bool
	// Explain says in placeholders of what was not stored that the tool must be
	// run again.
	Explain bool
}

// Name returns "clear".
func (*Clear) Name() string { return "clear" }

// Apply clears outputs.
func (c *Clear) Apply(ctx context.Context, w *fit.Work, t fit.Target) error {
	all := outputs(w)
	k := &clearing{Clear: c, w: w, target: t, budget: c.budget(w), goal: t.Goal}
	for _, o := range all {
		k.weight += o.tokens
	}
	if !k.wanted() {
		return nil
	}
	k.overBudget = fmt.Sprintf("oldest output beyond the budget of %d tokens", k.budget)
	missed := !t.Reached(w)
	before, saved := w.Draft().Position(), w.Draft().Saved()
	if err := k.run(ctx, all); err != nil {
		return err
	}
	paid := t.Decided || w.Draft().Saved()-saved >= c.minReclaim(t.Line) || c.ToGoal && missed && k.reached()
	if !paid {
		w.Draft().Rollback(before)
	}
	return nil
}

// candidates are the outputs that may be cleared.
func (c *Clear) candidates(all []output, w *fit.Work) []output {
	candidates := all[:max(0, len(all)-max(0, c.KeepNewest))]
	if c.KeepNewest <= 0 {
		return candidates
	}
	return beforeNewestRound(candidates, w)
}

// beforeNewestRound leaves out what the model has not seen yet.
func beforeNewestRound(candidates []output, w *fit.Work) []output {
	turns := w.Draft().Outline().Turns
	if len(turns) == 0 {
		return candidates
	}
	rounds := turns[len(turns)-1].Rounds
	if len(rounds) == 0 {
		return candidates
	}
	newest := rounds[len(rounds)-1].Start
	end := slices.IndexFunc(candidates, func(o output) bool { return o.at.Message >= newest })
	if end < 0 {
		return candidates
	}
	return candidates[:end]
}

func (c *Clear) budget(w *fit.Work) int {
	switch {
	case c.Budget < 0:
		return math.MaxInt
	case c.Budget == 0:
		return outputBudget(w.Line().Window)
	}
	return c.Budget
}

func (c *Clear) minReclaim(line plimsoll.Line) int {
	if c.MinReclaim == 0 {
		return min(line.Limit()/10, 20_000)
	}
	return max(0, c.MinReclaim)
}

// clearing is one application of Clear.
type clearing struct {
	*Clear
	w      *fit.Work
	target fit.Target
	// weight is what all outputs weigh now.
	weight, budget int
	// goal is the load to come down to.
	goal int
	// The reasons for which outputs go.
	overBudget, overGoal string
}

func (k *clearing) reached() bool { return k.w.Load() <= k.goal }

// wanted reports whether more must go.
func (k *clearing) wanted() bool { return k.weight > k.budget || k.ToGoal && !k.reached() }

// run clears the oldest outputs, or the newest that the model has seen.
func (k *clearing) run(ctx context.Context, all []output) error {
	seen := beforeNewestRound(all, k.w)
	goal, late := k.late(all)
	if late {
		k.goal = goal
	}
	k.overGoal = fmt.Sprintf("oldest output left, the load is over its goal of %d tokens", k.goal)
	if late {
		slices.Reverse(seen)
		return k.clear(ctx, seen)
	}
	candidates := k.candidates(all, k.w)
	if err := k.clear(ctx, candidates); err != nil || !k.Yield || k.target.Decided {
		return err
	}
	return k.clear(ctx, seen[len(candidates):])
}

// late reports whether outputs are to be cleared from the newest on, and down to which
// load: the lowest from which on no more than Rewrite misses the cache, or else the one
// from which on the least does.
func (k *clearing) late(all []output) (goal int, late bool) {
	if k.Rewrite == 0 || k.target.Decided || !k.before(all) {
		return 0, false
	}
	limit, perCall := k.target.Line.Limit(), k.w.TokensPerCall()
	if fit.RewriteShare(limit, k.goal, k.goal-k.w.Base(), perCall) <= k.Rewrite {
		return 0, false
	}
	enough := int(2*float64(perCall)/k.Rewrite) - limit
	room := min(limit/3, (limit-k.w.Base())/2)
	return max(k.goal, min(enough, limit-room)), true
}

// before reports whether an earlier cut left a placeholder.
func (k *clearing) before(all []output) bool {
	return slices.ContainsFunc(all, func(o output) bool { return o.edited && onlyPlaceholder(o.result(k.w)) })
}

// clear goes over the outputs twice: those that report a failure wait for the
// second time.
func (k *clearing) clear(ctx context.Context, candidates []output) error {
	var waiting []output
	for _, o := range candidates {
		if !k.wanted() || ctx.Err() != nil {
			return ctx.Err()
		}
		if k.w.Pinned(o.at.Message) || o.tokens < lightestPlaceholder || o.mustShow(k.w) {
			continue
		}
		r := o.result(k.w)
		if failed(r.IsError, textsOf(r.Content.Slice())) {
			waiting = append(waiting, o)
			continue
		}
		if err := k.take(ctx, o, r); err != nil {
			return err
		}
	}
	for _, o := range waiting {
		if !k.wanted() || ctx.Err() != nil {
			return ctx.Err()
		}
		if err := k.take(ctx, o, o.result(k.w)); err != nil {
			return err
		}
	}
	return nil
}

// lightestPlaceholder is fewer tokens than any placeholder weighs, so that smaller
// outputs need not be looked at.
const lightestPlaceholder = 5

func (k *clearing) take(ctx context.Context, o output, r plimsoll.ToolResult) error {
	if onlyPlaceholder(r) {
		return nil
	}
	var ref *plimsoll.Ref
	id, hint := "", ""
	if !slices.Contains(ExpansionTools(), o.tool(k.w)) {
		var err error
		if ref, id, err = origin(ctx, k.w, r); err != nil {
			return err
		}
		if k.Explain {
			hint = "it was not stored, run the tool again if it is needed"
		}
	}
	saved := k.w.Draft().Saved()
	why := plimsoll.Why{Rung: k.Name(), Reason: k.reason(), Ref: ref}
	if _, err := replace(k.w, o, only(placeholder(trimmedStart, id, hint)), why); err != nil {
		return err
	}
	k.weight -= k.w.Draft().Saved() - saved
	return nil
}

func (k *clearing) reason() string {
	if k.weight > k.budget {
		return k.overBudget
	}
	return k.overGoal
}

// Prospect returns what clearing everything but the newest outputs would take off, by
// weight alone.
func (c *Clear) Prospect(w *fit.Work) (removable, first int) {
	all := outputs(w)
	first = w.Draft().Original().Messages.Len()
	for _, o := range c.candidates(all, w) {
		if o.tokens <= 2*placeholderTokens || w.Pinned(o.at.Message) {
			continue
		}
		removable += o.tokens - placeholderTokens
		first = min(first, o.at.Message)
	}
	return removable, first
}

// placeholderTokens is about what a placeholder with a reference weighs.
const placeholderTokens = 25
