package dialects_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/corpora"
	"github.com/plimsoll/plimsoll/wire"
	"github.com/plimsoll/plimsoll/wire/dialects"
)

// empty is the smallest request of each dialect.
var empty = map[plimsoll.Dialect]string{
	plimsoll.OpenAI:    `{"messages":[]}`,
	plimsoll.Responses: `{"input":[]}`,
	plimsoll.Anthropic: `{"messages":[]}`,
	plimsoll.Gemini:    `{"contents":[]}`,
}

// TestRecordedSessionsSurviveEveryDialect writes real sessions in each dialect and
// reads them back: the same calls meet the same results, the same words are said,
// and what is not edited keeps its bytes.
func TestRecordedSessionsSurviveEveryDialect(t *testing.T) {
	t.Parallel()
	records := append(corpora.Read(t, "tau-bench/airline_gpt-4o.jsonl.gz"), corpora.Read(t, "entire-claude-code/sessions.jsonl.gz")...)
	for _, d := range dialects.All() {
		t.Run(string(d), func(t *testing.T) {
			t.Parallel()
			pairs := 0
			for _, r := range records {
				body := rewrite(t, d, r.Conversation)
				back := decode(t, d, body)
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

// rewrite puts a conversation into an empty request by a draft.
func rewrite(t *testing.T, d plimsoll.Dialect, c plimsoll.Conversation) []byte {
	t.Helper()
	r := decode(t, d, []byte(empty[d]))
	draft := plimsoll.NewDraft(r.Conversation(), nil)
	names := callNames(c)
	for _, m := range c.Messages.All() {
		if m.Role == plimsoll.System && d != plimsoll.OpenAI && d != plimsoll.Responses {
			draft.AddSystem(plimsoll.Text{Text: m.Text()}, plimsoll.Why{})
			continue
		}
		if _, err := draft.Insert(0, named(m, names), plimsoll.Why{}); err != nil {
			t.Fatal(err)
		}
	}
	body, err := r.Encode(draft)
	if err != nil {
		t.Fatal(err)
	}
	return body
}

func callNames(c plimsoll.Conversation) map[string]string {
	names := map[string]string{}
	for _, m := range c.Messages.All() {
		for _, p := range m.Parts.All() {
			if call, ok := p.(plimsoll.ToolCall); ok {
				names[call.ID] = call.Name
			}
		}
	}
	return names
}

// named gives results the names of their tools, which Gemini wants, and leaves
// unsigned reasoning out, which no API takes back.
func named(m plimsoll.Message, names map[string]string) plimsoll.Message {
	var parts []plimsoll.Part
	for _, p := range m.Parts.All() {
		switch p := p.(type) {
		case plimsoll.ToolResult:
			p.Name = names[p.CallID]
			parts = append(parts, p)
		case plimsoll.Reasoning:
		default:
			parts = append(parts, p)
		}
	}
	return plimsoll.NewMessage(m.Role, parts...)
}

func decode(t *testing.T, d plimsoll.Dialect, body []byte) *wire.Request {
	t.Helper()
	r, err := dialects.Codec(d).Decode(body)
	if err != nil {
		t.Fatal(err)
	}
	return r
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
