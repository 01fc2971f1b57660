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
	// CheapRent is what it has cost, since the last cheap cut, to send again what such a cut
	// could have removed. It is in tokens of uncached input.
	CheapRent float64 `json:"cheap_rent,omitempty"`
	// DeepRent is the same for deep cuts.
	DeepRent float64 `json:"deep_rent,omitempty"`
	// Calls is how many there were so far.
	Calls int `json:"calls"`
	// Last is when the last call was.
	Last time.Time `json:"last"`
	// CutAt is the call of the last cut.
	CutAt int `json:"cut_at,omitempty"`
	// CutLoad is the load expected after that cut.
	CutLoad int `json:"cut_load,omitempty"`
	// Close is how many cuts in a row came soon after the one before.
	Close int `json:"close,omitempty"`
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

// policyMemo is what the keeper knows of a conversation after a request. It is stored with
// the bill, so that another process goes on from it.
type policyMemo struct {
	PolicyState
	// Action is what the policy asked for.
	Action Action `json:"action,omitempty"`
	// Outlook is the last one; zero after a cut, which changes it.
	Outlook Outlook `json:"outlook,omitzero"`
}

// recentStates is how many conversations a policy can follow at once.
const recentStates = 1 << 13

// To draw an outlook, the keeper looks at every message. So it uses the last outlook until the
// load has grown by freshTokens, and by a share of one in freshShare.
const freshTokens, freshShare = 1000, 50

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

// decide asks the policy what to do now and keeps its state, once in a walk. A
// request that is sent again was decided already: what is recalled of its cut is replayed.
func (w *Work) decide(ctx context.Context) error {
	policy, is := w.k.options.Policy, w.memo
	if w.decided || policy == nil || w.messages() == 0 {
		return nil
	}
	w.decided = true
	if w.known == w.messages() {
		if recalled := w.k.options.Sticky || is.Action == CutDeep; w.replayed == nil || !recalled {
			w.action = is.Action
		}
		return nil
	}
	if o, fresh := w.lastOutlook(); fresh {
		if next, action := policy.Next(is.PolicyState, o); action == Wait {
			w.putState(policyMemo{PolicyState: next, Outlook: is.Outlook})
			return nil
		}
	}
	if err := w.protect(ctx); err != nil {
		return err
	}
	w.drawn = true
	memo := policyMemo{Outlook: w.outlook()}
	memo.PolicyState, memo.Action = policy.Next(is.PolicyState, memo.Outlook)
	if w.action = memo.Action; w.action != Wait {
		memo.Outlook = Outlook{} // the cut changes it
	}
	w.putState(memo)
	return nil
}

// lastOutlook returns the outlook of an earlier request with the load of this one, and
// whether it is still good enough to wait by.
func (w *Work) lastOutlook() (o Outlook, fresh bool) {
	o = w.memo.Outlook
	load, was := w.Load(), o.Load
	o.Now, o.Load, o.High, o.Limit = w.k.options.now(), load, w.high, w.plan.Line.Limit()
	switch {
	case was == 0 || load-was > max(freshTokens, load/freshShare):
		return o, false
	case w.mustWork(): // the walk looks at every message anyway
		return o, false
	case len(w.k.options.Pins)+len(w.task.Pins)+len(w.task.Keep) > 0:
		return o, false // a pin may change what can be taken off from request to request
	}
	return o, true
}

// outlook is what the policy decides by.
func (w *Work) outlook() Outlook {
	o := Outlook{
		Now: w.k.options.now(), Model: w.task.Conversation.Model, Load: w.Load(), Base: w.Base(), PerCall: w.TokensPerCall(),
		High: w.high, Limit: w.plan.Line.Limit(),
	}
	first := w.messages()
	for _, r := range w.k.options.Rungs {
		p, ok := r.(Prospector)
		if !ok {
			continue
		}
		removable, at := p.Prospect(w)
		if c, ok := r.(Compactor); ok {
			o.Deep = Prospect{Removable: removable, Rewritten: max(0, w.weightFrom(at)-removable)}
			if c.Slow(w.task) {
				o.Deep.Written = summaryTokens
			}
		} else if removable > 0 {
			o.Cheap.Removable += removable
			first = min(first, at)
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

// applyPolicy does what the policy asks for: the policy says when, the rungs in their order
// say what. It reports the rungs that it skips.
func (w *Work) applyPolicy(ctx context.Context) error {
	if err := w.decide(ctx); err != nil {
		return err
	}
	switch w.action {
	case CutDeep:
		c := w.k.compactor
		switch {
		case c == nil:
			return nil
		case w.k.prepares(w.task) && w.Load() <= w.high:
			w.due, w.dueAfter = true, w.replayed // Fit has it made in the background
			return nil
		}
		w.action = Wait // if the walk climbs again, the checkpoint is there
		t := w.target()
		t.Decided = true
		if err := w.compact(ctx, c, t, CompactOptions{}); err != nil {
			return err
		}
		for _, r := range w.k.options.Rungs {
			if _, ok := r.(Compactor); !ok {
				w.skip(r, "the policy asks for a checkpoint")
			}
		}
	case CutCheap:
		for _, r := range w.k.options.Rungs {
			if cheap(r) {
				if err := w.applyRung(ctx, r, Target{Line: w.plan.Line, Decided: true}); err != nil {
					return err
				}
			} else if _, ok := r.(Compactor); ok {
				w.skip(r, "the policy asks for a cut without a checkpoint")
			} else {
				w.skip(r, "it cannot say what it would take off, so the policy cannot ask for it")
			}
		}
	}
	return nil
}

// skip reports that a rung is not applied, and why.
func (w *Work) skip(r Rung, why string) {
	w.plan.Rungs = append(w.plan.Rungs, plimsoll.RungReport{Rung: r.Name(), Skipped: why})
}

// cheap reports whether [CutCheap] applies the rung: it takes outputs and thinking, and can
// say how much.
func cheap(r Rung) bool {
	_, compacts := r.(Compactor)
	_, says := r.(Prospector)
	return says && !compacts
}
