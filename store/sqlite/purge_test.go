package sqlite

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/account"
	"github.com/plimsoll/plimsoll/store"
)

// TestNothingIsLeftOfWhatWasPurged has many conversations whose contents, decisions,
// models, notes and values carry a mark of their own, and looks for the marks in the files.
func TestNothingIsLeftOfWhatWasPurged(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "store.db")
	s, err := store.New(t.Context(), open(t, path, nil), nil)
	check(t, err)
	defer s.Close()
	const n = 40
	mark := func(tenant string, i int) string { return fmt.Sprintf("<%s mark %03d>", tenant, i) }
	for i := range n {
		for _, name := range []string{"anna", "bert"} {
			m, of := mark(name, i), s.Tenant(name)
			ref, err := of.PutReader(t.Context(), strings.NewReader(m+strings.Repeat(fmt.Sprint(m, i, " "), 50+100*i)), "note "+m)
			check(t, err)
			d := store.Decision{Key: plimsoll.Digest{byte(i)}, Body: []byte("decided " + m), Refs: []string{ref.ID}, Conversation: fmt.Sprint("c", i)}
			check(t, of.PutDecision(t.Context(), d))
			check(t, of.AddAccount(t.Context(), account.Account{Conversation: fmt.Sprint("c", i), Model: "model " + m, First: time.Now(), Last: time.Now()}))
			check(t, s.PutValue(t.Context(), "limit:"+of.Key()+"/"+m, []byte(m)))
		}
	}
	left := func(tenant string, from int) (found []int) {
		for i := from; i < n; i++ {
			if len(traces(t, path, mark(tenant, i))) > 0 {
				found = append(found, i)
			}
		}
		return found
	}
	for i := range n / 2 {
		purged, err := s.Tenant("anna").Purge(t.Context(), fmt.Sprint("c", i))
		if err != nil || purged != (store.Purged{Objects: 1, Decisions: 1, Accounts: 1}) {
			t.Fatalf("conversation %d: %+v, %v", i, purged, err)
		}
	}
	_, err = s.Sweep(t.Context())
	check(t, err)
	check(t, s.PutValue(t.Context(), "limit:other", []byte("1")))
	if found := left("anna", n/2); len(found) != n/2 {
		t.Errorf("of the conversations that stay only %v are there", found)
	}
	for i := range n / 2 { // the value is the tenant's, not the conversation's
		if c := traces(t, path, "decided "+mark("anna", i)); len(c) > 0 {
			t.Errorf("conversation %d is still in %v", i, c)
		}
		if c := traces(t, path, "model "+mark("anna", i)); len(c) > 0 {
			t.Errorf("the model of conversation %d is still in %v", i, c)
		}
	}
	if _, err := s.Tenant("anna").Purge(t.Context(), ""); err != nil {
		t.Fatal(err)
	}
	_, err = s.Sweep(t.Context())
	check(t, err)
	if found := left("anna", 0); len(found) > 0 {
		t.Errorf("of the tenant that is gone %v are left", found)
	}
	if found := left("bert", 0); len(found) != n {
		t.Errorf("of the other tenant only %v are left", found)
	}
	if broken, err := s.Check(t.Context()); err != nil || len(broken) > 0 {
		t.Errorf("check: %v, %v", broken, err)
	}
	if _, err := s.Purge(t.Context()); err != nil {
		t.Fatal(err)
	}
	_, err = s.Sweep(t.Context())
	check(t, err)
	if found := left("bert", 0); len(found) > 0 {
		t.Errorf("of everything %v are left", found)
	}
}
