package rung

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/fit"
)

// cut is what slide has dropped so far, and what it says about it.
type cut struct {
	work   *fit.Work
	target fit.Target
	rung   string
	// start is the position in the draft's log before the cut.
	start plimsoll.Position
	// messages that were dropped, by index.
	messages []int
	// turns and rounds count those of earlier cuts, too.
	turns, rounds figure
}

// figure is how many there were and what they weighed.
type figure struct{ count, tokens int }

func (c *cut) reached() bool { return c.target.Reached(c.work) }

// takeOver goes on where a cut for an earlier request left off: its receipt is taken
// back, and the new one speaks of what went then, too.
func (c *cut) takeOver() error {
	d := c.work.Draft()
	for _, in := range d.Inserted() {
		if in.Why.Rung != c.rung || !plimsoll.IsReceipt(in.Message) {
			continue
		}
		c.addEarlier(in.Message)
		if err := d.Withdraw(in.ID, plimsoll.Why{Rung: c.rung, Reason: "receipt of an earlier cut", Ref: in.Why.Ref}); err != nil {
			return err
		}
	}
	for _, e := range d.Edits() {
		if e.Kind == plimsoll.EditDrop && e.Rung == c.rung {
			c.messages = append(c.messages, e.Message)
		}
	}
	return nil
}

func (c *cut) dropTurn(turn plimsoll.Turn, why plimsoll.Why) error {
	return c.drop(turn.Span, &c.turns, why)
}

func (c *cut) dropRound(r plimsoll.Round, why plimsoll.Why) error {
	return c.drop(r.Span, &c.rounds, why)
}

// drop drops what a span has that need not be kept.
func (c *cut) drop(span plimsoll.Span, sum *figure, why plimsoll.Why) error {
	before := len(c.messages)
	for i := span.Start; i < span.End; i++ {
		if c.work.Kept(i) || c.gone(i) {
			continue
		}
		c.messages = append(c.messages, i)
		sum.tokens += c.work.Before().Messages[i].Tokens
		c.addEarlier(c.work.Draft().Original().Messages.At(i))
	}
	if len(c.messages) > before {
		sum.count++
	}
	return dropFree(c.work, span, why)
}

// free returns what the messages of a span weigh that need not be kept.
func (c *cut) free(span plimsoll.Span) int {
	tokens := 0
	for i := span.Start; i < span.End; i++ {
		if !c.work.Kept(i) && !c.gone(i) {
			tokens += c.work.Before().Messages[i].Tokens
		}
	}
	return tokens
}

// gone reports whether a rung before took the message out.
func (c *cut) gone(i int) bool {
	_, here := c.work.Draft().Message(i)
	return !here
}

// dropReceipts drops the receipts of earlier cuts before the first round of a turn;
// the new one counts what they did.
func (c *cut) dropReceipts(turn plimsoll.Turn) error {
	why := plimsoll.Why{Rung: c.rung, Reason: "receipt of an earlier cut"}
	for i := turn.Start; i < turn.Rounds[0].Start; i++ {
		m := c.work.Draft().Original().Messages.At(i)
		if c.work.Kept(i) || !plimsoll.IsReceipt(m) {
			continue
		}
		c.messages = append(c.messages, i)
		c.addEarlier(m)
		if err := c.work.Draft().DropAlone(i, why); err != nil {
			return err
		}
	}
	return nil
}

// firstLeft returns where the first round stands that is left before round n, or
// round n itself. Pinned rounds and the anchor were not dropped.
func (c *cut) firstLeft(turn plimsoll.Turn, n, anchor int) int {
	for i, r := range turn.Rounds[:n] {
		if c.work.Kept(r.Start) || i == anchor {
			return r.Start
		}
	}
	return turn.Rounds[n].Start
}

// What a receipt says; an earlier one is read by it, too.
const (
	roundsText = "%d earlier tool rounds of this turn (%d tokens)"
	turnsText  = "%d earlier turns (%d tokens)"
	and        = " and "
)

// receipt says before a message what was dropped, and where it can be read. Turns
// that cannot be read again need none. It reports whether that was the end: the
// goal is still reached, or there is nothing more to drop. Where there is no room
// for a receipt it is left out.
func (c *cut) receipt(ctx context.Context, before int, end bool) (bool, error) {
	slices.Sort(c.messages)
	ref, err := c.work.ArchiveMessages(ctx, c.messages)
	if err != nil {
		return false, err
	}
	d := c.work.Draft()
	d.Refer(c.start, ref)
	text := c.text(ref)
	if text == "" {
		return end || c.reached(), nil
	}
	position, reached := d.Position(), c.reached()
	why := plimsoll.Why{Rung: c.rung, Reason: "receipt for what was removed", Ref: ref}
	if _, err := d.Insert(before, plimsoll.Receipt(text), why); err != nil {
		return false, err
	}
	// If the goal is missed anyway, a later rung must find room for the receipt, too.
	if c.reached() || end && ref != nil && !reached {
		return true, nil
	}
	d.Rollback(position)
	return end, nil
}

// text is what the receipt says; empty if nothing has to be said.
func (c *cut) text(ref *plimsoll.Ref) string {
	var said []string
	if c.rounds.count > 0 {
		said = append(said, fmt.Sprintf(roundsText, c.rounds.count, c.rounds.tokens))
	}
	if c.turns.count > 0 && (ref != nil || c.rounds.count > 0) {
		said = append(said, fmt.Sprintf(turnsText, c.turns.count, c.turns.tokens))
	}
	text := strings.Join(said, and)
	if text != "" && ref != nil {
		text += ", kept as ref=" + ref.ID + ","
	}
	return text
}

// addEarlier counts what a receipt of an earlier cut says; other messages say
// nothing.
func (c *cut) addEarlier(m plimsoll.Message) {
	if !plimsoll.IsReceipt(m) {
		return
	}
	_, text, _ := strings.Cut(m.Text(), ": ")
	for said := range strings.SplitSeq(text, and) {
		c.rounds.add(said, roundsText)
		c.turns.add(said, turnsText)
	}
}

func (f *figure) add(said, format string) {
	var count, tokens int
	if _, err := fmt.Sscanf(said, format, &count, &tokens); err == nil && count > 0 && tokens > 0 {
		f.count, f.tokens = f.count+count, f.tokens+tokens
	}
}
