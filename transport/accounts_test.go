package transport_test

import (
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/scripted"
	"github.com/plimsoll/plimsoll/store"
	"github.com/plimsoll/plimsoll/transport"
)

func TestEveryAnswerIsInTheAccountsOfItsOwner(t *testing.T) {
	t.Parallel()
	shared := newStore(t)
	b := newBench(t, &scripted.Options{Script: job(16)}, transport.Options{Store: shared, Window: 24_000, Tenant: func(r *http.Request) string { return r.Header.Get("Authorization") }})
	n := b.agent(plimsoll.Anthropic, true).work()
	if err := b.transport.Close(); err != nil {
		t.Fatal(err)
	}
	all, err := shared.Tenant("Bearer sk-test").Accounts(t.Context(), "", 10)
	if err != nil {
		t.Fatal(err)
	}
	if len(all) != 1 {
		t.Fatalf("%d accounts", len(all))
	}
	var billed plimsoll.Usage
	for _, x := range b.model.Log() {
		billed = billed.Add(x.Usage)
	}
	a := all[0]
	if a.Requests != int64(n) || a.Usage != billed || a.Saved <= 0 || a.Cuts == 0 {
		t.Errorf("account %+v, want %d requests and %+v", a, n, billed)
	}
	if others, err := shared.Tenant("").Accounts(t.Context(), "", 10); err != nil || len(others) != 0 {
		t.Errorf("somebody else has %d accounts, %v", len(others), err)
	}
}

func TestNothingIsMissingFromTheAccountsWhenTheStoreWasAway(t *testing.T) {
	t.Parallel()
	backend := &broken{Backend: newBackend(t)}
	shared, err := store.New(t.Context(), backend, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = shared.Close() })
	var later atomic.Int64
	b := newBench(t, nil, transport.Options{
		Store: shared, Window: 9000, Tenant: func(*http.Request) string { return "somebody" },
		Now: func() time.Time { return time.Now().Add(time.Duration(later.Load())) },
	})
	small := b.agent(plimsoll.OpenAI, false)
	small.say("hi")
	small.ask()
	backend.off.Store(true)
	cut := b.long(plimsoll.OpenAI, 8)
	if got := cut.ask(); got.status != http.StatusOK || got.header.Get(transport.HeaderWarning) == "" {
		t.Fatalf("%d %v", got.status, got.header)
	}
	small.say("and now?") // while the store rests
	small.ask()
	backend.off.Store(false)
	later.Store(int64(time.Minute))
	if err := b.transport.Close(); err != nil {
		t.Fatal(err)
	}
	all, err := shared.Tenant("somebody").Accounts(t.Context(), "", 10)
	if err != nil {
		t.Fatal(err)
	}
	requests, saved := map[int64]int{}, int64(0)
	for _, a := range all {
		requests[a.Requests]++
		saved += a.Saved
	}
	if len(all) != 2 || requests[1] != 1 || requests[2] != 1 || saved < 1000 {
		t.Errorf("accounts %+v", all)
	}
}
