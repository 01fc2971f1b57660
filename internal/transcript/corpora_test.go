package transcript_test

import (
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/plimsoll/plimsoll/internal/corpora"
	"github.com/plimsoll/plimsoll/internal/transcript"
)

func TestRecordedSessionsOfEveryKindAreRead(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join(corpora.Dir(t), "corpora", "*", "*.jsonl.gz"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no corpora: %v", err)
	}
	for _, file := range files {
		if filepath.Base(file) == "policies.jsonl.gz" {
			continue // system prompts, no conversations
		}
		f, err := os.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		z, err := gzip.NewReader(f)
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(z)
		if err != nil {
			t.Fatal(err)
		}
		got, err := transcript.Parse(data, transcript.Auto)
		if err != nil || got.Format != transcript.JSONL {
			t.Errorf("%s: format %s, %v", filepath.Base(file), got.Format, err)
			continue
		}
		messages, pairs := 0, 0
		for _, c := range got.Conversations {
			messages += c.Messages.Len()
			pairs += len(c.Outline().Pairs)
		}
		t.Logf("%s: %d conversations, %d messages, %d tool calls with results", filepath.Base(filepath.Dir(file)), len(got.Conversations), messages, pairs)
		if messages < 100 {
			t.Errorf("%s: only %d messages", file, messages)
		}
	}
}
