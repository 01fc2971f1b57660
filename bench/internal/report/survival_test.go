package report

import (
	"strings"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/bench/internal/measure"
	"github.com/plimsoll/plimsoll/bench/internal/survival"
)

func TestSurvivalShowsSharesAndJudgesOurs(t *testing.T) {
	t.Parallel()
	r := &survival.Result{
		Compactions: 2, Needed: 10, Decoded: 8,
		Ways: []survival.Way{
			{Name: survival.Ours, Tokens: 4000, Most: 6001, Exact: 0.9, Lenient: 0.95, Meant: 0.8},
			{Name: survival.Tail, Exact: 0.123},
		},
		Cuts:  []survival.Cut{{Name: survival.AllCuts, Exact: 0.82, Meant: 0.819}},
		Times: []survival.Duration{{Tokens: 10, Took: time.Millisecond}, {Tokens: 200, Took: 2 * time.Second}},
	}
	text := Survival(r, measure.Machine{})
	for _, want := range []string{"2 compactions, 10 needed", "took 2s for 200 tokens", "90.0 %", "12.3 %", "81.9 %"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	goals := SurvivalGoals(r)
	if !goals[0].Reached || !goals[1].Reached || goals[2].Reached || goals[3].Reached || goals[4].Reached {
		t.Errorf("goals %+v", goals)
	}
}
