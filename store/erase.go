package store

import "context"

// Eraser is a [Backend] whose Sweep frees the space of what it deleted without
// clearing it.
type Eraser interface {
	// Erase writes again what is left, so that nothing that was deleted is in the files
	// any more. It locks the store meanwhile.
	Erase(ctx context.Context) error
}

// Erase sees to it that nothing of what was swept is left in the backend's files. For a
// backend that is no [Eraser] sweeping was enough, and it does nothing.
func (s *Store) Erase(ctx context.Context) error {
	if e, ok := s.backend.(Eraser); ok {
		return fault("erase", e.Erase(ctx))
	}
	return nil
}
