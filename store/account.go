package store

import (
	"context"

	"github.com/plimsoll/plimsoll/account"
	"github.com/plimsoll/plimsoll/fit"
)

var _ fit.Bookkeeper = memory{}

// AddAccount implements [fit.Bookkeeper].
func (m memory) AddAccount(ctx context.Context, a account.Account) error {
	return m.tenant.AddAccount(ctx, a)
}
