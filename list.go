package plimsoll

import (
	"encoding/json"
	"iter"
	"slices"
)

// List is an immutable sequence. The zero List is empty. Copying a List is
// cheap and shares the elements, which cannot change.
type List[T any] struct {
	items []T
	// drawn is the outline of a list of messages; nil for other lists.
	drawn *drawnOutline
}

// ListOf returns a list of the given items. The arguments are copied, so a
// slice passed with ... stays the caller's own.
func ListOf[T any](items ...T) List[T] {
	return frozen(slices.Clone(items))
}

// Len returns the number of items.
func (l List[T]) Len() int { return len(l.items) }

// At returns item i. It panics when i is out of range, as a slice does.
func (l List[T]) At(i int) T { return loaded(&l.items[i]) }

// All iterates over the items with their indices.
func (l List[T]) All() iter.Seq2[int, T] {
	return func(yield func(int, T) bool) {
		for i := range l.items {
			if !yield(i, loaded(&l.items[i])) {
				return
			}
		}
	}
}

// Slice returns the items in a slice of the caller's own.
func (l List[T]) Slice() []T {
	items := slices.Clone(l.items)
	for i := range items {
		items[i] = loaded(&items[i])
	}
	return items
}

// Equal reports whether both lists have equal items by the given function.
func (l List[T]) Equal(other List[T], equal func(a, b T) bool) bool {
	return slices.EqualFunc(l.Slice(), other.Slice(), equal)
}

// MarshalJSON writes the list as a JSON array.
func (l List[T]) MarshalJSON() ([]byte, error) {
	if l.items == nil {
		return []byte("[]"), nil
	}
	return json.Marshal(l.Slice())
}

// frozen wraps items without a copy, for slices that have no other owner.
func frozen[T any](items []T) List[T] {
	l := List[T]{items: items}
	if _, ok := any((*T)(nil)).(*Message); ok {
		l.drawn = new(drawnOutline)
	}
	return l
}
