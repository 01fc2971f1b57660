package transport_test

import (
	"net/http"
	"testing"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/scripted"
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
