package replay

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/fit"
	"github.com/plimsoll/plimsoll/preset"
	"github.com/plimsoll/plimsoll/wire/dialects"
)

// logOf writes sessions to a file as conversations, a line each.
func logOf(t *testing.T, sessions ...*Session) string {
	t.Helper()
	var b bytes.Buffer
	for i, s := range sessions {
		var messages []plimsoll.Message
		for _, e := range s.Entries {
			messages = append(messages, e.Message)
		}
		body, err := bodyOf(dialects.Codec(s.Dialect), plimsoll.Conversation{Dialect: s.Dialect, Messages: plimsoll.ListOf(messages...)})
		if err != nil {
			t.Fatal(err)
		}
		var object map[string]any
		if err := json.Unmarshal(body, &object); err != nil {
			t.Fatal(err)
		}
		object["id"], object["model"], object["format"] = fmt.Sprint(s.ID, i), s.Model, "anthropic-messages"
		for k, m := range object["messages"].([]any) {
			m.(map[string]any)["ts"] = s.Entries[k].Time.Format(time.RFC3339)
		}
		if err := json.NewEncoder(&b).Encode(object); err != nil {
			t.Fatal(err)
		}
	}
	file := filepath.Join(t.TempDir(), "log.jsonl")
	if err := os.WriteFile(file, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func replayed(t *testing.T, o *Options, sessions ...*Session) *Report {
	t.Helper()
	r, err := Run(t.Context(), []string{logOf(t, sessions...)}, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestALongSessionIsCheaperUnderAutoAndNothingIsLost(t *testing.T) {
	t.Parallel()
	r := replayed(t, &Options{Policies: []string{"none", "auto"}, Prices: "anthropic-5m", Window: 200_000, Refetch: true}, voyage(120, 1500))
	auto, none := r.Policies["auto"], r.Policies["none"]
	if none.CostVsNone != 1 || auto.CostVsNone >= 1 || auto.Breaks == 0 {
		t.Errorf("none %.3f, auto %.3f with %d breaks", none.CostVsNone, auto.CostVsNone, auto.Breaks)
	}
	if auto.Validity != 1 || auto.ReachRef != 1 {
		t.Errorf("validity %v, reach by references %v: %v", auto.Validity, auto.ReachRef, auto.Flaws)
	}
	if auto.PrefixStability <= 0.9 || auto.PrefixStability > 1 || auto.CacheReadShare <= 0 || auto.CacheReadShare >= 1 {
		t.Errorf("stability %v, read from the cache %v", auto.PrefixStability, auto.CacheReadShare)
	}
	if auto.PeakLoad >= none.PeakLoad || auto.Calls != 121 {
		t.Errorf("peaks %d and %d, %d calls", auto.PeakLoad, none.PeakLoad, auto.Calls)
	}
}

// TestDoingNothingCostsWhatItCostsByHand adds up a session that never fills its
// window: every call writes what is new and reads the rest.
func TestDoingNothingCostsWhatItCostsByHand(t *testing.T) {
	t.Parallel()
	track := trackOf(t, voyage(12, 100))
	p, err := policyOf(None)
	if err != nil {
		t.Fatal(err)
	}
	got, err := track.play(t.Context(), p, &Options{})
	if err != nil {
		t.Fatal(err)
	}
	want, sent := 0.0, 0
	for i, c := range track.calls {
		prompt := track.base
		for _, it := range track.items[:c.at] {
			prompt += it.tokens
		}
		known := 0
		if i > 0 {
			known = sent
		}
		want += 0.1*float64(known) + 1.25*float64(prompt-known) + 5*float64(c.output)
		sent = prompt + c.output
	}
	near(t, "cost", got.Cost, want)
	if best := track.optimum(classOf(track)); best > want+1e-6 {
		t.Errorf("the optimum costs %v, doing nothing %v", best, want)
	}
}

func TestDoingNothingSummarisesWhenTheWindowIsFull(t *testing.T) {
	t.Parallel()
	r := replayed(t, &Options{Policies: []string{"none"}, Prices: "anthropic-5m", Window: 60_000}, voyage(60, 1500))
	none := r.Policies["none"]
	if none.Summaries == 0 || none.Summaries != none.Breaks || none.PeakLoad > overflowAt(60_000) || none.Validity != 1 {
		t.Errorf("%d summaries, %d breaks, peak %d, validity %v", none.Summaries, none.Breaks, none.PeakLoad, none.Validity)
	}
	if none.Reach >= 1 || none.ReachHard != 0 {
		t.Errorf("reach %v, %v of what was summarised", none.Reach, none.ReachHard)
	}
}

func TestRefetchIsChargedForWhatCannotBeSeen(t *testing.T) {
	t.Parallel()
	for _, policy := range []string{None, EveryTurn} {
		o := Options{Policies: []string{policy}, Prices: "nocache", Window: 60_000}
		free := replayed(t, &o, voyage(60, 1500))
		o.Refetch = true
		charged := replayed(t, &o, voyage(60, 1500))
		f, c := free.Played[0].Outcome(len(free.Order)-1), charged.Played[0].Outcome(len(charged.Order)-1)
		if f.Refetch != 0 || c.Refetch == 0 || c.Cost <= f.Cost {
			t.Errorf("%s: %d and %d refetches, cost %v and %v", policy, f.Refetch, c.Refetch, f.Cost, c.Cost)
		}
		if c.valid != c.checked {
			t.Errorf("%s: %v", policy, c.flaws)
		}
	}
}

func TestEveryPolicyCanBePlayed(t *testing.T) {
	t.Parallel()
	r := replayed(t, &Options{Policies: Names(), Prices: "openai-5.6", Window: 100_000}, voyage(40, 1500))
	for _, name := range Names() {
		res, ok := r.Policies[name]
		if !ok || res.CostVsNone <= 0 || res.CostVsOptimum <= 0 || res.Calls != 41 {
			t.Errorf("%s: %+v", name, res)
		}
	}
}

func TestTheOrderOfWorkersChangesNothing(t *testing.T) {
	t.Parallel()
	sessions := []*Session{voyage(30, 900), voyage(80, 1500), voyage(10, 300), voyage(50, 600)}
	var results []string
	for _, workers := range []int{1, 4} {
		r := replayed(t, &Options{Policies: []string{"auto", "threshold"}, Prices: "anthropic-5m", Refetch: true, Workers: workers}, sessions...)
		data, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		results = append(results, string(data))
	}
	if diff := cmp.Diff(results[0], results[1]); diff != "" {
		t.Errorf("one worker and four (-one +four):\n%s", diff)
	}
}

func TestProgressIsToldAfterEachSession(t *testing.T) {
	t.Parallel()
	var told []Progress
	o := &Options{Policies: []string{"none"}, Workers: 1, Progress: func(p Progress) { told = append(told, p) }}
	replayed(t, o, voyage(8, 30), voyage(2, 30), voyage(9, 30))
	if len(told) != 3 || told[2].Sessions != 3 || told[2].Calls != 9+10 || told[2].Share != 1 {
		t.Errorf("told %+v", told)
	}
}

func TestShortSessionsAreLeftOutAndNoneLeftIsAnError(t *testing.T) {
	t.Parallel()
	r := replayed(t, &Options{Policies: []string{"none"}, MinContext: 30_000}, voyage(2, 30), voyage(8, 30), voyage(40, 900))
	if r.Sessions != 1 || r.Skipped != 2 {
		t.Errorf("%d sessions, %d skipped", r.Sessions, r.Skipped)
	}
	_, err := Run(t.Context(), []string{logOf(t, voyage(2, 30))}, nil)
	if !errors.Is(err, plimsoll.ErrInvalid) || plimsoll.HintOf(err) == "" {
		t.Errorf("error %v", err)
	}
}

func TestNamesThatNobodyKnowsAreRefused(t *testing.T) {
	t.Parallel()
	for name, o := range map[string]*Options{"policy": {Policies: []string{"magic"}}, "prices": {Prices: "free-beer"}} {
		_, err := Run(t.Context(), nil, o)
		if plimsoll.CodeOf(err) != plimsoll.CodeInvalid || !strings.Contains(plimsoll.HintOf(err), "choose from") {
			t.Errorf("%s: error %v, hint %q", name, err, plimsoll.HintOf(err))
		}
	}
	if _, err := Run(t.Context(), []string{"no/such/file"}, nil); plimsoll.CodeOf(err) != plimsoll.CodeNotFound {
		t.Errorf("a file that is not there: %v", err)
	}
}

func TestACallerThatGoesAwayEndsTheReplay(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Run(ctx, []string{logOf(t, voyage(8, 30))}, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

func TestTheCountIsComparedWithTheBills(t *testing.T) {
	t.Parallel()
	s := voyage(30, 900)
	track := trackOf(t, s)
	sum, k := 20_000, 0
	for i := range s.Entries {
		if k < len(track.calls) && track.calls[k].at == i {
			s.Entries[i].Bill = plimsoll.Usage{Input: sum}
			k++
		}
		sum += track.items[i].tokens
	}
	errs := countErrors(s)
	if len(errs) != len(track.calls)-1 {
		t.Fatalf("%d errors of %d bills", len(errs), len(track.calls))
	}
	for i, e := range errs {
		if e > 1e-3 || e < -1e-3 {
			t.Errorf("call %d: off by %v where the bill is the count", i+1, e)
		}
	}
}

func TestReportsHaveWhatTheContractPromises(t *testing.T) {
	t.Parallel()
	r := replayed(t, &Options{Policies: []string{"auto"}, Prices: "anthropic-5m"}, voyage(60, 1500))
	data, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Policies    map[string]map[string]any
		Assumptions []string
	}
	if err := json.Unmarshal(data, &got); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"none", "auto"} {
		for _, field := range []string{
			"cost_vs_none", "cost_vs_optimum", "reach", "reach_ref", "reach_hard", "validity", "prefix_stability", "breaks", "count_error",
			"used_after_cut", "survival_identifiers", "survival_words", "reach_words", "recollections", "recollection_tokens", "recollection_hits",
		} {
			if _, ok := got.Policies[name][field]; !ok {
				t.Errorf("%s has no %s", name, field)
			}
		}
	}
	if len(got.Assumptions) < 5 {
		t.Errorf("assumptions %q", got.Assumptions)
	}
	var page, table bytes.Buffer
	if err := r.WriteHTML(&page); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"<svg", "<polyline", `class="cut`, "voyage0", "What cuts keep", got.Assumptions[0]} {
		if !strings.Contains(page.String(), want) {
			t.Errorf("the page has no %s", want)
		}
	}
	for _, alien := range []string{"http://", "https://", "<script", "src=", "ZgotmplZ"} {
		if strings.Contains(page.String(), alien) {
			t.Errorf("the page has %s", alien)
		}
	}
	if err := r.WriteCSV(&table); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(&table).ReadAll()
	if err != nil || len(rows) != 3 || !slices.Contains(rows[0], "reach_ref") || !slices.Contains(rows[0], "survival_words") {
		t.Errorf("%d rows, %v", len(rows), err)
	}
}

func TestServePlaysWhatTheSettingsDescribe(t *testing.T) {
	t.Parallel()
	o := &Options{
		Policies: []string{preset.NameAuto, Off, Serve}, Prices: "openai-5.6", Window: 60_000, Reserve: new(20_000),
		Serve: func() (*fit.Options, error) {
			return preset.Auto(&preset.Options{Policy: preset.PolicyOff, Reserve: new(20_000)})
		},
	}
	r := replayed(t, o, voyage(40, 1500))
	if diff := cmp.Diff(r.Policies[Off], r.Policies[Serve]); diff != "" {
		t.Errorf("serve with policy off differs from off (-off +serve):\n%s", diff)
	}
	if r.Policies[Serve].PeakLoad == r.Policies[preset.NameAuto].PeakLoad || r.Policies[Serve].PeakLoad > 40_000 {
		t.Errorf("serve sends up to %d tokens, auto %d; 40,000 are left beside the reserve", r.Policies[Serve].PeakLoad, r.Policies[preset.NameAuto].PeakLoad)
	}
}
