package plimsoll

import "sync/atomic"

// Source completes parts that were only indexed, each by where it stands.
type Source interface {
	// LoadAt returns the whole part that was deferred with the outline and the place.
	// It is of the outline's type. The part is kept from then on. LoadAt may be called
	// from several goroutines.
	LoadAt(outline Part, at uint64) Part
}

// Defer returns a part of which only the outline is known yet: its type, and for
// calls and results their ids and names. A [List] that holds it returns the whole part.
// So a codec need not unescape or copy a text that no caller reads. The source decides
// what at means.
func Defer(outline Part, s Source, at uint64) Part {
	return &deferred{outline: outline, source: s, at: at}
}

// deferred is one small allocation; there are many in a long conversation.
type deferred struct {
	outline Part
	source  Source
	at      uint64
	// whole is the part once it was loaded: weighing reads it, and then each rung.
	whole atomic.Pointer[Part]
}

func (*deferred) part() {}

func (d *deferred) load() Part {
	if whole := d.whole.Load(); whole != nil {
		return *whole
	}
	p := d.source.LoadAt(d.outline, d.at)
	d.whole.Store(&p)
	return p
}

// loaded returns an item, and completes it if it was deferred.
func loaded[T any](item *T) T {
	if p, ok := any(item).(*Part); ok {
		if d, ok := (*p).(*deferred); ok {
			return any(d.load()).(T)
		}
	}
	return *item
}

// outlined returns what is known of a part without loading it.
func outlined(p Part) Part {
	if d, ok := p.(*deferred); ok {
		return d.outline
	}
	return p
}

// Peek returns what is known of part i of a message without loading it: its type,
// and for calls and results their ids and names.
func Peek(m Message, i int) Part { return outlined(m.Parts.items[i]) }

// Has reports whether the message has a part of type P. It loads nothing.
func Has[P Part](m Message) bool { return CountOf[P](m) > 0 }

// CountOf returns how many parts of type P the message has. It loads nothing.
func CountOf[P Part](m Message) int {
	n := 0
	for _, p := range m.Parts.items {
		if _, ok := outlined(p).(P); ok {
			n++
		}
	}
	return n
}
