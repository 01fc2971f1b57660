package fit_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/fit"
	"github.com/plimsoll/plimsoll/fit/rent"
	"github.com/plimsoll/plimsoll/internal/testkit"
	"github.com/plimsoll/plimsoll/rung"
)

// TestProcessesOnOneMemoryCutWhenOneWould sends the requests of a long conversation to
// processes that share only the memory, in turns and in a row. The policy cuts at the
// requests at which it cuts in one process, and the bytes are the same.
func TestProcessesOnOneMemoryCutWhenOneWould(t *testing.T) {
	t.Parallel()
	for name, scope := range map[string]fit.Scope{"the operator's limit": {}, "a limit of the client": {Limit: 90_000}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			const requests = 90
			clock := time.Unix(1e9, 0)
			play := func(choose func(request int) int) (sent []string, cuts []int) {
				t.Helper()
				memory, kept, now := &notebook{}, &vault{}, clock
				keepers := make([]*fit.Keeper, 3)
				for i := range keepers {
					var err error
					keepers[i], err = fit.New(&fit.Options{
						Meter: testkit.ByteMeter{}, Window: 100_000, Reserve: new(0), Marks: fit.Watermarks{High: 1, Low: 0.8},
						Archive: kept, Memory: memory, Anchored: true, Sticky: true, Policy: &rent.Rent{}, Now: func() time.Time { return now },
						Rungs: []fit.Rung{&rung.Clear{Budget: -1, KeepNewest: 3, ToGoal: true}, &rung.Slide{}},
					})
					testkit.Must(t, err)
					t.Cleanup(func() { _ = keepers[i].Close() })
				}
				for i := range requests {
					k, task := keepers[choose(i)], fit.Task{Conversation: readings(10 + i), Scope: scope}
					plan, err := k.Fit(t.Context(), task)
					testkit.Must(t, err)
					testkit.Must(t, k.Observe(t.Context(), task, plan, plimsoll.Usage{Input: plan.After.Total + 9}))
					if slices.ContainsFunc(plan.Rungs, func(r plimsoll.RungReport) bool { return r.Edits > 0 && !r.Replayed }) {
						cuts = append(cuts, i)
					}
					sent = append(sent, transcriptOf(plan.Conversation()))
					now = now.Add(20 * time.Second)
				}
				return sent, cuts
			}
			want, cuts := play(func(int) int { return 0 })
			if len(cuts) < 2 {
				t.Fatalf("one process cuts at the requests %v: want two or more", cuts)
			}
			for name, choose := range map[string]func(int) int{
				"in turns":                  func(i int) int { return i % 2 },
				"by one and then the other": func(i int) int { return i / (requests / 2) },
				"by three in rows of seven": func(i int) int { return i / 7 % 3 },
			} {
				got, at := play(choose)
				if diff := cmp.Diff(cuts, at); diff != "" {
					t.Errorf("%s: the cuts are at other requests (-one process +several):\n%s", name, diff)
				} else if !slices.Equal(want, got) {
					t.Errorf("%s: the cuts are the same, and something else is sent", name)
				}
			}
		})
	}
}
