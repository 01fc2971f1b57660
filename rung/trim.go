package rung

import (
	"context"
	"fmt"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/fit"
)

// Trim keeps single messages, newest first, as [Select] chooses them: it skips a message
// that does not fit, and may still keep older ones.
type Trim struct {
	// Loose chooses every message by itself, even if that separates a call from its
	// result. The keeper must be loose too.
	Loose bool
}

// Name returns "trim".
func (*Trim) Name() string { return "trim" }

// Apply drops every message that is not chosen.
func (t *Trim) Apply(ctx context.Context, w *fit.Work, target fit.Target) error {
	kept, err := Select(t.choice(w, target.Goal))
	if err != nil {
		return err
	}
	d := w.Draft()
	for i := range kept {
		if kept[i] || w.Kept(i) {
			continue
		}
		ref, err := w.ArchiveMessages(ctx, []int{i})
		if err != nil {
			return err
		}
		why := plimsoll.Why{Rung: t.Name(), Ref: ref, Reason: fmt.Sprintf("does not fit beside the newer messages in %d tokens", target.Goal)}
		// Select chooses whole groups, so this separates no call from its result.
		if err := d.DropAlone(i, why); err != nil {
			return err
		}
	}
	return nil
}

// choice offers every message. Messages that must stay weigh nothing in it, because the
// budget is already less their weight.
func (t *Trim) choice(w *fit.Work, goal int) Choice {
	d, load := w.Draft(), w.Before()
	messages := d.Original().Messages
	c := Choice{Messages: messages.Len(), Tokens: make([]int, messages.Len()), System: -1}
	c.Budget = goal - w.Fixed()
	for i, m := range messages.All() {
		if m.Role == plimsoll.System && c.System < 0 {
			c.System = i
		}
		if w.Kept(i) {
			c.Budget -= load.Messages[i].Tokens
			continue
		}
		c.Tokens[i] = load.Messages[i].Tokens
	}
	if !t.Loose {
		c.Groups = groups(d.Outline())
	}
	return c
}

// groups returns the rounds and the pairs of calls and results.
func groups(o plimsoll.Outline) [][]int {
	var all [][]int
	for _, turn := range o.Turns {
		for _, r := range turn.Rounds {
			var round []int
			for i := r.Start; i < r.End; i++ {
				round = append(round, i)
			}
			all = append(all, round)
		}
	}
	for _, p := range o.Pairs {
		all = append(all, []int{p.Call.Message, p.Result.Message})
	}
	return all
}
