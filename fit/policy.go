package fit

import (
	"context"
	"time"

	"github.com/plimsoll/plimsoll"
)

// Policy says when a conversation under its line is cut. It is pure: its state comes
// in and goes out. A conversation over its line is cut whatever a policy says.
type Policy interface {
	// Next is called once for each request of a conversation. It returns the state for
	// the next one, and what to do now.
	Next(PolicyState, Outlook) (PolicyState, Action)
}

// Action is what a policy asks for.
type Action int

// The actions.
const (
	// Wait leaves the conversation as it was sent before.
	Wait Action = iota
	// CutCheap applies the rungs that are a [Prospector] and no [Compactor], in the order
	// of Options.Rungs.
	CutCheap
	// CutDeep makes a checkpoint. That takes old outputs with it, so no other rung is
	// applied.
	CutDeep
)

// PolicyState is what a policy remembers of a conversation. The zero state is that of
// a new one.
type PolicyState struct {
	// CheapRent and DeepRent have been paid on what could have been taken off since
	// the last cut of that kind, in tokens of uncached input.
	CheapRent float64 `json:"cheap_rent,omitempty"`
	DeepRent  float64 `json:"deep_rent,omitempty"`
	// Calls so far, and when the last one was.
	Calls int       `json:"calls"`
	Last  time.Time `json:"last"`
	// CutAt is the call of the last cut, and CutLoad the load expected after it. Close is
	// how many cuts in a row came soon after the one before.
	CutAt   int `json:"cut_at,omitempty"`
	CutLoad int `json:"cut_load,omitempty"`
	Close   int `json:"close,omitempty"`
}

// Outlook is what a policy decides by.
type Outlook struct {
	Now   time.Time `json:"-"`
	Model string    `json:"model"`
	// Load is what would be sent now, Base what of it is system and tools.
	Load int `json:"load"`
	Base int `json:"base"`
	// PerCall is what a call adds, on average so far.
	PerCall int `json:"per_call"`
	// High is where something must be done, Limit where nothing can be sent.
	High  int `json:"-"`
	Limit int `json:"-"`
	// Cheap and Deep are what the two kinds of cuts promise.
	Cheap Prospect `json:"cheap,omitzero"`
	Deep  Prospect `json:"deep,omitzero"`
}

// Prospect is what a cut promises.
type Prospect struct {
	// Removable tokens would go.
	Removable int `json:"removable"`
	// Rewritten tokens follow the first edit, and would have to be written to a prompt
	// cache again.
	Rewritten int `json:"rewritten"`
	// Written is what a model would have to write, after it has read the whole
	// conversation; 0 if no model writes.
	Written int `json:"written,omitempty"`
}

// Prospector is a rung that can say what it would take off without doing it. A policy
// decides by that, so a policy's cut applies no other rungs but the [Compactor]. The load
// is usually under its goal then: the goal of a cheap cut is 0, and the rung itself must
// know what to leave.
type Prospector interface {
	Rung
	// Prospect returns how many tokens could go, and the first message that would be
	// edited.
	Prospect(*Work) (removable, first int)
}

// policyMemo is the state after a request, with what was done for it and the outlook. It is
// stored with the bill, so that another process goes on from it.
type policyMemo struct {
	PolicyState
	Action  Action  `json:"action,omitempty"`
	Outlook Outlook `json:"outlook,omitzero"`
}

// recentStates is how many conversations a policy can follow at once.
const recentStates = 1 << 13

// freshGrowth is the part of the load by which a conversation may grow until its
// outlook is drawn again: drawing it looks at every message.
const freshGrowth = 50

// stateOf returns the state of the longest prefix that has one, and its length.
func (k *Keeper) stateOf(t *Task) (policyMemo, int) {
	chain := t.chain()
	for i := len(chain) - 1; i > 0; i-- {
		if is, ok := k.states.Get(scoped{t.scope(), chain[i]}); ok {
			return is, i
		}
	}
	return policyMemo{}, 0
}

func (w *Work) putState(memo policyMemo) {
	if !w.options.dry {
		w.k.states.Put(scoped{w.task.scope(), w.task.chain()[w.messages()]}, memo)
	}
}

func (w *Work) messages() int { return w.task.Conversation.Messages.Len() }

// policyWaits asks the policy by the last outlook, while that is fresh. If the policy
// waits, the state is remembered; else it must be asked again by a new outlook. A request
// that comes again was decided already, and its cut is recalled.
func (w *Work) policyWaits() bool {
	load, is, n := w.Load(), w.memo, w.known
	if n == w.messages() && (is.Action == Wait || w.replayed != nil) {
		return true
	}
	if n == 0 || n == w.messages() || is.Outlook.Load == 0 || load-is.Outlook.Load > max(1000, load/freshGrowth) {
		return false
	}
	if len(w.k.options.Pins)+len(w.task.Pins)+len(w.task.Keep) > 0 {
		return false // a pin may change what can be taken off from request to request
	}
	o := is.Outlook
	o.Now, o.Load, o.High, o.Limit = w.k.options.now(), load, w.high, w.plan.Line.Limit()
	next, action := w.k.options.Policy.Next(is.PolicyState, o)
	if action != Wait {
		return false
	}
	w.putState(policyMemo{PolicyState: next, Outlook: is.Outlook})
	return true
}

