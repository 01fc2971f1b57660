package dialects_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/wire/dialects"
)

func TestARequestSaysWhatItAsksFor(t *testing.T) {
	t.Parallel()
	type asked struct {
		Choice, Thinking string
		Output           plimsoll.Tool
	}
	for _, tt := range []struct {
		name    string
		dialect plimsoll.Dialect
		body    string
		want    asked
	}{
		{"Chat asks for nothing", plimsoll.OpenAI, `{"messages":[]}`, asked{}},
		{"Chat with a word for tools", plimsoll.OpenAI, `{"messages":[],"tool_choice":"required"}`, asked{Choice: "required"}},
		{
			"Chat with a tool and a form", plimsoll.OpenAI,
			`{"tool_choice":{"type":"function","function":{"name":"add"}},"messages":[],
			 "response_format":{"type":"json_schema","json_schema":{"name":"City","description":"A city","schema":{"type":"object"},"strict":true}}}`,
			asked{Choice: "add", Output: plimsoll.Tool{Name: "City", Description: "A city", Schema: `{"type":"object"}`}},
		},
		{"Chat with a function, in the older form", plimsoll.OpenAI, `{"messages":[],"function_call":{"name":"add"}}`, asked{Choice: "add"}},
		{"Chat with a form without a schema", plimsoll.OpenAI, `{"messages":[],"response_format":{"type":"json_object"}}`, asked{}},
		{
			"Responses", plimsoll.Responses,
			`{"input":"hi","tool_choice":{"type":"function","name":"add"},"text":{"verbosity":"low","format":{"type":"json_schema","name":"City","schema":{}}}}`,
			asked{Choice: "add", Output: plimsoll.Tool{Name: "City", Schema: `{}`}},
		},
		{"Responses with a way to think", plimsoll.Responses, `{"input":"hi","reasoning":{"effort":"low","mode":"pro"}}`, asked{Thinking: "pro"}},
		{
			"Responses with some of the tools", plimsoll.Responses,
			`{"input":"hi","tool_choice":{"type":"allowed_tools","mode":"required","tools":[{"type":"function","name":"add"}]}}`,
			asked{Choice: "required"},
		},
		{
			"Anthropic", plimsoll.Anthropic,
			`{"messages":[],"tool_choice":{"type":"any"},"thinking":{"type":"enabled","budget_tokens":1024},"output_config":{"effort":"low","format":{"type":"json_schema","schema":{"a":1}}}}`,
			asked{Choice: "required", Thinking: "enabled", Output: plimsoll.Tool{Schema: `{"a":1}`}},
		},
		{"Anthropic with one tool at a time", plimsoll.Anthropic, `{"messages":[],"tool_choice":{"type":"auto","disable_parallel_tool_use":true}}`, asked{Choice: "single"}},
		{"Anthropic with several tools at once", plimsoll.Anthropic, `{"messages":[],"tool_choice":{"type":"auto","disable_parallel_tool_use":false}}`, asked{Choice: "auto"}},
		{"Anthropic with one call of any tool", plimsoll.Anthropic, `{"messages":[],"tool_choice":{"type":"any","disable_parallel_tool_use":true}}`, asked{Choice: "required"}},
		{
			"Anthropic with a tool and the older form", plimsoll.Anthropic,
			`{"messages":[],"tool_choice":{"type":"tool","name":"add"},"output_format":{"type":"json_schema","schema":{}},"output_config":{"effort":"low"}}`,
			asked{Choice: "add", Output: plimsoll.Tool{Schema: `{}`}},
		},
		{
			"Gemini", plimsoll.Gemini,
			`{"contents":[],"generationConfig":{"responseSchema":{"type":"OBJECT"},"maxOutputTokens":9}}`,
			asked{Output: plimsoll.Tool{Schema: `{"type":"OBJECT"}`}},
		},
		{
			"values that are none of these", plimsoll.OpenAI,
			`{"messages":[],"tool_choice":null,"response_format":[{"type":"json_schema"}]}`,
			asked{},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r, err := dialects.Codec(tt.dialect).Decode([]byte(tt.body))
			if err != nil {
				t.Fatal(err)
			}
			c := r.Conversation()
			if diff := cmp.Diff(tt.want, asked{c.Choice, c.Thinking, c.Output}); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestACallKeepsWhatTheDialectSaysBesideIt(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		dialect plimsoll.Dialect
		body    string
		want    plimsoll.ToolCall
	}{
		{
			plimsoll.Responses, `{"input":[{"type":"function_call","call_id":"1","name":"add","arguments":"{\"a\":1}","status":"completed"}]}`,
			plimsoll.ToolCall{ID: "1", Name: "add", Arguments: `{"a":1}`, Status: "completed"},
		},
		{
			plimsoll.Gemini, `{"contents":[{"role":"model","parts":[{"functionCall":{"name":"add","args":{"a":1}},"thoughtSignature":"c2VhbA=="}]}]}`,
			plimsoll.ToolCall{Name: "add", Arguments: `{"a":1}`, Signature: "c2VhbA=="},
		},
	} {
		r, err := dialects.Codec(tt.dialect).Decode([]byte(tt.body))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(plimsoll.Part(tt.want), r.Conversation().Messages.At(0).Parts.At(0)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.dialect, diff)
		}
	}
}
