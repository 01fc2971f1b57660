package fit

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/maphash"
	"sync"
	"time"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/account"
	"github.com/plimsoll/plimsoll/internal/lru"
)

const (
	// recentAccounts is how many conversations a keeper has accounts of in memory, and
	// recentCalls how many requests it remembers to recognise the one that continues each.
	recentAccounts = 1 << 13
	recentCalls    = 1 << 13
	// recentModels is how many models are watched for drift.
	recentModels = 1 << 10
	// defaultLife is how long a prompt cache is taken to last.
	defaultLife = 5 * time.Minute
	// driftBound is how far apart estimates and bills may be, and driftDecay what an
	// older request counts beside the one behind it.
	driftBound = 0.1
	driftDecay = 0.9
)

// books are the accounts that a keeper has in memory.
type books struct {
	mu            sync.Mutex
	total         account.Account
	conversations *lru.Map[scoped, account.Account]
	calls         *lru.Map[scoped, lastCall]
	models        *lru.Map[string, drift]
	seed          maphash.Seed // of what is sent
}

func newBooks() *books {
	return &books{
		conversations: lru.New[scoped, account.Account](recentAccounts, nil),
		calls:         lru.New[scoped, lastCall](recentCalls, nil),
		models:        lru.New[string, drift](recentModels, nil),
		seed:          maphash.MakeSeed(),
	}
}

// drift compares estimates with bills for one model.
type drift struct {
	estimated, billed float64
	told              bool
}

// lastCall is what is remembered of a request, for the one behind it.
type lastCall struct {
	// sent is the identity of what was sent, which had so many messages.
	sent     uint64
	messages int
	// uncut is the prompt as it would have been billed without cuts.
	uncut int
	at    time.Time
	// cached says that a prompt cache is in use.
	cached bool
	// anchor is the bill; nil if there was none yet.
	anchor *anchor
}

// Observe adds an answered request to the accounts, and anchors the count of the
// conversation to the bill. Call it with the task and the plan by which it was sent, and
// with what was billed. A meter with a calibration reports how far its count was off. What a summary cost that
// the request waited for was added by Fit. An error means that the memory could not be written to; the
// keeper's own accounts are right nevertheless.
func (k *Keeper) Observe(ctx context.Context, t Task, p *plimsoll.Plan, u plimsoll.Usage) error {
	if p == nil {
		return &plimsoll.Error{Op: "observe", Err: fmt.Errorf("no plan: %w", plimsoll.ErrInvalid), Hint: "hand in the plan that Fit returned for the request"}
	}
	k.complete(&t)
	now := k.options.now()
	_, started := k.books.conversations.Get(t.beginning())
	least := 0
	if t.Truncated != nil {
		least = k.truncated(&t, p, u.Prompt())
	}
	learns := u.Prompt() > 0 && least == 0
	if m, ok := k.best().(learner); ok && learns {
		key := t.beginning()
		m.Observe(key.scope+string(key.key[:]), p.Conversation(), u)
	}
	b, failed := k.bill(ctx, &t, p, u, observed{now, started, learns})
	if least > 0 {
		t.Truncated(least)
	}
	a := account.Account{
		Model: t.Conversation.Model, Requests: 1, Usage: u, Saved: int64(p.Before.Total - p.After.Total),
		Cuts: count(fresh(p) > 0), Breaks: count(b.broken), First: now, Last: now,
	}
	if u.Prompt() > 0 {
		a.Estimated = int64(p.After.Total)
		a.Written = int64(b.rewritten())
		k.price(&a, b)
	}
	if learns {
		k.watch(t.Conversation.Model, p.After.Total, u.Prompt())
	}
	return errors.Join(k.book(ctx, &t, a), failed)
}

func count(is bool) int64 {
	if is {
		return 1
	}
	return 0
}

