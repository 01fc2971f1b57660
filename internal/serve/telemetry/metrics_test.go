package telemetry_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"pgregory.net/rapid"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/account"
	"github.com/plimsoll/plimsoll/internal/serve/telemetry"
	"github.com/plimsoll/plimsoll/transport"
)

var update = flag.Bool("update", false, "write what is measured as what is wanted")

var start = time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)

// exchanges are one of each kind.
func exchanges() []transport.Exchange {
	load := func(total int) plimsoll.Load { return plimsoll.Load{Total: total, Exact: true} }
	at := func(d time.Duration) time.Time { return start.Add(d) }
	return []transport.Exchange{
		{
			Start: start, First: at(300 * time.Millisecond), End: at(4 * time.Second), Dialect: plimsoll.Anthropic, Model: "claude-sonnet-4-5",
			Status: 200, Bytes: 40_000, Sent: 40_000, Before: load(9_000), After: load(9_000), Decision: transport.Passed,
			Usage: plimsoll.Usage{Input: 100, CacheRead: 8_000, CacheCreation: 900, Output: 50}, Billed: true, Manage: 700 * time.Microsecond,
		},
		{
			Start: start, First: at(time.Second), End: at(9 * time.Second), Dialect: plimsoll.Anthropic, Model: "claude-sonnet-4-5-20250929",
			Status: 200, Bytes: 900_000, Sent: 200_000, Before: load(190_000), After: load(50_000), Decision: transport.Compacted, Edits: 40, New: 30,
			Rungs: []plimsoll.RungReport{
				{Rung: "recall", Edits: 10, Saved: 20_000, Replayed: true},
				{Rung: "clear", Edits: 20, Saved: 70_000},
				{Rung: "dedupe"},
				{Rung: "reasoning", Edits: 4, Saved: 10, Undone: "it was not valid"},
				{Rung: "compact", Edits: 10, Saved: 50_000},
				{Rung: "offer", Edits: 1, Saved: -120},
				{Rung: "recollect", Edits: 1, Saved: -900},
			},
			Usage: plimsoll.Usage{Input: 54_000, Output: 500}, Billed: true, Manage: 8 * time.Millisecond,
		},
		{
			Start: start, First: at(time.Second), End: at(2 * time.Second), Dialect: plimsoll.OpenAI, Model: "gpt-4o", Status: 200, Bytes: 100, Sent: 90,
			Before: load(50_000), After: load(30_000), Decision: transport.Recalled, Rescued: true, Rounds: 3,
			Warning: "the store could not be used; what was cut cannot be had back",
			Usage:   plimsoll.Usage{Input: 90_000, Output: 10}, Billed: true,
		},
		{
			Start: start, End: at(time.Millisecond), Dialect: plimsoll.Gemini, Model: "my-own-model", Status: 400, Bytes: 100,
			Before: load(2_000_000), After: load(2_000_000), Decision: transport.Refused,
		},
		{
			Start: start, End: at(time.Minute), Dialect: plimsoll.Responses, Model: "gpt-4.1", Status: 200, Bytes: 100, Sent: 100,
			Before: load(10), After: load(10), Decision: transport.Passed, Err: context.Canceled,
		},
	}
}

func observed(o *telemetry.Options) *telemetry.Metrics {
	m := telemetry.New(o)
	for _, x := range exchanges() {
		m.Observe(x)
	}
	return m
}

func everything() *telemetry.Options {
	return &telemetry.Options{
		Version: "v1.2.3", StoreUp: func() bool { return true }, InFlight: func() int { return 7 }, Queued: func() int { return 2 },
		Account: func() account.Account {
			return account.Account{Paid: account.Dollars(2), Uncut: account.Dollars(2.75), Summaries: account.Dollars(0.05), Breaks: 3, Written: 4_000}
		},
	}
}

func TestTheExpositionIsAsItWas(t *testing.T) {
	t.Parallel()
	w := httptest.NewRecorder()
	observed(everything()).Handler().ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	got, err := io.ReadAll(w.Body)
	if err != nil {
		t.Fatal(err)
	}
	golden := filepath.Join("testdata", "metrics.txt")
	if *update {
		if err := os.WriteFile(golden, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("run the test with -update if this is right:\n%s", diff)
	}
}

func TestTheMetricsKeepTheRulesOfPrometheus(t *testing.T) {
	t.Parallel()
	problems, err := testutil.GatherAndLint(observed(everything()).Gatherer())
	if err != nil || len(problems) > 0 {
		t.Errorf("%v, %v", problems, err)
	}
}

func TestF11_EstimatesAreComparedWithBills(t *testing.T) {
	t.Parallel()
	m := telemetry.New(nil)
	observe := func(weighed, billed, rounds int) {
		m.Observe(transport.Exchange{
			Dialect: plimsoll.OpenAI, Model: "gpt-4o", After: plimsoll.Load{Total: weighed}, Rounds: rounds,
			Usage: plimsoll.Usage{Input: billed}, Billed: true,
		})
	}
	observe(900, 1000, 0)
	observe(500, 9000, 2) // hidden rounds are billed and were not weighed
	want := `
# HELP plimsoll_count_drift_ratio By how much what is weighed exceeds what is billed, of late, as a share of that.
# TYPE plimsoll_count_drift_ratio gauge
plimsoll_count_drift_ratio{family="gpt"} -0.1
`
	if err := testutil.GatherAndCompare(m.Gatherer(), strings.NewReader(want), "plimsoll_count_drift_ratio"); err != nil {
		t.Error(err)
	}
	for range 100 {
		observe(1200, 1000, 0)
	}
	families, err := m.Gatherer().Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		if f.GetName() == "plimsoll_count_drift_ratio" {
			if got := f.GetMetric()[0].GetGauge().GetValue(); got < 0.1999 || got > 0.2 {
				t.Errorf("after a hundred requests the drift is %v, want that of the last ones", got)
			}
		}
	}
}

