package rung

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/fit"
	"github.com/plimsoll/plimsoll/internal/refname"
)

// cut is what slide has dropped so far, and what it says about it.
type cut struct {
	work   *fit.Work
	target fit.Target
	rung   string
	// start is the position in the draft's log before the cut.
	start plimsoll.Position
	// silent leaves no receipt.
	silent bool
	// messages that were dropped, by index.
	messages []int
	// turns and rounds count those of earlier cuts, too.
	turns, rounds figure
}

// figure is how many there were and what they weighed.
type figure struct{ count, tokens int }

func (c *cut) reached() bool { return c.target.Reached(c.work) }

// takeOver continues the cut of an earlier request: it withdraws that receipt, and the
// new one counts what was dropped then, too.
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

// drop drops the messages of a span that need not stay.
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

// free returns the tokens of the messages of a span that need not stay.
func (c *cut) free(span plimsoll.Span) int {
	tokens := 0
	for i := span.Start; i < span.End; i++ {
		if !c.work.Kept(i) && !c.gone(i) {
			tokens += c.work.Before().Messages[i].Tokens
		}
	}
	return tokens
}

// gone reports whether an earlier rung dropped the message.
func (c *cut) gone(i int) bool {
	_, here := c.work.Draft().Message(i)
	return !here
}

// dropReceipts drops the receipts of earlier cuts before the first round of a turn; the
// new one counts what they counted.
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

// firstLeft returns the start of the first round up to n that was not dropped. Pinned
// rounds and the anchor were not.
func (c *cut) firstLeft(turn plimsoll.Turn, n, anchor int) int {
	for i, r := range turn.Rounds[:n] {
		if c.work.Kept(r.Start) || i == anchor {
			return r.Start
		}
	}
	return turn.Rounds[n].Start
}

// The formats of a receipt; addEarlier reads earlier receipts with them.
const (
	roundsText = "%d earlier tool rounds of this turn (%d tokens)"
	turnsText  = "%d earlier turns (%d tokens)"
	and        = " and "
)

// receipt inserts a receipt before a message. Turns that were not archived need none,
// and without room for a receipt it is left out. receipt reports whether the cut is
// done: the load still reaches the goal, or there is nothing more to drop.
func (c *cut) receipt(ctx context.Context, before int, end bool) (bool, error) {
	if c.silent {
		return end || c.reached(), nil
	}
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

// text returns the text of the receipt, or "" if it needs none.
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
		text += refname.Write(", kept as "+refname.Ref+ref.ID+",", c.work.HasReader(), ref.ID)
	}
	return text
}

// addEarlier counts what the receipt of an earlier cut counted. It ignores other
// messages.
func (c *cut) addEarlier(m plimsoll.Message) {
	if !plimsoll.IsReceipt(m) || strings.HasPrefix(m.Text(), plimsoll.RecollectionOpening) {
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