// price adds what a request cost and would have cost, if that is known.
func (k *Keeper) price(a *account.Account, b bill) {
	if k.options.Cost == nil {
		return
	}
	paid, known := k.options.Cost(a.Model, b.usage)
	uncut, same := k.options.Cost(a.Model, b.without())
	if known && same {
		a.Priced, a.Paid, a.Uncut = 1, account.Dollars(paid), account.Dollars(uncut)
	}
}

// Cost returns the price in dollars of a call, and whether it is known.
func (k *Keeper) Cost(model string, u plimsoll.Usage) (float64, bool) {
	if k.options.Cost == nil {
		return 0, false
	}
	return k.options.Cost(model, u)
}

// charge adds what the summary of a compaction cost.
func (k *Keeper) charge(ctx context.Context, t *Task, made *Compaction) error {
	if made.Cost == 0 {
		return nil
	}
	now := k.options.now()
	return k.book(ctx, t, account.Account{Model: t.Conversation.Model, Summaries: account.Dollars(made.Cost), First: now, Last: now})
}

// book adds figures to the conversation's account and to the total, here and in the
// memory.
func (k *Keeper) book(ctx context.Context, t *Task, a account.Account) error {
	key := t.beginning()
	a.Conversation = t.account()
	k.books.mu.Lock()
	sum, ok := k.books.conversations.Get(key)
	if !ok {
		sum.Conversation = a.Conversation
	}
	k.books.conversations.Put(key, sum.Add(a))
	k.books.total = k.books.total.Add(a)
	k.books.mu.Unlock()
	if memory := t.Memory; memory != nil {
		return memory.AddAccount(ctx, a)
	}
	return nil
}

// AccountOf returns the account of the task's conversation, and whether this keeper has
// seen it of late. What other processes have added is not in it.
func (k *Keeper) AccountOf(t Task) (account.Account, bool) {
	return k.books.conversations.Get(t.beginning())
}

// Total returns the sum of the accounts of all conversations that this keeper has seen.
func (k *Keeper) Total() account.Account {
	k.books.mu.Lock()
	defer k.books.mu.Unlock()
	return k.books.total
}

// beginning identifies the conversation by what it begins with, up to the first message
// of the user.
func (t *Task) beginning() scoped {
	chain := t.identity()
	for i, m := range t.Conversation.Messages.All() {
		if m.Role == plimsoll.User {
			return scoped{t.scope(), chain[i+1]}
		}
	}
	return scoped{t.scope(), chain[len(chain)-1]}
}

// account is the id of the conversation: by its name if the client gave it one, else by
// what it begins with, whatever limit and preset the client asks for.
func (t *Task) account() string {
	if t.Scope.Conversation != "" {
		return ConversationID(t.Scope.Conversation)
	}
	begins := t.Scope.Salt([]plimsoll.Digest{t.beginning().key})[0] // salted twice is not salted
	return hex.EncodeToString(begins[:])
}

// watch tells when the estimates for a model leave the bounds.
func (k *Keeper) watch(model string, estimated, billed int) {
	k.books.mu.Lock()
	d, _ := k.books.models.Get(model)
	d.estimated = driftDecay*d.estimated + float64(estimated)
	d.billed = driftDecay*d.billed + float64(billed)
	off := (d.estimated - d.billed) / d.billed
	out := off > driftBound || off < -driftBound
	tell := out && !d.told
	d.told = out
	k.books.models.Put(model, d)
	k.books.mu.Unlock()
	if tell {
		k.tell(CountDrift{Model: model, Estimated: int(d.estimated), Billed: int(d.billed), Off: off})
	}
}

// CountDrift says that the requests to a model weigh something else than is billed for
// them. The keeper reports it when that begins, and again when it had ended.
type CountDrift struct {
	Model string
	// Estimated and Billed are tokens of the last requests, older ones counting less;
	// Off is by how much they are apart, as a share of what was billed.
	Estimated, Billed int
	Off               float64
}

func (CountDrift) event() {}