func TestClientsCanMakeNoSeriesByInventingNames(t *testing.T) {
	t.Parallel()
	m := telemetry.New(nil)
	series := func() int {
		n, err := testutil.GatherAndCount(m.Gatherer())
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	observe := func(text string, status int) {
		m.Observe(transport.Exchange{
			Dialect: plimsoll.Dialect(text), Model: text, Answered: text, Endpoint: text, Upstream: text, Tenant: text, Conversation: text,
			Status: status, Decision: transport.Decision(text), Warning: text, Err: errors.New(text), Rescued: true, Rounds: 1, Manage: 1,
			Before: plimsoll.Load{Total: 9}, After: plimsoll.Load{Total: 8}, Rungs: []plimsoll.RungReport{{Rung: text, Edits: 1, Saved: 1}},
			Usage: plimsoll.Usage{Input: 1}, Billed: true, Start: start, First: start.Add(1), End: start.Add(2),
		})
	}
	for _, status := range []int{0, 200, 299} {
		observe("nobody knows this", status)
	}
	before := series()
	for i := range 3000 {
		observe(fmt.Sprintf("invented-%d", i), 210+i%80)
	}
	observe(strings.Repeat("long", 1<<20), -5)
	if after := series(); after != before {
		t.Errorf("%d series became %d", before, after)
	}
}

func TestAnyExchangeIsCounted(t *testing.T) {
	t.Parallel()
	m := telemetry.New(nil)
	number := rapid.IntRange(-5, 1<<40)
	count := 0
	rapid.Check(t, func(t *rapid.T) {
		m.Observe(transport.Exchange{
			Status: number.Draw(t, "status"), Bytes: number.Draw(t, "bytes"), Sent: number.Draw(t, "sent"), Rounds: number.Draw(t, "rounds"),
			Before: plimsoll.Load{Total: number.Draw(t, "before")}, After: plimsoll.Load{Total: number.Draw(t, "after")},
			Usage:  plimsoll.Usage{Input: number.Draw(t, "input"), CacheRead: number.Draw(t, "read"), Output: number.Draw(t, "output")},
			Billed: rapid.Bool().Draw(t, "billed"), Manage: time.Duration(number.Draw(t, "manage")),
			Rungs: []plimsoll.RungReport{{Rung: rapid.String().Draw(t, "rung"), Edits: number.Draw(t, "edits"), Saved: number.Draw(t, "saved")}},
		})
		count++
	})
	families, err := m.Gatherer().Gather()
	if err != nil {
		t.Fatal(err)
	}
	sum := 0.0
	for _, f := range families {
		for _, metric := range f.GetMetric() {
			if f.GetName() == "plimsoll_requests_total" {
				sum += metric.GetCounter().GetValue()
			}
		}
	}
	if int(sum) != count {
		t.Errorf("%v requests were counted of %d", sum, count)
	}
}

func TestManyCanObserveAtOnce(t *testing.T) {
	t.Parallel()
	m := telemetry.New(everything())
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 50 {
				for _, x := range exchanges() {
					m.Observe(x)
				}
				if _, err := m.Gatherer().Gather(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
}

func TestReasonsAndWarningsAreTold(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		err  error
		want string
	}{
		{fmt.Errorf("read: %w", context.Canceled), "cancelled"},
		{context.DeadlineExceeded, "timeout"},
		{fmt.Errorf("read: %w", os.ErrDeadlineExceeded), "timeout"},
		{io.ErrUnexpectedEOF, "upstream"},
		{errors.New("sk-secret"), "other"},
	} {
		if got := telemetry.Reason(tt.err); got != tt.want {
			t.Errorf("%v: %s, want %s", tt.err, got, tt.want)
		}
	}
	for text, want := range map[string]string{
		"the store could not be asked":                                     "store",
		"what the client was not shown could not be put back":              "hidden",
		"the upstream says twice that the context is full: shorten it":     "overflow",
		"the conversation could not be managed":                            "engine",
		"the conversation began elsewhere and can be managed in part only": "chain",
		"the body was not understood and is not managed":                   "unread",
		"sk-secret": "other",
	} {
		if got := telemetry.WarningKind(text); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

func BenchmarkObserve(b *testing.B) {
	m := telemetry.New(nil)
	all := exchanges()
	for i := 0; b.Loop(); i++ {
		m.Observe(all[i%len(all)])
	}
}
