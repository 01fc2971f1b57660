package rung_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/fit"
	"github.com/plimsoll/plimsoll/preset"
	"github.com/plimsoll/plimsoll/rung"
	"github.com/plimsoll/plimsoll/wire/dialects"
)

// TestALoopThatThinksIsCompactedAgainAndAgain sends what an agent sends to an API that
// wants a turn at work to begin with its thinking.
func TestALoopThatThinksIsCompactedAgainAndAgain(t *testing.T) {
	t.Parallel()
	for _, layout := range []rung.Layout{rung.Full, rung.RetainAndSummary} {
		archive := &shelf{}
		k := compactKeeper(t, fit.Options{Archive: archive, Window: 9000, Rungs: []fit.Rung{&rung.Compact{Layout: layout}}})
		codec := dialects.Codec(plimsoll.Anthropic)
		body := `{"model":"claude-sonnet-4-5","max_tokens":2000,"thinking":{"type":"enabled","budget_tokens":1024},"messages":[{"role":"user","content":"mend the crane"}` + thoughts(0, 30) + `]}`
		for life := range 3 {
			request, err := codec.Decode([]byte(body))
			if err != nil {
				t.Fatal(err)
			}
			task := preset.Task(request, preset.Client{})
			made, err := k.Compact(t.Context(), task, fit.CompactOptions{Force: true})
			if err != nil || made.Status != fit.Compressed {
				t.Fatalf("layout %d, life %d: %+v, %v", layout, life, made, err)
			}
			small, err := task.Encode(made.Plan.Draft)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(string(small), "mend the crane") {
				t.Errorf("layout %d, life %d: the question is gone", layout, life)
			}
			compacted, err := codec.Decode(small)
			if err != nil {
				t.Fatal(err)
			}
			back, err := preset.Undo(t.Context(), k, compacted, preset.Client{Archive: archive}, made.Checkpoint.Ref.ID)
			if err != nil || reads(back.Conversation()) != reads(request.Conversation()) {
				t.Errorf("layout %d, life %d: %v", layout, life, err)
			}
			body = strings.TrimSuffix(string(small), "]}") + thoughts(100*(life+1), 30) + "]}"
		}
	}
}

// thoughts writes rounds that begin with signed thinking.
func thoughts(from, n int) string {
	var b strings.Builder
	for i := from; i < from+n; i++ {
		fmt.Fprintf(&b, `,{"role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":"s%d"},{"type":"tool_use","id":"t%d","name":"Read","input":{"path":"crane/part_%d.go"}}]}`, i, i, i)
		fmt.Fprintf(&b, `,{"role":"user","content":[{"type":"tool_result","tool_use_id":"t%d","content":"%s"}]}`, i, strings.Repeat("steel ", 60))
	}
	return b.String()
}
