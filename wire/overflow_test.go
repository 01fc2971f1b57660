package wire_test

import (
	"testing"

	"github.com/plimsoll/plimsoll/wire"
)

func TestF10_OverflowsOfManyProvidersAreRecognised(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		provider      string
		status        int
		body          string
		tokens, limit int
	}{
		{"OpenAI", 400, `{"error":{"message":"This model's maximum context length is 128000 tokens. However, your messages resulted in 130211 tokens. Please reduce the length of the messages.","type":"invalid_request_error","param":"messages","code":"context_length_exceeded"}}`, 130211, 128000},
		{"OpenAI Responses", 400, `{"error":{"message":"Your input exceeds the context window of this model. Please adjust your input and try again.","type":"invalid_request_error","param":"input","code":"context_length_exceeded"}}`, 0, 0},
		{"OpenAI Responses, streamed", 0, `{"type":"response.failed","response":{"error":{"code":"context_length_exceeded","message":"Your input exceeds the context window of this model."}}}`, 0, 0},
		{"Anthropic", 400, `{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 209115 tokens > 200000 maximum"}}`, 209115, 200000},
		{"Anthropic with max_tokens", 400, "{\"type\":\"error\",\"error\":{\"type\":\"invalid_request_error\",\"message\":\"input length and `max_tokens` exceed context limit: 190000 + 21333 > 200000, decrease input length or `max_tokens` and try again\"}}", 211333, 200000},
		{"Anthropic with a model and its date", 400, `{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 210000 tokens > 200000 maximum (model=claude-sonnet-4-5-20250929)"}}`, 210000, 200000},
		{"one count beside a model and its date", 400, `{"error":{"message":"prompt is too long for claude-sonnet-4-5-20250929, which takes at most 200000 tokens"}}`, 0, 200000},
		{"a limit that is said twice", 400, `{"error":{"message":"maximum context length is 8192 tokens: of 8192 tokens your prompt and what it asks for take 9000"}}`, 9000, 8192},
		{"a gateway with a request id", 400, `{"error":{"message":"prompt is too long: 210000 tokens > 200000 maximum, please check your request before you try again (request 20250929123456)"}}`, 210000, 200000},
		{"a limit that is an adjective", 400, `{"error":{"message":"The prompt is too long: 130,000 exceeds the 128,000-token limit."}}`, 130000, 128000},
		{"Anthropic request size", 413, `{"type":"error","error":{"type":"request_too_large","message":"Request exceeds the maximum size"}}`, 0, 0},
		{"Bedrock", 400, `{"message":"Input is too long for requested model."}`, 0, 0},
		{"Gemini", 400, `{"error":{"code":400,"message":"The input token count (1200000) exceeds the maximum number of tokens allowed (1048575).","status":"INVALID_ARGUMENT"}}`, 1200000, 1048575},
		{"Gemini, streamed in a list", 400, `[{"error":{"code":400,"message":"The input token count exceeds the maximum number of tokens allowed 1048576.","status":"INVALID_ARGUMENT"}}]`, 0, 1048576},
		{"xAI", 400, `{"code":"Client specified an invalid argument","error":"This model's maximum prompt length is 131072 but the request contains 537812 tokens."}`, 537812, 131072},
		{"Groq", 400, `{"error":{"message":"Please reduce the length of the messages or completion.","type":"invalid_request_error","code":"context_length_exceeded"}}`, 0, 0},
		{"Groq by size", 413, `{"error":{"message":"Request too large for model llama-3.1-8b-instant in organization org_x on tokens: Limit 6000, Requested 8412","type":"tokens"}}`, 8412, 6000},
		{"OpenRouter", 400, `{"error":{"message":"This endpoint's maximum context length is 32768 tokens. However, you requested about 40123 tokens","code":400}}`, 40123, 32768},
		{"Copilot", 400, `{"error":{"message":"prompt token count of 130000 exceeds the limit of 128000","code":"model_max_prompt_tokens_exceeded"}}`, 130000, 128000},
		{"Mistral", 400, `{"object":"error","message":"Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length","type":"invalid_request_error","code":"3051"}`, 40000, 32768},
		{"Cohere", 400, `{"message":"too many tokens: total number of tokens (prompt and prediction) cannot exceed 4081"}`, 0, 4081},
		{"OpenAI with the answer", 400, `{"error":{"message":"This model's maximum context length is 8192 tokens. However, you requested 10000 tokens (9000 in the messages, 1000 in the completion). Please reduce the length of the messages or completion.","type":"invalid_request_error","param":"messages","code":"context_length_exceeded"}}`, 10000, 8192},
		{"our own", 400, `{"error":{"message":"This model's maximum context length is exceeded: fit: Single turn too long: 6049 tokens exceeds max context (1875 tokens) (shorten the newest turn, from message 1 on (6005 tokens))","code":"context_length_exceeded"}}`, 6049, 1875},
		{"our own as Anthropic's", 400, `{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 7355 tokens > 1500 maximum: shorten the newest turn, from message 0 on (6965 tokens)"}}`, 7355, 1500},
		{"DeepSeek", 400, `{"error":{"message":"This model's maximum context length is 65536 tokens. However, you requested 70000 tokens","type":"invalid_request_error"}}`, 70000, 65536},
		{"Moonshot", 400, `{"error":{"message":"Invalid request: Your request exceeded model token limit: 131072","type":"invalid_request_error"}}`, 0, 131072},
		{"MiniMax", 400, `{"error":{"message":"invalid params, context window exceeds limit (2013)"}}`, 0, 0},
		{"vLLM", 400, `{"object":"error","message":"This model's maximum context length is 8192 tokens. However, you requested 9000 tokens in the messages, Please reduce the length of the messages.","type":"BadRequestError","code":400}`, 9000, 8192},
		{"llama.cpp", 400, `{"error":{"code":400,"message":"the request exceeds the available context size, try increasing it","type":"exceed_context_size_error","n_prompt_tokens":9000,"n_ctx":8192}}`, 9000, 8192},
		{"LM Studio", 400, `{"error":"Trying to keep the first 12000 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens"}`, 12000, 4096},
		{"Cerebras without a body", 413, ``, 0, 0},
		{"plain text", 400, `The prompt is too long`, 0, 0},
		{"SGLang", 400, `{"object":"error","message":"The input (9000 tokens) is longer than the model's context length (8192 tokens).","type":"BadRequest","code":400}`, 9000, 8192},
	} {
		t.Run(tt.provider, func(t *testing.T) {
			t.Parallel()
			got, ok := wire.FindOverflow(tt.status, []byte(tt.body))
			if !ok {
				t.Fatal("not recognised")
			}
			if got.Tokens != tt.tokens || got.Limit != tt.limit {
				t.Errorf("figures %d of %d, want %d of %d", got.Tokens, got.Limit, tt.tokens, tt.limit)
			}
		})
	}
}

