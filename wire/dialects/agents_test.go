package dialects_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/wire/dialects"
)

// The bound on what an index may hold is for bodies that were made to hurt: agents
// that ran for days must pass.
func TestLongAgentsAreNotRefused(t *testing.T) {
	t.Parallel()
	for dialect, form := range map[plimsoll.Dialect]struct{ body, round string }{
		plimsoll.OpenAI: {
			`{"messages":[%s{"role":"user","content":"go on"}]}`,
			`{"role":"assistant","content":[{"type":"text","text":"I read on"}],"refusal":null,"reasoning_content":"hm","tool_calls":[{"id":"call_%[1]d","type":"function","function":{"name":"read","arguments":"{}"}}]},
			 {"role":"tool","tool_call_id":"call_%[1]d","content":[{"type":"text","text":"%[2]s"}]},`,
		},
		plimsoll.Ollama: {
			`{"messages":[%s{"role":"user","content":"go on"}]}`,
			`{"role":"assistant","content":"I read on","thinking":"hm","tool_calls":[{"function":{"name":"read","arguments":{}}}]},
			 {"role":"tool","tool_name":"read%[1]d","content":"%[2]s"},`,
		},
		plimsoll.Anthropic: {
			`{"messages":[%s{"role":"user","content":"go on"}]}`,
			`{"role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":"s"},{"type":"text","text":"I read on"},{"type":"tool_use","id":"call_%[1]d","name":"read","input":{}}]},
			 {"role":"user","content":[{"type":"tool_result","tool_use_id":"call_%[1]d","content":[{"type":"text","text":"%[2]s"}]}]},`,
		},
		plimsoll.Responses: {
			`{"input":[%s{"role":"user","content":"go on"}]}`,
			`{"type":"reasoning","id":"rs_%[1]d","summary":[],"encrypted_content":"x"},{"type":"function_call","call_id":"call_%[1]d","name":"read","arguments":"{}"},
			 {"type":"function_call_output","call_id":"call_%[1]d","output":"%[2]s"},`,
		},
		plimsoll.Converse: {
			`{"messages":[%s{"role":"user","content":[{"text":"go on"}]}]}`,
			`{"role":"assistant","content":[{"text":"I read on"},{"toolUse":{"toolUseId":"call_%[1]d","name":"read","input":{}}}]},
			 {"role":"user","content":[{"toolResult":{"toolUseId":"call_%[1]d","content":[{"text":"%[2]s"}]}}]},`,
		},
		plimsoll.Gemini: {
			`{"contents":[%s{"role":"user","parts":[{"text":"go on"}]}]}`,
			`{"role":"model","parts":[{"text":"I read on"},{"functionCall":{"id":"call_%[1]d","name":"read","args":{}},"thoughtSignature":"s"}]},
			 {"role":"user","parts":[{"functionResponse":{"id":"call_%[1]d","name":"read","response":{"output":"%[2]s"}}}]},`,
		},
	} {
		for _, size := range []struct{ rounds, result int }{{5_000, 2_200}, {10_000, 30}} {
			var rounds strings.Builder
			for i := range size.rounds {
				fmt.Fprintf(&rounds, form.round, i, strings.Repeat("x", size.result))
			}
			body := fmt.Sprintf(form.body, rounds.String())
			r, err := dialects.Codec(dialect).Decode([]byte(body))
			if err != nil {
				t.Errorf("%s: %d rounds in %d bytes: %v", dialect, size.rounds, len(body), err)
				continue
			}
			if n := r.Conversation().Messages.Len(); n < 2*size.rounds {
				t.Errorf("%s: %d messages of %d rounds", dialect, n, size.rounds)
			}
		}
	}
}

func TestChatsOfManyShortMessagesAreNotRefused(t *testing.T) {
	t.Parallel()
	for dialect, form := range map[plimsoll.Dialect]string{
		plimsoll.OpenAI:    `{"messages":[%s{"role":"user","content":"ok"}]}`,
		plimsoll.Anthropic: `{"messages":[%s{"role":"user","content":"ok"}]}`,
		plimsoll.Ollama:    `{"messages":[%s{"role":"user","content":"ok"}]}`,
		plimsoll.Responses: `{"input":[%s{"role":"user","content":"ok"}]}`,
		plimsoll.Gemini:    `{"contents":[%s{"role":"user","parts":[{"text":"ok"}]}]}`,
	} {
		message := `{"role":"user","content":"ok"},{"role":"assistant","content":"ok"},`
		if dialect == plimsoll.Gemini {
			message = `{"role":"user","parts":[{"text":"ok"}]},{"role":"model","parts":[{"text":"ok"}]},`
		}
		body := fmt.Sprintf(form, strings.Repeat(message, 10_000))
		if _, err := dialects.Codec(dialect).Decode([]byte(body)); err != nil {
			t.Errorf("%s: %v", dialect, err)
		}
	}
}
