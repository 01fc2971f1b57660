package store

import (
	"context"
	"iter"
)

// Blocks lets tests see in which pieces a text is read.
func (r *Reader) Blocks(ctx context.Context, offset int64) iter.Seq2[textBlock, error] {
	return r.blocks(ctx, offset)
}

// ID lets tests look for the tenant's rows.
func (t *Tenant) ID() TenantID { return t.id }