func TestF10_OtherErrorsAreNotOverflows(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		status int
		body   string
	}{
		{"a wrong key", 401, `{"error":{"message":"Incorrect API key","type":"invalid_request_error","code":"invalid_api_key"}}`},
		{"a rate limit that speaks of tokens", 429, `{"error":{"message":"Rate limit reached for gpt-4o on tokens per min (TPM): Limit 30000, Used 28000, Requested 5000","type":"tokens","code":"rate_limit_exceeded"}}`},
		{"a rate limit sent as 400", 400, `{"error":{"message":"Too many tokens, please wait: rate limit","code":"rate_limit_exceeded"}}`},
		{"one field that is too long", 400, `{"error":{"message":"Invalid 'user': string too long. Expected a string with maximum length 64, but got a string with length 70 instead.","code":"string_above_max_length"}}`},
		{"an answer limit out of range", 400, `{"error":{"message":"max_tokens is too large: 200000. This model supports at most 16384 completion tokens","type":"invalid_request_error","code":"invalid_value"}}`},
		{"an orphan result", 400, `{"error":{"message":"messages.2: unexpected tool_use_id found in tool_result blocks","type":"invalid_request_error"}}`},
		{"a call without results", 400, `{"error":{"message":"An assistant message with 'tool_calls' must be followed by tool messages","type":"invalid_request_error"}}`},
		{"an overloaded server", 529, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`},
		{"an empty 400", 400, ``},
		{"a good answer that quotes the words", 200, `{"choices":[{"message":{"content":"prompt is too long"}}]}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got, ok := wire.FindOverflow(tt.status, []byte(tt.body)); ok {
				t.Errorf("taken for an overflow: %+v", got)
			}
		})
	}
}

func TestF10_ThrottlingInAStreamIsNoOverflow(t *testing.T) {
	t.Parallel()
	for _, e := range []wire.APIError{
		{Type: "throttlingException", Message: "Too many tokens, please slow down."},
		{Code: "ThrottlingException", Message: "Too many tokens"},
		{Message: "Too many tokens, please wait before trying again."},
		{Type: "rate_limit_error", Message: "too many tokens"},
	} {
		if e.Overflows() {
			t.Errorf("taken for an overflow: %+v", e)
		}
	}
}

func FuzzFindOverflow(f *testing.F) {
	f.Add(400, []byte(`{"error":{"message":"maximum context length is 99999999999999999999 tokens","code":7}}`))
	f.Add(413, []byte(``))
	f.Add(0, []byte(`[{"error":"x"}]`))
	f.Fuzz(func(t *testing.T, status int, body []byte) {
		if o, ok := wire.FindOverflow(status, body); ok && (o.Tokens < 0 || o.Limit < 0 || o.Tokens != 0 && o.Tokens < o.Limit) {
			t.Errorf("%d of %d", o.Tokens, o.Limit)
		}
	})
}
