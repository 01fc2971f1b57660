package main

import (
	"context"
	"errors"

	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/store"
)

// accountCmd shows what conversations used and what cutting them saved.
type accountCmd struct {
	Limit int  `short:"n" placeholder:"N" help:"How many conversations to list, the last used first. The totals are of all. Default: all."`
	JSON  bool `name:"json" help:"Print one JSON object."`
	storeFlags
}

// Help is the long help text.
func (*accountCmd) Help() string {
	return `Shows for each conversation and in total: requests, tokens as billed (in, of these read from and written to prompt caches, out), tokens that cuts took off, how often something was cut, how many of 100 requests did not begin with what was sent before, by how much estimates are off the bill, and what cutting saved.

The net saving is what the requests would have cost without any cut, with prompt caches as they were, less what was paid for them and for summaries. It is negative where cutting cost more than it saved.

Examples:

    plimsoll account
    plimsoll account --json | jq .total.net_usd`
}

// Validate refuses numbers that cannot be meant.
func (c *accountCmd) Validate() error {
	if c.Limit < 0 {
		return errors.New("--limit: want a number from 0 on")
	}
	return nil
}

// Run adds up and prints.
func (c *accountCmd) Run(p *process, root *cli) error {
	return c.readTenant(p, root, func(ctx context.Context, all *store.Store, t *store.Tenant) error {
		if err := c.noteOthers(ctx, p, all); err != nil {
			return err
		}
		s, err := report.ReadStatement(ctx, t, c.Limit)
		if err != nil {
			return err
		}
		if c.JSON {
			return encodeJSON(p.out, s.Accounts())
		}
		statement{s}.show(p.out, newDisplay(p, nil, root.Color))
		return nil
	})
}
