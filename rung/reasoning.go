package rung

import (
	"context"
	"fmt"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/fit"
)

// Reasoning removes the thinking of old turns, turn by turn, oldest first. It removes
// whole parts and changes nothing else, so signatures stay valid. The newest turns keep
// their thinking, because providers require it while a turn calls tools.
type Reasoning struct {
	// KeepTurns is how many of the newest turns keep theirs; 0 means 1.
	KeepTurns int
}

// Name returns "reasoning".
func (*Reasoning) Name() string { return "reasoning" }

// Apply removes thinking until the goal is reached.
func (r *Reasoning) Apply(ctx context.Context, w *fit.Work, t fit.Target) error {
	turns := w.Draft().Outline().Turns
	for k := range len(turns) - max(1, r.KeepTurns) {
		if t.Reached(w) || ctx.Err() != nil {
			return ctx.Err()
		}
		if !thinks(w, turns[k].Span) {
			continue
		}
		why := plimsoll.Why{Rung: r.Name(), Reason: fmt.Sprintf("thinking of turn %d of %d", k+1, len(turns))}
		if err := forget(w, turns[k].Span, why); err != nil {
			return err
		}
	}
	return nil
}

// thinks reports whether there is thinking in a span that weighs anything.
func thinks(w *fit.Work, span plimsoll.Span) bool {
	messages := w.Draft().Original().Messages
	for i := span.Start; i < span.End; i++ {
		m := messages.At(i)
		if !plimsoll.Has[plimsoll.Reasoning](m) {
			continue
		}
		for j, tokens := range w.Before().Messages[i].Parts {
			if _, ok := plimsoll.Peek(m, j).(plimsoll.Reasoning); ok && tokens > 0 {
				return true
			}
		}
	}
	return false
}

// forget removes the thinking of a span. It removes consecutive messages that only think
// together, because in some APIs thinking is an item of its own that belongs to the item
// after the last of them.
func forget(w *fit.Work, span plimsoll.Span, why plimsoll.Why) error {
	for i := span.Start; i < span.End; i++ {
		end := i
		for end < span.End && onlyThinks(w, end) {
			end++
		}
		if end > i {
			if err := forgetItems(w, plimsoll.Span{Start: i, End: end}, why); err != nil {
				return err
			}
			i = end - 1
			continue
		}
		if err := forgetParts(w, i, why); err != nil {
			return err
		}
	}
	return nil
}

func onlyThinks(w *fit.Work, i int) bool {
	m, stands := w.Draft().Message(i)
	n := m.Parts.Len()
	return stands && n > 0 && plimsoll.CountOf[plimsoll.Reasoning](m) == n
}

// forgetItems drops messages that only think, all or none.
func forgetItems(w *fit.Work, span plimsoll.Span, why plimsoll.Why) error {
	for i := span.Start; i < span.End; i++ {
		if w.Kept(i) {
			return nil
		}
	}
	if w.Draft().Original().Dialect == plimsoll.Responses && !standsAlone(w, span.End) {
		return nil
	}
	return w.Draft().Drop(span, why)
}

// standsAlone reports whether the assistant's messages from i on are valid without the
// thinking before them. Responses accepts texts and calls without it, but not computer
// use and what it runs itself (searches, pictures).
func standsAlone(w *fit.Work, i int) bool {
	messages := w.Draft().Original().Messages
	for ; i < messages.Len() && messages.At(i).Role == plimsoll.Assistant; i++ {
		m := messages.At(i)
		for j := range m.Parts.Len() {
			switch p := plimsoll.Peek(m, j).(type) {
			case plimsoll.Opaque:
				return false
			case plimsoll.ToolCall:
				if p.Name == "computer" || p.Name == "local_shell" {
					return false
				}
			}
		}
	}
	return true
}

// forgetParts removes the thinking of a message that also says or does something.
func forgetParts(w *fit.Work, i int, why plimsoll.Why) error {
	original := w.Draft().Original().Messages.At(i)
	if m, stands := w.Draft().Message(i); !stands || w.Pinned(i) || !plimsoll.Has[plimsoll.Reasoning](m) {
		return nil
	}
	for j := range original.Parts.Len() {
		at := plimsoll.PartRef{Message: i, Part: j}
		if _, ok := plimsoll.Peek(original, j).(plimsoll.Reasoning); !ok {
			continue
		}
		if err := w.Draft().RemovePart(at, why); err != nil {
			return err
		}
	}
	return nil
}
