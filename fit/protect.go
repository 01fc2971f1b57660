package fit

import (
	"cmp"
	"context"
	"slices"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/summary"
)

// Keep says how much of the newest part of a conversation must survive.
type Keep int

const (
	// KeepRound keeps the message that opened the newest turn and its newest
	// round, so that a long agent loop can still be made shorter.
	KeepRound Keep = iota
	// KeepTurn keeps the whole newest turn.
	KeepTurn
	// KeepMessage keeps the newest message, and of the instructions the first.
	KeepMessage
	// KeepPending keeps what KeepRound keeps while the model's answer is awaited,
	// and nothing of a conversation that has come to rest.
	KeepPending
)

// protection says why a message must survive; from weak to strong.
type protection uint8

const (
	removable protection = iota
	// checkpointed messages are a checkpoint: only a new one may replace them.
	checkpointed
	newestRound
	newestTurn
	instruction
	pinned
)

// protect finds out which messages must survive, once in a walk.
func (w *Work) protect(ctx context.Context) error {
	if w.protections != nil {
		return nil
	}
	o := w.draft.Outline()
	w.orphans, w.dead = len(o.Orphans), len(o.Dead)
	pins := append(slices.Clip(w.k.options.Pins), w.task.Pins...)
	w.protections = protections(ctx, w.task.Conversation, o, &w.k.options, w.task.Keep, pins)
	w.keepCheckpoints()
	return ctx.Err()
}

// keepCheckpoints lets only a compactor take the checkpoints among the messages.
func (w *Work) keepCheckpoints() {
	if w.k.compactor == nil {
		return
	}
	c, o := w.task.Conversation, w.draft.Outline()
	for i, m := range c.Messages.All() {
		if w.protections[i] == removable && summary.IsCheckpoint(m) && summary.CheckpointAt(c, i) {
			w.protections[i] = checkpointed
		}
	}
	keepPairs(o, w.protections)
	keepOpenings(o, w.protections, checkpointed)
}

// findFloor finds out what no rung may remove, and refuses at once what cannot fit if
// the conversation is over its line. Where little can be removed, the goal is half-way
// between that and the limit.
func (w *Work) findFloor(over bool) error {
	w.floor, w.items = floorOf(w.plan.Before, w.task.Conversation, w.protections, w.k.options.least())
	floor := w.floor
	if over && floor > w.plan.Line.Limit() {
		w.plan.Rungs = []plimsoll.RungReport{} // none was tried
		return w.overload(0)
	}
	if over {
		floor = w.floorWithTools() + w.toolCost()
	}
	w.plan.Goal = max(w.plan.Goal, (floor+w.plan.Line.Limit())/2)
	return nil
}

// floorWithTools is what no rung may remove, with the tools that the draft has added; 0
// if there was no need to look.
func (w *Work) floorWithTools() int {
	if w.items == nil {
		return 0
	}
	_, tools := toolEdits(w.draft.Edits())
	return w.floor + tools
}

// least returns what the best shrinker of the ladder leaves of a result, or -1.
func (o *Options) least() int {
	least := -1
	for _, r := range o.Rungs {
		if s, ok := r.(Shrinker); ok && (least < 0 || s.Least() < least) {
			least = s.Least()
		}
	}
	return least
}

// protections finds out which messages must survive, those that are named among them.
// With Options.Loose a message may survive without its call or result.
func protections(ctx context.Context, c plimsoll.Conversation, o plimsoll.Outline, options *Options, named []int, pins []Pin) []protection {
	s := make([]protection, c.Messages.Len())
	keepSpan := func(span plimsoll.Span, why protection) {
		for i := span.Start; i < span.End; i++ {
			s[i] = max(s[i], why)
		}
	}
	if options.Keep == KeepMessage {
		keepMessage(c, keepSpan)
	} else {
		keepSpan(plimsoll.Span{Start: 0, End: o.Head}, instruction)
		keepNewest(c, o, options.Keep, keepSpan)
	}
	for _, i := range named {
		keepSpan(plimsoll.Span{Start: max(0, i), End: min(i+1, len(s))}, newestRound)
	}
	if len(pins) > 0 {
		tools := toolNames(c, o)
		for _, p := range pins {
			for _, i := range pinnedBy(ctx, p, c, tools) {
				keepSpan(plimsoll.Span{Start: i, End: i + 1}, pinned)
			}
		}
	}
	if !options.Loose {
		keepPairs(o, s)
		keepOpenings(o, s, pinned)
	}
	return s
}

func keepMessage(c plimsoll.Conversation, keepSpan func(plimsoll.Span, protection)) {
	for i, m := range c.Messages.All() {
		if m.Role == plimsoll.System {
			keepSpan(plimsoll.Span{Start: i, End: i + 1}, instruction)
			break
		}
	}
	for i := c.Messages.Len() - 1; i >= 0; i-- {
		if c.Messages.At(i).Role != plimsoll.System || i == 0 {
			keepSpan(plimsoll.Span{Start: i, End: i + 1}, newestTurn)
			break
		}
	}
}

