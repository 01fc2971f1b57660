package responses_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/wire"
	"github.com/plimsoll/plimsoll/wire/internal/responses"
)

func TestCheckFindsWhatTheAPIRefuses(t *testing.T) {
	t.Parallel()
	of := func(model, body string) string { return strings.TrimSuffix(body, "}") + `,"model":"` + model + `"}` }
	search := `{"type":"web_search_call","id":"ws_1","status":"completed","action":{}}`
	for _, tt := range []struct {
		name, body string
		want       []string
	}{
		{"a whole round", request(ask, think, say, call, answer), nil},
		{"reasoning twice in a row", request(ask, think, `{"type":"reasoning","id":"rs_2","summary":[]}`, call, answer), nil},
		{"reasoning before a search", request(ask, think, search), nil},
		{"a message between a call and its output", request(ask, call, ask, answer), nil},
		{"a question for approval that was passed over", request(ask, `{"type":"mcp_approval_request","id":"r1","name":"q","arguments":"{}"}`, ask), nil},
		{"a trigger for compaction at the end", request(ask, say, `{"type":"compaction_trigger"}`), nil},
		{"an output that answers a search for tools", request(ask, `{"type":"tool_search_call","call_id":"c","execution":"client","arguments":{}}`, answer), nil},
		{"a search for tools on the server", request(ask, `{"type":"tool_search_call","call_id":null,"execution":"server","arguments":{}}`, say), nil},
		{"an id twice on a server that keeps nothing", `{"store":false,` + request(ask, say, ask, say)[1:], nil},
		{"an id twice for Grok", of("grok-4.3", request(ask, think, think, say)), nil},
		{"reasoning before the user, for o3-mini", of("o3-mini", request(think, ask)), nil},
		{"reasoning without an id before a message without one", request(ask, `{"type":"reasoning","summary":[]}`, `{"role":"assistant","content":"x"}`), nil},
		{"reasoning with an id before a message without one", request(ask, think, `{"role":"assistant","content":"x"}`), []string{responses.RuleFollower}},
		{"the same on a server that keeps nothing", `{"store":false,` + request(ask, think, `{"role":"assistant","content":"x"}`)[1:], nil},
		{"the same for DeepSeek", of("deepseek-v4-flash", request(ask, think, `{"role":"assistant","content":"x"}`)), nil},
		{"a message between a call and its output for DeepSeek", of("deepseek-v4-flash", request(ask, call, say, answer)), []string{wire.RuleOrder}},
		{"a whole round for DeepSeek", of("deepseek-v4-flash", request(ask, say, call, answer)), nil},
		{"no input", `{"input":[]}`, []string{wire.RuleEmpty}},
		{"an empty input", `{"input":""}`, []string{wire.RuleEmpty}},
		{"a message without content", request(`{"role":"user"}`), []string{wire.RuleEmpty}},
		{"a message with null", request(`{"role":"user","content":null}`), []string{wire.RuleEmpty}},
		{"a message with no parts", request(`{"role":"user","content":[]}`), []string{wire.RuleEmpty}},
		{"a part of a message as an item", request(`{"type":"text","text":"x"}`), []string{responses.RuleItem}},
		{"a picture as an item", request(ask, `{"type":"image","url":"https://a/b"}`), []string{responses.RuleItem}},
		{"an unknown role", request(`{"role":"critic","content":"x"}`), []string{wire.RuleRole}},
		{"the role of Chat Completions' results", request(`{"role":"tool","content":"x"}`), []string{wire.RuleRole}},
		{"an assistant that is heard", request(`{"role":"assistant","content":[{"type":"input_text","text":"x"}]}`), []string{wire.RuleRole}},
		{"a user that says", request(`{"role":"user","content":[{"type":"output_text","text":"x"}]}`), []string{wire.RuleRole}},
		{"an output without a call", request(ask, answer), []string{wire.RuleOrphanResult}},
		{"an output before its call", request(ask, answer, call), []string{wire.RuleOrphanResult, wire.RuleNoResult}},
		{"a call without an output at the end", request(ask, call), []string{wire.RuleNoResult}},
		{"a call without an output in the middle", request(ask, call, ask, say), []string{wire.RuleNoResult}},
		{"a shell call without an output", request(ask, `{"type":"shell_call","call_id":"s","action":{}}`), []string{wire.RuleNoResult}},
		{"reasoning at the end", request(ask, think), []string{responses.RuleFollower}},
		{"reasoning before the user", request(think, ask), []string{responses.RuleFollower}},
		{"reasoning before an output", request(ask, call, think, answer), []string{responses.RuleFollower}},
		{"an id twice", request(ask, say, ask, say), []string{responses.RuleDuplicate}},
		{"an item and a reference to it", request(ask, say, `{"type":"item_reference","id":"msg_1"}`), []string{responses.RuleDuplicate}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var got []string
			for _, v := range wire.Check(decode(t, tt.body)) {
				got = append(got, v.Rule)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
