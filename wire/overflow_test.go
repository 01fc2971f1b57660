package wire_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/wire"
)

// wording is an error of a provider, or of a gateway before it.
type wording struct {
	// who says so, and source where the words were found: a recording or a test in the
	// repository of a client, an issue, a server that was tried. Those of a review of
	// recorded traffic are "collected". Source is empty for words of our own and those that
	// were known before.
	who, source string
	status      int
	body        string
	want        wire.Overflow
}

// said is an error as OpenAI's API has it.
func said(message string) string {
	body, _ := json.Marshal(map[string]any{"error": map[string]any{"message": message}})
	return string(body)
}

// counted and limited are overflows with the figures that they are named for.
func counted(tokens, limit int) wire.Overflow { return wire.Overflow{Tokens: tokens, Limit: limit} }
func limited(limit int) wire.Overflow         { return wire.Overflow{Limit: limit} }

var overflows = []wording{
	// Recorded.
	{"OpenAI Responses", "ruby_llm", 400, `{"error":{"message":"Your input exceeds the context window of this model. Please adjust your input and try again.","type":"invalid_request_error","param":"input","code":"context_length_exceeded"}}`, wire.Overflow{}},
	{"Anthropic", "ruby_llm", 400, `{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 3333404 tokens > 200000 maximum"},"request_id":"req_1"}`, counted(3333404, 200000)},
	{"Bedrock Nova", "ruby_llm", 400, `{"message":"The model returned the following errors: Input Tokens Exceeded: Number of input tokens exceeds maximum length. Please update the input to try again."}`, wire.Overflow{}},
	{"Cohere", "ruby_llm", 400, `{"error_type":"TOO_MANY_TOKENS","id":"c1","message":"too many tokens: size limit exceeded by 25836 tokens. Try using shorter or fewer inputs. The limit for this model is 288000 tokens."}`, wire.Overflow{Tokens: 313836, Limit: 288000, Excess: 25836}},
	{"DeepSeek", "ruby_llm", 400, `{"error":{"message":"This model's maximum context length is 1048565 tokens. However, you requested 1250025 tokens (1250025 in the messages, 0 in the completion). Please reduce the length of the messages or completion.","type":"invalid_request_error","param":null,"code":"invalid_request_error"}}`, counted(1250025, 1048565)},
	{"Ollama's cloud", "ruby_llm", 400, `{"error":{"message":"prompt too long; exceeded max context length by 1119046 tokens (ref: 96164522-08b2-4cbf-886e-e5a38961a688)","type":"invalid_request_error","param":null,"code":null}}`, wire.Overflow{Excess: 1119046}},
	{"OpenRouter", "ruby_llm", 400, `{"error":{"message":"This endpoint's maximum context length is 200000 tokens. However, you requested about 2500021 tokens (2500021 of text input). Please reduce the length of either one, or use the context-compression plugin to compress your prompt automatically.","code":400,"metadata":{"provider_name":null}}}`, counted(2500021, 200000)},
	{"Perplexity", "ruby_llm", 400, `{"error":{"message":"The total length of all messages is too long.","type":"too_many_prompt_tokens","code":400}}`, wire.Overflow{}},
	{"Perplexity with a limit", "recording", 400, said("User input tokens exceeds 200000 tokens."), limited(200000)},
	{"Vertex", "ruby_llm", 400, `{"error":{"code":400,"message":"The input token count (1250074) exceeds the maximum number of tokens allowed (1048576).","status":"INVALID_ARGUMENT"}}`, counted(1250074, 1048576)},
	{"Azure Foundry", "recording", 413, `{"error":{"message":"Failed to buffer the request body: length limit exceeded"}}`, wire.Overflow{}},

	// OpenAI, and those that answer in its words.
	{"OpenAI", "qwen-code", 400, `{"error":{"message":"This model's maximum context length is 128000 tokens. However, your messages resulted in 130211 tokens. Please reduce the length of the messages.","type":"invalid_request_error","param":"messages","code":"context_length_exceeded"}}`, counted(130211, 128000)},
	{"OpenAI with the answer", "litellm", 400, said("This model's maximum context length is 8192 tokens. However, you requested 10000 tokens (9000 in the messages, 1000 in the completion). Please reduce the length of the messages or completion."), counted(10000, 8192)},
	{"OpenAI without figures of the request", "qwen-code", 400, said("This model's maximum context length is 128000 tokens."), limited(128000)},
	{"OpenAI's configured limit", "litellm", 400, said("Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in 290027 tokens. Please reduce the length of the messages."), counted(290027, 272000)},
	{"OpenAI, streamed", "", 0, `{"type":"response.failed","response":{"error":{"code":"context_length_exceeded","message":"Your input exceeds the context window of this model."}}}`, wire.Overflow{}},
	{"OpenAI about one text", "collected", 400, `{"error":{"message":"Invalid 'messages[1].content': string too long. Expected a string with maximum length 10485760, but got a string with length 12000000 instead.","type":"invalid_request_error","param":"messages[1].content","code":"string_above_max_length"}}`, wire.Overflow{Tokens: 12000000, Limit: 10485760, Bytes: true}},
	{"a code alone", "opencode", 400, `{"error":{"code":"context_length_exceeded","message":"prompt too long"}}`, wire.Overflow{}},
	{"LiteLLM with the code in its message", "collected", 400, said("litellm.BadRequestError: OpenAIException - context_length_exceeded"), wire.Overflow{}},
	{"LiteLLM with its own name for it", "langchain", 400, said("litellm.ContextWindowExceededError: test error"), wire.Overflow{}},
	{"a code before the words", "collected", 400, said("context_length_exceeded: prompt too long"), wire.Overflow{}},
	{"a context limit", "litellm", 400, said("An error occurred: The input exceeds the model's maximum context limit of 8192 tokens."), limited(8192)},
	{"a context limit in a sentence of its own", "collected", 400, said("This model's maximum context limit is 8192 tokens"), limited(8192)},
	{"a prompt that is longer", "litellm", 400, said("Your prompt is longer than the model's context length of 2048."), limited(2048)},
	{"a gateway with an estimate", "fantasy", 400, said("Your request exceeds this model's maximum context length of 204800 tokens. You requested ~269722 tokens (204186 input + 65536 output). Reduce your prompt length or max_tokens and retry."), counted(269722, 204800)},
	{"Cloudflare", "models.dev pull 4422", 400, said("Requested token count exceeds the model's maximum context length of 256000 tokens. You requested a total of 256878 tokens: 31216 tokens from the input messages and 225662 tokens for the completion."), counted(256878, 256000)},
	{"Groq", "langchain", 400, `{"error":{"message":"Please reduce the length of the messages or completion.","type":"invalid_request_error","code":"context_length_exceeded"}}`, wire.Overflow{}},
	{"Groq by size", "", 413, `{"error":{"message":"Request too large for model llama-3.1-8b-instant in organization org_x on tokens: Limit 6000, Requested 8412","type":"tokens"}}`, counted(8412, 6000)},
	{"OpenAI beyond the account's minute", "climb issue 13", 429, `{"error":{"message":"Request too large for gpt-4o in organization org-1 on tokens per min (TPM): Limit 30000, Requested 30601. The input or output tokens must be reduced in order to run successfully. Visit https://platform.openai.com/account/rate-limits to learn more.","type":"tokens","param":null,"code":"rate_limit_exceeded"}}`, wire.Overflow{Tokens: 30601, Limit: 30000, PerMinute: true}},
	{"Groq beyond the account's minute", "continue issue 10218", 413, said("Request too large for model `llama-3.3-70b-versatile` in organization `org_1` service tier `on_demand` on tokens per minute (TPM): Limit 12000, Requested 14137, please reduce your message size and try again."), wire.Overflow{Tokens: 14137, Limit: 12000, PerMinute: true}},
	{"Copilot", "pi", 400, `{"error":{"message":"prompt token count of 130000 exceeds the limit of 128000","code":"model_max_prompt_tokens_exceeded"}}`, counted(130000, 128000)},
	{"GitHub Models", "eslint/tsc-meetings pull 593", 413, `{"error":{"code":"tokens_limit_reached","message":"Request body too large for gpt-4o model. Max size: 8000 tokens.","details":"Request body too large for gpt-4o model. Max size: 8000 tokens."}}`, limited(8000)},
	{"xAI", "pi", 400, `{"code":"Client specified an invalid argument","error":"This model's maximum prompt length is 131072 but the request contains 537812 tokens."}`, counted(537812, 131072)},

	// Anthropic and Bedrock.
	{"Anthropic with max_tokens", "strands", 400, "{\"type\":\"error\",\"error\":{\"type\":\"invalid_request_error\",\"message\":\"input length and `max_tokens` exceed context limit: 190000 + 21333 > 200000, decrease input length or `max_tokens` and try again\"}}", counted(211333, 200000)},
	{"Anthropic with a model and its date", "", 400, `{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 210000 tokens > 200000 maximum (model=claude-sonnet-4-5-20250929)"}}`, counted(210000, 200000)},
	{"Anthropic with a count alone", "collected", 400, said("prompt is too long: 210000 tokens"), counted(210000, 0)},
	{"Anthropic by input and output", "strands", 400, said("input and output tokens exceed your context limit"), wire.Overflow{}},
	{"Anthropic by length", "strands", 400, said("input length exceeds context window"), wire.Overflow{}},
	{"Anthropic request size", "Anthropic's documentation", 413, `{"type":"error","error":{"type":"request_too_large","message":"Request exceeds the maximum size"}}`, wire.Overflow{}},
	{"Bedrock", "goose", 400, `{"message":"Input is too long for requested model."}`, wire.Overflow{}},
	{"Bedrock by bytes", "strands", 400, `{"message":"too many total text bytes: 10000002 > 9000000"}`, wire.Overflow{Tokens: 10000002, Limit: 9000000, Bytes: true}},
	{"Bedrock Titan", "collected", 400, `{"message":"Too many input tokens. Max input tokens: 8192, request input token count: 9001"}`, counted(9001, 8192)},

	// Gemini.
	{"Gemini", "litellm", 400, `{"error":{"code":400,"message":"The input token count (1200000) exceeds the maximum number of tokens allowed (1048575).","status":"INVALID_ARGUMENT"}}`, counted(1200000, 1048575)},
	{"Gemini, streamed in a list", "litellm", 400, `[{"error":{"code":400,"message":"The input token count exceeds the maximum number of tokens allowed 1048576.","status":"INVALID_ARGUMENT"}}]`, limited(1048576)},
	{"Gemini by bytes", "collected", 400, `{"error":{"code":400,"message":"Request payload size exceeds the limit: 20000000 bytes.","status":"INVALID_ARGUMENT"}}`, wire.Overflow{Limit: 20000000, Bytes: true}},

	// Other providers.
	{"Mistral", "pi", 400, `{"object":"error","message":"Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length","type":"invalid_request_error","code":"3051"}`, counted(40000, 32768)},
	{"Mistral in short", "inspect_ai", 400, said("input too large"), wire.Overflow{}},
	{"Cohere with a total", "", 400, `{"message":"too many tokens: total number of tokens (prompt and prediction) cannot exceed 4081"}`, limited(4081)},
	{"Cohere by how much", "collected", 400, `{"message":"too many tokens: size limit exceeded by 1155 tokens. Try using shorter or fewer inputs."}`, wire.Overflow{Excess: 1155}},
	{"DashScope", "fantasy, qwen-code", 400, said("<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 245760]"), limited(245760)},
	{"qwen-code", "qwen-code", 400, said("Input token length is too long"), wire.Overflow{}},
	{"DeepInfra", "inspect_ai", 400, said("Requested input length 125000 exceeds maximum input length 40000"), counted(125000, 40000)},
	{"Moonshot", "inspect_ai", 400, said("Invalid request: Your request exceeded model token limit: 262144 (requested: 425573)"), counted(425573, 262144)},
	{"Moonshot without a count", "pi", 400, said("Invalid request: Your request exceeded model token limit: 131072"), limited(131072)},
	{"MiniMax with its code", "pi", 400, said("invalid params, context window exceeds limit (2013)"), wire.Overflow{}},
	{"Zhipu", "zeroclaw issue 4124", 400, `{"error":{"code":"1261","message":"Prompt exceeds max length"}}`, wire.Overflow{}},
	{"Volcengine", "dify issue 32221", 400, `{"error":{"code":"InvalidParameter","message":"Input length 203743 exceeds the maximum length 202752"}}`, counted(203743, 202752)},
	{"SiliconFlow", "dify issue 19394", 400, `{"code":20015,"message":"length of prompt_tokens (57535) must be less than max_seq_len (32768).","data":null}`, counted(57535, 32768)},
	{"SiliconFlow with the answer", "continue issue 10993", 400, `{"code":20015,"message":"max_total_tokens (33802) must be less than or equal to max_seq_len (32768)","data":null}`, counted(33802, 32768)},
	{"Fireworks", "langchain", 400, said("The prompt is too long: 500208, model maximum context length: 262143"), counted(500208, 262143)},
	{"Aleph Alpha", "collected", 400, said("Input text length should not exceed 4096"), limited(4096)},
	{"Cerebras", "litellm", 400, said("Please reduce the length of the messages or completion. Current length is 40000 while limit is 32768"), counted(40000, 32768)},
	{"Cerebras without a body", "pi, opencode", 413, ``, wire.Overflow{}},
	{"Cerebras without a body, as 400", "pi, opencode", 400, ``, wire.Overflow{}},
	{"Salesforce", "Einstein-GPT-for-Developers issue 228", 400, said("Request input tokens exceed model token limit. Reduce the input size."), wire.Overflow{}},
	{"OpenRouter with its provider's words", "truefoundry/models pull 873", 400, `{"error":{"message":"Provider returned error","code":400,"metadata":{"raw":"{\"error\":{\"message\":\"This model's maximum context length is 8192 tokens. However, you requested 8246 tokens (54 in the messages, 8192 in the completion).\"}}","provider_name":"X"}}}`, counted(8246, 8192)},
	{"OpenRouter with its provider's object", "truefoundry/models pull 873", 400, `{"error":{"message":"Provider returned error","code":400,"metadata":{"raw":{"error":{"message":"prompt is too long: 210000 tokens > 200000 maximum"}}}}}`, counted(210000, 200000)},
	{"a gateway that quotes an error", "cline", 400, said(`Provider returned error: {"error":{"message":"This endpoint's maximum context length is 65536 tokens.","code":400}}`), limited(65536)},

	// Servers.
	{"vLLM", "litellm", 400, `{"object":"error","message":"This model's maximum context length is 8192 tokens. However, you requested 9000 tokens in the messages, Please reduce the length of the messages.","type":"BadRequestError","code":400}`, counted(9000, 8192)},
	{"vLLM with the answer apart", "collected", 400, said("You passed 9000 input tokens and requested 100 output tokens. However, the model's context length is only 8192 tokens, resulting in a maximum input length of 8092 tokens. Please reduce the length of the input prompt."), counted(9100, 8192)},
	{"vLLM with the least that it can be", "local server", 400, said("This model's maximum context length is 2048 tokens. However, your prompt contains at least 2049 input tokens."), limited(2048)},
	{"vLLM at Cloudflare", "cloudflare-docs issue 29731", 400, said("AiError: This model's maximum context length is 131072 tokens. However, you requested 16000 output tokens and your prompt contains at least 115073 input tokens, for a total of at least 131073 tokens. Please reduce the length of the input prompt or reduce max_tokens."), limited(131072)},
	{"vLLM without room for an answer", "inspect_ai", 400, said("max_tokens must be at least 1, got -3217."), wire.Overflow{Excess: 3217}},
	{"SGLang", "opencode", 400, `{"object":"error","message":"The input (516368 tokens) is longer than the model's context length (262144 tokens).","type":"BadRequest","code":400}`, counted(516368, 262144)},
	{"SGLang with the limit of the input", "opencode", 400, said("Input length 131393 exceeds the maximum allowed input length of 131040 tokens."), counted(131393, 131040)},
	{"SGLang in parentheses", "opencode", 400, said("Input length (265330) exceeds model's maximum context length (262144)."), counted(265330, 262144)},
	{"TGI", "litellm", 422, "{\"error\":\"Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 3980 `inputs` tokens and 200 `max_new_tokens`\",\"error_type\":\"validation\"}", counted(4180, 4096)},
	{"TGI without an answer", "collected", 422, "{\"error\":\"Input validation error: `inputs` must have less than 4095 tokens. Given: 5201\",\"error_type\":\"validation\"}", counted(5201, 4095)},
	{"llama.cpp", "llama.cpp pull 15780", 400, `{"error":{"code":400,"message":"the request exceeds the available context size, try increasing it","type":"exceed_context_size_error","n_prompt_tokens":9000,"n_ctx":8192}}`, counted(9000, 8192)},
	{"llama.cpp with figures in the words", "litellm", 400, said("request (67311 tokens) exceeds the available context size (65536 tokens), try increasing it"), counted(67311, 65536)},
	{"llama.cpp in the middle of an answer", "llama.cpp issue 19774", 500, `{"error":{"code":500,"message":"Context size has been exceeded.","type":"server_error"}}`, wire.Overflow{}},
	{"llama-cpp-python", "local server", 400, `{"error":{"message":"This model's maximum context length is 2048 tokens. However, you requested 2549 tokens (2485 in the messages, 64 in the completion). Please reduce the length of the messages or completion.","type":"invalid_request_error","param":"messages","code":"context_length_exceeded"}}`, counted(2549, 2048)},
	{"llama-cpp-python, streamed", "its source", 0, `{"error":{"message":"Requested tokens (2485) exceed context window of 2048","type":"internal_server_error","param":null,"code":null}}`, counted(2485, 2048)},
	{"llama-cpp-python's second server", "its source", 400, `{"detail":"prompt exceeds context window"}`, wire.Overflow{}},
	{"LM Studio", "collected", 400, `{"error":"The number of tokens to keep from the initial prompt is greater than the context length (n_keep: 12000>= n_ctx: 4096). Try to load the model with a larger context length, or provide a shorter input"}`, counted(12000, 4096)},
	{"LM Studio, older", "", 400, `{"error":"Trying to keep the first 12000 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens"}`, counted(12000, 4096)},
	{"Ollama", "opencode", 400, `{"error":"the input length exceeds the context length"}`, wire.Overflow{}},
	{"ds4", "ds4 pull 150", 400, `{"error":{"message":"Prompt tokens (9000) exceeds context size (8192)","type":"context_exceeded","n_prompt_tokens":9000,"n_ctx":8192}}`, counted(9000, 8192)},
	{"kronk", "fantasy", 400, said("chat: input tokens [9000] exceed context window [8192]"), counted(9000, 8192)},
	{"kronk that is full", "fantasy", 400, said("unable to process request: the context window is full"), wire.Overflow{}},
	{"ctransformers", "MultipleDocumentllama2Bot issue 2", 400, said("Number of tokens (768) exceeded maximum context length (512)"), counted(768, 512)},

	// Gateways and agents.
	{"a configured context", "opencode", 400, said("Prompt has 5,958,968 tokens, but the configured context size is 256,000 tokens"), counted(5958968, 256000)},
	{"more than allowed", "opencode", 400, said("tokens in request more than max tokens allowed"), wire.Overflow{}},
	{"too many tokens", "opencode", 400, said("Too many tokens"), wire.Overflow{}},
	{"a token limit", "opencode", 400, said("Token limit exceeded"), wire.Overflow{}},
	{"an estimate of cline", "collected", 400, said("Estimated prompt tokens exceed model context window"), wire.Overflow{}},
	{"Roo's maximum", "collected", 400, said("exceeds maximum token limit"), wire.Overflow{}},
	{"Roo's model limit", "Roo", 400, said("Input tokens exceed model limit"), wire.Overflow{}},
	{"Roo's limit", "Roo", 400, said("input tokens exceed limit"), wire.Overflow{}},
	{"Roo's window", "Roo", 400, said("The request exceeds the maximum context window"), wire.Overflow{}},
	{"Roo's context", "Roo", 400, said("context is too long"), wire.Overflow{}},
	{"Codex", "goose", 0, `{"type":"error","message":"Codex ran out of room in the model's context window and could not finish the task."}`, wire.Overflow{}},
	{"Claude Code", "goose", 400, `{"type":"error","error":"context window exceeded"}`, wire.Overflow{}},
	{"Plimsoll", "", 400, `{"error":{"message":"This model's maximum context length is exceeded: fit: Single turn too long: 6049 tokens exceeds max context (1875 tokens) (shorten the newest turn, from message 1 on (6005 tokens))","code":"context_length_exceeded"}}`, counted(6049, 1875)},
	{"Plimsoll as Anthropic", "", 400, `{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 7355 tokens > 1500 maximum: shorten the newest turn, from message 0 on (6965 tokens)"}}`, counted(7355, 1500)},
	{"Plimsoll in short", "", 400, said("This model's maximum context length is exceeded: over the limit: 210,500 of 200,000 tokens"), counted(210500, 200000)},
	{"one count beside a model and its date", "", 400, said("prompt is too long for claude-sonnet-4-5-20250929, which takes at most 200000 tokens"), limited(200000)},
	{"a limit that is said twice", "", 400, said("maximum context length is 8192 tokens: of 8192 tokens your prompt and what it asks for take 9000"), counted(9000, 8192)},
	{"a gateway with a request id", "", 400, said("prompt is too long: 210000 tokens > 200000 maximum, please check your request before you try again (request 20250929123456)"), counted(210000, 200000)},
	{"a limit that is an adjective", "", 400, said("The prompt is too long: 130,000 exceeds the 128,000-token limit."), counted(130000, 128000)},
	{"plain text", "", 400, `The prompt is too long`, wire.Overflow{}},
	{"nginx", "collected", 413, "<html>\r\n<head><title>413 Request Entity Too Large</title></head>\r\n<body><center><h1>413 Request Entity Too Large</h1></center><hr><center>nginx/1.27.1</center></body></html>", wire.Overflow{}},
	{"Vercel", "collected", 413, "Request Entity Too Large\n\nFUNCTION_PAYLOAD_TOO_LARGE\n\nfra1::abcde-1730000000000-0123456789ab", wire.Overflow{}},
	{"any other 413", "opencode", 413, "request too large", wire.Overflow{}},
}

