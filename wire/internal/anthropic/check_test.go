package anthropic_test

import (
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/internal/wiretest"
	"github.com/plimsoll/plimsoll/wire"
	"github.com/plimsoll/plimsoll/wire/internal/anthropic"
)

// Messages that tests put together.
const (
	user       = `{"role":"user","content":"hi"}`
	assistant  = `{"role":"assistant","content":"yo"}`
	systemTurn = `{"role":"system","content":"now be brief"}`
	call       = `{"role":"assistant","content":[{"type":"tool_use","id":"t1","name":"f","input":{}}]}`
	result     = `{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"r"}]}`
	thinking   = `{"type":"thinking","thinking":"","signature":"s"}`
	toolUse    = `{"type":"tool_use","id":"t1","name":"f","input":{}}`
)

func says(role string, blocks ...string) string {
	return `{"role":"` + role + `","content":[` + strings.Join(blocks, ",") + `]}`
}

func TestWhatTheAPIRefusesIsFound(t *testing.T) {
	t.Parallel()
	marked := func(n int, ttl string) string {
		return strings.Repeat(says("user", `{"type":"text","text":"a","cache_control":{"type":"ephemeral"`+ttl+`}}`)+",", n)
	}
	const search = `{"type":"server_tool_use","id":"s1","name":"web_search","input":{}}`
	const found = `{"type":"web_search_tool_result","tool_use_id":"s1","content":[]}`
	for _, tt := range []struct {
		name     string
		messages []string
		rule     string
	}{
		{"a question", []string{user}, ""},
		{"a round", []string{user, call, result}, ""},
		{"a text behind the results", []string{user, call, says("user", `{"type":"tool_result","tool_use_id":"t1"}`, `{"type":"text","text":"and?"}`)}, ""},
		{"results and a text in two messages of the user", []string{user, call, result, user}, ""},
		{"two of the user in a row", []string{user, user, assistant, assistant, user}, ""},
		{"an answer to go on with", []string{user, assistant}, ""},
		{"an empty answer to go on with", []string{user, says("assistant")}, ""},

		{"no messages", nil, wire.RuleEmpty},
		{"an assistant that comes first", []string{assistant, user}, ""},
		{"a role that does not exist", []string{user, `{"role":"tool","content":"x"}`}, wire.RuleRole},

		{"a result without a call", []string{user, result}, wire.RuleOrphanResult},
		{"a second result for a call", []string{user, call, result, result}, wire.RuleOrphanResult},
		{"a call that never got its result", []string{user, call, user, assistant, user}, wire.RuleNoResult},
		{"a call at the end", []string{user, call}, wire.RuleNoResult},
		{"a message of the assistant between call and result", []string{user, call, assistant, result}, wire.RuleOrder},
		{"a text behind a call", []string{user, says("assistant", toolUse, `{"type":"text","text":"x"}`), result}, wire.RuleOrder},
		{"a text before a call", []string{user, says("assistant", `{"type":"text","text":"x"}`, toolUse), result}, ""},
		{"a server tool behind a call", []string{user, says("assistant", toolUse, search), result}, ""},
		{"a turn between call and result", []string{user, call, user, assistant, result}, wire.RuleOrder},
		{"a system turn between call and result", []string{user, call, systemTurn, result}, wire.RuleOrder},
		{"a text before the results", []string{user, call, says("user", `{"type":"text","text":"and?"}`, `{"type":"tool_result","tool_use_id":"t1"}`)}, wire.RuleOrder},
		{"a message before the results", []string{user, call, user, result}, wire.RuleOrder},
		{"a call by the user", []string{says("user", toolUse), result}, wire.RuleRole},
		{"a result from the assistant", []string{user, call, says("assistant", `{"type":"tool_result","tool_use_id":"t1","content":"r"}`)}, wire.RuleRole},
		{"the same id in two messages", []string{user, call, result, call, result}, ""},
		{"the same id twice in a message", []string{user, says("assistant", toolUse, toolUse), result, result}, anthropic.RuleID},
		{"an id with a space", []string{user, strings.Replace(call, "t1", "t 1", 1), strings.Replace(result, "t1", "t 1", 1)}, anthropic.RuleID},
		{"input that is a string", []string{user, says("assistant", `{"type":"tool_use","id":"t1","name":"f","input":"{}"}`), result}, anthropic.RuleBlock},
		{"a block without a type", []string{says("user", `{"text":"hi"}`)}, anthropic.RuleBlock},

		{"a message without content", []string{`{"role":"user","content":[]}`}, wire.RuleEmpty},
		{"an empty string", []string{`{"role":"user","content":""}`}, wire.RuleEmpty},
		{"white space alone", []string{says("user", `{"type":"text","text":" \n\t\u2028\u00a0"}`)}, wire.RuleEmpty},
		{"white space beside other blocks of the assistant", []string{user, says("assistant", `{"type":"text","text":" "}`, toolUse), result}, ""},
		{"white space beside other blocks of the user", []string{says("user", `{"type":"text","text":" "}`, `{"type":"text","text":"a"}`)}, wire.RuleEmpty},
		{"an empty text beside other blocks of the assistant", []string{user, says("assistant", `{"type":"text","text":""}`, toolUse), result}, wire.RuleEmpty},
		{"white space before a word", []string{says("user", `{"type":"text","text":" \n\t\u2028\u00a0\u0041"}`)}, ""},
		{"an empty text in a result", []string{user, call, says("user", `{"type":"tool_result","tool_use_id":"t1","content":[{"type":"text","text":""}]}`)}, wire.RuleEmpty},
		{"an empty result", []string{user, call, says("user", `{"type":"tool_result","tool_use_id":"t1","content":""}`)}, ""},
		{"an error that says nothing", []string{user, call, says("user", `{"type":"tool_result","tool_use_id":"t1","content":"","is_error":true}`)}, wire.RuleEmpty},
		{"an error without content", []string{user, call, says("user", `{"type":"tool_result","tool_use_id":"t1","is_error":true}`)}, wire.RuleEmpty},
		{"an answer to go on with that ends in white space", []string{user, says("assistant", `{"type":"text","text":"yo "}`)}, wire.RuleEmpty},

		{"system turns behind user's messages", []string{user, systemTurn, call, result, systemTurn, assistant, user, systemTurn}, ""},
		{"two system turns in a row", []string{user, systemTurn, systemTurn, assistant, user}, ""},
		{"a system turn that only sets the effort", []string{user, `{"role":"system","output_config":{"effort":"low"}}`, assistant, user}, ""},
		{"a system turn at the start", []string{systemTurn, user}, wire.RuleOrder},
		{"a system turn behind the assistant", []string{user, assistant, systemTurn}, wire.RuleOrder},
		{"a system turn before a user's message", []string{user, systemTurn, user}, wire.RuleOrder},
		{"a system turn behind a server tool", []string{user, says("assistant", search, found), systemTurn}, ""},

		{"a server tool with its result", []string{user, says("assistant", search, found), user}, ""},
		{"a server tool that is paused", []string{user, says("assistant", search)}, ""},
		{"a server tool whose result comes in the next message", []string{user, says("assistant", search, toolUse), result, says("assistant", found, `{"type":"text","text":"so"}`), user}, ""},
		{"a server tool without its result", []string{user, says("assistant", search, `{"type":"text","text":"x"}`), user, assistant, user}, wire.RuleNoResult},
		{"a server tool's result alone", []string{user, says("assistant", found, `{"type":"text","text":"x"}`), user}, wire.RuleOrphanResult},
		{"a server tool's call by the user", []string{says("user", search, found)}, wire.RuleRole},

		{"thinking before an answer", []string{user, says("assistant", thinking, `{"type":"text","text":"x"}`), user}, ""},
		{"thinking alone", []string{user, says("assistant", thinking), user}, wire.RuleReasoning},
		{"thinking of the user", []string{says("user", thinking, `{"type":"text","text":"x"}`)}, wire.RuleRole},

		{"four marks", []string{marked(4, "") + user}, ""},
		{"five marks", []string{marked(5, "") + user}, anthropic.RuleMarks},
		{"an hour before five minutes", []string{marked(1, `,"ttl":"1h"`) + marked(1, `,"ttl":"5m"`) + user}, ""},
		{"five minutes before an hour", []string{marked(1, "") + marked(1, `,"ttl":"1h"`) + user}, anthropic.RuleMarks},
		{"a mark on thinking", []string{user, says("assistant", `{"type":"thinking","thinking":"","signature":"s","cache_control":{"type":"ephemeral"}}`, `{"type":"text","text":"x"}`), user}, anthropic.RuleMarks},
		{"a mark that is null", []string{marked(4, "") + says("user", `{"type":"text","text":"a","cache_control":null}`)}, ""},
		{"a fifth mark inside a result", []string{user, call, says("user", `{"type":"tool_result","tool_use_id":"t1","content":[{"type":"text","text":"a","cache_control":{"type":"ephemeral"}}]}`), marked(4, "") + user}, anthropic.RuleMarks},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			expectRule(t, `{"messages":[`+strings.Join(tt.messages, ",")+`]}`, tt.rule)
		})
	}
}

