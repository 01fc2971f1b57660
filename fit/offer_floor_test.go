package fit_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/fit"
	"github.com/plimsoll/plimsoll/internal/testkit"
	"github.com/plimsoll/plimsoll/rung"
)

// TestTheBodyIsWrittenAfterToolsWereTakenBack has a rung that is refused, so that each
// step is checked with a body of its own, and no room for the tools.
func TestTheBodyIsWrittenAfterToolsWereTakenBack(t *testing.T) {
	t.Parallel()
	c := readings(20)
	floor := floorOf(t, offering(c))
	newest := plimsoll.PartRef{Message: c.Messages.Len() - 1}
	shorten := rungOf("shorten", func(w *fit.Work) error {
		return w.Draft().ReplaceResult(newest, testkit.Text(strings.Repeat("9", 390)), testkit.Because)
	})
	for name, refused := range map[string]bool{"nothing is refused": false, "a rung is refused": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := clearing(t, floor+150, func(o *fit.Options) { o.Rungs = []fit.Rung{shorten, &rung.Slide{}} })
			task := offering(c)
			task.Encode = encoded
			task.Check = func(_ *plimsoll.Draft, body []byte) error {
				if refused && !strings.Contains(string(body), "c19 "+strings.Repeat("9", 400)) {
					return errors.New("the newest result is too short")
				}
				return nil
			}
			p, err := k.Fit(t.Context(), task)
			testkit.Must(t, err)
			if (p.Rungs[0].Undone != "") != refused || p.Rungs[len(p.Rungs)-1].Undone == "" || toolsOf(p) != "" {
				t.Errorf("tools %q, rungs %+v", toolsOf(p), p.Rungs)
			}
			checkBody(t, p)
		})
	}
}

// TestToolsCountOnceToTheFloorWhenARungIsRefused applies the rungs a second time.
func TestToolsCountOnceToTheFloorWhenARungIsRefused(t *testing.T) {
	t.Parallel()
	task := offering(readings(20))
	floor := floorOf(t, task)
	task.Check = func(d *plimsoll.Draft, _ []byte) error {
		if _, stays := d.Message(2); !stays {
			return errors.New("the first call is missing")
		}
		return nil
	}
	for name, always := range map[string]bool{"when they come with the cut": false, "when they are there from the first request on": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			task := task
			task.OfferAlways = always
			k := clearing(t, 8000, func(o *fit.Options) {
				o.Marks.Low, o.Rungs = 0.01, []fit.Rung{dropping("bad", 2, 4), &rung.Clear{Budget: -1, KeepNewest: 3, ToGoal: true}}
			})
			p, err := k.Fit(t.Context(), task)
			testkit.Must(t, err)
			if undone := slices.ContainsFunc(p.Rungs, func(r plimsoll.RungReport) bool { return r.Rung == "bad" && r.Undone != "" }); !undone {
				t.Errorf("the rung was not refused: %+v", p.Rungs)
			}
			if toolsOf(p) != "read_cache grep_cache" || p.Floor != floor+200 {
				t.Errorf("tools %q, floor %d, want %d; rungs %+v", toolsOf(p), p.Floor, floor+200, p.Rungs)
			}
		})
	}
}

// floorOf returns what no rung could take off a task, without added tools.
func floorOf(t *testing.T, task fit.Task) int {
	t.Helper()
	_, err := clearing(t, 50, nil).Fit(t.Context(), task)
	var over *plimsoll.OverloadError
	if !errors.As(err, &over) {
		t.Fatalf("a window of 50 tokens gives %v", err)
	}
	return over.Floor
}

func TestToolsOfAnEarlierRequestCountToTheFloorAndTheGoal(t *testing.T) {
	t.Parallel()
	const window = 3000
	k := clearing(t, window, func(o *fit.Options) {
		o.Marks.Low, o.Rungs = 0.01, []fit.Rung{&rung.Clear{Budget: -1, KeepNewest: 3, ToGoal: true}, &rung.Slide{}}
	})
	for rounds, cuts := 8, 0; cuts < 3; rounds++ {
		task := offering(readings(rounds))
		p, err := k.Fit(t.Context(), task)
		testkit.Must(t, err)
		if len(p.Rungs) == 0 || len(p.Rungs) == 1 && p.Rungs[0].Replayed {
			continue // nothing new was cut
		}
		cuts++
		floor := floorOf(t, task) + 200
		if toolsOf(p) == "" || p.Floor != floor || p.Goal != (floor+window)/2 {
			t.Errorf("%d rounds, cut %d: tools %q, floor %d, want %d, goal %d, want %d", rounds, cuts, toolsOf(p), p.Floor, floor, p.Goal, (floor+window)/2)
		}
	}
}
