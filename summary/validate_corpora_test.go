package summary

import (
	"testing"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/bpe"
	"github.com/plimsoll/plimsoll/internal/corpora"
)

// The summaries that a model really wrote in long sessions must pass, and keep
// nearly all of their text: what is moved into fences are single lines of tools.
func TestRecordedSummariesPass(t *testing.T) {
	t.Parallel()
	encoding, err := bpe.Get("o200k_base")
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, record := range corpora.Spread(t, "entire-claude-code/sessions.jsonl.gz", 48) {
		messages := record.Conversation.Messages.Slice()
		begin := 0
		for i, note := range record.Notes {
			if !note.Summary {
				continue
			}
			found++
			r := &Request{
				Conversation: plimsoll.Conversation{Messages: plimsoll.ListOf(messages[:i]...)},
				Old:          plimsoll.Span{Start: begin, End: i},
				Format:       Retained, Budget: 8000, Count: encoding.Count,
			}
			begin = i
			s := Summary{Text: messages[i].Text()}
			if err := validate(r, s); err != nil {
				t.Errorf("%s, message %d: %v", record.ID, i, err)
				continue
			}
			got, err := repair(r, s)
			if err != nil {
				t.Errorf("%s, message %d: %v", record.ID, i, err)
				continue
			}
			if kept := len(body{text: got.Text}.split().text); kept < len(s.Text)*9/10 {
				t.Errorf("%s, message %d: %d of %d bytes stand free: %q", record.ID, i, kept, len(s.Text), got.Notes)
			}
		}
	}
	t.Logf("%d summaries", found)
	if found == 0 {
		t.Error("no recorded summaries")
	}
}
