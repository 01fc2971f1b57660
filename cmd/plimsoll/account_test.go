package main

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/account"
	"github.com/plimsoll/plimsoll/store"
	"github.com/plimsoll/plimsoll/store/sqlite"
)

// accountsIn makes a store with accounts of one tenant.
func accountsIn(t *testing.T, tenant string, accounts ...account.Account) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "store.db")
	backend, err := sqlite.Open(t.Context(), path, nil)
	if err != nil {
		t.Fatal(err)
	}
	s, err := store.New(t.Context(), backend, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i, a := range accounts {
		a.First = time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)
		a.Last = a.First.Add(-time.Duration(i) * time.Minute)
		if err := s.Tenant(tenant).AddAccount(t.Context(), a); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

var (
	winning = account.Account{
		Conversation: "aaaaaaaaaaaaaaaaaaaa", Model: "sonnet", Requests: 50, Priced: 50,
		Usage: plimsoll.Usage{Input: 1000, CacheRead: 950_000, CacheCreation: 49_000, Output: 20_000},
		Saved: 400_000, Written: 9000, Estimated: 1_010_000, Cuts: 2, Breaks: 1,
		Paid: account.Dollars(2), Uncut: account.Dollars(2.75), Summaries: account.Dollars(0.05),
	}
	losing = account.Account{
		Conversation: "bbbbbbbbbbbbbbbbbbbb", Model: "local", Requests: 10, Priced: 10,
		Usage: plimsoll.Usage{Input: 10_000, Output: 100}, Saved: 500, Estimated: 12_000, Cuts: 10, Breaks: 9,
		Paid: account.Dollars(1), Uncut: account.Dollars(0.25),
	}
	unknown = account.Account{Conversation: "cccccccccccccccccccc", Model: "new", Requests: 4, Usage: plimsoll.Usage{Input: 100}, Estimated: 100}
)

func TestAccountShowsConversationsAndWhatTheyComeTo(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name     string
		accounts []account.Account
		args     []string
		want     string
	}{
		{
			"a saving",
			[]account.Account{winning},
			nil,
			`conversation  model   requests         in  cached  written     out    saved  cuts  breaks  drift      net
aaaaaaaaaaaa  sonnet        50  1,000,000   95.0%   49,000  20,000  400,000     2     2.0  +1.0%  $0.7000
total                       50  1,000,000   95.0%   49,000  20,000  400,000     2     2.0  +1.0%  $0.7000

Paid $2.00 and $0.0500 for summaries; without cuts it would have been $2.75. Cutting saved $0.7000 after its effects on prompt caches.
`,
		},
		{
			"a loss is said, and estimates that are off, and prices that are not known",
			[]account.Account{winning, losing, losing, unknown},
			[]string{"--limit", "1"},
			`conversation  model   requests         in  cached  written     out    saved  cuts  breaks  drift       net
aaaaaaaaaaaa  sonnet        50  1,000,000   95.0%   49,000  20,000  400,000     2     2.0  +1.0%   $0.7000
and 2 more
total                       74  1,020,100   93.1%   49,000  20,200  401,000    22    25.7  +1.4%  -$0.8000

Paid $4.00 and $0.0500 for summaries; without cuts it would have been $3.25. Cutting cost $0.8000 more than it saved. Prices are known for 70 of 74 requests.
Estimates for local are +20.0% off the bill.
`,
		},
		{
			"no prices",
			[]account.Account{unknown},
			nil,
			`conversation  model  requests   in  cached  written  out  saved  cuts  breaks  drift  net
cccccccccccc  new           4  100    0.0%        0    0      0     0     0.0  +0.0%    -
total                       4  100    0.0%        0    0      0     0     0.0  +0.0%    -

What it cost is not known. Prices are known for 0 of 4 requests.
`,
		},
		{"nothing yet", nil, nil, "There are no accounts yet: nothing was observed for this tenant.\n"},
		{"nothing of other tenants", []account.Account{winning}, []string{"--tenant", "other"}, "There are no accounts yet: nothing was observed for this tenant.\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			path := accountsIn(t, "", tt.accounts...)
			got, status := runHere("", append([]string{"account", "--store", path}, tt.args...)...)
			if diff := cmp.Diff(tt.want, got); diff != "" || status != 0 {
				t.Errorf("status %d (-want +got):\n%s\n%s", status, diff, got)
			}
		})
	}
}

func TestAccountAsJSONAddsUp(t *testing.T) {
	t.Parallel()
	path := accountsIn(t, "harbour", winning, losing, unknown)
	out, status := runHere("", "account", "--json", "--store", path, "--tenant", "harbour")
	var got struct {
		Conversations, Models []map[string]any
		Total                 map[string]any
	}
	if err := json.Unmarshal([]byte(out), &got); err != nil || status != 0 {
		t.Fatalf("status %d, %v: %s", status, err, out)
	}
	if len(got.Conversations) != 3 || len(got.Models) != 3 {
		t.Fatalf("%d conversations, %d models", len(got.Conversations), len(got.Models))
	}
	for _, key := range []string{"requests", "input_tokens", "cached_tokens", "written_tokens", "output_tokens", "saved_tokens", "rewritten_tokens", "cuts", "prefix_breaks", "estimated_tokens", "priced_requests"} {
		for name, list := range map[string][]map[string]any{"conversations": got.Conversations, "models": got.Models} {
			sum := 0.0
			for _, row := range list {
				sum += row[key].(float64)
			}
			if sum != got.Total[key].(float64) {
				t.Errorf("%s: %s add up to %v, the total is %v", key, name, sum, got.Total[key])
			}
		}
	}
	if net := got.Conversations[1]["net_usd"]; net != -0.75 {
		t.Errorf("the net saving of a losing conversation is %v, want -0.75", net)
	}
	if total := got.Total; total["net_usd"] != -0.05 || total["cache_read_share"].(float64) < 0.9 || total["prefix_breaks_per_100"] != 100*10/64.0 {
		t.Errorf("total %v", total)
	}
	if _, there := got.Total["model"]; there {
		t.Error("the total has a model")
	}
}

func TestAccountRefusesWhatCannotBeMeant(t *testing.T) {
	t.Parallel()
	if out, status := runHere("", "account", "--limit=-1", "--store", accountsIn(t, "")); status != 2 || !strings.Contains(out, "--limit") {
		t.Errorf("status %d: %s", status, out)
	}
}
