package storetest

import (
	"encoding/hex"
	"slices"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/account"
	"github.com/plimsoll/plimsoll/store"
)

func purging() []test {
	return []test{
		{"purging a conversation takes its decisions, its account and what it alone refers to", purgeConversation},
		{"purging a tenant takes all that it has, and nothing of others", purgeTenant},
		{"purging everything leaves the key of the store", purgeAll},
	}
}

// twoConversations gives each tenant two conversations that share an object, an object that
// none refers to, accounts and values.
func (k *kit) twoConversations() {
	for i, tenant := range []store.TenantID{alice, bob} {
		for j, id := range []string{"one", "both", "two", "none"} {
			k.put(tenant, id, k.now, chunk(10*i+j, 5000))
		}
		for j, refs := range [][]string{{"one", "both"}, {"both", "two"}} {
			name := []string{"c1", "c2"}[j]
			d := store.Decision{Key: key(j), Body: []byte("body of " + name), Refs: refs, Conversation: name, Created: k.now, Used: k.now}
			hidden := store.Decision{Key: key(10 + j), Kind: "hidden", Body: []byte("x"), Conversation: name, Created: k.now, Used: k.now}
			k.must(k.PutDecision(k.Context(), tenant, d))
			k.must(k.PutDecision(k.Context(), tenant, hidden))
			k.must(k.AddAccount(k.Context(), tenant, account.Account{Conversation: name, Model: "m", Requests: 1, First: k.now, Last: k.now}))
		}
		k.must(k.PutValue(k.Context(), "limit:"+hex.EncodeToString(tenant[:])+"/host/m", []byte("1")))
	}
	k.must(k.PutValue(k.Context(), "limit:host/m", []byte("1")))
}

// left says what a tenant has: objects, decisions, accounts.
func (k *kit) left(tenant store.TenantID) (all []string) {
	objects, err := k.Objects(k.Context(), tenant, "", 10)
	k.must(err)
	for _, o := range objects {
		all = append(all, o.ID)
	}
	for _, n := range []int{0, 1, 10, 11} {
		if d, err := k.FindDecision(k.Context(), tenant, keys(n)); err == nil {
			all = append(all, "decision of "+d.Conversation)
		}
	}
	accounts, err := k.Accounts(k.Context(), tenant, "", 10)
	k.must(err)
	for _, a := range accounts {
		all = append(all, "account of "+a.Conversation)
	}
	return all
}

func (k *kit) purge(tenant *store.TenantID, conversation string, want store.Purged) {
	k.Helper()
	got, err := k.Purge(k.Context(), tenant, conversation)
	k.must(err)
	k.same("purged", got, want)
	_, err = k.Sweep(k.Context(), k.now.AddDate(1, 0, 0))
	k.must(err)
	k.must(k.Erase(k.Context()))
	broken, err := k.Check(k.Context())
	k.must(err)
	k.same("damage", len(broken), 0)
}

func purgeConversation(k *kit) {
	k.twoConversations()
	others := k.left(bob)
	k.purge(&alice, "c1", store.Purged{Objects: 1, Decisions: 2, Accounts: 1})
	k.same("left", slices.Sorted(slices.Values(k.left(alice))), []string{"account of c2", "both", "decision of c2", "decision of c2", "none", "two"})
	k.same("another tenant's", k.left(bob), others)
	k.same("what it alone referred to", k.has(alice, chunk(0, 5000)), false)
	k.same("what others refer to", k.has(alice, chunk(1, 5000)), true)
	k.purge(&alice, "c1", store.Purged{})
	k.purge(&alice, "no such conversation", store.Purged{})
}

func purgeTenant(k *kit) {
	k.twoConversations()
	others := k.left(bob)
	k.purge(&alice, "", store.Purged{Objects: 4, Decisions: 4, Accounts: 2, Values: 1})
	k.same("left", len(k.left(alice)), 0)
	k.same("another tenant's", k.left(bob), others)
	_, err := k.Value(k.Context(), "limit:"+hex.EncodeToString(bob[:])+"/host/m")
	k.must(err)
	tenants, err := k.Tenants(k.Context())
	k.must(err)
	k.same("tenants", tenants, []store.TenantID{bob})
	stats, err := k.Stats(k.Context(), &alice)
	k.must(err)
	k.same("stats", stats, store.Stats{})
}

func purgeAll(k *kit) {
	k.twoConversations()
	secret, err := k.Secret(k.Context())
	k.must(err)
	k.purge(nil, "", store.Purged{Objects: 8, Decisions: 8, Accounts: 4, Values: 3})
	k.same("left", len(k.left(alice))+len(k.left(bob)), 0)
	again, err := k.Secret(k.Context())
	k.must(err)
	k.same("secret", again, secret)
	stats, err := k.Stats(k.Context(), nil)
	k.must(err)
	k.same("stats", stats, store.Stats{})
}

func keys(n int) []plimsoll.Digest { return []plimsoll.Digest{key(n)} }
