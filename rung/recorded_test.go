package rung_test

import (
	"errors"
	"testing"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/corpora"
	"github.com/plimsoll/plimsoll/rung"
	"github.com/plimsoll/plimsoll/token"
	"github.com/plimsoll/plimsoll/wire/dialects"
	"github.com/plimsoll/plimsoll/wire/wiretest"
)

// TestRecordedSessionsFitInEveryDialect cuts real sessions of agents to a third and
// lets the codecs say whether what is left can be sent.
func TestRecordedSessionsFitInEveryDialect(t *testing.T) {
	t.Parallel()
	records := corpora.Spread(t, "entire-claude-code/sessions.jsonl.gz", 12)
	for _, d := range dialects.All() {
		t.Run(string(d), func(t *testing.T) {
			t.Parallel()
			saved, refused := map[string]int{}, 0
			meter := token.NewMeter(nil)
			for _, r := range records {
				plan, err := fitRecorded(t, meter, d, r)
				if over := new(plimsoll.OverloadError); errors.As(err, &over) && over.Floor > over.Line.Limit() {
					refused++
					continue
				}
				if err != nil {
					t.Errorf("%s: %v", r.ID, err)
					continue
				}
				for _, report := range plan.Rungs {
					saved[report.Rung] += report.Saved
					if report.Undone != "" {
						t.Errorf("%s: %s was undone: %s", r.ID, report.Rung, report.Undone)
					}
				}
			}
			t.Logf("%d sessions, %d refused; tokens saved: %v", len(records), refused, saved)
		})
	}
}

func fitRecorded(t *testing.T, meter plimsoll.Meter, d plimsoll.Dialect, r corpora.Record) (*plimsoll.Plan, error) {
	t.Helper()
	codec := dialects.Codec(d)
	body, err := wiretest.Rewrite(codec, r.Conversation)
	if err != nil {
		t.Fatalf("%s: %v", r.ID, err)
	}
	request := wiretest.Decode(t, codec, string(body))
	k, err := plimsoll.New(&plimsoll.Options{
		Meter: meter, Model: "gpt-4o", Window: meter.Weigh(request.Conversation()).Total / 3, Reserve: -1, Archive: &shelf{},
		Arrival: []plimsoll.Rung{&rung.View{All: true, Tail: 0.25, Errors: true}},
		Rungs: []plimsoll.Rung{
			&rung.Dedupe{}, &rung.Clear{Budget: -1, KeepNewest: 3, ToGoal: true}, &rung.Reasoning{}, &rung.Slide{},
			&rung.View{ToFit: true, Tail: 0.25, Errors: true},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return k.FitTask(t.Context(), plimsoll.Task{
		Conversation: request.Conversation(), Check: func(d *plimsoll.Draft) error { return dialects.Verify(request, d) },
	})
}
