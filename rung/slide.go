package rung

import (
	"context"
	"fmt"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/fit"
)

// Slide drops the oldest messages: whole turns first, and of the last of them only as
// many rounds as needed. If the newest turn alone is too long, as in an agent's loop,
// Slide drops its oldest rounds. A receipt replaces dropped rounds, and with an archive
// also dropped turns. It says where the model can read the messages.
type Slide struct {
	// TurnsOnly leaves the newest turn whole. It drops and does nothing else: nothing is
	// archived, and no receipt takes the place of what went.
	TurnsOnly bool
}

// Name returns "slide".
func (*Slide) Name() string { return "slide" }

// Apply drops turns and rounds until the goal is reached.
func (s *Slide) Apply(ctx context.Context, w *fit.Work, t fit.Target) error {
	turns := w.Draft().Outline().Turns
	if len(turns) == 0 {
		return nil
	}
	before := w.Load()
	c := &cut{work: w, target: t, rung: s.Name(), start: w.Draft().Position(), silent: s.TurnsOnly}
	if err := c.takeOver(); err != nil {
		return err
	}
	if err := s.slide(ctx, c, turns); err != nil {
		return err
	}
	if w.Load() >= before {
		w.Draft().Rollback(c.start) // nothing to gain: the receipt of an earlier cut stays
	}
	return nil
}

func (s *Slide) slide(ctx context.Context, c *cut, turns []plimsoll.Turn) error {
	for k, turn := range turns {
		newest := k == len(turns)-1
		if c.reached() || newest && s.whole(turn) {
			if done, err := c.receipt(ctx, turn.Start, newest); done || err != nil {
				return err
			}
		}
		if newest {
			break
		}
		if done, err := s.dropSome(ctx, c, turn); done || err != nil {
			return err
		}
		why := plimsoll.Why{Rung: s.Name(), Reason: fmt.Sprintf("turn %d of %d, the oldest left", k+1, len(turns))}
		if err := c.dropTurn(turn, why); err != nil {
			return err
		}
	}
	newest := turns[len(turns)-1]
	if c.reached() || s.whole(newest) {
		return nil
	}
	return s.dropRounds(ctx, c, newest)
}

// dropSome drops only the oldest rounds of an older turn if that is enough, so that a
// short question after a long session does not cost the whole session.
func (s *Slide) dropSome(ctx context.Context, c *cut, turn plimsoll.Turn) (bool, error) {
	w := c.work
	if s.TurnsOnly || len(turn.Rounds) < 2 || c.reached() || c.free(turn.Span) <= w.Load()-c.target.Goal {
		return false, nil
	}
	position, before := w.Draft().Position(), *c
	for n := 1; n < len(turn.Rounds); n++ {
		why := plimsoll.Why{Rung: s.Name(), Reason: fmt.Sprintf("oldest turn left; round %d of %d is the oldest of it", n, len(turn.Rounds))}
		if err := c.dropRound(turn.Rounds[n-1], why); err != nil {
			return false, err
		}
		if !c.reached() {
			continue
		}
		if done, err := c.receipt(ctx, c.firstLeft(turn, n, -1), false); done || err != nil {
			return done, err
		}
	}
	w.Draft().Rollback(position)
	*c = before
	return false, nil
}

// whole reports whether the newest turn cannot become shorter.
func (s *Slide) whole(newest plimsoll.Turn) bool { return s.TurnsOnly || len(newest.Rounds) == 0 }

// dropFree drops the messages of a span that need not stay.
func dropFree(w *fit.Work, span plimsoll.Span, why plimsoll.Why) error {
	for i := span.Start; i < span.End; i++ {
		if w.Kept(i) {
			continue
		}
		end := i + 1
		for end < span.End && !w.Kept(end) {
			end++
		}
		if err := w.Draft().Drop(plimsoll.Span{Start: i, End: end}, why); err != nil {
			return err
		}
		i = end
	}
	return nil
}

// dropRounds drops the oldest rounds of a turn until the load with the receipt reaches
// the goal. If there is nothing else to drop and no archive, it leaves out the receipt.
func (s *Slide) dropRounds(ctx context.Context, c *cut, turn plimsoll.Turn) error {
	thinks := reasoningRounds(c.work, turn)
	// Providers that sign reasoning require that a turn still begins with it if it
	// began with it before. So the newest such round before the cut stays.
	anchor := -1
	if thinks[0] {
		anchor = 0
	}
	if err := c.dropReceipts(turn); err != nil {
		return err
	}
	for n := 1; n < len(turn.Rounds); n++ {
		why := plimsoll.Why{Rung: s.Name(), Reason: fmt.Sprintf("newest turn too long; round %d of %d is the oldest left", n, len(turn.Rounds))}
		if anchor >= 0 && thinks[n] {
			if err := c.dropRound(turn.Rounds[anchor], why); err != nil {
				return err
			}
			anchor = n
		}
		if anchor != n-1 {
			if err := c.dropRound(turn.Rounds[n-1], why); err != nil {
				return err
			}
		}
		last := n+1 == len(turn.Rounds)
		if !c.reached() && !last {
			continue
		}
		if done, err := c.receipt(ctx, c.firstLeft(turn, n, anchor), last); done || err != nil {
			return err
		}
	}
	if len(turn.Rounds) == 1 {
		_, err := c.receipt(ctx, turn.Rounds[0].Start, true)
		return err
	}
	return nil
}

// reasoningRounds says which rounds of a turn begin with reasoning.
func reasoningRounds(w *fit.Work, turn plimsoll.Turn) []bool {
	messages := w.Draft().Original().Messages
	thinks := make([]bool, len(turn.Rounds))
	for i, r := range turn.Rounds {
		thinks[i] = plimsoll.Has[plimsoll.Reasoning](messages.At(r.Start))
	}
	return thinks
}
