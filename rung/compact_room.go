package rung

import (
	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/fit"
	"github.com/plimsoll/plimsoll/summary"
)

// room is what a checkpoint with notes and the tail may have together, in tokens.
type room struct {
	draft *plimsoll.Draft
	// protected reports whether a message stays whatever the split is; it takes no room.
	protected func(int) bool
	// said has the tokens of plain text of each message.
	said []int
	// all is the whole room. Work is the part of the
	// user's messages, the ledger and the extract, tail is that of the newest messages.
	// Notes take the rest.
	all, work, tail int
}

const (
	// chatTail is the part of the room that the newest messages of a chat have. On LoCoMo
	// every message more costs more sentences of older ones than it has.
	chatTail = 0.15
	// quotable is the part of plain text that notes can hold at least. They leave out
	// articles and pleasantries, and what was said twice or repeats a tool.
	quotable = 0.8
	// roomUsed is how much of the room a checkpoint and the tail fill in a conversation
	// that goes on. A checkpoint is the dearest cut, so it leaves room for a while.
	roomUsed = 0.75
)

// divide says who gets how much of the room. Talk is the share of plain text of user and
// assistant in the tokens of the conversation. An agent's loop (0) has a checkpoint of a
// fixed size, and its newest messages fill the rest. A chat (1) has its newest messages
// up to chatTail, and notes fill the rest. All others get both parts in proportion.
func (r *room) divide(talk float64, size int) {
	size = min(size, r.all)
	r.work = int((1 - talk) * float64(size))
	if r.work < minSize {
		r.work = 0
		if talk < 0.5 {
			r.work = min(size, minSize)
		}
	}
	r.tail = int(talk*chatTail*float64(r.all) + (1-talk)*float64(r.all-size))
}

// lengthen gives the tail what notes cannot fill, because people said less than that.
func (r *room) lengthen() {
	left, tail := 0, 0
	for _, n := range r.said {
		left += n
	}
	for i := len(r.said) - 1; i >= 0 && (tail < r.tail || r.unfilled(tail, left) > 0); i-- {
		left -= r.said[i]
		if !r.protected(i) {
			tail += r.draft.Weight(i)
		}
	}
	r.tail = max(r.tail, min(tail, r.all-max(r.work, minSize)))
}

// unfilled returns how much of the room stays free beside a tail and notes on so much
// plain text.
func (r *room) unfilled(tail, said int) int {
	return r.all - r.work - tail - int(quotable*float64(said))
}

// split says where the old part ends. If neither the notes nor the tail can fill the
// room, because the next round is too large for it, the agent's work gets up to twice its
// part.
func (r *room) split(end, size int) {
	said := 0
	for _, n := range r.said[:end] {
		said += n
	}
	if more := min(r.unfilled(r.tailFrom(end), said), size); r.work+more >= minSize {
		r.work += max(0, more)
	}
}

// fillTries is how often a checkpoint is written again because its notes left room.
const fillTries = 3

// lengthen leaves messages out of an order that there is room for beside the checkpoint,
// and reports whether there were any. Its notes say less than they might if much was said
// twice. No model is asked again for that.
func (m *maker) lengthen(o *fit.Order) bool {
	if !m.Notes || m.Summarizer != nil || o.Target.Decided || m.work.Load() <= o.Target.Goal {
		return false
	}
	left, tail := m.left(), m.room.tailFrom(o.Old.End)
	if left < m.room.all/20 {
		return false
	}
	s := newSplitter(m.work, o.Target)
	end := s.tail(tail+left, false)
	if end >= o.Old.End || end <= s.from || !s.removable(end) {
		return false
	}
	o.Old.End = end
	return true
}

// tailFrom returns what the unprotected messages from i on weigh.
func (r *room) tailFrom(i int) int {
	n := 0
	for ; i < len(r.said); i++ {
		if !r.protected(i) {
			n += r.draft.Weight(i)
		}
	}
	return n
}

// roomOf returns the room of a checkpoint. A cut that the load does not force leaves
// less than the goal allows, because a smaller load is its only purpose.
func (c *Compact) roomOf(w *fit.Work, t fit.Target) room {
	d, size := w.Draft(), c.size(t.Line.Limit())
	r := room{draft: d, protected: w.Protected}
	talk := r.listen(w)
	free := r.tailFrom(0)
	for _, e := range d.Edits() {
		if e.Kind == plimsoll.EditInsert || e.Kind == plimsoll.EditWithdraw {
			free -= e.Saved // an earlier checkpoint gives its room to the new one
		}
	}
	r.all = max(0, t.Goal-(w.Load()-free))
	if t.GoesOn {
		r.all = int(roomUsed * float64(r.all))
	}
	if t.Decided || w.Load() <= t.Goal {
		r.all = min(r.all, c.deepTail(free, t.Line.Limit())+size, max(minSize, free/2))
		r.divide(talk, size)
	} else {
		r.divide(talk, size)
		r.lengthen()
	}
	if c.Tail > 0 {
		r.tail = min(r.tail, c.Tail)
	}
	if c.Size > 0 {
		r.all = min(r.all, r.tail+c.Size)
	}
	return r
}

// listen finds out what user and assistant said, and returns its share of all tokens. The
// notes of an earlier checkpoint count as said.
func (r *room) listen(w *fit.Work) float64 {
	whole, load := r.draft.Original(), w.Before()
	r.said = make([]int, whole.Messages.Len())
	text, all := 0, 0
	for i, m := range whole.Messages.All() {
		if r.protected(i) || plimsoll.IsReceipt(m) {
			continue
		}
		all += load.Messages[i].Tokens - load.Messages[i].Framing
		if summary.CheckpointAt(whole, i) {
			notes, _ := between(m.Text(), notesTag)
			r.said[i] = w.Count(notes)
		} else if m.Role == plimsoll.User || m.Role == plimsoll.Assistant {
			for k, p := range m.Parts.All() {
				if _, ok := p.(plimsoll.Text); ok {
					r.said[i] += load.Messages[i].Parts[k]
				}
			}
		}
		text += r.said[i]
	}
	return float64(text) / float64(max(1, all))
}
