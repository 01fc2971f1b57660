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
// It replaces outputs that report a failure last, unless Strict is set. An output that weighs no more than
// its placeholder stays. Outputs of the expansion tools get no new reference: the model
// can ask for them again.
type Clear struct {
	// Budget is what all outputs may weigh together, in tokens, whatever the load is. 0
	// means a quarter of the window, but at least 20,000 and at most 60,000; negative
	// means no budget.
	Budget int
	// KeepNewest is how many of the newest outputs always stay. If it is more than 0,
	// all of the newest round stay too, because the model has not seen them yet.
	KeepNewest int
	// MinReclaim is how many tokens a cut must save to be worth the prompt cache that
	// it breaks. A cut that saves less counts only if it reaches the goal. 0 means a
	// tenth of the limit but at most 20,000; negative means none.
	MinReclaim int
	// ToGoal makes Clear continue below the budget until it reaches the goal. For one
	// request it keeps beginning and end of the last output that must go, if there is
	// room for them. In a conversation that goes on it also replaces what KeepNewest
	// keeps, except the newest round, if it misses the goal otherwise: a few outputs can
	// fill a small window.
	ToGoal bool
	// Strict takes the outputs in their order alone: one that reports a failure goes in
	// its turn.
	Strict bool
	// Explain makes the placeholder of an output that was not stored tell the model to
	// run the tool again.
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

// beforeNewestRound leaves out the newest round, which the model has not seen yet.
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
	// overBudget and overGoal are the reasons in the plan.
	overBudget, overGoal string
}

func (k *clearing) reached() bool { return k.w.Load() <= k.goal }

// wanted reports whether Clear must replace more outputs.
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
	if err := k.clear(ctx, candidates); err != nil || !k.target.GoesOn || k.target.Decided || len(candidates) >= len(seen) {
		return err
	}
	k.budget = math.MaxInt // the newest outputs go for the goal alone
	return k.clear(ctx, seen[len(candidates):])
}

// late reports whether to start with the newest outputs, because outputs are large for
// their window, in a conversation that was cut before: everything before the first of them
// stays in the prompt cache. The goal for that is the lowest load after which at most
// [fit.MostRewritten] of the prompts miss the cache, or else the one after which the
// fewest do.
func (k *clearing) late(all []output) (goal int, late bool) {
	if !k.ToGoal || !k.target.GoesOn || k.target.Decided || !k.before(all) {
		return 0, false
	}
	limit, perCall := k.target.Line.Limit(), k.w.TokensPerCall()
	if fit.RewriteShare(limit, k.goal, k.goal-k.w.Base(), perCall) <= fit.MostRewritten {
		return 0, false
	}
	enough := int(2*float64(perCall)/fit.MostRewritten) - limit
	room := min(limit/3, (limit-k.w.Base())/2)
	return max(k.goal, min(enough, limit-room)), true
}

// before reports whether an earlier cut left a placeholder.
func (k *clearing) before(all []output) bool {
	return slices.ContainsFunc(all, func(o output) bool { return o.edited && onlyPlaceholder(o.result(k.w)) })
}

// clear goes over the outputs twice: outputs that report a failure wait for the second
// pass.
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
		if !k.Strict && failed(r.IsError, textsOf(r.Content)) {
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

// lightestPlaceholder is fewer tokens than any placeholder weighs. Clear does not read
// smaller outputs.
const lightestPlaceholder = 5

func (k *clearing) take(ctx context.Context, o output, r plimsoll.ToolResult) error {
	if onlyPlaceholder(r) {
		return nil
	}
	if room := o.tokens - (k.w.Load() - k.goal); !k.target.GoesOn && k.weight <= k.budget && room > defaultMin {
		return k.shorten(ctx, o, room)
	}
	var ref *plimsoll.Ref
	id, hint := "", ""
	if !slices.Contains(ExpansionTools(), o.tool(k.w)) {
		var err error
		if ref, id, err = origin(ctx, k.w, r); err != nil {
			return err
		}
		if k.Explain {
			hint = "it was not stored, " + runAgain
		}
	}
	saved := k.w.Draft().Saved()
	why := plimsoll.Why{Rung: k.Name(), Reason: k.reason(), Ref: ref}
	if _, err := replace(k.w, o, only(placeholder(k.w.HasReader(), trimmedStart, id, hint)), why); err != nil {
		return err
	}
	k.weight -= k.w.Draft().Saved() - saved
	return nil
}

// shorten cuts the last output that must go to the tokens that the goal leaves room for.
func (k *clearing) shorten(ctx context.Context, o output, tokens int) error {
	s, err := (&View{Tail: 0.25, Errors: true, Explain: k.Explain}).shrinking(ctx, k.w, o, k.overGoal)
	if err != nil {
		return err
	}
	s.why.Rung = k.Name()
	return s.to(tokens)
}

func (k *clearing) reason() string {
	if k.weight > k.budget {
		return k.overBudget
	}
	return k.overGoal
}

// Prospect estimates the tokens that clearing everything but the newest outputs saves,
// and returns the first message that it would change.
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
