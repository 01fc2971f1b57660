package openai

// slab cuts the many small slices of a layout out of few large ones.
type slab[T any] struct {
	free []T
	size int // of the next large slice
}

// take returns a slice of n zero values that cannot grow into its neighbour.
func (s *slab[T]) take(n int) []T {
	if n > len(s.free) {
		s.free = make([]T, max(n, s.size))
	}
	taken := s.free[:n:n]
	s.free = s.free[n:]
	return taken
}

// keep returns a copy of items.
func (s *slab[T]) keep(items []T) []T {
	kept := s.take(len(items))
	copy(kept, items)
	return kept
}
