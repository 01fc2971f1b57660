package plimsoll

import (
	"slices"
	"sort"
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

// standing says why a message must survive; from weak to strong.
type standing uint8

const (
	removable standing = iota
	// knowledge is a checkpoint: only a new one may take its place.
	knowledge
	newestRound
	newestTurn
	instruction
	pinned
)

// standings finds out which messages must survive, those that are named among them.
// Loose ones survive without the calls and results that they belong to.
func standings(c Conversation, o Outline, options *Options, named []int, pins []Pin) []standing {
	s := make([]standing, c.Messages.Len())
	raise := func(span Span, to standing) {
		for i := span.Start; i < span.End; i++ {
			s[i] = max(s[i], to)
		}
	}
	if options.Keep == KeepMessage {
		keepMessage(c, raise)
	} else {
		raise(Span{0, o.Head}, instruction)
		keepNewest(c, o, options.Keep, raise)
	}
	for _, i := range named {
		raise(Span{max(0, i), min(i+1, len(s))}, newestRound)
	}
	if len(pins) > 0 {
		tools := toolNames(c, o)
		for _, p := range pins {
			for _, i := range pinnedBy(p, c, tools) {
				raise(Span{i, i + 1}, pinned)
			}
		}
	}
	if !options.Loose {
		keepPairs(o, s)
		keepOpenings(o, s)
	}
	return s
}

func keepMessage(c Conversation, raise func(Span, standing)) {
	for i, m := range c.Messages.items {
		if m.Role == System {
			raise(Span{i, i + 1}, instruction)
			break
		}
	}
	for i := c.Messages.Len() - 1; i >= 0; i-- {
		if c.Messages.items[i].Role != System || i == 0 {
			raise(Span{i, i + 1}, newestTurn)
			break
		}
	}
}

func keepNewest(c Conversation, o Outline, keep Keep, raise func(Span, standing)) {
	if len(o.Turns) == 0 {
		return
	}
	turn := o.Turns[len(o.Turns)-1]
	if keep == KeepPending && atRest(c) {
		return
	}
	if keep == KeepTurn || len(turn.Rounds) == 0 {
		raise(turn.Span, newestTurn)
		return
	}
	for i := turn.Start; i < turn.Rounds[0].Start; i++ {
		if !IsReceipt(c.Messages.items[i]) {
			raise(Span{i, i + 1}, newestTurn)
		}
	}
	if turn.User >= 0 { // an opening that makes a call is part of the first round
		raise(Span{turn.User, turn.User + 1}, newestTurn)
	}
	raise(turn.Rounds[len(turn.Rounds)-1].Span, newestRound)
	raise(turn.thinking(c), newestRound)
}

// atRest reports whether the model has answered and called nothing.
func atRest(c Conversation) bool {
	last := c.Messages.items[c.Messages.Len()-1]
	return last.Role == Assistant && !Has[ToolCall](last)
}

// thinking returns the newest round that begins with reasoning, if the turn itself
// began so. Providers that sign reasoning ask that a turn at work goes on beginning
// with it.
func (t Turn) thinking(c Conversation) Span {
	thinks := func(r Round) bool { return Has[Reasoning](c.Messages.items[r.Start]) }
	if !thinks(t.Rounds[0]) {
		return Span{}
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
func keepPairs(o Outline, s []standing) {
	for _, t := range o.Turns {
		prefix := t.End
		if len(t.Rounds) > 0 {
			prefix = t.Rounds[0].Start
		}
		for _, r := range t.Rounds {
			keepWhole(s[r.Start:r.End])
		}
		if paired(o, Span{t.Start, prefix}) {
			keepWhole(s[t.Start:prefix])
		}
	}
}

// keepOpenings pins the message that opened a turn with what is pinned of the turn:
// most APIs want the user to speak first, and an answer says little without its
// question.
func keepOpenings(o Outline, s []standing) {
	for _, t := range o.Turns {
		if t.User >= 0 && slices.Contains(s[t.Start:t.End], pinned) {
			s[t.User] = pinned
		}
	}
}

// paired reports whether a call with a result stands in the span. Between the
// opening of a turn and its first round that is so only in illegal histories.
func paired(o Outline, span Span) bool {
	i := sort.Search(len(o.Pairs), func(i int) bool { return o.Pairs[i].Result.Message >= span.Start })
	return i < len(o.Pairs) && span.Contains(o.Pairs[i].Result.Message)
}

func keepWhole(s []standing) {
	if len(s) == 0 {
		return
	}
	strong := slices.Max(s)
	for i := range s {
		s[i] = strong
	}
}