// expectRule asks that a rule is broken, or none.
func expectRule(t *testing.T, body, rule string) {
	t.Helper()
	wiretest.ExpectRule(t, wire.Check(decode(t, body)), rule)
}

func TestMarksBesideTheMessagesCount(t *testing.T) {
	t.Parallel()
	const mark = `"cache_control":{"type":"ephemeral"}`
	const hour = `"cache_control":{"type":"ephemeral","ttl":"1h"}`
	const two = `{"role":"user","content":[{"type":"text","text":"a",` + mark + `},{"type":"text","text":"b",` + mark + `}]}`
	for _, tt := range []struct{ name, body, rule string }{
		{"one on a tool, one on the system prompt and two", `{"messages":[` + two + `],"system":[{"type":"text","text":"s",` + mark + `}],"tools":[{"name":"f",` + mark + `}]}`, ""},
		{"two on tools and three", `{"tools":[{"name":"f",` + mark + `},{"name":"g",` + mark + `}],"system":[{"type":"text","text":"s",` + mark + `}],"messages":[` + two + `]}`, anthropic.RuleMarks},
		{"the automatic one is one of four", `{` + mark + `,"tools":[{"name":"f",` + mark + `}],"system":[{"type":"text","text":"s",` + mark + `}],"messages":[` + two + `]}`, anthropic.RuleMarks},
		{"tools come before the system prompt wherever they stand", `{"system":[{"type":"text","text":"s",` + mark + `}],"messages":[` + user + `],"tools":[{"name":"f",` + hour + `}]}`, ""},
		{"a system prompt of an hour behind tools of five minutes", `{"system":[{"type":"text","text":"s",` + hour + `}],"messages":[` + user + `],"tools":[{"name":"f",` + mark + `}]}`, anthropic.RuleMarks},
		{"a member that is there twice counts once", `{"messages":[` + two + `],"messages":[` + two + `],"system":[{"type":"text","text":"s",` + mark + `}]}`, ""},
		{"a content that is there twice counts once", `{"messages":[{"content":[{"type":"text","text":"a",` + mark + `}],` + two[1:] + `],"system":[{"type":"text","text":"s",` + mark + `},{"type":"text","text":"s",` + mark + `}]}`, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			expectRule(t, tt.body, tt.rule)
		})
	}
}

