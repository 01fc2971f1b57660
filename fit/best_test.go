package fit_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/fit"
	"github.com/plimsoll/plimsoll/internal/testkit"
	"github.com/plimsoll/plimsoll/rung"
)

// perMessage estimates that every message weighs the same, and knows no tools.
type perMessage struct{ tokens int }

func (m perMessage) Weigh(c plimsoll.Conversation) plimsoll.Load {
	load := plimsoll.Load{Total: m.tokens * c.Messages.Len(), Band: 1}
	for _, message := range c.Messages.All() {
		load.Messages = append(load.Messages, m.WeighMessage(c, message, 0))
	}
	return load
}

func (m perMessage) WeighMessage(_ plimsoll.Conversation, message plimsoll.Message, _ int) plimsoll.MessageLoad {
	return plimsoll.MessageLoad{Tokens: m.tokens, Framing: m.tokens, Parts: make([]int, message.Parts.Len())}
}

func (perMessage) WeighSystem(plimsoll.Conversation, plimsoll.Part) int { return 0 }
func (perMessage) WeighTool(plimsoll.Conversation, plimsoll.Tool) int   { return 0 }

// estimating is a keeper that counts by an estimate, and by bytes as well as it can.
func estimating(t *testing.T, tokens, window int) *fit.Keeper {
	t.Helper()
	k, err := fit.New(&fit.Options{
		Meter: perMessage{tokens}, Best: testkit.ByteMeter{}, Anchored: true, Window: window, Reserve: new(0), Model: "m",
		Rungs: []fit.Rung{&rung.Slide{}},
	})
	testkit.Must(t, err)
	return k
}

// TestWhatFitsByAnEstimateMustFitByTheBestCount: whichever count decides, all figures are of
// the best one.
func TestWhatFitsByAnEstimateMustFitByTheBestCount(t *testing.T) {
	t.Parallel()
	c := chat("one/"+strings.Repeat("1", 90), "two/"+strings.Repeat("2", 90), "three/"+strings.Repeat("3", 90), "four")
	for _, tt := range []struct {
		name           string
		tokens, window int
		want           string
	}{
		{"both fit", 10, 400, words(c)},
		{"only the estimate is over", 100, 400, "SYS three " + strings.Repeat("3", 90) + " four"},
		{"only the best count is over", 10, 120, "SYS three " + strings.Repeat("3", 90) + " four"},
		{"what the estimate leaves is over by the best count", 25, 110, "SYS four"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			k := estimating(t, tt.tokens, tt.window)
			plan, err := k.Plan(t.Context(), fit.Task{Conversation: c})
			testkit.Must(t, err)
			fitted, err := k.Fit(t.Context(), fit.Task{Conversation: c})
			testkit.Must(t, err)
			if diff := cmp.Diff(tt.want, words(fitted.Conversation())); diff != "" {
				t.Errorf("what is sent (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(words(plan.Conversation()), words(fitted.Conversation())); diff != "" {
				t.Errorf("Plan and Fit differ (-plan +fit):\n%s", diff)
			}
			if best := (testkit.ByteMeter{}).Weigh(fitted.Conversation()).Total; best > tt.window {
				t.Errorf("%d bytes are sent, the limit is %d", best, tt.window)
			}
			best := testkit.ByteMeter{}
			for what, loads := range map[string][2]plimsoll.Load{
				"the load before": {fitted.Before, best.Weigh(c)}, "the load after": {fitted.After, best.Weigh(fitted.Conversation())},
				"Keeper.Weigh": {k.Weigh(t.Context(), fit.Task{Conversation: c}), best.Weigh(c)},
			} {
				if diff := cmp.Diff(loads[1], loads[0]); diff != "" {
					t.Errorf("%s is not the best count (-best +got):\n%s", what, diff)
				}
			}
			byEdits, byRungs := 0, 0
			for _, e := range fitted.Edits {
				byEdits += e.Saved
			}
			for _, r := range fitted.Rungs {
				byRungs += r.Saved
			}
			if saved := fitted.Before.Total - fitted.After.Total; byEdits != saved || byRungs != saved {
				t.Errorf("%d tokens are saved; the edits say %d, the rungs %d", saved, byEdits, byRungs)
			}
		})
	}
}

func TestALimitInEstimatedTokensIsComparedWithTheEstimateAlone(t *testing.T) {
	t.Parallel()
	c := chat("one/"+strings.Repeat("1", 90), "two")
	plan, err := estimating(t, 10, 1000).Fit(t.Context(), fit.Task{Conversation: c, Line: &plimsoll.Line{Window: 50, Estimated: true}})
	testkit.Must(t, err)
	if plan.Changed() {
		t.Errorf("%d tokens of 50 became %d", plan.Before.Total, plan.After.Total)
	}
}

func TestARefusalByTheBestCountHasItsFigures(t *testing.T) {
	t.Parallel()
	c := chat("one/1", strings.Repeat("2", 90))
	_, err := estimating(t, 1, 90).Fit(t.Context(), fit.Task{Conversation: c})
	var over *plimsoll.OverloadError
	if !errors.As(err, &over) || over.Floor != 99 || over.Line.Limit() != 90 {
		t.Errorf("%v, want a floor of 99 over a limit of 90", err)
	}
}

// TestTheBestCountBeginsAtTheLastBill: the provider bills 100 tokens that nothing shows.
func TestTheBestCountBeginsAtTheLastBill(t *testing.T) {
	t.Parallel()
	k := estimating(t, 1, 300)
	task := fit.Task{Conversation: chat("one/" + strings.Repeat("1", 150))}
	plan, err := k.Fit(t.Context(), task)
	testkit.Must(t, err)
	weighed := testkit.ByteMeter{}.Weigh(task.Conversation).Total
	testkit.Must(t, k.Observe(t.Context(), task, plan, plimsoll.Usage{Input: weighed + 100}))
	next := fit.Task{Conversation: chat("one/"+strings.Repeat("1", 150), strings.Repeat("2", 50))}
	if n := (testkit.ByteMeter{}).Weigh(next.Conversation).Total; n > 300 {
		t.Fatalf("%d tokens do not fit without the bill", n)
	}
	plan, err = k.Fit(t.Context(), next)
	testkit.Must(t, err)
	if got := words(plan.Conversation()); got != "SYS "+strings.Repeat("2", 50) {
		t.Errorf("%q is sent, though 100 tokens more are billed than are seen", got)
	}
}

// TestACompactionThatIsDueByAnEstimateFitsByTheBestCount: after a checkpoint that satisfies
// the estimate, turns go until the best count fits.
func TestACompactionThatIsDueByAnEstimateFitsByTheBestCount(t *testing.T) {
	t.Parallel()
	c := chat(append(slices.Repeat([]string{"what/" + strings.Repeat("x", 600)}, 10), "and now?")...)
	k, err := fit.New(&fit.Options{
		Meter: perMessage{100}, Best: testkit.ByteMeter{}, Window: 2000, Reserve: new(0), Archive: &vault{},
		Rungs: []fit.Rung{&rung.Compact{KeepTurns: 8}, &rung.Slide{}},
	})
	testkit.Must(t, err)
	made, err := k.Compact(t.Context(), fit.Task{Conversation: c}, fit.CompactOptions{})
	testkit.Must(t, err)
	if n := (testkit.ByteMeter{}).Weigh(made.Plan.Conversation()).Total; n > 2000 || !made.Plan.Changed() {
		t.Errorf("%s: %d tokens are left, the limit is 2000", made.Status, n)
	}
}
