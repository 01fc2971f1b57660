package store

import "context"

// Erase clears what was swept from the backend's files. The store cannot be used
// meanwhile.
func (s *Store) Erase(ctx context.Context) error { return fault("erase", s.now().backend.Erase(ctx)) }
