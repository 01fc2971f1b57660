package replay

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/expand"
	"github.com/plimsoll/plimsoll/fit/rent"
	"github.com/plimsoll/plimsoll/internal/corpora"
)

var numbers = flag.Bool("numbers", false, "play all corpora under all price lists and print the table")

// goal is a figure that must be reached.
type goal struct {
	what       string
	got, bound float64
	atLeast    bool
}

func (g goal) met() bool {
	if g.atLeast {
		return g.got >= g.bound
	}
	return g.got <= g.bound
}

func most(what string, got, bound float64) goal { return goal{what: what, got: got, bound: bound} }

func least(what string, got, bound float64) goal {
	return goal{what: what, got: got, bound: bound, atLeast: true}
}

// check prints the goals and fails on those that are missed.
func check(t *testing.T, title string, goals ...goal) {
	t.Helper()
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, title)
	for _, g := range goals {
		sign, verdict := "≤", "met"
		if g.atLeast {
			sign = "≥"
		}
		if !g.met() {
			verdict = "MISSED"
			t.Errorf("%s: %s is %.4f, want %s %.4f", title, g.what, g.got, sign, g.bound)
		}
		fmt.Fprintf(w, "  %s\t%.4f\t%s %.4f\t%s\n", g.what, g.got, sign, g.bound, verdict)
	}
	_ = w.Flush() // it is standard output
}

func corpus(t *testing.T, file string) []string {
	t.Helper()
	return []string{filepath.Join(corpora.Dir(t), "corpora", file)}
}

func numbersOf(t *testing.T, files []string, o Options) *Report {
	t.Helper()
	r, err := Run(t.Context(), files, &o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestTheNumbersOfLongSessions plays the sessions above 120,000 tokens, by the prices
// of Anthropic, with what must be read again charged.
func TestTheNumbersOfLongSessions(t *testing.T) {
	if raceDetector || testing.Short() {
		t.Skip("takes seconds, and minutes with the race detector")
	}
	for how, offer := range map[string][]plimsoll.Tool{"refetch charged": nil, "refetch and tools charged": expand.Tools()} {
		r := numbersOf(t, corpus(t, "entire-claude-code/sessions.jsonl.gz"),
			Options{Policies: []string{"auto"}, Prices: "anthropic-5m", Window: 200_000, MinContext: 120_000, Refetch: true, Offer: offer})
		auto := r.Policies["auto"]
		check(t, fmt.Sprintf("auto, %d sessions above 120,000 tokens with %d calls, anthropic-5m, %s", r.Sessions, r.Calls, how),
			most("cost relative to doing nothing", auto.CostVsNone, 0.77),
			most("cost relative to the optimum", auto.CostVsOptimum, 1.12),
			least("reach", auto.Reach, 0.965),
			least("reach with references", auto.ReachRef, 0.995),
			least("validity", auto.Validity, 1),
			least("share read from the cache", auto.CacheReadShare, 0.95),
		)
		for _, flaw := range auto.Flaws {
			t.Error(flaw)
		}
	}
}

// TestTheNumbersOfAllPriceLists plays everything. It runs only when it is asked for.
func TestTheNumbersOfAllPriceLists(t *testing.T) {
	if !*numbers {
		t.Skip("run it with -numbers, or make bench-replay")
	}
	for _, tt := range []struct {
		name, file string
		window     int
	}{
		{"entire", "entire-claude-code/sessions.jsonl.gz", 200_000},
		{"pi", "pi-sessions/before-compaction.jsonl.gz", 200_000},
		{"tau2", "tau2-bench/simulations.jsonl.gz", 0},
		{"tau", "tau-bench/airline_gpt-4o.jsonl.gz", 0},
	} {
		var goals []goal
		files := corpus(t, tt.file)
		for _, l := range rent.Lists() {
			auto := numbersOf(t, files, Options{Policies: []string{"auto"}, Prices: l.Name, Window: tt.window, Refetch: true}).Policies["auto"]
			goals = append(goals, most("cost, "+l.Name, auto.CostVsNone, 1), most("highest of a session, "+l.Name, auto.Worst, 1.5))
			if auto.Validity < 1 {
				t.Errorf("%s, %s: %v", tt.name, l.Name, auto.Flaws)
			}
		}
		check(t, "auto, "+tt.name+", all sessions, refetch charged", goals...)
	}
	started := time.Now()
	r := numbersOf(t, corpus(t, "entire-claude-code/sessions.jsonl.gz"), Options{Policies: []string{"none"}, Prices: "anthropic-5m", Refetch: true})
	alone := time.Since(started)
	started = time.Now()
	numbersOf(t, corpus(t, "entire-claude-code/sessions.jsonl.gz"), Options{Policies: []string{"auto"}, Prices: "anthropic-5m", Refetch: true})
	check(t, fmt.Sprintf("%d calls of %d sessions", r.Calls, r.Sessions), most("seconds with none alone", alone.Seconds(), 20), most("seconds with none and auto", time.Since(started).Seconds(), 20))
}
