package wiretest

import (
	"errors"
	"testing"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/fit"
)

// Fit makes generated histories fit by the rungs and asks that each request weighs what
// its plan says. The request is decoded again, because the provider bills its bytes.
func (s Subject) Fit(t *testing.T, meter plimsoll.Meter, rungs ...fit.Rung) {
	t.Helper()
	applied := map[string]int{}
	for i := range 500 {
		r := random(i)
		body := s.Render(Conversation(r), r)
		req := s.mustDecode(t, body)
		before := meter.Weigh(req.Conversation()).Total
		k, err := fit.New(&fit.Options{Meter: meter, Window: before * (50 + r.IntN(50)) / 100, Reserve: new(0), Rungs: rungs})
		if err != nil {
			t.Fatal(err)
		}
		plan, err := k.Fit(t.Context(), fit.Task{Conversation: req.Conversation()})
		if errors.Is(err, plimsoll.ErrOverLimit) {
			continue
		}
		if err != nil {
			t.Fatalf("history %d: %v\n%s", i, err, body)
		}
		out, err := req.Encode(plan.Draft)
		if err != nil {
			t.Fatalf("history %d: %v\n%s", i, err, body)
		}
		if got := meter.Weigh(s.mustDecode(t, out).Conversation()).Total; got != plan.After.Total && (!s.Joins || got > plan.After.Total) {
			t.Fatalf("history %d: the plan says %d tokens, the request has %d\n in %s\nout %s\n%+v", i, plan.After.Total, got, body, out, plan.Edits)
		}
		for _, e := range plan.Edits {
			applied[e.Rung]++
		}
	}
	for _, r := range rungs {
		if applied[r.Name()] == 0 {
			t.Errorf("no history was cut by %s", r.Name())
		}
	}
}
