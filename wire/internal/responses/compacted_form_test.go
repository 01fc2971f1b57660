package responses_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/wire"
	"github.com/plimsoll/plimsoll/wire/internal/responses"
)

// compacted drops the messages from 1 to 3 for a checkpoint.
func compacted(t *testing.T, body string) (*plimsoll.Draft, string) {
	t.Helper()
	r := decode(t, body)
	d := plimsoll.NewDraft(r.Conversation(), nil)
	if err := d.Drop(plimsoll.Span{Start: 1, End: 4}, plimsoll.Why{}); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Insert(4, plimsoll.Say(plimsoll.User, "a \"checkpoint\""), plimsoll.Why{}); err != nil {
		t.Fatal(err)
	}
	usage := plimsoll.Usage{Input: 90, CacheRead: 10, Output: 7, Reasoning: 2}
	out, err := responses.Compacted(r, d, "resp_1", time.Unix(1234, 5), usage)
	if err != nil {
		t.Fatal(err)
	}
	return d, string(out)
}

const longConversation = `{"model":"m","instructions":"be brief","input":[` +
	`{"role":"developer","content":"rules"},` +
	`{"type":"message","role":"user","content":[{"type":"input_text","text":"old"}]},` +
	`{"type":"function_call","call_id":"a","name":"f","arguments":"{}"},` +
	`{"type":"function_call_output","call_id":"a","output":"old"},` +
	`{"role":"user","content":"new \u00e9"},` +
	`{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"sealed"},` +
	`{"type":"function_call","id":"fc_1","call_id":"b","name":"f","arguments":"{ }"},` +
	`{"type":"function_call_output","call_id":"b","output":"new"},` +
	`{"role":"assistant","content":"done","phase":"final"}]}`

func TestACompactionIsAnsweredAsTheAPIDoes(t *testing.T) {
	t.Parallel()
	_, got := compacted(t, longConversation)
	want := `{"id":"resp_1","object":"response.compaction","created_at":1234,"output":[` +
		`{"type":"message","role":"developer","content":[{"type":"input_text","text":"rules"}]},` +
		`{"type":"message","role":"user","content":[{"type":"input_text","text":"a \"checkpoint\""}]},` +
		`{"type":"message","role":"user","content":[{"type":"input_text","text":"new \u00e9"}]},` +
		`{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"sealed"},` +
		`{"type":"function_call","id":"fc_1","call_id":"b","name":"f","arguments":"{ }"},` +
		`{"type":"function_call_output","call_id":"b","output":"new"},` +
		`{"type":"message","role":"assistant","content":[{"type":"output_text","text":"done"}],"phase":"final"}],` +
		`"usage":{"input_tokens":100,"input_tokens_details":{"cached_tokens":10},` +
		`"output_tokens":7,"output_tokens_details":{"reasoning_tokens":2},"total_tokens":107}}`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("compaction (-want +got):\n%s", diff)
	}
}

func TestWhatWasCompactedIsTakenBackAsInput(t *testing.T) {
	t.Parallel()
	d, out := compacted(t, longConversation)
	var answer struct{ Output []json.RawMessage }
	if err := json.Unmarshal([]byte(out), &answer); err != nil {
		t.Fatal(err)
	}
	items, err := responses.OutputItems([]byte(out))
	if err != nil || len(items) != len(answer.Output) {
		t.Fatalf("%d items, want %d: %v", len(items), len(answer.Output), err)
	}
	list := make([]string, len(items))
	for i, item := range items {
		list[i] = string(item)
	}
	next := decode(t, `{"model":"m","instructions":"be brief","input":[`+strings.Join(list, ",")+`,{"role":"user","content":"go on"}]}`)
	if found := wire.Check(next); len(found) > 0 {
		t.Errorf("the next request is refused: %v", found)
	}
	want := append(said(d.Result()), "user {Text:go on}")
	if diff := cmp.Diff(want, said(next.Conversation())); diff != "" {
		t.Errorf("the conversation goes on with (-want +got):\n%s", diff)
	}
}

// said returns what a conversation says, part by part.
func said(c plimsoll.Conversation) (all []string) {
	for _, m := range c.Messages.All() {
		for _, p := range m.Parts.All() {
			if r, ok := p.(plimsoll.ToolResult); ok {
				p = plimsoll.Text{Text: "result " + r.CallID + " " + plimsoll.TextOf(r.Content)}
			}
			all = append(all, fmt.Sprintf("%s %+v", m.Role, p))
		}
	}
	return all
}

func TestABareInputIsCompacted(t *testing.T) {
	t.Parallel()
	r := decode(t, `{"input":"hello"}`)
	out, err := responses.Compacted(r, plimsoll.NewDraft(r.Conversation(), nil), "r", time.Unix(0, 0), plimsoll.Usage{})
	if want := `"output":[{"type":"message","role":"user","content":[{"type":"input_text","text":"hello"}]}]`; err != nil || !strings.Contains(string(out), want) {
		t.Errorf("%s, %v, want %s", out, err, want)
	}
}

func TestHalfAConversationIsNotCompacted(t *testing.T) {
	t.Parallel()
	r := decode(t, `{"previous_response_id":"resp_0","input":"hello"}`)
	_, err := responses.Compacted(r, plimsoll.NewDraft(r.Conversation(), nil), "r", time.Unix(0, 0), plimsoll.Usage{})
	if !errors.Is(err, plimsoll.ErrUnsupported) {
		t.Errorf("%v", err)
	}
}
