package transport_test

import (
	"context"
	"net/http"
	"slices"
	"sync"
	"testing"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/scripted"
	"github.com/plimsoll/plimsoll/store"
	"github.com/plimsoll/plimsoll/transport"
)

// TestWhoWatchesIsShownWhatWasCutAndWhoseItIs compares what is shown with the accounts
// and the contents of the store.
func TestWhoWatchesIsShownWhatWasCutAndWhoseItIs(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var accounts, refs []string
	var owner *store.Tenant
	b := newBench(t, &scripted.Options{Script: job(24), Window: 30_000}, transport.Options{
		Store: newStore(t), Window: 30_000, Watch: func(_ context.Context, s transport.Event) {
			mu.Lock()
			defer mu.Unlock()
			accounts, owner = append(accounts, s.Account), s.Owner
			if s.Plan == nil || len(s.Plan.Edits) != s.Edits {
				t.Errorf("the plan is not the one of the %d edits", s.Edits)
				return
			}
			for _, e := range s.Plan.Edits {
				if e.Ref != nil {
					refs = append(refs, e.Ref.ID)
				}
			}
		},
	})
	a := b.agent(plimsoll.Anthropic, true)
	a.header = http.Header{transport.HeaderConversation: {"a name of its own"}}
	a.work()
	if err := b.transport.Close(); err != nil {
		t.Fatal(err)
	}
	slices.Sort(accounts)
	if accounts = slices.Compact(accounts); len(accounts) != 1 || len(refs) == 0 {
		t.Fatalf("%d conversations and %d references were shown, want one and some", len(accounts), len(refs))
	}
	if _, err := owner.Open(t.Context(), refs[0]); err != nil {
		t.Errorf("the owner cannot open what was cut: %v", err)
	}
	kept, err := owner.Accounts(t.Context(), "", 9)
	if err != nil || len(kept) != 1 || kept[0].Conversation != accounts[0] {
		t.Errorf("%v, %v: want the account %s", kept, err, accounts[0])
	}
}

func TestWhatUpstreamsSaidCanBeListed(t *testing.T) {
	t.Parallel()
	b := newBench(t, &scripted.Options{Script: job(24), Window: 30_000}, transport.Options{Store: newStore(t)})
	if got := b.transport.Learned(); len(got) != 0 {
		t.Errorf("%v is known before anything was said", got)
	}
	b.agent(plimsoll.Anthropic, false).work()
	got := b.transport.Learned()
	if len(got) != 1 || got[0].Upstream == "" || got[0].Model == "" || got[0].Tokens != 30_000 || got[0].At.IsZero() {
		t.Errorf("%+v, want the one limit of 30,000", got)
	}
}
