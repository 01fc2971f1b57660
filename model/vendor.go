package model

import "strings"

// vendor is a maker of models: who serves its models first-hand, how their names
// begin, and which words stand for it in the names of environment variables.
type vendor struct {
	provider string
	stems    []string
	env      []string
}

// vendors is ordered so that a longer stem stands before a shorter one of
// another vendor. Adding a maker of models touches this table only.
var vendors = []vendor{
	{"openai", []string{"gpt", "chatgpt", "o1", "o3", "o4", "codex", "text-embedding", "text-davinci", "davinci", "babbage", "computer-use"}, []string{"CHATGPT", "OPENAI", "GPT"}},
	{"anthropic", []string{"claude"}, []string{"CLAUDE", "ANTHROPIC"}},
	{"google", []string{"gemini", "learnlm"}, []string{"GEMINI", "GOOGLE"}},
	{"google", []string{"gemma"}, []string{"GEMMA", "GOOGLE"}},
	{"xai", []string{"grok"}, []string{"GROK", "XAI"}},
	{"mistral", []string{"mistral", "mixtral", "ministral", "magistral", "codestral", "devstral", "pixtral", "voxtral", "open-mistral", "open-mixtral"}, []string{"MISTRAL"}},
	{"deepseek", []string{"deepseek"}, []string{"DEEPSEEK"}},
	{"alibaba", []string{"qwen", "qwq", "qvq"}, []string{"QWEN", "ALIBABA", "DASHSCOPE"}},
	{"llama", []string{"llama", "meta-llama", "codellama"}, []string{"LLAMA", "META"}},
	{"cohere", []string{"command", "c4ai", "aya"}, []string{"COHERE"}},
	{"moonshotai", []string{"kimi", "moonshot"}, []string{"KIMI", "MOONSHOT"}},
	{"zai", []string{"glm"}, []string{"GLM", "ZAI", "ZHIPU"}},
	{"minimax", []string{"minimax"}, []string{"MINIMAX"}},
	{"amazon-bedrock", []string{"nova", "titan"}, []string{"NOVA", "AMAZON", "BEDROCK"}},
	{"microsoft", []string{"phi"}, []string{"PHI", "MICROSOFT"}},
}

// vendorOf finds the maker by the beginning of a bare lower-case name. A stem
// counts only where no further letter follows it ("o1-mini", not "o1ympus").
func vendorOf(name string) (vendor, bool) {
	for _, v := range vendors {
		for _, stem := range v.stems {
			if rest, ok := strings.CutPrefix(name, stem); ok && !startsWithLetter(rest) {
				return v, true
			}
		}
	}
	return vendor{}, false
}

func startsWithLetter(s string) bool {
	return s != "" && s[0] >= 'a' && s[0] <= 'z'
}

// publishers are makers whose weights others serve under names of their own.
var publishers = words("mistral deepseek alibaba llama moonshotai zai minimax")

func weightsOf(provider string) weights {
	switch {
	case provider == localProvider:
		return localWeights
	case publishers[provider]:
		return openWeights
	}
	return anyWeights
}

// providerNames maps the words that lists, gateways and users write for a
// provider to the one this package uses.
var providerNames = map[string]string{
	"gemini": "google", "google_ai_studio": "google", "google-ai-studio": "google", "models": "google",
	"vertex_ai": "google-vertex", "vertex": "google-vertex", "vertexai": "google-vertex",
	"vertex_ai-language-models": "google-vertex", "vertex_ai-anthropic_models": "google-vertex-anthropic",
	"dashscope": "alibaba", "qwen": "alibaba",
	"moonshot": "moonshotai", "kimi": "moonshotai",
	"bedrock": "amazon-bedrock", "bedrock_converse": "amazon-bedrock", "amazon": "amazon-bedrock", "amazon_nova": "amazon-bedrock", "amazon-nova": "amazon-bedrock",
	"cohere_chat": "cohere", "text-completion-openai": "openai",
	"meta_llama": "llama", "meta-llama": "llama", "meta": "llama",
	"mistralai": "mistral",
	"x-ai":      "xai", "z-ai": "zai", "zhipu": "zai", "zhipuai": "zai",
	"deepseek-ai": "deepseek", "minimaxai": "minimax",
	"together_ai": "togetherai", "fireworks_ai": "fireworks-ai", "novita": "novita-ai",
	"github_copilot": "github-copilot", "vercel_ai_gateway": "vercel", "snowflake": "snowflake-cortex",
	"ollama": "local", "ollama_chat": "local", "lmstudio": "local", "lm_studio": "local",
	"lm-studio": "local", "llamacpp": "local", "vllm": "local", "hosted_vllm": "local",
}

// canonicalProvider gives this package's word for a provider.
func canonicalProvider(word string) string {
	word = strings.ToLower(strings.TrimSpace(word))
	if name, ok := providerNames[word]; ok {
		return name
	}
	return word
}
