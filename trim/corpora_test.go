package trim_test

import (
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/plimsoll/plimsoll/internal/corpora"
	"github.com/plimsoll/plimsoll/trim"
)

// TestPairsStayTogetherInRecordedSessions trims sessions of agents to half of
// their weight. Without pairs some results lose their calls, so that the sessions
// are a test at all; with pairs none does.
func TestPairsStayTogetherInRecordedSessions(t *testing.T) {
	t.Parallel()
	f, err := os.Open(filepath.Join(corpora.Dir(t), "corpora", "tau-bench", "airline_gpt-4o.jsonl.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	loose, sessions := 0, 0
	for d := json.NewDecoder(lines); sessions < 60; sessions++ {
		var session struct{ Messages []json.RawMessage }
		if err := d.Decode(&session); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		o := &trim.Options{Counter: counterFor(t, "")}
		o.MaxTokens = messages(t, session.Messages, o).Statistics.InputTokens / 2
		loose += orphans(t, messages(t, session.Messages, o).Messages)
		o.Pairs = true
		got := messages(t, session.Messages, o)
		if n := orphans(t, got.Messages); n > 0 {
			t.Errorf("session %d: %d results without their calls", sessions, n)
		}
		if got.Statistics.OutputTokens > o.MaxTokens && len(got.Kept) > 3 {
			t.Errorf("session %d: %d tokens of %d", sessions, got.Statistics.OutputTokens, o.MaxTokens)
		}
	}
	if loose == 0 || sessions == 0 {
		t.Errorf("%d sessions, %d separated pairs without --pairs", sessions, loose)
	}
}

// orphans counts results whose call does not stand before them.
func orphans(t *testing.T, list []json.RawMessage) int {
	t.Helper()
	called, n := map[string]bool{}, 0
	for _, raw := range list {
		var m struct {
			ToolCallID string                `json:"tool_call_id"`
			ToolCalls  []struct{ ID string } `json:"tool_calls"`
		}
		if err := json.Unmarshal(raw, &m); err != nil {
			t.Fatal(err)
		}
		for _, c := range m.ToolCalls {
			called[c.ID] = true
		}
		if m.ToolCallID != "" && !called[m.ToolCallID] {
			n++
		}
	}
	return n
}
