package survival

import (
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/plimsoll/plimsoll"
)

var measure = sync.OnceValues(func() (*Result, error) {
	shared := os.Getenv("PLIMSOLL_SHARED")
	if shared == "" {
		shared = filepath.Join("..", "..", "..", "..", "shared")
	}
	return Measure(shared)
})

func measured(t *testing.T) *Result {
	t.Helper()
	r, err := measure()
	if errors.Is(err, fs.ErrNotExist) {
		t.Skipf("NOT CHECKED: %v; set PLIMSOLL_SHARED to the folder that holds corpora/", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// The figures are those that the research's own program prints for the same file.
func TestTheHarnessFindsWhatTheResearchFound(t *testing.T) {
	r := measured(t)
	if r.Compactions != 13 || r.Needed != 367 {
		t.Fatalf("%d compactions, %d needed; want 13, 367", r.Compactions, r.Needed)
	}
	want := map[string][2]float64{
		Recorded: {13.9, 25.6},
		"the research's ledger, 1,000 by its estimate": {73.0, 75.7},
		"the research's ledger, 2,000 by its estimate": {92.6, 94.3},
	}
	for _, w := range r.Ways {
		if figures, ok := want[w.Name]; ok {
			if got := [2]float64{percent(w.Exact), percent(w.Lenient)}; got != figures {
				t.Errorf("%s: %v, want %v", w.Name, got, figures)
			}
		}
		if w.Name == Ours && (w.Most > most || w.Exact < 0.9) {
			t.Errorf("%s: %d tokens, %.1f %%", w.Name, w.Most, 100*w.Exact)
		}
	}
}

func TestCheckpointsNameWhatComesNextAtTheCutsOfSessions(t *testing.T) {
	r := measured(t)
	for _, c := range r.Cuts {
		if c.Name == AllCuts && (c.Cuts != 67 || c.Needed != 2409 || c.Tokens > 4500 || c.Exact < 0.82 || c.Meant < 0.82) {
			t.Errorf("%+v", c)
		}
		if c.Ledger <= c.List {
			t.Errorf("%s: the ledger names %.1f %%, a plain list of its size %.1f %%", c.Name, 100*c.Ledger, 100*c.List)
		}
	}
}

func percent(x float64) float64 { return math.Round(1000*x) / 10 }

func TestTheFirstAndTheNewestMessageStayWhateverTheirSize(t *testing.T) {
	t.Parallel()
	count := func(s string) int { return len(strings.Fields(s)) }
	long := strings.Repeat("word ", 5000)
	got := userMessages([]plimsoll.Message{
		plimsoll.Say(plimsoll.User, "first "+long+"end"),
		plimsoll.Say(plimsoll.User, "dropped "+long),
		plimsoll.Say(plimsoll.User, "short one"),
		plimsoll.Say(plimsoll.User, "newest"),
	}, count)
	for _, want := range []string{"first word", "word end\n\nshort one\n\nnewest"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q", want)
		}
	}
	if n := count(got); n > userTokens || strings.Contains(got, "dropped") {
		t.Errorf("%d tokens", n)
	}
}
