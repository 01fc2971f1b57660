package plimsoll

// Loader completes a part that was only indexed.
type Loader interface {
	// LoadPart returns the whole part. It is of the outline's type and may be
	// called any number of times, from several goroutines.
	LoadPart() Part
}

// Defer returns a part of which only the outline is known yet: its type, and for
// calls and results their ids and names. Whoever reads it from a [List] gets the
// whole part. So a codec need not unescape or copy a text that nobody looks at.
func Defer(outline Part, l Loader) Part { return deferred{outline, l} }

type deferred struct {
	outline Part
	loader  Loader
}

func (deferred) part() {}

// loaded completes an item that was deferred.
func loaded[T any](item T) T {
	if _, parts := any((*T)(nil)).(*Part); !parts {
		return item
	}
	if d, ok := any(item).(deferred); ok {
		return any(d.loader.LoadPart()).(T)
	}
	return item
}

// outlined returns what is known of a part without loading it.
func outlined(p Part) Part {
	if d, ok := p.(deferred); ok {
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