func TestATurnAtWorkMustKeepItsThinking(t *testing.T) {
	t.Parallel()
	thought := says("assistant", thinking, toolUse)
	second := strings.ReplaceAll(call+","+result, "t1", "t2")
	for _, tt := range []struct{ name, kind, messages, rule string }{
		{"thinking stands before the call", "enabled", user + "," + thought + "," + result, ""},
		{"thinking is gone", "enabled", user + "," + call + "," + result, wire.RuleReasoning},
		{"thinking stands before the first call of the turn", "enabled", user + "," + thought + "," + result + "," + second, ""},
		{"only the second round thought", "enabled", user + "," + call + "," + result + "," + says("assistant", thinking, strings.Replace(toolUse, "t1", "t2", 1)) + "," + strings.Replace(result, "t1", "t2", 1), wire.RuleReasoning},
		{"a turn that is over", "enabled", user + "," + call + "," + result + "," + assistant + "," + user, ""},
		{"the model chose not to think", "adaptive", user + "," + call + "," + result, ""},
		{"thinking is off", "disabled", user + "," + call + "," + result, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			expectRule(t, `{"thinking":{"budget_tokens":1024,"type":"`+tt.kind+`"},"messages":[`+tt.messages+`]}`, tt.rule)
		})
	}
}

func TestNewerModelsRefuseAnAnswerToGoOnWith(t *testing.T) {
	t.Parallel()
	const search = `{"type":"server_tool_use","id":"s1","name":"web_search","input":{}}`
	for _, tt := range []struct{ name, model, last, rule string }{
		{"before 4.6", "claude-sonnet-4-5-20250929", assistant, ""},
		{"a name with a date and no second figure", "claude-sonnet-4-20250514", assistant, ""},
		{"a name of the older order", "claude-3-7-sonnet-latest", assistant, ""},
		{"4.6", "claude-opus-4-6", assistant, wire.RuleOrder},
		{"4.6 on Bedrock", "us.anthropic.claude-opus-4-6-v1", assistant, wire.RuleOrder},
		{"4.6 at a gateway", "anthropic/claude-sonnet-4.6", assistant, wire.RuleOrder},
		{"5", "claude-sonnet-5", assistant, wire.RuleOrder},
		{"5 with a date", "claude-sonnet-5-20260601", assistant, wire.RuleOrder},
		{"a tool that is paused", "claude-sonnet-5", says("assistant", search), ""},
		{"another maker", "kimi-k2-thinking", assistant, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			expectRule(t, `{"model":"`+tt.model+`","messages":[`+user+","+tt.last+`]}`, tt.rule)
		})
	}
}

