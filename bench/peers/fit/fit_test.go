package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/bench/internal/fit"
)

func TestTrimWritesAnOutcomeForEachBudget(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("word ", 300)
	list := `[{"role":"user","content":"` + long + `"},{"role":"assistant","content":"yes"},{"role":"user","content":"and now?"}]`
	cases, outcomes := filepath.Join(t.TempDir(), "cases"), filepath.Join(t.TempDir(), "outcomes")
	c := fit.Case{ID: "a", Messages: json.RawMessage(list), Budgets: []fit.Budget{{Name: "all", Tokens: 1_000}, {Name: "some", Tokens: 100}, {Name: "few", Tokens: 3}}}
	if err := fit.WriteLines(cases, []fit.Case{c}); err != nil {
		t.Fatal(err)
	}
	for way := range methods {
		if answer, err := do([]string{"trim", way, cases, outcomes, "1"}); err != nil || answer != "ok\t3" {
			t.Fatalf("%s: got %q, %v", way, answer, err)
		}
		got, err := fit.ReadLines[fit.Outcome](outcomes)
		if err != nil || len(got) != 3 {
			t.Fatalf("%s: %d outcomes, %v", way, len(got), err)
		}
		if string(got[0].Messages) != list || got[0].Tokens > 1_000 {
			t.Errorf("%s: a list that fits became %s", way, got[0].Messages)
		}
		if m := string(got[1].Messages); strings.Contains(m, "word") || !strings.Contains(m, "and now?") || got[1].Tokens > 100 {
			t.Errorf("%s: in 100 tokens: %s, %d tokens", way, m, got[1].Tokens)
		}
		if got[2].Refused == "" {
			t.Errorf("%s: three tokens were not refused: %s", way, got[2].Messages)
		}
	}
}

func TestFiguresAreOfOneConversation(t *testing.T) {
	t.Parallel()
	s := session{text: strings.Repeat("func step(ctx context.Context) error\n", 200), rounds: 60}
	f, err := s.measure(1)
	if err != nil {
		t.Fatal(err)
	}
	if f.Messages != 121 || f.Tokens < 60*200 || f.Weigh == 0 || f.Under.First == 0 || f.Over.First == 0 || f.Over.Next == 0 {
		t.Errorf("got %+v", f)
	}
}

// TestWaitsAreOnOneProcessorAndOnAll is not parallel: it sets how many there are.
func TestWaitsAreOnOneProcessorAndOnAll(t *testing.T) {
	s := session{text: strings.Repeat("func step(ctx context.Context) error\n", 200), rounds: 60}
	before := runtime.GOMAXPROCS(0)
	got, err := s.wait(1)
	if err != nil || runtime.GOMAXPROCS(0) != before {
		t.Fatalf("got %v with %d processors, want them left as they were: %d", err, runtime.GOMAXPROCS(0), before)
	}
	if len(got) != min(2, runtime.NumCPU()) || got[0].Processors != 1 || got[len(got)-1].Processors != runtime.NumCPU() {
		t.Errorf("got %+v", got)
	}
	for _, w := range got {
		if w.Weigh <= 0 || w.Under <= 0 || w.Over <= 0 {
			t.Errorf("got %+v, want all measured", w)
		}
	}
}

// TestAFirstSightSaysWhatTheConversationWeighs is not parallel: it sets how many
// processors there are.
func TestAFirstSightSaysWhatTheConversationWeighs(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	text := filepath.Join(t.TempDir(), "text")
	if err := os.WriteFile(text, []byte(strings.Repeat("func step(ctx context.Context) error\n", 200)), 0o600); err != nil {
		t.Fatal(err)
	}
	var tokens []string
	for _, window := range []string{"0", "1000000", "100000"} {
		answer, err := do([]string{"sight", text, "1", window})
		fields := strings.Split(answer, "\t")
		if err != nil || len(fields) != 3 || fields[0] != "ok" {
			t.Fatalf("in a window of %s: %q, %v", window, answer, err)
		}
		if took, err := strconv.Atoi(fields[2]); err != nil || took <= 0 {
			t.Errorf("in a window of %s it took %q", window, fields[2])
		}
		tokens = append(tokens, fields[1])
	}
	if tokens[0] == "0" || tokens[1] != tokens[0] || tokens[2] != tokens[0] {
		t.Errorf("it weighs %v", tokens)
	}
}

func TestFurtherRequestsHaveANewRound(t *testing.T) {
	t.Parallel()
	s := session{text: strings.Repeat("x", 4_000), rounds: 2}
	before, one, two := string(s.request(0)), string(s.request(1)), string(s.request(1))
	same := strings.TrimSuffix(before, "]}")
	if !strings.HasPrefix(one, same) || !strings.HasPrefix(two, same) || one == two || len(one) == len(before) {
		t.Error("a further request must begin like the first and end in another way each time")
	}
}
