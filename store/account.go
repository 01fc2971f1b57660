package store

import (
	"context"

	"github.com/plimsoll/plimsoll"
)

var _ plimsoll.Bookkeeper = memory{}

// AddAccount implements [plimsoll.Bookkeeper].
func (m memory) AddAccount(ctx context.Context, a plimsoll.Account) error {
	return m.tenant.AddAccount(ctx, a)
}