func TestF10_OverflowsOfManyProvidersAreRecognised(t *testing.T) {
	t.Parallel()
	for _, tt := range overflows {
		t.Run(tt.who, func(t *testing.T) {
			t.Parallel()
			got, ok := wire.FindOverflow(tt.status, []byte(tt.body))
			if !ok {
				t.Fatal("not recognised")
			}
			got.Message, got.Words = "", ""
			if got != tt.want {
				t.Errorf("figures %+v, want %+v", got, tt.want)
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
		{"a rate limit of Groq", 429, said("Rate limit reached for model `llama-3.1-8b-instant` in organization `org_1` service tier `on_demand` on tokens per minute (TPM): Limit 6000, Used 5034, Requested 1443. Please try again in 4.77s.")},
		{"a minute that the request fits into", 429, said("Rate limit reached on tokens per min (TPM): Limit 30000, Requested 5000.")},
		{"a rate limit sent as 400", 400, `{"error":{"message":"Too many tokens, please wait: rate limit","code":"rate_limit_exceeded"}}`},
		{"a rate limit of a day", 400, said("Too many tokens per day, please wait before trying again.")},
		{"a rate limit of Azure", 429, `{"error":{"code":"RateLimitReached","message":"Your requests to grok-4-1-fast-non-reasoning in westeurope have exceeded rate limit."}}`},
		{"a quota of Gemini", 429, `{"error":{"code":429,"message":"You exceeded your current quota. Quota exceeded for metric: generate_content_paid_tier_input_token_count, limit: 1000000, model: gemini-2.5-flash","status":"RESOURCE_EXHAUSTED"}}`},
		{"credit at OpenRouter", 402, `{"error":{"message":"This request requires more credits, or fewer max_tokens. You requested up to 32000 tokens, but can only afford 1234.","code":402}}`},
		{"another cause at OpenRouter", 400, `{"error":{"message":"Provider returned error","code":400,"metadata":{"raw":"{\"error\":{\"message\":\"Invalid schema for function 'f'\"}}"}}}`},
		{"a rate limit behind OpenRouter", 429, `{"error":{"message":"Provider returned error","code":429,"metadata":{"raw":"x is temporarily rate-limited upstream. Please retry shortly"}}}`},
		{"one field that is too long", 400, `{"error":{"message":"Invalid 'user': string too long. Expected a string with maximum length 64, but got a string with length 70 instead.","code":"string_above_max_length"}}`},
		{"an id that is too long", 400, `{"error":{"message":"Invalid 'input[3].call_id': string too long. Expected a string with maximum length 64, but got a string with length 80 instead.","code":"string_above_max_length"}}`},
		{"metadata that is too long", 400, said("Invalid 'metadata': maximum input length is 512 characters.")},
		{"an answer limit out of range", 400, `{"error":{"message":"max_tokens is too large: 200000. This model supports at most 16384 completion tokens","type":"invalid_request_error","code":"invalid_value"}}`},
		{"an answer limit of Anthropic", 400, said("max_tokens: 200000 > 64000, which is the maximum allowed number of output tokens for claude-sonnet-4-5")},
		{"an answer limit of Groq", 400, said("`max_tokens` must be less than or equal to `16384`, the maximum value for `max_tokens` is less than the `context_window` for this model")},
		{"an answer limit of DeepInfra", 400, said("max_tokens=131072 cannot be greater than max_model_len=max_total_tokens=28672. Please request fewer output tokens.")},
		{"an answer limit of vLLM", 400, said("'max_tokens' or 'max_completion_tokens' is too large: 9000. This model's maximum context length is 8192 tokens and your request has 500 input tokens (9000 > 8192 - 500).")},
		{"an answer limit of zero", 400, said("max_tokens must be at least 1, got 0.")},
		{"an orphan result", 400, `{"error":{"message":"messages.2: unexpected tool_use_id found in tool_result blocks","type":"invalid_request_error"}}`},
		{"a call without results", 400, `{"error":{"message":"An assistant message with 'tool_calls' must be followed by tool messages","type":"invalid_request_error"}}`},
		{"too many tools", 400, said("Invalid 'tools': array too long. Expected an array with maximum length 128, but got an array with length 200 instead.")},
		{"an image that is too large", 400, said("messages.0.content.1.image.source.base64: image exceeds 5 MB maximum: 6291456 bytes > 5242880 bytes")},
		{"too many declarations", 400, said("The number of function declarations in the request exceeds the limit of 512.")},
		{"too many images", 400, said("Request exceeds the maximum number of images allowed (20).")},
		{"a picture of too many pixels", 400, said("messages.1.content.0.image.source.base64.data: At least one of the image dimensions exceed max allowed size for many-image requests: 2000 pixels")},
		{"a schema that is too deep", 400, said("Request failed: maximum schema depth exceeded")},
		{"a deadline", 400, said("context deadline exceeded")},
		{"a time-out", 400, said("Request timeout after 60s. Try reducing input length or increasing timeout in config.")},
		{"a time-out that names the context", 400, said("request timed out while checking maximum context length")},
		{"a failure that names the context", 500, said("internal error computing maximum context length")},
		{"a model that does not exist", 404, said("The model `gpt-4-context-window` does not exist")},
		{"an overloaded server", 529, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`},
		{"an empty 500", 500, ``},
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

func TestF10_AMessageIsReadUpToABound(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		before int
		want   bool
	}{{1 << 10, true}, {1 << 20, false}} {
		body := said(strings.Repeat("x ", tt.before/2) + "prompt is too long")
		if _, ok := wire.FindOverflow(400, []byte(body)); ok != tt.want {
			t.Errorf("words behind %d bytes: found is %v", tt.before, ok)
		}
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
