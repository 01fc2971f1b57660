package plimsoll

import (
	"context"
	"time"
)

// Policy says when a conversation is cut that is still under its line. It is pure: it
// decides by what it is told, and what it remembers is handed to it. A conversation
// over its line is cut whatever a policy says.
type Policy interface {
	// Next is asked once for each request of a conversation. It returns what to
	// remember for the next one, and what to do now.
	Next(PolicyState, Outlook) (PolicyState, Action)
}

// Action is what a policy asks for.
type Action int

// The actions.
const (
	// Wait leaves the conversation as it was sent before.
	Wait Action = iota
	// CutCheap takes off what needs no model.
	CutCheap
	// CutDeep makes a checkpoint.
	CutDeep
)

// PolicyState is what a policy remembers of a conversation. The zero state is that of
// a new one.
type PolicyState struct {
	// CheapRent and DeepRent have been paid on what could have been taken off since
	// the last cut of that kind, in tokens of uncached input.
	CheapRent, DeepRent float64
	// Calls so far, and when the last one was.
	Calls int
	Last  time.Time
	// CutAt is the call at which the last cut was made and CutLoad what it was to
	// leave, Close how many followed each other closely.
	CutAt, CutLoad, Close int
}

// Outlook is what a policy decides by.
type Outlook struct {
	Now   time.Time
	Model string
	// Load is what would be sent now, Base what of it is system and tools.
	Load, Base int
	// Pace is what a call adds, on average so far.
	Pace int
	// High is where something must be done, Limit where nothing can be sent.
	High, Limit int
	// Cheap and Deep are what the two kinds of cuts promise.
	Cheap, Deep Prospect
}

// Prospect is what a cut promises.
type Prospect struct {
	// Removable tokens would go.
	Removable int
	// Rewritten tokens stand behind the first edit, and would have to be written to
	// a prompt cache again.
	Rewritten int
	// Written is what a model would have to write, after it has read the whole
	// conversation; 0 if none is asked.
	Written int
}

// Prospector is a rung that can say what it would take off without doing it.
type Prospector interface {
	Rung
	// Prospect returns how many tokens could go, and the first message that would be
	// edited.
	Prospect(*Work) (removable, first int)
}

// decide asks the policy. The same request asked again is not counted again.
func (l *ladder) decide() Action {
	k, t := l.k, l.task
	if k.options.Policy == nil || t.Conversation.Messages.Len() == 0 {
		return Wait
	}
	is, n := k.stateOf(t)
	if n == t.Conversation.Messages.Len() {
		if k.options.Sticky && l.work.sent != nil {
			return Wait // what was cut for it stands again; a checkpoint is not cut twice
		}
		return is.action
	}
	memo := policyMemo{outlook: l.outlook()}
	memo.PolicyState, memo.action = k.options.Policy.Next(is.PolicyState, memo.outlook)
	if memo.action != Wait {
		memo.outlook = Outlook{} // it will not be so any more
	}
	if !l.options.dry {
		k.states.Put(scoped{t.scope(), t.chain()[t.Conversation.Messages.Len()]}, memo)
	}
	return memo.action
}

// policyMemo is the state after a request, with what was done for it and what cutting
// would have gained.
type policyMemo struct {
	PolicyState
	action  Action
	outlook Outlook
}

// recentStates is how many conversations a policy can follow at once.
const recentStates = 1 << 13

// stateOf returns the state of the longest prefix that has one, and its length.
func (k *Keeper) stateOf(t *Task) (policyMemo, int) {
	chain := t.chain()
	for i := len(chain) - 1; i > 0; i-- {
		if is, ok := k.states.Find(scoped{t.scope(), chain[i]}); ok {
			return is, i
		}
	}
	return policyMemo{}, 0
}

func (l *ladder) outlook() Outlook {
	w := l.work
	o := Outlook{
		Now: l.k.options.now(), Model: l.task.Conversation.Model, Load: w.Load(), Base: w.Base(), Pace: w.Pace(),
		High: l.high, Limit: l.plan.Line.Limit(),
	}
	first := w.draft.base.Messages.Len()
	for _, r := range l.k.options.Rungs {
		p, ok := r.(Prospector)
		if !ok {
			continue
		}
		if c, deep := r.(Compactor); deep {
			o.Deep = l.deep(c, p)
			continue
		}
		removable, at := p.Prospect(w)
		if removable > 0 {
			o.Cheap.Removable += removable
			first = min(first, at)
		}
	}
	o.Cheap.Rewritten = max(0, l.behind(first)-o.Cheap.Removable)
	if toll := l.toll(); toll > 0 {
		o.Cheap, o.Deep = l.withTools(o.Cheap, toll), l.withTools(o.Deep, toll)
	}
	return o
}

// withTools is what a cut promises that brings tools with it: they are sent from then
// on, and everything that stands behind them must be written again.
func (l *ladder) withTools(p Prospect, toll int) Prospect {
	if p.Removable == 0 {
		return p
	}
	p.Rewritten = max(0, l.work.Load()-l.work.before.Tools-p.Removable) + toll
	p.Removable = max(0, p.Removable-toll)
	return p
}

// deep is what a checkpoint promises.
func (l *ladder) deep(c Compactor, p Prospector) Prospect {
	removable, at := p.Prospect(l.work)
	deep := Prospect{Removable: removable, Rewritten: max(0, l.behind(at)-removable)}
	if c.Slow() {
		deep.Written = summaryTokens
	}
	return deep
}

// summaryTokens is what a model writes for a checkpoint, by experience.
const summaryTokens = 1500

// behind is what stands from message i on.
func (l *ladder) behind(i int) int {
	n := 0
	for j := i; j < l.work.draft.base.Messages.Len(); j++ {
		n += l.work.Weight(j)
	}
	for _, in := range l.work.draft.Inserted() {
		if in.Before >= i {
			n += l.work.draft.weigh(in.Message, -1)
		}
	}
	return n
}

// act does what the policy asks for.
func (l *ladder) act(ctx context.Context) error {
	switch l.decide() {
	case CutDeep:
		if l.canWait() {
			l.due, l.was = true, l.work.sent
		} else if l.k.compactor != nil {
			l.makeRoom()
			return l.compact(ctx, l.k.compactor, CompactOptions{})
		}
	case CutCheap:
		goal := l.work.goal
		l.work.goal, l.work.decided = 0, true
		defer func() { l.work.goal, l.work.decided = goal, false }()
		for _, r := range l.k.options.Rungs {
			if _, deep := r.(Compactor); deep {
				continue
			}
			if _, ok := r.(Prospector); ok {
				if err := l.try(ctx, r); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// canWait reports whether a checkpoint can be made aside: a model is asked for it, and
// the request fits without.
func (l *ladder) canWait() bool {
	c := l.k.compactor
	return c != nil && c.Slow() && l.k.options.Marks.Soft > 0 && l.work.Load() <= l.high
}

func (o *Options) now() time.Time {
	if o.Now != nil {
		return o.Now()
	}
	return time.Now()
}
