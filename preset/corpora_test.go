package preset_test

import (
	"errors"
	"testing"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/fit"
	"github.com/plimsoll/plimsoll/internal/corpora"
	"github.com/plimsoll/plimsoll/internal/wiretest"
	"github.com/plimsoll/plimsoll/preset"
	"github.com/plimsoll/plimsoll/token"
	"github.com/plimsoll/plimsoll/wire"
	"github.com/plimsoll/plimsoll/wire/dialects"
)

// TestRecordedSessionsFitInEveryDialect fits real sessions into ever smaller
// windows: what comes out is valid for its API and under the low-water mark, or it
// is refused because the floor is over the limit.
func TestRecordedSessionsFitInEveryDialect(t *testing.T) {
	t.Parallel()
	records := append(corpora.Spread(t, "tau-bench/airline_gpt-4o.jsonl.gz", 20), corpora.Spread(t, "entire-claude-code/sessions.jsonl.gz", 20)...)
	meter := token.NewMeter(nil)
	for _, d := range dialects.All() {
		t.Run(string(d), func(t *testing.T) {
			t.Parallel()
			fitted, refused := 0, 0
			for _, r := range records {
				body, err := wiretest.Rewrite(dialects.Codec(d), r.Conversation)
				if err != nil {
					t.Fatalf("%s: %v", r.ID, err)
				}
				request := wiretest.Decode(t, dialects.Codec(d), string(body))
				whole := meter.Weigh(request.Conversation()).Total
				for _, percent := range []int{95, 60, 25, 8} {
					if fitSession(t, r.ID, request, meter, whole*percent/100) {
						fitted++
					} else {
						refused++
					}
				}
			}
			if fitted < 3*refused {
				t.Errorf("only %d of %d could be fitted", fitted, fitted+refused)
			}
			t.Logf("%d fitted, %d refused", fitted, refused)
		})
	}
}

func fitSession(t *testing.T, id string, request *wire.Request, meter plimsoll.Meter, window int) bool {
	t.Helper()
	o, err := preset.Auto(&preset.Options{Model: "gpt-4o", Window: window, Reserve: -1, Meter: meter})
	if err != nil {
		t.Fatal(err)
	}
	k, err := fit.New(o)
	if err != nil {
		t.Fatal(err)
	}
	plan, err := k.Fit(t.Context(), fit.Task{
		Conversation: request.Conversation(), Encode: request.Encode,
		Check: func(_ *plimsoll.Draft, body []byte) error { return dialects.Verify(request, body) },
	})
	var over *plimsoll.OverloadError
	if errors.As(err, &over) {
		if over.Floor <= over.Line.Limit() {
			t.Errorf("%s in %d tokens: refused though the floor is %d: %v", id, window, over.Floor, err)
		}
		return false
	}
	if err != nil {
		t.Fatalf("%s in %d tokens: %v", id, window, err)
	}
	for _, r := range plan.Rungs {
		if r.Undone != "" && r.Rung != "compact" { // there may be no room for a checkpoint
			t.Errorf("%s in %d tokens: %s was undone: %s", id, window, r.Rung, r.Undone)
		}
	}
	added := 0 // by recollections and outputs that came back, which fill what the goal leaves
	for _, e := range plan.Edits {
		if e.Rung == "recollect" || e.Kind == plimsoll.EditReplace && e.Saved < 0 {
			added -= e.Saved
		}
	}
	if plan.After.Total-added > plan.Goal && plan.Changed() || plan.After.Exceeds(plan.Line) {
		t.Errorf("%s: load %d, goal %d, limit %d", id, plan.After.Total, plan.Goal, plan.Line.Limit())
	}
	return true
}
