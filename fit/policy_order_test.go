package fit_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/fit"
	"github.com/plimsoll/plimsoll/internal/testkit"
	"github.com/plimsoll/plimsoll/rung"
)

// TestAPolicySaysWhenAndTheLadderWhat gives a ladder with rungs of a program's own to a
// policy that cuts. Those that can say what they would take off are applied in their
// order, and the plan says why the others were passed over.
func TestAPolicySaysWhenAndTheLadderWhat(t *testing.T) {
	t.Parallel()
	const (
		mute    = "it cannot say what it would take off, so the policy cannot ask for it"
		cheaply = "the policy asks for a cut without a checkpoint"
		deeply  = "the policy asks for a checkpoint"
	)
	for name, tt := range map[string]struct {
		action fit.Action
		window int
		want   []plimsoll.RungReport
	}{
		"of a cheap cut": {fit.CutCheap, 100_000, []plimsoll.RungReport{
			{Rung: "marksman", Skipped: mute}, {Rung: "archer"}, {Rung: "clear"}, {Rung: "compact", Skipped: cheaply}, {Rung: "slide", Skipped: mute},
		}},
		"of a checkpoint": {fit.CutDeep, 100_000, []plimsoll.RungReport{
			{Rung: "compact"}, {Rung: "marksman", Skipped: deeply}, {Rung: "archer", Skipped: deeply}, {Rung: "clear", Skipped: deeply}, {Rung: "slide", Skipped: deeply},
		}},
		"and of a cut that leaves too much passes over none": {fit.CutCheap, 2000, []plimsoll.RungReport{
			{Rung: "archer"}, {Rung: "clear"}, {Rung: "marksman"}, {Rung: "archer"}, {Rung: "clear"}, {Rung: "compact"}, {Rung: "slide"},
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			first, second := &marksman{}, &archer{}
			k := newKeeper(t, tt.window, fit.Options{
				Policy: &spy{cutAt: 1, action: tt.action}, Archive: &vault{},
				Rungs: []fit.Rung{first, second, &rung.Clear{Budget: -1, KeepNewest: 3, ToGoal: true}, &rung.Compact{Tail: 2000, Size: 1500}, &rung.Slide{}},
			})
			p, err := k.Fit(t.Context(), fit.Task{Conversation: readings(40)})
			testkit.Must(t, err)
			var got []plimsoll.RungReport
			for _, r := range p.Rungs {
				got = append(got, plimsoll.RungReport{Rung: r.Rung, Skipped: r.Skipped})
			}
			if diff := cmp.Diff(tt.want, got); diff != "" || !p.Changed() {
				t.Errorf("the plan reports (-want +got):\n%s", diff)
			}
			for _, target := range second.targets[:min(1, len(second.targets))] {
				if !target.Decided {
					t.Error("the rung is not told that the cut is decided")
				}
			}
		})
	}
}

// TestAPolicyIsToldWhatIsSoNowWhereMessagesMustSurvive compares with a keeper that sees
// the conversation for the first time: what must survive may be other messages in each
// request.
func TestAPolicyIsToldWhatIsSoNowWhereMessagesMustSurvive(t *testing.T) {
	t.Parallel()
	fourth := 5
	for name, tt := range map[string]struct {
		keeper []fit.Pin
		task   fit.Task
	}{
		"by a pin of the keeper": {keeper: []fit.Pin{{Index: &fourth}}},
		"by a pin of the task":   {task: fit.Task{Pins: []fit.Pin{{Index: &fourth}}}},
		"by the task's own list": {task: fit.Task{Keep: []int{fourth}}},
		"by a pin and the list":  {keeper: []fit.Pin{{Index: &fourth}}, task: fit.Task{Keep: []int{fourth}}},
		"by pins of both":        {keeper: []fit.Pin{{Index: &fourth}}, task: fit.Task{Pins: []fit.Pin{{Index: &fourth}}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			keeper := func(s *spy) *fit.Keeper {
				return clearing(t, 100_000, func(o *fit.Options) { o.Policy, o.Pins = s, tt.keeper })
			}
			s := &spy{}
			k := keeper(s)
			for rounds := 20; rounds < 23; rounds++ {
				task := tt.task
				task.Conversation = readings(rounds)
				_, err := k.Fit(t.Context(), task)
				testkit.Must(t, err)
				now := &spy{}
				_, err = keeper(now).Fit(t.Context(), task)
				testkit.Must(t, err)
				is, told := now.outlooks[0], s.outlooks[len(s.outlooks)-1]
				is.Now = told.Now
				if diff := cmp.Diff(is, told); diff != "" {
					t.Errorf("%d rounds (-what is so +what the policy sees):\n%s", rounds, diff)
				}
			}
		})
	}
}
