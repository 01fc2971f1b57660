package dialects_test

import (
	"testing"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/wire/dialects"
)

func TestThePathTellsTheDialect(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		path string
		want plimsoll.Dialect
	}{
		{"/v1/chat/completions", plimsoll.OpenAI},
		{"/api/v1/chat/completions/", plimsoll.OpenAI},
		{"/openai/deployments/gpt-4o/chat/completions", plimsoll.OpenAI},
		{"/v1/responses", plimsoll.Responses},
		{"/v1/responses/compact", plimsoll.Responses},
		{"/v1/messages", plimsoll.Anthropic},
		{"/api/chat", plimsoll.Ollama},
		{"/ollama/api/chat/", plimsoll.Ollama},
		{"/api/generate", ""},
		{"/api/tags", ""},
		{"/v1beta/models/gemini-2.5-pro:generateContent", plimsoll.Gemini},
		{"/v1beta/models/gemini-3.1-pro-preview:streamGenerateContent", plimsoll.Gemini},
		{"/v1/messages?beta=true", plimsoll.Anthropic},
		{"/v1beta/models/gemini-2.5-pro:streamGenerateContent?alt=sse&key=k", plimsoll.Gemini},
		{"/v1beta/models/gemini-2.5-pro:generateContent?key=k", plimsoll.Gemini},
		{"/openai/deployments/d/chat/completions?api-version=2025-04-01-preview", plimsoll.OpenAI},
		{"/v1/responses?from=/threads/v1/messages", plimsoll.Responses},
		{"/v1/projects/p/locations/us-east5/publishers/anthropic/models/claude-sonnet-4-5@20250929:rawPredict", plimsoll.Anthropic},
		{"/v1/projects/p/locations/global/publishers/anthropic/models/claude-sonnet-4-5@20250929:streamRawPredict?alt=sse", plimsoll.Anthropic},
		{"/v1/projects/p/locations/us-east5/publishers/anthropic/models/count-tokens:rawPredict", ""},
		{"/v1/projects/p/locations/us-central1/publishers/mistralai/models/mistral-large:rawPredict", ""},
		{"/model/us.anthropic.claude-sonnet-4-5-20250929-v1:0/invoke", plimsoll.Anthropic},
		{"/model/anthropic.claude-3-haiku-20240307-v1:0/invoke-with-response-stream", plimsoll.Anthropic},
		{"/model/arn:aws:bedrock:us-east-1:1:application-inference-profile/abc/invoke", plimsoll.Anthropic},
		{"/model/amazon.titan-text-express-v1/invoke", ""},
		{"/model/us.anthropic.claude-sonnet-4-5-20250929-v1:0/converse", plimsoll.Converse},
		{"/model/amazon.nova-pro-v1:0/converse-stream", plimsoll.Converse},
		{"/chain/anthropic.claude/invoke", ""},
		{"/v1/messages/count_tokens?beta=true", ""},
		{"/v1/models?path=/v1/messages", ""},
		{"/v1/messages/count_tokens", ""},
		{"/v1beta/models/gemini-2.5-pro:countTokens", ""},
		{"/v1/models", ""},
		{"/v1/responses/resp_123", ""},
		{"/v1/embeddings", ""},
		{"/v1/threads/thread_1/messages", ""},
		{"/", ""},
	} {
		got, ok := dialects.FromPath(tt.path)
		if got != tt.want || ok != (tt.want != "") {
			t.Errorf("FromPath(%s) = %q, %v; want %q", tt.path, got, ok, tt.want)
		}
	}
}

