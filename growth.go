package plimsoll

import (
	"slices"
	"sync/atomic"
)

// Sums are what the figures of some messages add up to.
type Sums struct {
	Tokens, Framing, Guessed int
}

// roots says from where a load has grown.
type roots struct {
	stem *stem
	// length is how many messages the sums are of.
	length int
	sums   Sums
}

// stem is the room that a load shares with those that it has grown into. Each of
// them sees the messages up to its own length; whoever has taken the room behind
// them is the only one to write there.
type stem struct {
	room  []MessageLoad
	taken atomic.Int64
}

// Grow returns the load with more messages at its end and the total raised by
// theirs. The load itself stays as it is, and so does every other that has grown
// from it. Growing the newest of them costs as much as the messages that are
// added, in the mean; growing an older one copies it. It is safe for concurrent
// use, and the added messages stay the caller's own, but for their parts.
func (l Load) Grow(more ...MessageLoad) Load {
	sums, old := l.MessageSums(), len(l.Messages)
	for _, m := range more {
		sums.add(m)
		l.Total += m.Tokens
	}
	grown := l.roots.stem
	if !l.take(len(more)) {
		grown = newStem(l.Messages, len(more))
	}
	n := old + copy(grown.room[old:], more)
	l.Messages, l.roots = grown.room[:n:n], roots{grown, n, sums}
	return l
}

// MessageSums returns what the messages add up to. It does not look at messages
// that were added by [Load.Grow].
func (l Load) MessageSums() Sums {
	if l.rooted() {
		return l.roots.sums
	}
	var sums Sums
	for _, m := range l.Messages {
		sums.add(m)
	}
	return sums
}

// Equal reports whether two loads have the same figures.
func (l Load) Equal(other Load) bool {
	return l.Total == other.Total && l.Exact == other.Exact && l.Band == other.Band && l.System == other.System &&
		l.Tools == other.Tools && l.Framing == other.Framing && slices.EqualFunc(l.Messages, other.Messages, MessageLoad.equal)
}

func (m MessageLoad) equal(other MessageLoad) bool {
	return m.Tokens == other.Tokens && m.Framing == other.Framing && m.Guessed == other.Guessed && slices.Equal(m.Parts, other.Parts)
}

func (s *Sums) add(m MessageLoad) {
	s.Tokens += m.Tokens
	s.Framing += m.Framing
	s.Guessed += m.Guessed
}

// rooted reports whether the messages are those that were last added by Grow,
// rather than ones that the holder of the load has put in their place.
func (l Load) rooted() bool {
	r := l.roots
	return r.stem != nil && len(l.Messages) == r.length && (r.length == 0 || &l.Messages[0] == &r.stem.room[0])
}

// take takes the room for so many messages, unless another load has it.
func (l Load) take(n int) bool {
	old := int64(len(l.Messages))
	return l.rooted() && len(l.roots.stem.room) >= len(l.Messages)+n && l.roots.stem.taken.CompareAndSwap(old, old+int64(n))
}

// newStem returns room for some messages, so many more, and a share of both.
func newStem(messages []MessageLoad, more int) *stem {
	n := len(messages) + more
	s := &stem{room: make([]MessageLoad, n+n/4+spareMessages)}
	copy(s.room, messages)
	s.taken.Store(int64(n))
	return s
}

// spareMessages is the least room that is kept free for messages to come.
const spareMessages = 4
