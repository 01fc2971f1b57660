package rung_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/fit"
	"github.com/plimsoll/plimsoll/internal/corpora"
	"github.com/plimsoll/plimsoll/internal/wiretest"
	"github.com/plimsoll/plimsoll/rung"
	"github.com/plimsoll/plimsoll/token"
	"github.com/plimsoll/plimsoll/wire/dialects"
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
	k, err := fit.New(&fit.Options{
		Meter: meter, Model: "gpt-4o", Window: meter.Weigh(request.Conversation()).Total / 3, Reserve: new(0), Archive: &shelf{},
		Arrival: []fit.Rung{&rung.View{All: true, Tail: 0.25, Errors: true}},
		Rungs: []fit.Rung{
			&rung.Dedupe{}, &rung.Clear{Budget: -1, KeepNewest: 3, ToGoal: true}, &rung.Reasoning{}, &rung.Slide{},
			&rung.View{ToFit: true, Tail: 0.25, Errors: true},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return k.Fit(t.Context(), fit.Task{
		Conversation: request.Conversation(), Encode: request.Encode,
		Check: func(_ *plimsoll.Draft, body []byte) error { return dialects.Verify(request, body) },
	})
}

// TestOldReasoningGoesInEveryDialect removes the thinking of the first turn from
// requests and compares the bytes.
func TestOldReasoningGoesInEveryDialect(t *testing.T) {
	t.Parallel()
	for dialect, tc := range map[plimsoll.Dialect]struct{ body, want string }{
		plimsoll.OpenAI: {
			`{"model":"m","messages":[{"role":"user","content":"one"},{"role":"assistant","reasoning_content":"hm, a long thought","content":"done"},{"role":"user","content":"two"},{"role":"assistant","reasoning_content":"hm","tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}}]},{"role":"tool","tool_call_id":"a","content":"x"}]}`,
			`{"model":"m","messages":[{"role":"user","content":"one"},{"role":"assistant","content":"done"},{"role":"user","content":"two"},{"role":"assistant","reasoning_content":"hm","tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}}]},{"role":"tool","tool_call_id":"a","content":"x"}]}`,
		},
		plimsoll.Responses: {
			`{"model":"m","input":[{"role":"user","content":"one"},{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"},{"type":"function_call","id":"fc_1","call_id":"a","name":"f","arguments":"{}"},{"type":"function_call_output","call_id":"a","output":"x"},{"role":"user","content":"two"},{"type":"reasoning","id":"rs_2","summary":[],"encrypted_content":"bbbb"},{"type":"function_call","id":"fc_2","call_id":"b","name":"f","arguments":"{}"},{"type":"function_call_output","call_id":"b","output":"x"}]}`,
			`{"model":"m","input":[{"role":"user","content":"one"},{"type":"function_call","call_id":"a","name":"f","arguments":"{}"},{"type":"function_call_output","call_id":"a","output":"x"},{"role":"user","content":"two"},{"type":"reasoning","id":"rs_2","summary":[],"encrypted_content":"bbbb"},{"type":"function_call","id":"fc_2","call_id":"b","name":"f","arguments":"{}"},{"type":"function_call_output","call_id":"b","output":"x"}]}`,
		},
		plimsoll.Anthropic: {
			`{"model":"m","max_tokens":9,"thinking":{"type":"enabled","budget_tokens":1024},"messages":[{"role":"user","content":"one"},{"role":"assistant","content":[{"type":"thinking","thinking":"hm, a long thought","signature":"s1"},{"type":"redacted_thinking","data":"cccccccccccccccccccccccccc"},{"type":"text","text":"done"}]},{"role":"user","content":"two"},{"role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":"s2"},{"type":"tool_use","id":"a","name":"f","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"x"}]}]}`,
			`{"model":"m","max_tokens":9,"thinking":{"type":"enabled","budget_tokens":1024},"messages":[{"role":"user","content":"one"},{"role":"assistant","content":[{"type":"text","text":"done"}]},{"role":"user","content":"two"},{"role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":"s2"},{"type":"tool_use","id":"a","name":"f","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"x"}]}]}`,
		},
		plimsoll.Gemini: {
			`{"contents":[{"role":"user","parts":[{"text":"one"}]},{"role":"model","parts":[{"text":"hm, a long thought","thought":true},{"text":"done","thoughtSignature":"s1"}]},{"role":"user","parts":[{"text":"two"}]},{"role":"model","parts":[{"text":"hm","thought":true},{"functionCall":{"name":"f","args":{}},"thoughtSignature":"s2"}]},{"role":"user","parts":[{"functionResponse":{"name":"f","response":{"output":"x"}}}]}]}`,
			`{"contents":[{"role":"user","parts":[{"text":"one"}]},{"role":"model","parts":[{"text":"done","thoughtSignature":"s1"}]},{"role":"user","parts":[{"text":"two"}]},{"role":"model","parts":[{"text":"hm","thought":true},{"functionCall":{"name":"f","args":{}},"thoughtSignature":"s2"}]},{"role":"user","parts":[{"functionResponse":{"name":"f","response":{"output":"x"}}}]}]}`,
		},
	} {
		request := wiretest.Decode(t, dialects.Codec(dialect), tc.body)
		meter := token.NewMeter(&token.MeterOptions{Counter: letters{}})
		load := meter.Weigh(request.Conversation()).Total
		plan := fitted(t, fit.Options{Meter: meter, Window: load - 1, Rungs: []fit.Rung{&rung.Reasoning{}}}, request.Conversation())
		if err := dialects.Verify(request, plan.Body); err != nil {
			t.Errorf("%s: %v", dialect, err)
		}
		got, err := request.Encode(plan.Draft)
		if err != nil {
			t.Errorf("%s: %v", dialect, err)
		}
		if diff := cmp.Diff(tc.want, string(got)); diff != "" {
			t.Errorf("%s: -want +got\n%s", dialect, diff)
		}
	}
}