func keepNewest(c plimsoll.Conversation, o plimsoll.Outline, keep Keep, keepSpan func(plimsoll.Span, protection)) {
	if len(o.Turns) == 0 {
		return
	}
	turn := o.Turns[len(o.Turns)-1]
	if keep == KeepPending && atRest(c) {
		return
	}
	if keep == KeepTurn || len(turn.Rounds) == 0 {
		keepSpan(turn.Span, newestTurn)
		return
	}
	for i := turn.Start; i < turn.Rounds[0].Start; i++ {
		if !plimsoll.IsReceipt(c.Messages.At(i)) {
			keepSpan(plimsoll.Span{Start: i, End: i + 1}, newestTurn)
		}
	}
	if turn.User >= 0 { // an opening that makes a call is part of the first round
		keepSpan(plimsoll.Span{Start: turn.User, End: turn.User + 1}, newestTurn)
	}
	keepSpan(turn.Rounds[len(turn.Rounds)-1].Span, newestRound)
	keepSpan(thinking(turn, c), newestRound)
}

// atRest reports whether the model has answered and called nothing.
func atRest(c plimsoll.Conversation) bool {
	last := c.Messages.At(c.Messages.Len() - 1)
	return last.Role == plimsoll.Assistant && !plimsoll.Has[plimsoll.ToolCall](last)
}

// thinking returns the newest round that begins with reasoning, if the turn itself
// began so. Providers that sign reasoning ask that a turn at work goes on beginning
// with it.
func thinking(t plimsoll.Turn, c plimsoll.Conversation) plimsoll.Span {
	thinks := func(r plimsoll.Round) bool { return plimsoll.Has[plimsoll.Reasoning](c.Messages.At(r.Start)) }
	if !thinks(t.Rounds[0]) {
		return plimsoll.Span{}
	}
	for i := len(t.Rounds) - 1; i > 0; i-- {
		if thinks(t.Rounds[i]) {
			return t.Rounds[i].Span
		}
	}
	return t.Rounds[0].Span
}

// keepPairs lets calls and results stand or fall together: a round survives whole
// with its pinned message.
func keepPairs(o plimsoll.Outline, s []protection) {
	answers := make([]bool, len(s))
	for _, p := range o.Pairs {
		answers[p.Result.Message] = true
	}
	for _, t := range o.Turns {
		prefix := t.End
		if len(t.Rounds) > 0 {
			prefix = t.Rounds[0].Start
		}
		for _, r := range t.Rounds {
			keepWhole(s[r.Start:r.End])
		}
		if slices.Contains(answers[t.Start:prefix], true) { // only in illegal histories
			keepWhole(s[t.Start:prefix])
		}
	}
}

// keepOpenings keeps the message that opened a turn if a message of the turn is kept for
// the reason why: most APIs want the user to speak first, and an answer says little
// without its question.
func keepOpenings(o plimsoll.Outline, s []protection, why protection) {
	for _, t := range o.Turns {
		if t.User >= 0 && slices.Contains(s[t.Start:t.End], why) {
			s[t.User] = max(s[t.User], why)
		}
	}
}

func keepWhole(s []protection) {
	if len(s) == 0 {
		return
	}
	strong := slices.Max(s)
	for i := range s {
		s[i] = strong
	}
}

// floorOf adds up what no rung may remove; only pinned messages are listed one by one.
// Tool results that are not pinned count as what the shrinkers of the ladder leave.
func floorOf(load plimsoll.Load, c plimsoll.Conversation, kept []protection, least int) (int, []plimsoll.FloorItem) {
	sums := map[plimsoll.FloorKind]*plimsoll.FloorItem{
		plimsoll.FloorSystem:  {Kind: plimsoll.FloorSystem, Message: -1, Tokens: load.System},
		plimsoll.FloorTools:   {Kind: plimsoll.FloorTools, Message: -1, Tokens: load.Tools},
		plimsoll.FloorFraming: {Kind: plimsoll.FloorFraming, Message: -1, Tokens: load.Framing},
	}
	var items []plimsoll.FloorItem
	for i, s := range kept {
		if s <= checkpointed {
			continue
		}
		n := load.Messages[i].Tokens
		if s == newestRound || s == newestTurn {
			n -= shrinkable(c.Messages.At(i), load.Messages[i], least)
		}
		switch sum := sums[s.kind()]; {
		case s == pinned:
			items = append(items, plimsoll.FloorItem{Kind: plimsoll.FloorPinned, Message: i, Tokens: n})
		case sum == nil:
			sums[s.kind()] = &plimsoll.FloorItem{Kind: s.kind(), Message: i, Tokens: n}
		default:
			sum.Tokens += n
		}
	}
	for _, sum := range sums {
		items = append(items, *sum)
	}
	floor := 0
	for _, i := range items {
		floor += i.Tokens
	}
	items = slices.DeleteFunc(items, func(i plimsoll.FloorItem) bool { return i.Tokens == 0 })
	slices.SortFunc(items, func(a, b plimsoll.FloorItem) int {
		return cmp.Or(cmp.Compare(b.Tokens, a.Tokens), cmp.Compare(a.Message, b.Message), cmp.Compare(a.Kind, b.Kind))
	})
	return floor, items
}

func (s protection) kind() plimsoll.FloorKind {
	switch s {
	case pinned:
		return plimsoll.FloorPinned
	case instruction:
		return plimsoll.FloorSystem
	case newestRound:
		return plimsoll.FloorRound
	}
	return plimsoll.FloorTurn
}

// shrinkable returns what shrinkers can take off the message's tool results; least
// is what they leave of each, or -1 if there are none.
func shrinkable(m plimsoll.Message, load plimsoll.MessageLoad, least int) int {
	n := 0
	if least < 0 {
		return 0
	}
	for j := range m.Parts.Len() {
		if _, ok := plimsoll.Peek(m, j).(plimsoll.ToolResult); ok {
			n += max(0, load.Parts[j]-least)
		}
	}
	return n
}