// decide asks the policy. The same request sent again is not counted again.
func (w *Work) decide() Action {
	policy := w.k.options.Policy
	if policy == nil || w.messages() == 0 {
		return Wait
	}
	is := w.memo
	if w.known == w.messages() {
		if w.k.options.Sticky && w.replayed != nil {
			return Wait // its cut is replayed already, and a checkpoint is not made twice
		}
		return is.Action
	}
	memo := policyMemo{Outlook: w.outlook()}
	memo.PolicyState, memo.Action = policy.Next(is.PolicyState, memo.Outlook)
	if memo.Action != Wait {
		memo.Outlook = Outlook{} // the cut changes it
	}
	w.putState(memo)
	return memo.Action
}

// outlook is what the policy decides by.
func (w *Work) outlook() Outlook {
	o := Outlook{
		Now: w.k.options.now(), Model: w.task.Conversation.Model, Load: w.Load(), Base: w.Base(), PerCall: w.TokensPerCall(),
		High: w.high, Limit: w.plan.Line.Limit(),
	}
	first := w.messages()
	for _, r := range w.k.options.Rungs {
		if p, ok := cheap(r); ok {
			if removable, at := p.Prospect(w); removable > 0 {
				o.Cheap.Removable += removable
				first = min(first, at)
			}
		} else if p, ok := r.(Prospector); ok {
			o.Deep = w.deep(p)
		}
	}
	o.Cheap.Rewritten = max(0, w.weightFrom(first)-o.Cheap.Removable)
	if cost := w.toolCost(); cost > 0 {
		o.Cheap, o.Deep = w.withTools(o.Cheap, cost), w.withTools(o.Deep, cost)
	}
	return o
}

// withTools is the prospect of a cut that brings tools with it: they are sent from then
// on, and everything that follows them must be written again.
func (w *Work) withTools(p Prospect, cost int) Prospect {
	if p.Removable == 0 {
		return p
	}
	p.Rewritten = max(0, w.Load()-w.plan.Before.Tools-p.Removable) + cost
	p.Removable = max(0, p.Removable-cost)
	return p
}

// deep is the prospect of a checkpoint by a compactor.
func (w *Work) deep(p Prospector) Prospect {
	removable, at := p.Prospect(w)
	deep := Prospect{Removable: removable, Rewritten: max(0, w.weightFrom(at)-removable)}
	if p.(Compactor).Slow(w.task) {
		deep.Written = summaryTokens
	}
	return deep
}

// summaryTokens is what a model writes for a checkpoint, by experience.
const summaryTokens = 1500

// weightFrom is what the draft weighs from message i on.
func (w *Work) weightFrom(i int) int {
	n := 0
	for j := i; j < w.messages(); j++ {
		n += w.draft.Weight(j)
	}
	for _, in := range w.draft.Inserted() {
		if in.Before >= i {
			n += w.k.options.Meter.WeighMessage(w.task.Conversation, in.Message, 0).Tokens
		}
	}
	return n
}

// act does what the policy asks for: the policy says when, the rungs in their order say
// what. It reports the rungs that it passes over.
func (w *Work) act(ctx context.Context) error {
	switch w.decide() {
	case CutDeep:
		c := w.k.compactor
		switch {
		case c == nil:
			return nil
		case w.k.prepares(w.task) && w.Load() <= w.high:
			w.due, w.dueAfter = true, w.replayed // Fit has it made in the background
			return nil
		}
		t := w.target()
		t.Decided = true
		if err := w.compact(ctx, c, t, CompactOptions{}); err != nil {
			return err
		}
		for _, r := range w.k.options.Rungs {
			if _, ok := r.(Compactor); !ok {
				w.passOver(r, "the policy asks for a checkpoint")
			}
		}
	case CutCheap:
		for _, r := range w.k.options.Rungs {
			if _, ok := r.(Compactor); ok {
				w.passOver(r, "the policy asks for a cut without a checkpoint")
				continue
			}
			if _, ok := r.(Prospector); !ok {
				w.passOver(r, "it cannot say what it would take off, so the policy cannot ask for it")
				continue
			}
			if err := w.try(ctx, r, Target{Line: w.plan.Line, Decided: true}); err != nil {
				return err
			}
		}
	}
	return nil
}

// passOver reports that a rung is not applied, and why.
func (w *Work) passOver(r Rung, why string) {
	w.plan.Rungs = append(w.plan.Rungs, plimsoll.RungReport{Rung: r.Name(), Skipped: why})
}

// cheap returns the rung if [CutCheap] applies it: it takes outputs and thinking, and can
// say how much.
func cheap(r Rung) (Prospector, bool) {
	if _, ok := r.(Compactor); ok {
		return nil, false
	}
	p, ok := r.(Prospector)
	return p, ok
}
