package report

import (
	"strings"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/bench/internal/fit"
	"github.com/plimsoll/plimsoll/bench/internal/measure"
)

func fitted() *fit.Result {
	half := fit.Budget{Name: "50 %", Tokens: 100}
	r := &fit.Result{Conversations: 1}
	for _, way := range fit.Ways {
		v := fit.Verdict{Case: "a", Corpus: "talks", Tools: true, Way: way.ID, Budget: half, Kind: fit.Usable, Tokens: 90, Newest: true, CPU: time.Millisecond}
		if way.ID == "litellm" {
			v.Kind, v.CPU = fit.Broken, 40*time.Millisecond
		}
		r.Verdicts = append(r.Verdicts, v)
	}
	for _, n := range []int{800, 1_000, 10_000} {
		weigh := time.Duration(n) * time.Microsecond
		r.Figures = append(r.Figures, fit.Figure{
			Messages: n, Weigh: weigh,
			Under: fit.Times{First: weigh, Next: weigh / 100}, Over: fit.Times{First: 3 * weigh, Next: weigh / 10},
		})
	}
	r.Waits = []fit.Waiting{
		{Processors: 1, Weigh: 4 * time.Millisecond, Under: 5 * time.Millisecond, Over: 8 * time.Millisecond},
		{Processors: 2, Weigh: 2 * time.Millisecond, Under: 3 * time.Millisecond, Over: 5 * time.Millisecond},
		{Processors: 1, Fresh: true, Weigh: 8 * time.Millisecond, Under: 8 * time.Millisecond, Over: 12 * time.Millisecond},
		{Processors: 2, Fresh: true, Weigh: 5 * time.Millisecond, Under: 6 * time.Millisecond, Over: 9 * time.Millisecond},
	}
	return r
}

func goalsByName(r *fit.Result) map[string]Goal {
	all := map[string]Goal{}
	for _, g := range FitGoals(r) {
		all[g.What] = g
	}
	return all
}

func TestGoalsOfFitFollowTheFigures(t *testing.T) {
	t.Parallel()
	want := map[string]bool{
		"results valid and within the budget":           true,
		"first `Fit` of 200,000 tokens, under the line": true,
		"first `Fit` of 200,000 tokens, over the line":  false,
		"`Fit` with one more round, under the line":     true,
		"`Fit` with one more round, over the line":      false,
		"time of a message in ten times as many":        true,
	}
	got := goalsByName(fitted())
	for what, reached := range want {
		if g, ok := got[what]; !ok || g.Reached != reached {
			t.Errorf("%s: got %+v, want reached %v", what, g, reached)
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d goals, want %d", len(got), len(want))
	}
}

func TestOneBadResultOfOursMissesTheGoal(t *testing.T) {
	t.Parallel()
	r := fitted()
	r.Verdicts[0].Kind = fit.Over
	if g := FitGoals(r)[0]; g.Reached || g.Got != "1 of 2" {
		t.Errorf("got %+v", g)
	}
	r.Verdicts[0].Kind = fit.Refused
	if g := FitGoals(r)[0]; !g.Reached || g.Got != "1 of 1" {
		t.Errorf("a refusal is no result: got %+v", g)
	}
}

func TestSlowerLongConversationsMissTheGoal(t *testing.T) {
	t.Parallel()
	r := fitted()
	r.Figures[2].Over.Next *= 2
	if g := goalsByName(r)["time of a message in ten times as many"]; g.Reached || g.Got != "2.00×" {
		t.Errorf("got %+v", g)
	}
}

func TestReportOfFitShowsEveryWay(t *testing.T) {
	t.Parallel()
	r := fitted()
	page := Fit(r, measure.Machine{CPU: "some CPU"})
	for _, want := range []string{"some CPU", "`Meter.Weigh`", "40×", "| 10000 ", " 0.50 |  0.75 | 1.25 |", " 0.62 |  0.75 | 1.12 |", "0.75× by the clock, on 2 processors | yes", "1.25× by the clock, on 2 processors | no"} {
		if !strings.Contains(page, want) {
			t.Errorf("no %q in\n%s", want, page)
		}
	}
	for _, way := range fit.Ways {
		if !strings.Contains(page, way.Title) {
			t.Errorf("no %q", way.Title)
		}
	}
}

func TestReportOfFitSaysLoudlyWhatIsMissing(t *testing.T) {
	t.Parallel()
	r := fitted()
	r.Missing, r.Verdicts = "no corpora", nil
	page := Fit(r, measure.Machine{})
	if !strings.Contains(page, "**Not compared:** no corpora") || !strings.Contains(page, "not measured") {
		t.Errorf("got\n%s", page)
	}
}
