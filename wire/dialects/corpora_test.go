package dialects_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/corpora"
	"github.com/plimsoll/plimsoll/internal/wiretest"
	"github.com/plimsoll/plimsoll/wire"
	"github.com/plimsoll/plimsoll/wire/dialects"
)

// TestRecordedSessionsSurviveEveryDialect writes real sessions in each dialect and
// reads them back: the same calls meet the same results, the same words are said,
// and what is not edited keeps its bytes.
func TestRecordedSessionsSurviveEveryDialect(t *testing.T) {
	t.Parallel()
	records := append(corpora.Read(t, "tau-bench/airline_gpt-4o.jsonl.gz"), corpora.Read(t, "entire-claude-code/sessions.jsonl.gz")...)
	for _, d := range dialects.All() {
		t.Run(string(d), func(t *testing.T) {
			t.Parallel()
			codec, pairs := dialects.Codec(d), 0
			for _, r := range records {
				body, err := wiretest.Rewrite(codec, r.Conversation)
				if err != nil {
					t.Fatalf("%s: %v", r.ID, err)
				}
				back := wiretest.Decode(t, codec, string(body))
				checkUnedited(t, r.ID, back)
				was, is := r.Conversation.Outline(), back.Conversation().Outline()
				if len(was.Pairs) != len(is.Pairs) || len(is.Orphans) > len(was.Orphans) {
					t.Fatalf("%s: %d calls met their results, now %d; %d orphans", r.ID, len(was.Pairs), len(is.Pairs), len(is.Orphans))
				}
				if want, got := words(r.Conversation), words(back.Conversation()); want != got {
					t.Fatalf("%s: other words are said (%d bytes, now %d)", r.ID, len(want), len(got))
				}
				pairs += len(is.Pairs)
			}
			t.Logf("%d sessions, %d calls with their results", len(records), pairs)
		})
	}
}

func checkUnedited(t *testing.T, id string, r *wire.Request) {
	t.Helper()
	out, err := r.Encode(plimsoll.NewDraft(r.Conversation(), nil))
	if err != nil || !bytes.Equal(out, r.Body()) {
		t.Fatalf("%s: an unedited request changed: %v", id, err)
	}
}

// words joins everything that is said, without the white space that joining
// parts may add.
func words(c plimsoll.Conversation) string {
	var b strings.Builder
	add := func(parts plimsoll.List[plimsoll.Part]) {
		for _, p := range parts.All() {
			switch p := p.(type) {
			case plimsoll.Text:
				b.WriteString(p.Text)
			case plimsoll.ToolResult:
				b.WriteString(plimsoll.TextOf(p.Content))
			}
		}
	}
	add(c.System)
	for _, m := range c.Messages.All() {
		add(m.Parts)
	}
	return strings.Join(strings.Fields(b.String()), "")
}
