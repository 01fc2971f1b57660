package store_test

import (
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/store"
)

func TestTheTenantsOfAStoreAreThoseThatHaveContentOrAccounts(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	k.Tenant("carol") // who stores nothing
	want := map[store.TenantID]string{}
	for _, name := range []string{"alice", "bob"} {
		tenant := k.Tenant(name)
		ref, err := tenant.PutReader(t.Context(), strings.NewReader("of "+name), "")
		must(t, err)
		want[tenant.ID()] = ref.ID
	}
	tenants, err := k.Tenants(t.Context())
	must(t, err)
	if len(tenants) != len(want) {
		t.Fatalf("%d tenants, want %d", len(tenants), len(want))
	}
	for _, tenant := range tenants {
		if _, err := tenant.Open(t.Context(), want[tenant.ID()]); err != nil {
			t.Errorf("tenant %x: %v", tenant.ID(), err)
		}
	}
}
