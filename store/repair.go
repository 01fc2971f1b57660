package store

import (
	"context"
	"errors"
)

// noted returns an error that came of reading an object. If something is damaged it is
// marked, so that storing the same content again replaces it. Whether that succeeds
// changes nothing for who reads.
func (t *Tenant) noted(ctx context.Context, id string, err error, chunks ...ChunkID) error {
	if errors.Is(err, ErrCorrupt) {
		_ = t.store.backend.MarkDamaged(ctx, t.id, id, chunks)
	}
	return err
}
