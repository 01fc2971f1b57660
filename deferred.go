package plimsoll

// Loader completes a part that was only indexed.
type Loader interface {
	// LoadPart returns the whole part. It is of the outline's type and may be
	// called any number of times, from several goroutines.
	LoadPart() Part
}

// Defer returns a part of which only the outline is known yet: its type, and for
// calls and results their ids and names. A read from a [List] gives the
// whole part. So a codec need not unescape or copy a text that is never read.
func Defer(outline Part, l Loader) Part { return DeferAt(outline, single{l}, 0) }

// Source completes many parts, each by where it stands.
type Source interface {
	// LoadAt is like [Loader.LoadPart], for the part that was deferred with the
	// outline and the place.
	LoadAt(outline Part, at uint64) Part
}

// DeferAt is [Defer] for one of many parts that come from the same source. What at
// means is the source's to say.
func DeferAt(outline Part, s Source, at uint64) Part {
	return &deferred{outline: outline, source: s, at: at}
}

// deferred is one small allocation; there are many in a long conversation.
type deferred struct {
	outline Part
	source  Source
	at      uint64
}

func (*deferred) part() {}

func (d *deferred) load() Part {
	return d.source.LoadAt(d.outline, d.at)
}

// single is the source of one part.
type single struct{ Loader }

// LoadAt loads the part.
func (s single) LoadAt(Part, uint64) Part { return s.LoadPart() }

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
