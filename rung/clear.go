package rung

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/plimsoll/plimsoll"
)

// OutputBudget returns what tool outputs may weigh together in a window where
// nobody says: a quarter of it, but at least 20,000 and at most 60,000 tokens.
func OutputBudget(window int) int { return min(max(window/4, 20_000), 60_000) }

// Clear replaces the oldest tool outputs by placeholders:
//
//	[tool output trimmed; ref=…]
//
// Outputs that report a failure go last. An output that weighs no more than its
// placeholder stays. Those of the expansion tools go without a new reference: they
// can be asked for again.
type Clear struct {
	// Budget is what all outputs may weigh together, in tokens, whatever the load
	// is; 0 means OutputBudget of the window, negative no budget.
	Budget int
	// KeepNewest outputs always stay and, if there are any such, all of the newest
	// round, which the model has not seen yet.
	KeepNewest int
	// Yield lets those that KeepNewest keeps go as well, but for the newest round, where
	// the goal is not reached without: in a small window a few outputs are most of it.
	Yield bool
	// Anew, if not 0, is how much of the prompts behind a cut may have to be read anew.
	// Where more would, because outputs are large for their window, a conversation that
	// was cut before is cut from its newest end: what stands before that is in the
	// prompt cache, and stays there.
	Anew float64
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
func (c *Clear) Apply(ctx context.Context, w *plimsoll.Work) error {
	all := outputs(w)
	k := &clearing{Clear: c, w: w, budget: c.budget(w), goal: w.Goal()}
	for _, o := range all {
		k.weight += o.tokens
	}
	if !k.wanted() {
		return nil
	}
	k.overBudget = fmt.Sprintf("oldest output beyond the budget of %d tokens", k.budget)
	missed := !w.Reached()
	mark, saved := w.Draft().Mark(), w.Draft().Saved()
	if err := k.run(ctx, all); err != nil {
		return err
	}
	paid := w.Decided() || w.Draft().Saved()-saved >= c.minReclaim(w) || c.ToGoal && missed && k.reached()
	if !paid {
		w.Draft().Rollback(mark)
	}
	return nil
}

// Look finds out of an output what clearing it depends on.
func (c *Clear) Look(s plimsoll.Sight) {
	if r, ok := s.Part.(plimsoll.ToolResult); ok {
		plimsoll.Note(s, lookOf, lookAtParts(r.IsError, s.Content))
	}
}

// candidates are the outputs that may be cleared.
func (c *Clear) candidates(all []output, w *plimsoll.Work) []output {
	candidates := all[:max(0, len(all)-max(0, c.KeepNewest))]
	if c.KeepNewest <= 0 {
		return candidates
	}
	return beforeNewestRound(candidates, w)
}

// beforeNewestRound leaves out what the model has not seen yet.
func beforeNewestRound(candidates []output, w *plimsoll.Work) []output {
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

func (c *Clear) budget(w *plimsoll.Work) int {
	switch {
	case c.Budget < 0:
		return math.MaxInt
	case c.Budget == 0:
		return OutputBudget(w.Line().Window)
	}
	return c.Budget
}

func (c *Clear) minReclaim(w *plimsoll.Work) int {
	if c.MinReclaim == 0 {
		return min(w.Line().Limit()/10, 20_000)
	}
	return max(0, c.MinReclaim)
}

// clearing is one application of Clear.
type clearing struct {
	*Clear
	w *plimsoll.Work
	// weight is what all outputs weigh now.
	weight, budget int
	// goal is the load to come down to.
	goal int
	// The reasons for which outputs go.
	overBudget, overGoal string
	// unnamed is the last placeholder without a reference, and without what it says.
	unnamed plimsoll.List[plimsoll.Part]
	without string
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
	if err := k.clear(ctx, candidates); err != nil || !k.Yield || k.w.Decided() {
		return err
	}
	return k.clear(ctx, seen[len(candidates):])
}

// late reports whether outputs are to be cleared from the newest on, and down to which
// load: the lowest from which on no more than Anew is read anew, or else the one from
// which on the least is.
func (k *clearing) late(all []output) (goal int, late bool) {
	if k.Anew == 0 || k.w.Decided() || !k.before(all) {
		return 0, false
	}
	limit, pace := k.w.Line().Limit(), k.w.Pace()
	if plimsoll.Anew(limit, k.goal, k.goal-k.w.Base(), pace) <= k.Anew {
		return 0, false
	}
	enough := int(2*float64(pace)/k.Anew) - limit
	room := min(limit/3, (limit-k.w.Base())/2)
	return max(k.goal, min(enough, limit-room)), true
}

// before reports whether an earlier cut left a placeholder.
func (k *clearing) before(all []output) bool {
	return slices.ContainsFunc(all, func(o output) bool { return o.edited && o.look(k.w).placeholder })
}

// clear goes over the outputs twice: those that report a failure wait for the
// second time.
func (k *clearing) clear(ctx context.Context, candidates []output) error {
	var waiting []output
	due := k.due(candidates)
	ahead(k.w, due, lookOf, func(o output) look { return o.looked(k.w) })
	k.w.Draft().Expect(len(due))
	for _, o := range candidates {
		if !k.wanted() || ctx.Err() != nil {
			return ctx.Err()
		}
		if k.w.Pinned(o.at.Message) || o.tokens < lightestPlaceholder || o.mustShow(k.w) {
			continue
		}
		l := o.look(k.w)
		if l.failed {
			waiting = append(waiting, o)
			continue
		}
		if err := k.take(ctx, o, l); err != nil {
			return err
		}
	}
	for _, o := range waiting {
		if !k.wanted() || ctx.Err() != nil {
			return ctx.Err()
		}
		if err := k.take(ctx, o, o.look(k.w)); err != nil {
			return err
		}
	}
	return nil
}

// due returns about those of the candidates that have to go, by weight alone.
func (k *clearing) due(candidates []output) []output {
	weight, load := k.weight, k.w.Load()
	for i, o := range candidates {
		if weight <= k.budget && (!k.ToGoal || load <= k.goal) {
			return candidates[:i]
		}
		saved := max(0, o.tokens-placeholderTokens)
		weight, load = weight-saved, load-saved
	}
	return candidates
}

// lightestPlaceholder is fewer tokens than any placeholder weighs, so that smaller
// outputs need not be looked at.
const lightestPlaceholder = 5

func (k *clearing) take(ctx context.Context, o output, l look) error {
	if l.placeholder {
		return nil
	}
	var ref *plimsoll.Ref
	id, without := "", ""
	if !slices.Contains(ExpansionTools(), o.tool(k.w)) {
		var err error
		if ref, err = stored(ctx, k.w, o); err != nil {
			return err
		}
		if id = l.ref; ref != nil {
			id = ref.ID
		}
		if k.Explain {
			without = "it was not stored, run the tool again if it is needed"
		}
	}
	saved := k.w.Draft().Saved()
	why := plimsoll.Why{Rung: k.Name(), Reason: k.reason(), Ref: ref}
	if _, err := replace(k.w, o, k.placeholder(id, without), why); err != nil {
		return err
	}
	k.weight -= k.w.Draft().Saved() - saved
	return nil
}

// placeholder returns what takes the place of an output. Where nothing is stored, it is the
// same for one output after another.
func (k *clearing) placeholder(id, without string) plimsoll.List[plimsoll.Part] {
	if id != "" {
		return only(mark(trimmedMark, id, without))
	}
	if k.unnamed.Len() == 0 || without != k.without {
		k.unnamed, k.without = only(mark(trimmedMark, "", without)), without
	}
	return k.unnamed
}

func (k *clearing) reason() string {
	if k.weight > k.budget {
		return k.overBudget
	}
	return k.overGoal
}

// Prospect returns what clearing everything but the newest outputs would take off, by
// weight alone.
func (c *Clear) Prospect(w *plimsoll.Work) (removable, first int) {
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