func TestBedrockTakesOnlyPicturesInBase64(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, version, source, rule string }{
		{"an address at Bedrock", "bedrock-2023-05-31", `{"type":"url","url":"https://a/b.png"}`, anthropic.RuleBlock},
		{"a file at Bedrock", "bedrock-2023-05-31", `{"type":"file","file_id":"file_1"}`, anthropic.RuleBlock},
		{"base64 at Bedrock", "bedrock-2023-05-31", `{"type":"base64","media_type":"image/png","data":"AAAA"}`, ""},
		{"an address elsewhere", "2023-06-01", `{"type":"url","url":"https://a/b.png"}`, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			expectRule(t, `{"anthropic_version":"`+tt.version+`","messages":[`+says("user", `{"type":"image","source":`+tt.source+`}`)+`]}`, tt.rule)
		})
	}
}

func TestNoEditMayLetTheAssistantComeFirst(t *testing.T) {
	t.Parallel()
	whole, cut := decode(t, `{"messages":[`+user+","+assistant+","+user+`]}`), decode(t, `{"messages":[`+assistant+","+user+`]}`)
	wiretest.ExpectRule(t, wire.CheckEdited(whole, cut), wire.RuleOrder)
	wiretest.ExpectRule(t, wire.CheckEdited(cut, cut), "")
}

func TestThinkingThatWasAlteredIsFound(t *testing.T) {
	t.Parallel()
	body := `{"messages":[` + user + "," + says("assistant", thinking, `{"type":"text","text":"x"}`) + "," + user + `]}`
	before := decode(t, body)
	for altered, rule := range map[string]string{
		body: "",
		strings.Replace(body, `"signature":"s"`, `"signature":"S"`, 1): wire.RuleReasoning,
		strings.Replace(body, `"thinking":""`, `"thinking":"I"`, 1):    wire.RuleReasoning,
		strings.Replace(body, thinking+",", "", 1):                     "",
	} {
		found := wire.CheckEdited(before, decode(t, altered))
		if rule == "" && len(found) > 0 || rule != "" && (len(found) != 1 || found[0].Rule != rule) {
			t.Errorf("found %v, want %q\n%s", found, rule, altered)
		}
	}
}
