package plimsoll

import (
	"encoding/json"
	"iter"
	"slices"
)

// List is an immutable sequence. The zero List is empty. Copying a List is
// cheap and shares the elements, which nobody can change.
type List[T any] struct{ items []T }

// ListOf returns a list of the given items. The arguments are copied, so a
// slice passed with ... stays the caller's own.
func ListOf[T any](items ...T) List[T] {
	return List[T]{slices.Clone(items)}
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

// frozen wraps items without a copy, for slices that nobody else holds.
func frozen[T any](items []T) List[T] { return List[T]{items} }

// ListBuilder builds a [List] item by item, without the copy that [ListOf] makes.
// The zero ListBuilder is empty. It must not be copied.
type ListBuilder[T any] struct{ items []T }

// Grow makes room for n more items, and for no more than that.
func (b *ListBuilder[T]) Grow(n int) {
	b.items = append(slices.Grow([]T(nil), len(b.items)+n), b.items...)
}

// Cap returns how many items there is room for, with those that are there.
func (b *ListBuilder[T]) Cap() int { return cap(b.items) }

// Len returns the number of items so far.
func (b *ListBuilder[T]) Len() int { return len(b.items) }

// Append adds an item.
func (b *ListBuilder[T]) Append(item T) { b.items = append(b.items, item) }

// Set puts another item in the place of item i.
func (b *ListBuilder[T]) Set(i int, item T) { b.items[i] = item }

// List returns the list. The builder is empty afterwards.
func (b *ListBuilder[T]) List() List[T] {
	l := frozen(b.items)
	b.items = nil
	return l
}
