package report

import (
	"context"
	"time"

	"github.com/plimsoll/plimsoll/account"
)

// Account is an account for programs.
type Account struct {
	Conversation string `json:"conversation,omitempty"`
	Model        string `json:"model,omitempty"`
	Requests     int64  `json:"requests"`
	// Input is the whole prompt; Cached and Written are parts of it.
	Input          int       `json:"input_tokens"`
	Cached         int       `json:"cached_tokens"`
	Written        int       `json:"written_tokens"`
	Output         int       `json:"output_tokens"`
	Saved          int64     `json:"saved_tokens"`
	Rewritten      int64     `json:"rewritten_tokens"`
	Cuts           int64     `json:"cuts"`
	Breaks         int64     `json:"prefix_breaks"`
	BreaksPer100   float64   `json:"prefix_breaks_per_100"`
	CacheReadShare float64   `json:"cache_read_share"`
	Estimated      int64     `json:"estimated_tokens"`
	Drift          float64   `json:"drift"`
	Priced         int64     `json:"priced_requests"`
	Paid           float64   `json:"paid_usd"`
	Uncut          float64   `json:"uncut_usd"`
	Summaries      float64   `json:"summaries_usd"`
	Net            float64   `json:"net_usd"`
	First          time.Time `json:"first,omitzero"`
	Last           time.Time `json:"last,omitzero"`
}

// NewAccount returns the figures of an account.
func NewAccount(a account.Account) Account {
	return Account{
		Conversation: a.Conversation, Model: a.Model, Requests: a.Requests,
		Input: a.Usage.Prompt(), Cached: a.Usage.CacheRead, Written: a.Usage.CacheCreation, Output: a.Usage.Output,
		Saved: a.Saved, Rewritten: a.Written, Cuts: a.Cuts, Breaks: a.Breaks, BreaksPer100: a.BreaksPer100(),
		CacheReadShare: a.CacheShare(), Estimated: a.Estimated, Drift: a.Drift(),
		Priced: a.Priced, Paid: a.Paid.USD(), Uncut: a.Uncut.USD(), Summaries: a.Summaries.USD(), Net: a.Net().USD(),
		First: a.First.UTC(), Last: a.Last.UTC(),
	}
}

// Accounts is a statement for programs.
type Accounts struct {
	Conversations []Account `json:"conversations"`
	Models        []Account `json:"models"`
	Total         Account   `json:"total"`
}

// Statement is the accounts of a tenant.
type Statement struct {
	// Listed are those that are shown, All is how many there are.
	Listed []account.Account
	All    int
	Total  account.Account
	// Models are the sums for each model, in the order of first use in the list.
	Models []account.Account
}

// Ledger lists accounts, the last used first, at most limit, behind the given
// conversation if it is not empty.
type Ledger interface {
	Accounts(ctx context.Context, after string, limit int) ([]account.Account, error)
}

// ledgerPage is how many accounts are asked for at a time.
const ledgerPage = 1000

// ReadStatement reads all accounts, page by page, and lists at most limit of them; 0
// lists all.
func ReadStatement(ctx context.Context, l Ledger, limit int) (*Statement, error) {
	s := &Statement{}
	byModel := map[string]int{}
	for after := ""; ; {
		page, err := l.Accounts(ctx, after, ledgerPage)
		if err != nil {
			return nil, err
		}
		for _, a := range page {
			after = a.Conversation
			s.All++
			s.Total = s.Total.Add(a)
			if limit == 0 || len(s.Listed) < limit {
				s.Listed = append(s.Listed, a)
			}
			i, known := byModel[a.Model]
			if !known {
				i = len(s.Models)
				byModel[a.Model] = i
				s.Models = append(s.Models, account.Account{Model: a.Model})
			}
			s.Models[i] = s.Models[i].Add(a)
		}
		if len(page) < ledgerPage {
			return s, nil
		}
	}
}

// Accounts returns the statement for programs.
func (s *Statement) Accounts() Accounts {
	r := Accounts{Conversations: []Account{}, Models: []Account{}, Total: NewAccount(s.Total)}
	r.Total.Model = ""
	for _, a := range s.Listed {
		r.Conversations = append(r.Conversations, NewAccount(a))
	}
	for _, a := range s.Models {
		r.Models = append(r.Models, NewAccount(a))
	}
	return r
}
