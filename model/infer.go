package model

import "strings"

// lineFacts are facts of a whole line of models that no public list carries.
type lineFacts struct {
	// stem is how the names of the line begin; a stem counts where no letter
	// follows it.
	stem      string
	tokenizer Tokenizer
	cache     Cache
}

var (
	claudeCache = Cache{Mode: CacheBreakpoint, MinPrefix: 1024, LifeSeconds: 300, LongLifeSeconds: 3600}
	// OpenAI drops an idle prefix after five to ten minutes.
	openaiCache = Cache{Mode: CacheAutomatic, MinPrefix: 1024, LifeSeconds: 300}
	// Newer models can be asked to keep a prefix for a day.
	openaiDayCache = Cache{Mode: CacheAutomatic, MinPrefix: 1024, LifeSeconds: 300, LongLifeSeconds: 86400}
	// From gpt-5.6 on a prefix is found only where a request marked its end.
	openaiMarkedCache = Cache{Mode: CacheBreakpoint, MinPrefix: 1024, LifeSeconds: 1800}
	// Gemini promises no life for what it caches by itself; what a program
	// caches lives for an hour unless told otherwise.
	geminiCache      = Cache{Mode: CacheAutomatic, MinPrefix: 1024, LongLifeSeconds: 3600}
	geminiProCache   = Cache{Mode: CacheAutomatic, MinPrefix: 4096, LongLifeSeconds: 3600}
	novaCache        = Cache{Mode: CacheBreakpoint, MinPrefix: 1024, LifeSeconds: 300}
	deepseekCache    = Cache{Mode: CacheAutomatic, MinPrefix: 64}
	unspecifiedCache = Cache{Mode: CacheAutomatic}

	// Claude's and Gemini's vocabularies are not public; the names are those of
	// the nearest public ones. From Claude 4.7 on the same text has about 30 %
	// more tokens.
	claudeTokenizer    = Tokenizer{Name: "claude"}
	newClaudeTokenizer = Tokenizer{Name: "claude-4.7"}
	geminiTokenizer    = Tokenizer{Name: "gemma3"}
)

