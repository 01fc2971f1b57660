package rung

import (
	"context"
	"fmt"
	"strings"

	"github.com/plimsoll/plimsoll"
)

// Slide drops what is oldest: whole turns first, and where one turn alone is too
// long, as in an agent's loop, whole rounds of it, with a receipt in their place.
type Slide struct {
	// TurnsOnly leaves the newest turn whole.
	TurnsOnly bool
}

// Name returns "slide".
func (*Slide) Name() string { return "slide" }

// Apply drops turns and rounds until the goal is reached.
func (s *Slide) Apply(_ context.Context, w *plimsoll.Work) error {
	turns := w.Draft().Outline().Turns
	if len(turns) == 0 {
		return nil
	}
	newest := turns[len(turns)-1]
	for k, turn := range turns[:len(turns)-1] {
		if w.Reached() {
			return nil
		}
		why := plimsoll.Why{Rung: s.Name(), Reason: fmt.Sprintf("turn %d of %d, the oldest left", k+1, len(turns))}
		if err := dropFree(w, turn.Span, why); err != nil {
			return err
		}
	}
	if s.TurnsOnly || w.Reached() || len(newest.Rounds) == 0 {
		return nil
	}
	if err := s.dropRounds(w, newest); err != nil || w.Reached() || newest.User < 0 {
		return err
	}
	return s.dropReceipts(w, newest, nil)
}

// dropFree drops the messages of a span that need not be kept.
func dropFree(w *plimsoll.Work, span plimsoll.Span, why plimsoll.Why) error {
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

// dropRounds drops the oldest rounds of a turn until the goal is reached, the
// receipt counted in. Where nothing else is left to drop it does without one.
func (s *Slide) dropRounds(w *plimsoll.Work, turn plimsoll.Turn) error {
	d, thinks := w.Draft(), reasoningRounds(w, turn)
	// Providers that sign reasoning ask that a turn at work begins with it if it
	// began with it before, so the newest such round before the cut stays.
	anchor := -1
	if thinks[0] {
		anchor = 0
	}
	for n := 1; n < len(turn.Rounds); n++ {
		why := plimsoll.Why{Rung: s.Name(), Reason: fmt.Sprintf("newest turn too long; round %d of %d is the oldest left", n, len(turn.Rounds))}
		if anchor >= 0 && thinks[n] {
			if err := dropFree(w, turn.Rounds[anchor].Span, why); err != nil {
				return err
			}
			anchor = n
		}
		if anchor != n-1 {
			if err := dropFree(w, turn.Rounds[n-1].Span, why); err != nil {
				return err
			}
		}
		last := n+1 == len(turn.Rounds)
		if !w.Reached() && !last {
			continue
		}
		mark := d.Mark()
		if err := s.leaveReceipt(w, turn, n, anchor); err != nil {
			return err
		}
		if w.Reached() {
			return nil
		}
		d.Rollback(mark)
	}
	return nil
}

// reasoningRounds says which rounds of a turn begin with reasoning.
func reasoningRounds(w *plimsoll.Work, turn plimsoll.Turn) []bool {
	messages := w.Draft().Original().Messages
	thinks := make([]bool, len(turn.Rounds))
	for i, r := range turn.Rounds {
		thinks[i] = plimsoll.Has[plimsoll.Reasoning](messages.At(r.Start))
	}
	return thinks
}

// receiptText is what a receipt says; an earlier one is read by it, too.
const receiptText = "%d earlier tool rounds of this turn (%d tokens)"

// leaveReceipt says what was dropped before round n, in front of the first round
// that is left. Pinned rounds and the anchor were not dropped. A receipt of an
// earlier cut goes, and its figures are taken over.
func (s *Slide) leaveReceipt(w *plimsoll.Work, turn plimsoll.Turn, n, anchor int) error {
	d, first := w.Draft(), n
	var sum figures
	for i := n - 1; i >= 0; i-- {
		r := turn.Rounds[i]
		if w.Kept(r.Start) || i == anchor {
			first = i
			continue
		}
		sum.rounds++
		for m := r.Start; m < r.End; m++ {
			sum.tokens += w.Before().Messages[m].Tokens
			sum.addEarlier(d.Original().Messages.At(m))
		}
	}
	if sum.rounds == 0 {
		return nil
	}
	if err := s.dropReceipts(w, turn, &sum); err != nil {
		return err
	}
	why := plimsoll.Why{Rung: s.Name(), Reason: "receipt for what was removed"}
	_, err := d.Insert(turn.Rounds[first].Start, plimsoll.Receipt(fmt.Sprintf(receiptText, sum.rounds, sum.tokens)), why)
	return err
}

// dropReceipts drops the receipts of earlier cuts before the first round, and adds
// their figures up.
func (s *Slide) dropReceipts(w *plimsoll.Work, turn plimsoll.Turn, sum *figures) error {
	d, why := w.Draft(), plimsoll.Why{Rung: s.Name(), Reason: "receipt of an earlier cut"}
	for i := turn.Start; i < turn.Rounds[0].Start; i++ {
		m := d.Original().Messages.At(i)
		if w.Kept(i) || !plimsoll.IsReceipt(m) {
			continue
		}
		sum.addEarlier(m)
		if err := d.DropAlone(i, why); err != nil {
			return err
		}
	}
	return nil
}

// figures are what a receipt counts.
type figures struct{ rounds, tokens int }

// addEarlier adds the figures of a receipt; other messages have none.
func (f *figures) addEarlier(m plimsoll.Message) {
	if f == nil || !plimsoll.IsReceipt(m) {
		return
	}
	var rounds, tokens int
	_, text, _ := strings.Cut(m.Text(), ": ")
	if _, err := fmt.Sscanf(text, receiptText, &rounds, &tokens); err == nil && rounds > 0 && tokens > 0 {
		f.rounds, f.tokens = f.rounds+rounds, f.tokens+tokens
	}
}