func TestTheBodyTellsTheDialect(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, body string
		want       plimsoll.Dialect
	}{
		{"plain messages are OpenAI's", `{"messages":[{"role":"user","content":"hi"}]}`, plimsoll.OpenAI},
		{"tool calls are OpenAI's", `{"max_tokens":5,"messages":[{"role":"assistant","tool_calls":[]}]}`, plimsoll.OpenAI},
		{"a system member is Anthropic's", `{"system":"s","messages":[]}`, plimsoll.Anthropic},
		{"tool_use is Anthropic's", `{"max_tokens":5,"messages":[{"role":"assistant","content":[{"type":"tool_use","id":"1","input":{}}]}]}`, plimsoll.Anthropic},
		{"input_schema is Anthropic's", `{"messages":[{"role":"user","content":"hi"}],"tools":[{"name":"f","input_schema":{}}]}`, plimsoll.Anthropic},
		{"a tool of the server is Anthropic's", `{"messages":[{"role":"user","content":"hi"}],"tools":[{"type":"web_search_20250305","name":"web_search"}]}`, plimsoll.Anthropic},
		{"a tool of GLM's server is OpenAI's", `{"messages":[{"role":"user","content":"hi"}],"tools":[{"type":"web_search","web_search":{"enable":true}}]}`, plimsoll.OpenAI},
		{"a choice of tools in an object is Anthropic's", `{"messages":[{"role":"user","content":"hi"}],"tool_choice":{"type":"auto"}}`, plimsoll.Anthropic},
		{"a choice of a function is OpenAI's", `{"messages":[{"role":"user","content":"hi"}],"tool_choice":{"type":"function","function":{"name":"f"}}}`, plimsoll.OpenAI},
		{"an output configuration is Anthropic's", `{"messages":[{"role":"user","content":"hi"}],"output_config":{"effort":"low"}}`, plimsoll.Anthropic},
		{"a schema of the output is Anthropic's", `{"max_tokens":9,"messages":[{"role":"user","content":"hi"}],"output_format":{"type":"json_schema","schema":{}}}`, plimsoll.Anthropic},
		{"the standard tier alone is Anthropic's", `{"max_tokens":9,"messages":[{"role":"user","content":"hi"}],"service_tier":"standard_only"}`, plimsoll.Anthropic},
		{"another tier is OpenAI's", `{"max_tokens":9,"messages":[{"role":"user","content":"hi"}],"service_tier":"auto"}`, plimsoll.OpenAI},
		{"the name of the model says nothing", `{"model":"claude-sonnet-4-5","max_tokens":10,"messages":[{"role":"user","content":"hi"}]}`, plimsoll.OpenAI},
		{"a gateway's claude is OpenAI's", `{"model":"anthropic/claude-sonnet-4-5","messages":[{"role":"user","content":"hi"}]}`, plimsoll.OpenAI},
		{"claude with tool calls is OpenAI's", `{"model":"claude-sonnet-4-5","messages":[{"role":"tool","tool_call_id":"1","content":"hi"}]}`, plimsoll.OpenAI},
		{"thinking with a budget is Anthropic's", `{"max_tokens":9000,"thinking":{"type":"enabled","budget_tokens":1024},"messages":[{"role":"user","content":"hi"}]}`, plimsoll.Anthropic},
		{"adaptive thinking is Anthropic's", `{"max_tokens":9000,"thinking":{"type":"adaptive"},"messages":[{"role":"user","content":"hi"}]}`, plimsoll.Anthropic},
		{"metadata with a user alone are Anthropic's", `{"max_tokens":9,"metadata":{"user_id":"u"},"messages":[{"role":"user","content":"hi"}]}`, plimsoll.Anthropic},
		{"metadata with more are OpenAI's", `{"max_tokens":9,"metadata":{"user_id":"u","run":"7"},"messages":[{"role":"user","content":"hi"}]}`, plimsoll.OpenAI},
		{"metadata without max_tokens are OpenAI's", `{"metadata":{"user_id":"u"},"messages":[{"role":"user","content":"hi"}]}`, plimsoll.OpenAI},
		{"metadata beside a system role are OpenAI's", `{"max_tokens":9,"metadata":{"user_id":"u"},"messages":[{"role":"system","content":"s"},{"role":"user","content":"hi"}]}`, plimsoll.OpenAI},
		{"metadata that are no object say nothing", `{"max_tokens":9,"metadata":["user_id"],"messages":[{"role":"user","content":"hi"}]}`, plimsoll.OpenAI},
		{"top_k is not Anthropic's alone", `{"max_tokens":9,"top_k":40,"messages":[{"role":"user","content":"hi"}]}`, plimsoll.OpenAI},
		{"a gateway's claude that thinks is OpenAI's", `{"model":"claude-sonnet-4-5","thinking":{"type":"enabled","budget_tokens":1024},"messages":[{"role":"user","content":"hi"}]}`, plimsoll.OpenAI},
		{"thinking of GLM is OpenAI's", `{"model":"glm-4.7","max_tokens":9000,"thinking":{"clear_thinking":false},"messages":[{"role":"user","content":"hi"}]}`, plimsoll.OpenAI},
		{"thinking of DeepSeek is OpenAI's", `{"model":"deepseek-chat","max_tokens":9000,"thinking":{"type":"disabled"},"messages":[{"role":"user","content":"hi"}]}`, plimsoll.OpenAI},
		{"thoughts of Mistral are OpenAI's", `{"model":"magistral-medium","messages":[{"role":"user","content":"hi"},{"role":"assistant","content":[{"type":"thinking","thinking":[{"type":"text","text":"hm"}]},{"type":"text","text":"yes"}]}]}`, plimsoll.OpenAI},
		{"thoughts of Claude are Anthropic's", `{"model":"claude-sonnet-4-5","messages":[{"role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":"s"}]}]}`, plimsoll.Anthropic},
		{"thinking beside a system role is OpenAI's", `{"model":"glm-4.6","messages":[{"role":"system","content":"s"},{"role":"user","content":"hi"}],"thinking":{"type":"enabled"}}`, plimsoll.OpenAI},
		{"thinking beside a tool role is OpenAI's", `{"thinking":{"type":"enabled"},"messages":[{"role":"user","content":"hi"},{"role":"tool","content":"x"}]}`, plimsoll.OpenAI},
		{"thinking beside a developer role is OpenAI's", `{"thinking":{"type":"enabled"},"messages":[{"role":"developer","content":"s"},{"role":"user","content":"hi"}]}`, plimsoll.OpenAI},
		{"a system member with a system role is Anthropic's", `{"system":"s","thinking":{},"messages":[{"role":"system","content":"more"}]}`, plimsoll.Anthropic},
		{"options are Ollama's", `{"model":"m","messages":[{"role":"user","content":"hi"}],"options":{"num_ctx":4096}}`, plimsoll.Ollama},
		{"keep_alive is Ollama's", `{"messages":[{"role":"user","content":"hi"}],"keep_alive":0}`, plimsoll.Ollama},
		{"a format is Ollama's", `{"messages":[{"role":"user","content":"hi"}],"format":"json"}`, plimsoll.Ollama},
		{"pictures beside the content are Ollama's", `{"messages":[{"role":"user","content":"hi","images":["aGk="]}]}`, plimsoll.Ollama},
		{"the name of a tool is Ollama's", `{"messages":[{"role":"tool","tool_name":"f","content":"hi"}]}`, plimsoll.Ollama},
		{"thinking in a message is Ollama's", `{"messages":[{"role":"assistant","thinking":"hm","content":"hi"}]}`, plimsoll.Ollama},
		{"arguments in an object are Ollama's", `{"messages":[{"role":"assistant","tool_calls":[{"function":{"name":"f","arguments":{}}}]}]}`, plimsoll.Ollama},
		{"arguments in a text are OpenAI's", `{"keep_alive":"5m","messages":[{"role":"assistant","tool_calls":[{"function":{"name":"f","arguments":"{}"}}]}]}`, plimsoll.OpenAI},
		{"arguments in a text beside the name of a tool are Ollama's", `{"messages":[{"role":"assistant","tool_calls":[{"function":{"name":"f","arguments":"{}"}}]},{"role":"tool","tool_name":"f","content":"hi"}]}`, plimsoll.Ollama},
		{"options beside max_tokens are OpenAI's", `{"messages":[{"role":"user","content":"hi"}],"options":{"num_ctx":4096},"max_tokens":5}`, plimsoll.OpenAI},
		{"options beside content in a list are OpenAI's", `{"messages":[{"role":"user","content":[{"type":"text","text":"hi"}]}],"options":{}}`, plimsoll.OpenAI},
		{"blocks without a type are Converse's", `{"messages":[{"role":"user","content":[{"text":"hi"}]}]}`, plimsoll.Converse},
		{"a configuration of inference is Converse's", `{"inferenceConfig":{"maxTokens":9},"system":[{"text":"s"}],"messages":[{"role":"user","content":[{"image":{}}]}]}`, plimsoll.Converse},
		{"contents are Gemini's", `{"contents":[{"parts":[{"text":"hi"}]}]}`, plimsoll.Gemini},
		{"input is Responses'", `{"model":"gpt-5","input":"hi"}`, plimsoll.Responses},
		{"a prompt that the server has is Responses'", `{"prompt":{"id":"pmpt_1","version":"1","variables":{"name":"x"}}}`, plimsoll.Responses},
		{"nothing of all that", `{"prompt":"hi"}`, ""},
		{"a list", `[{"role":"user"}]`, ""},
		{"broken JSON", `{"messages":[`, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, ok := dialects.FromBody([]byte(tt.body))
			if got != tt.want || ok != (tt.want != "") {
				t.Errorf("got %q, %v; want %q", got, ok, tt.want)
			}
		})
	}
}

func TestEveryDialectHasItsCodec(t *testing.T) {
	t.Parallel()
	for _, d := range dialects.All() {
		if c := dialects.Codec(d); c == nil || c.Dialect() != d {
			t.Errorf("codec of %s is %v", d, c)
		}
	}
	if dialects.Codec("esperanto") != nil {
		t.Error("an unknown dialect has a codec")
	}
}
