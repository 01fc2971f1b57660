package transport_test

import (
	"net/http"
	"testing"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/scripted"
	"github.com/plimsoll/plimsoll/preset"
	"github.com/plimsoll/plimsoll/store"
	"github.com/plimsoll/plimsoll/transport"
)

// TestAConversationIsPurgedByItsNameWithAllThatItLeft has cuts, hidden rounds, bills and
// accounts. Whatever a conversation leaves in the store belongs to it, or this finds it.
func TestAConversationIsPurgedByItsNameWithAllThatItLeft(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"build 42", ""} {
		eachDialect(t, func(t *testing.T, d plimsoll.Dialect, stream bool) {
			s := newStore(t)
			b := newBench(t, &scripted.Options{Script: reading(14, false), Window: 24_000}, transport.Options{
				Store: s, Window: 24_000, Tenant: func(*http.Request) string { return "anna" },
			})
			for _, conversation := range []string{name, "another one"} {
				a := b.agent(d, stream)
				a.header = http.Header{transport.HeaderPreset: {preset.NameAuto}}
				if conversation != "" {
					a.header.Set(transport.HeaderConversation, conversation)
				}
				a.work()
				a.say("bye")
				a.ask()
			}
			_ = b.transport.Close() // it writes the accounts
			tenant := s.Tenant("anna")
			id := (<-b.exchanges).Conversation // of the first request
			first, err := tenant.Purge(t.Context(), id)
			if err != nil || first.Decisions == 0 || first.Accounts > 1 {
				t.Errorf("%q: purged %+v, %v", id, first, err)
			}
			second, err := tenant.Purge(t.Context(), "another one")
			if err != nil || second.Objects == 0 || second.Accounts != first.Accounts {
				t.Errorf("the other one: purged %+v, %v, and before it %+v", second, err, first)
			}
			if rest, err := tenant.Purge(t.Context(), ""); err != nil || rest != (store.Purged{}) {
				t.Errorf("%q: %+v belong to no conversation, %v", id, rest, err)
			}
		})
	}
}
