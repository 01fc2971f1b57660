package wire

import (
	"encoding/json"
	"fmt"

	"github.com/plimsoll/plimsoll"
)

// ParseUsage reads a provider's usage object: OpenAI Chat Completions and its
// compatibles (DeepSeek's cache figures included), OpenAI Responses, Anthropic,
// Gemini's usageMetadata, Bedrock's Converse and Ollama. It knows the form by its
// keys. Figures that contradict each other are cut to what is possible, never to a
// negative number.
func ParseUsage(data []byte) (plimsoll.Usage, error) {
	var u usage
	if err := json.Unmarshal(data, &u); err != nil {
		return plimsoll.Usage{}, fmt.Errorf("usage: %w: %w", plimsoll.ErrInvalid, err)
	}
	switch {
	case u.PromptTokens != nil || u.CompletionTokens != nil:
		return u.chat(), nil
	case u.InputTokens != nil && (u.CacheCreation != nil || u.CacheRead != nil):
		return u.anthropic(), nil
	case u.InputTokens != nil && (u.InputDetails != nil || u.OutputDetails != nil):
		return u.responses(), nil
	case u.InputTokens != nil:
		return u.anthropic(), nil
	case u.PromptTokenCount != nil || u.TotalTokenCount != nil || u.CandidatesTokenCount != nil || u.ThoughtsTokenCount != nil:
		return u.gemini(), nil
	case u.ConverseInput != nil:
		return u.converse(), nil
	case u.PromptEvalCount != nil || u.EvalCount != nil:
		return plimsoll.Usage{Input: u.PromptEvalCount.tokens(), Output: u.EvalCount.tokens()}, nil
	}
	return plimsoll.Usage{}, fmt.Errorf("usage: %w: none of the known token counts is present", plimsoll.ErrInvalid)
}

// usage is the union of the providers' usage objects.
type usage struct {
	// Chat Completions.
	PromptTokens      *figure       `json:"prompt_tokens"`
	CompletionTokens  *figure       `json:"completion_tokens"`
	TotalTokens       *figure       `json:"total_tokens"`
	PromptDetails     *usageDetails `json:"prompt_tokens_details"`
	CompletionDetails *usageDetails `json:"completion_tokens_details"`
	CacheHit          *figure       `json:"prompt_cache_hit_tokens"`

	// Responses and Anthropic.
	InputTokens   *figure       `json:"input_tokens"`
	OutputTokens  *figure       `json:"output_tokens"`
	InputDetails  *usageDetails `json:"input_tokens_details"`
	OutputDetails *usageDetails `json:"output_tokens_details"`
	CacheCreation *figure       `json:"cache_creation_input_tokens"`
	CacheRead     *figure       `json:"cache_read_input_tokens"`

	// Gemini.
	PromptTokenCount        *figure `json:"promptTokenCount"`
	CandidatesTokenCount    *figure `json:"candidatesTokenCount"`
	ThoughtsTokenCount      *figure `json:"thoughtsTokenCount"`
	CachedContentTokenCount *figure `json:"cachedContentTokenCount"`
	ToolUsePromptTokenCount *figure `json:"toolUsePromptTokenCount"`
	TotalTokenCount         *figure `json:"totalTokenCount"`

	// Converse.
	ConverseInput      *figure `json:"inputTokens"`
	ConverseOutput     *figure `json:"outputTokens"`
	ConverseCacheRead  *figure `json:"cacheReadInputTokens"`
	ConverseCacheWrite *figure `json:"cacheWriteInputTokens"`

	// Ollama.
	PromptEvalCount *figure `json:"prompt_eval_count"`
	EvalCount       *figure `json:"eval_count"`
}

type usageDetails struct {
	Cached     *figure `json:"cached_tokens"`
	CacheWrite *figure `json:"cache_write_tokens"`
	Reasoning  *figure `json:"reasoning_tokens"`
}

// orNone returns the details, or empty ones if there are none.
func (d *usageDetails) orNone() usageDetails {
	if d == nil {
		return usageDetails{}
	}
	return *d
}

// figure is a number of tokens. Some gateways write 12.0 for 12.
type figure float64

// tokens returns the figure within bounds, and 0 for none. No provider can claim so
// much that sums overflow.
func (f *figure) tokens() int {
	if f == nil {
		return 0
	}
	return int(min(1<<40, max(0, *f)))
}

// chat reads Chat Completions. Gateways that translate Anthropic to it repeat
// Anthropic's cache figures, still inside prompt_tokens. Where the total is larger than
// the prompt and the completion, it says what was billed beside them: reasoning at xAI,
// cached tokens at Charm Hyper.
func (u *usage) chat() plimsoll.Usage {
	details := u.PromptDetails.orNone()
	read := max(details.Cached.tokens(), u.CacheHit.tokens(), u.CacheRead.tokens())
	written := max(details.CacheWrite.tokens(), u.CacheCreation.tokens())
	prompt, output := u.PromptTokens.tokens(), u.CompletionTokens.tokens()
	reasoning := u.CompletionDetails.orNone().Reasoning.tokens()
	beside := u.TotalTokens.tokens() - prompt - output
	switch {
	case beside <= 0:
	case u.PromptTokens == nil:
		prompt = beside
	case beside == reasoning && (beside != read || read <= prompt):
		output += reasoning
	case beside == read, beside == read+written:
		prompt += beside
	case beside == reasoning+read:
		prompt, output = prompt+read, output+reasoning
	}
	used := splitInput(prompt, read, written)
	used.Output, used.Reasoning = output, min(output, reasoning)
	return used
}

func (u *usage) responses() plimsoll.Usage {
	input := u.InputDetails.orNone()
	used := splitInput(u.InputTokens.tokens(), input.Cached.tokens(), input.CacheWrite.tokens())
	used.Output = u.OutputTokens.tokens()
	used.Reasoning = min(used.Output, u.OutputDetails.orNone().Reasoning.tokens())
	return used
}

func (u *usage) anthropic() plimsoll.Usage {
	return plimsoll.Usage{
		Input:         u.InputTokens.tokens(),
		Output:        u.OutputTokens.tokens(),
		CacheCreation: u.CacheCreation.tokens(),
		CacheRead:     u.CacheRead.tokens(),
	}
}

// gemini reads usageMetadata, which counts thoughts beside the candidates. Some answers
// to prompts with files have no count of the prompt.
func (u *usage) gemini() plimsoll.Usage {
	prompt := u.PromptTokenCount.tokens() + u.ToolUsePromptTokenCount.tokens()
	used := splitInput(prompt, u.CachedContentTokenCount.tokens(), 0)
	used.Reasoning = u.ThoughtsTokenCount.tokens()
	used.Output = u.CandidatesTokenCount.tokens() + used.Reasoning
	return used
}

func (u *usage) converse() plimsoll.Usage {
	return plimsoll.Usage{
		Input:         u.ConverseInput.tokens(),
		Output:        u.ConverseOutput.tokens(),
		CacheCreation: u.ConverseCacheWrite.tokens(),
		CacheRead:     u.ConverseCacheRead.tokens(),
	}
}

// splitInput splits an input figure that contains its cached tokens.
func splitInput(input, read, written int) plimsoll.Usage {
	read = min(read, input)
	written = min(written, input-read)
	return plimsoll.Usage{Input: input - read - written, CacheRead: read, CacheCreation: written}
}