// lines is ordered: the first stem that fits decides.
var lines = []lineFacts{
	{stem: "gpt-5.6", cache: openaiMarkedCache},
	{stem: "gpt-5", cache: openaiDayCache},
	{stem: "gpt-4.1", cache: openaiDayCache},
	{stem: "gpt", cache: openaiCache},
	{stem: "o1", cache: openaiCache},
	{stem: "o3", cache: openaiCache},
	{stem: "o4", cache: openaiCache},
	{stem: "claude-opus-4-7", tokenizer: newClaudeTokenizer, cache: claudeCache},
	{stem: "claude-opus-4-8", tokenizer: newClaudeTokenizer, cache: claudeCache},
	{stem: "claude-opus-5", tokenizer: newClaudeTokenizer, cache: claudeCache},
	{stem: "claude-sonnet-5", tokenizer: newClaudeTokenizer, cache: claudeCache},
	{stem: "claude-haiku-5", tokenizer: newClaudeTokenizer, cache: claudeCache},
	{stem: "claude-fable", tokenizer: newClaudeTokenizer, cache: claudeCache},
	{stem: "claude-mythos", tokenizer: newClaudeTokenizer, cache: claudeCache},
	{stem: "claude", tokenizer: claudeTokenizer, cache: claudeCache},
	{stem: "gemini-2.5-pro", tokenizer: geminiTokenizer, cache: geminiProCache},
	{stem: "gemini-3-pro", tokenizer: geminiTokenizer, cache: geminiProCache},
	{stem: "gemini-3.1-pro", tokenizer: geminiTokenizer, cache: geminiProCache},
	{stem: "gemini-4-argon", tokenizer: geminiTokenizer, cache: geminiProCache},
	{stem: "gemini-pro", tokenizer: geminiTokenizer, cache: geminiProCache},
	{stem: "gemini", tokenizer: geminiTokenizer, cache: geminiCache},
	{stem: "gemma-2", tokenizer: Tokenizer{"gemma2", true}},
	{stem: "gemma2", tokenizer: Tokenizer{"gemma2", true}},
	{stem: "gemma-3", tokenizer: Tokenizer{"gemma3", true}},
	{stem: "gemma3", tokenizer: Tokenizer{"gemma3", true}},
	{stem: "gemma", tokenizer: Tokenizer{"gemma3", false}},
	{stem: "deepseek-r1-distill-llama", tokenizer: Tokenizer{"llama3", true}},
	{stem: "deepseek-r1-distill-qwen", tokenizer: Tokenizer{"qwen2.5", true}},
	{stem: "deepseek-v3", tokenizer: Tokenizer{"deepseek-v3", true}, cache: deepseekCache},
	{stem: "deepseek-r1", tokenizer: Tokenizer{"deepseek-v3", true}, cache: deepseekCache},
	{stem: "deepseek", tokenizer: Tokenizer{"deepseek-v3", false}, cache: deepseekCache},
	{stem: "qwen3.5", tokenizer: Tokenizer{"qwen3", false}, cache: unspecifiedCache},
	{stem: "qwen3.6", tokenizer: Tokenizer{"qwen3", false}, cache: unspecifiedCache},
	{stem: "qwen3.7", tokenizer: Tokenizer{"qwen3", false}, cache: unspecifiedCache},
	{stem: "qwen3", tokenizer: Tokenizer{"qwen3", true}, cache: unspecifiedCache},
	{stem: "qwen2", tokenizer: Tokenizer{"qwen2.5", true}, cache: unspecifiedCache},
	{stem: "qwen", tokenizer: Tokenizer{"qwen3", false}, cache: unspecifiedCache},
	{stem: "qwq", tokenizer: Tokenizer{"qwen2.5", true}, cache: unspecifiedCache},
	{stem: "codellama", tokenizer: Tokenizer{"llama2", false}},
	{stem: "llama-2", tokenizer: Tokenizer{"llama2", true}},
	{stem: "llama2", tokenizer: Tokenizer{"llama2", true}},
	{stem: "llama-4", tokenizer: Tokenizer{"llama3", false}},
	{stem: "llama4", tokenizer: Tokenizer{"llama3", false}},
	{stem: "llama", tokenizer: Tokenizer{"llama3", true}},
	{stem: "meta-llama-3", tokenizer: Tokenizer{"llama3", true}},
	{stem: "open-mistral-7b", tokenizer: Tokenizer{"mistral-7b", true}},
	{stem: "open-mixtral", tokenizer: Tokenizer{"mistral-7b", true}},
	{stem: "mixtral", tokenizer: Tokenizer{"mistral-7b", true}},
	{stem: "open-mistral-nemo", tokenizer: Tokenizer{"tekken", true}},
	{stem: "mistral-nemo", tokenizer: Tokenizer{"tekken", true}},
	{stem: "mistral", tokenizer: Tokenizer{"tekken", false}, cache: unspecifiedCache},
	{stem: "ministral", tokenizer: Tokenizer{"tekken", false}, cache: unspecifiedCache},
	{stem: "magistral", tokenizer: Tokenizer{"tekken", false}, cache: unspecifiedCache},
	{stem: "codestral", tokenizer: Tokenizer{"tekken", false}, cache: unspecifiedCache},
	{stem: "devstral", tokenizer: Tokenizer{"tekken", false}, cache: unspecifiedCache},
	{stem: "pixtral", tokenizer: Tokenizer{"tekken", false}, cache: unspecifiedCache},
	{stem: "grok", cache: unspecifiedCache},
	{stem: "kimi", cache: unspecifiedCache},
	{stem: "glm", cache: unspecifiedCache},
	{stem: "minimax", cache: unspecifiedCache},
	{stem: "nova", cache: novaCache},
	{stem: "phi4", tokenizer: Tokenizer{cl100k, false}},
	{stem: "phi-4", tokenizer: Tokenizer{cl100k, false}},
	{stem: "phi3", tokenizer: Tokenizer{"llama2", false}},
	{stem: "phi-3", tokenizer: Tokenizer{"llama2", false}},
}

// inferFacts fills in what follows from a model's name. Cache terms are those of
// the maker's own service and hold only where that service has a price for
// reading the cache.
func (m *Model) inferFacts() {
	name := bareName(m.ID)
	if encoding, ok := EncodingFor(name); ok {
		m.Tokenizer = Tokenizer{encoding, true}
	}
	line, ok := lineOf(name)
	if !ok {
		return
	}
	m.Tokenizer = firstOf(m.Tokenizer, line.tokenizer)
	v, _ := vendorOf(name)
	if v.provider == m.Provider && m.Prices.CacheRead < m.Prices.Input {
		m.Cache = line.cache
	}
}

func lineOf(name string) (lineFacts, bool) {
	for _, l := range lines {
		if rest, ok := strings.CutPrefix(name, l.stem); ok && !startsWithLetter(rest) {
			return l, true
		}
	}
	return lineFacts{}, false
}

// bareName is a name without everything that stands before the model.
func bareName(name string) string {
	forms := withoutPrefixes(foldName(name))
	return forms[len(forms)-1]
}
