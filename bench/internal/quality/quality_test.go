package quality

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// writeChat writes a chat of 200 turns, with questions about the third and the last.
func writeChat(t *testing.T, dir, name string) {
	t.Helper()
	var turns []string
	for i := range 200 {
		turns = append(turns, fmt.Sprintf(`{"speaker": "%s", "dia_id": "D1:%d", "text": "The tide was calm. Buoy %d lies near rock %d."}`, []string{"Ann", "Bo"}[i%2], i, i, 1000+i))
	}
	text := `{"speaker_a": "Ann", "session_1_date_time": "8 May, 2023", "session_1": [` + strings.Join(turns, ",") + `], "qa": [
		{"question": "Where is buoy 3?", "answer": "near rock 1003", "evidence": ["D1:3"], "category": 4},
		{"question": "Where is buoy 199?", "answer": "near rock 1199", "evidence": ["D1:199"], "category": 4}]}`
	if err := os.WriteFile(filepath.Join(dir, name+".json"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestChatsAreAddedUpForTuningAndForChecking(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, name := range []string{"26", "44", "50"} {
		writeChat(t, dir, name)
	}
	r, err := Measure(Options{LoCoMo: dir, Shared: t.TempDir(), Every: 2, Log: io.Discard})
	if err != nil || r.Japanese != nil {
		t.Fatalf("%v, Japanese without the corpora: %v", err, r.Japanese)
	}
	if rows := 2 + len(Windows)*(len(Ways())+len(methods)); len(r.Tuning) != rows || len(r.Checking) != rows {
		t.Fatalf("%d and %d rows, want %d", len(r.Tuning), len(r.Checking), rows)
	}
	find := func(rows []Row, window, way string, asked bool) Row {
		for _, row := range rows {
			if row.Window == window && row.Way == way && row.Asked == asked {
				return row
			}
		}
		t.Fatalf("no row %s, %s", window, way)
		return Row{}
	}
	if got, want := find(r.Tuning, "", "whole chat", false).Score, (Score{2, 2, 2, 2, 2, 2}); got != want {
		t.Errorf("the whole chat: %+v, want %+v", got, want)
	}
	if got := find(r.Checking, "", "whole chat without the evidence", false).Score; got.Questions != 4 || got.Local != 0 {
		t.Errorf("without the evidence: %+v", got)
	}
	newest := find(r.Checking, "quarter", newestOnly, false)
	if newest.Questions != 4 || newest.Local != 2 || newest.Used < 0.9 || newest.Used > 1 {
		t.Errorf("the newest quarter of two chats: %+v", newest)
	}
	if asked := find(r.Checking, "half", "auto", true); asked.Questions != 2 || asked.Used <= 0 || asked.Used > 1 {
		t.Errorf("every second question of two chats is asked: %+v", asked)
	}
}
