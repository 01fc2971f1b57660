package plimsoll

// slab hands out what is needed in small pieces and by the hundred, many of them from one
// piece of memory. That stays for as long as anybody has one of them, so they are for what
// is let go together.
type slab[T any] struct{ room []T }

// slabLen is how many are made at a time.
const slabLen = 64

// one returns a new one.
func (s *slab[T]) one() *T { return &s.take(1)[0] }

// clone returns a copy of a list.
func (s *slab[T]) clone(list []T) []T {
	own := s.take(len(list))
	copy(own, list)
	return own
}

// take returns a list of n new ones, which cannot grow into others.
func (s *slab[T]) take(n int) []T {
	if n > slabLen/4 {
		return make([]T, n)
	}
	if n > len(s.room) {
		s.room = make([]T, slabLen)
	}
	own := s.room[:n:n]
	s.room = s.room[n:]
	return own
}
