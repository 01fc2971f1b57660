package preset_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/fit"
	"github.com/plimsoll/plimsoll/internal/wiretest"
	"github.com/plimsoll/plimsoll/preset"
	"github.com/plimsoll/plimsoll/wire/dialects"
)

// TestWhatIsPinnedInAnOldTurnStaysInEveryDialect pins one message after the other
// and lets all other turns go. Some APIs want the user to speak first.
func TestWhatIsPinnedInAnOldTurnStaysInEveryDialect(t *testing.T) {
	t.Parallel()
	for _, d := range dialects.All() {
		t.Run(string(d), func(t *testing.T) {
			t.Parallel()
			body, err := wiretest.Rewrite(dialects.Codec(d), workday())
			if err != nil {
				t.Fatal(err)
			}
			request := wiretest.Decode(t, dialects.Codec(d), string(body))
			for i := range request.Conversation().Messages.Len() {
				k := keeper(t, preset.NameAuto, &preset.Options{Model: "gpt-4o", Window: 600, Reserve: new(0), Pins: []fit.Pin{{Index: &i}}})
				plan, err := k.Fit(t.Context(), preset.Task(request, preset.Client{}))
				if err != nil {
					t.Errorf("message %d: %v", i, err)
					continue
				}
				if _, stands := plan.Draft.Message(i); !stands {
					t.Errorf("message %d is gone", i)
				}
			}
		})
	}
}

func TestAResultThatTheProviderWaitsForIsCutButStays(t *testing.T) {
	t.Parallel()
	body := `{"model":"gpt-4o","previous_response_id":"r","input":[{"type":"function_call_output","call_id":"c","output":"` +
		strings.Repeat("word ", 300) + `"},{"role":"user","content":"And now?"}]}`
	request := wiretest.Decode(t, dialects.Codec(plimsoll.Responses), body)
	plan, err := keeper(t, preset.NameAuto, &preset.Options{Window: 200, Reserve: new(0)}).Fit(t.Context(), preset.Task(request, preset.Client{}))
	if err != nil {
		t.Fatal(err)
	}
	result, stands := plan.Draft.Part(plimsoll.PartRef{})
	if !stands || !strings.Contains(plimsoll.TextOf(result.(plimsoll.ToolResult).Content), "word word") {
		t.Errorf("the result is %v", result)
	}
	if plan.After.Exceeds(plan.Line) {
		t.Errorf("%d tokens are left of %d", plan.After.Total, plan.Line.Limit())
	}
}

// workday is six turns, each with a tool round and an answer of 100 tokens.
func workday() plimsoll.Conversation {
	var messages []plimsoll.Message
	for i := range 6 {
		id := fmt.Sprintf("call_%d", i)
		messages = append(messages,
			plimsoll.Say(plimsoll.User, "Question"),
			plimsoll.NewMessage(plimsoll.Assistant, plimsoll.ToolCall{ID: id, Name: "depth", Arguments: "{}"}),
			plimsoll.NewMessage(plimsoll.ToolRole, plimsoll.ToolResult{CallID: id, Name: "depth", Content: plimsoll.ListOf[plimsoll.Part](plimsoll.Text{Text: "9 m"})}),
			plimsoll.Say(plimsoll.Assistant, "Answer"+strings.Repeat(" because", 100)))
	}
	messages = append(messages, plimsoll.Say(plimsoll.User, "And now?"))
	return plimsoll.Conversation{Messages: plimsoll.ListOf(messages...)}
}
