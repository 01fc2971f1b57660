package main

import (
	"context"
	"errors"

	"github.com/plimsoll/plimsoll"
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
	return c.withTenant(p, root, func(ctx context.Context, _ *store.Store, t *store.Tenant) error {
		s, err := c.statement(ctx, t)
		if err != nil {
			return err
		}
		if c.JSON {
			return encodeJSON(p.out, s.report())
		}
		s.show(p.out, newDisplay(p, nil, root.Color))
		return nil
	})
}

// statement is the accounts of a tenant.
type statement struct {
	// listed are those that are shown, all is how many there are.
	listed []plimsoll.Account
	all    int
	total  plimsoll.Account
	// models are the sums for each model, in the order of first use in the list.
	models []plimsoll.Account
}

// statement reads all accounts, page by page.
func (c *accountCmd) statement(ctx context.Context, t *store.Tenant) (*statement, error) {
	s := &statement{}
	byModel := map[string]int{}
	for after := ""; ; {
		page, err := t.Accounts(ctx, after, listPage)
		if err != nil {
			return nil, err
		}
		for _, a := range page {
			after = a.Conversation
			s.all++
			s.total = s.total.Add(a)
			if c.Limit == 0 || len(s.listed) < c.Limit {
				s.listed = append(s.listed, a)
			}
			i, known := byModel[a.Model]
			if !known {
				i = len(s.models)
				byModel[a.Model] = i
				s.models = append(s.models, plimsoll.Account{Model: a.Model})
			}
			s.models[i] = s.models[i].Add(a)
		}
		if len(page) < listPage {
			return s, nil
		}
	}
}
