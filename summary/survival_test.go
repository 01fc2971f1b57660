package summary

import (
	"path/filepath"
	"testing"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/bpe"
	"github.com/plimsoll/plimsoll/internal/corpora"
	"github.com/plimsoll/plimsoll/internal/survival"
)

// A ledger of 2,500 tokens with a summary of 1,500 must keep nine of ten identifiers
// that the agent needs next.
func TestNamesSurviveTheRecordedCompactions(t *testing.T) {
	t.Parallel()
	file := filepath.Join(corpora.Dir(t), "corpora", "entire-claude-code", "sessions.jsonl.gz")
	for _, reading := range []struct {
		name string
		survival.Reading
	}{
		{"with arguments as written", survival.AsWritten},
		{"with decoded arguments", survival.Decoded},
	} {
		t.Run(reading.name, func(t *testing.T) {
			t.Parallel()
			events, err := survival.Events(file, reading.Reading)
			if err != nil {
				t.Fatal(err)
			}
			need, kept := 0, 0
			for _, e := range events {
				old := plimsoll.Span{End: e.Before.Messages.Len()}
				ledger := newLedger(e.Before, old, LedgerOptions{Count: count})
				s := extracted(t, &Request{
					Conversation: e.Before, Old: old, Budget: 1500, Count: count, Required: needs(e.Before, old),
				})
				if n := count(ledger.text()) + count(s.Text); n > 4000 {
					t.Errorf("%d tokens", n)
				}
				exact, _ := e.Kept(ledger.text() + "\n" + s.Text)
				need, kept = need+len(e.Needed), kept+exact
			}
			share := float64(kept) / float64(need)
			t.Logf("%d of %d, %.1f %%", kept, need, 100*share)
			if share < 0.9 {
				t.Errorf("%.1f %% of %d needed identifiers survive, want at least 90 %%", 100*share, need)
			}
		})
	}
}

// At the cuts of agents' sessions a ledger of 2,500 tokens must name 82 % of the needed
// identifiers that the tail does not show.
func TestTheLedgerNamesWhatComesNextAtTheCutsOfSessions(t *testing.T) {
	t.Parallel()
	shared := filepath.Join(corpora.Dir(t), "corpora")
	for _, reading := range []struct {
		name string
		survival.Reading
	}{
		{"with arguments as written", survival.AsWritten},
		{"with decoded arguments", survival.Decoded},
	} {
		t.Run(reading.name, func(t *testing.T) {
			t.Parallel()
			need, kept := 0, 0
			for _, file := range []string{"entire-claude-code/sessions.jsonl.gz", "pi-sessions/before-compaction.jsonl.gz"} {
				events, err := survival.Cuts(filepath.Join(shared, file), reading.Reading)
				if err != nil {
					t.Fatal(err)
				}
				for _, e := range events {
					text := WriteLedger(e.Before, e.Old, LedgerOptions{Count: bpe.O200K().Count})
					exact, _ := e.Kept(text)
					need, kept = need+len(e.Needed), kept+exact
				}
			}
			share := float64(kept) / float64(need)
			t.Logf("%d of %d, %.1f %%", kept, need, 100*share)
			if share < 0.82 {
				t.Errorf("%.1f %% of %d needed identifiers are named, want at least 82 %%", 100*share, need)
			}
		})
	}
}
