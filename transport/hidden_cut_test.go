package transport_test

import (
	"fmt"
	"net/http"
	"strconv"
	"testing"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/scripted"
	"github.com/plimsoll/plimsoll/transport"
)

func TestCutsThatMakeRoomForWhatAModelReadsAreTold(t *testing.T) {
	t.Parallel()
	eachDialect(t, func(t *testing.T, d plimsoll.Dialect, stream bool) {
		var ref string
		script := func(c *scripted.Call) (scripted.Step, bool) {
			results := c.Results()
			if ref == "" || len(results) > 0 && results[0].Name == "tool_output_cache" {
				return scripted.Say("fine"), true
			}
			return scripted.Use("tool_output_cache", fmt.Sprintf(`{"ref_id":%q}`, ref)), true
		}
		window := 14_300
		switch d { // whose tokens are smaller
		case plimsoll.Anthropic, plimsoll.Converse:
			window = 19_300
		case plimsoll.Gemini:
			window = 15_600
		}
		shared := newStore(t)
		b := newBench(t, &scripted.Options{Script: script, Window: window}, transport.Options{
			Store: shared, Window: window, Expand: transport.ExpandAlways, Tenant: func(*http.Request) string { return "somebody" },
		})
		b.long(d, 12).ask()
		ref = refs(b.model.Log()[0].Call.Conversation)[0]
		first := <-b.exchanges
		if first.New == 0 {
			t.Fatalf("nothing was cut: %+v", first.Rungs)
		}
		// Fresh, nearly full, and different from what was cut before.
		a := b.long(d, 5)
		a.stream = stream
		a.history[0] = plimsoll.Say(plimsoll.User, "read some files")
		got := a.ask()
		if got.status != http.StatusOK || got.said.Message.Text() != "fine" {
			t.Fatalf("%d %s", got.status, got.body)
		}
		x := <-b.exchanges
		log := b.model.Log()
		if len(log) != 3 || len(refs(log[1].Call.Conversation)) != 0 || len(refs(log[2].Call.Conversation)) == 0 {
			t.Fatalf("%d requests, %d tokens and then %d: the test does not test anything", len(log), log[1].Call.Load.Total, log[2].Call.Load.Total)
		}
		if x.Decision != transport.Cut || x.New == 0 || x.Rounds != 1 {
			t.Errorf("decision %q, %d new edits, %d rounds", x.Decision, x.New, x.Rounds)
		}
		edits := 0
		for _, r := range x.Rungs {
			if r.Rung != "offer" {
				edits += r.Edits
			}
		}
		if edits != x.New {
			t.Errorf("%d edits by the rungs %+v, want %d", edits, x.Rungs, x.New)
		}
		if x.After.Total < x.Before.Total { // nothing was cut of what the client sent
			t.Errorf("before %d, after %d", x.Before.Total, x.After.Total)
		}
		if !stream {
			if got.header.Get(transport.HeaderDecision) != "cut" || got.header.Get(transport.HeaderLoad) != strconv.Itoa(x.After.Total) {
				t.Errorf("header %v", got.header)
			}
		}
		if err := b.transport.Close(); err != nil {
			t.Fatal(err)
		}
		all, err := shared.Tenant("somebody").Accounts(t.Context(), "", 10)
		if err != nil {
			t.Fatal(err)
		}
		for _, account := range all {
			if account.Conversation == x.Conversation && (account.Requests != 2 || account.Cuts != 1 || account.Saved <= 0) {
				t.Errorf("account %+v", account)
			}
		}
		if over, wrong := b.upstreamFaults(); over+wrong > 0 {
			t.Errorf("%d overflows, %d violations", over, wrong)
		}
	})
}
