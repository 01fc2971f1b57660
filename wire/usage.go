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
	case u.PromptTokens != nil:
		return u.chat(), nil
	case u.InputTokens != nil && (u.CacheCreation != nil || u.CacheRead != nil):
		return u.anthropic(), nil
	case u.InputTokens != nil && (u.InputDetails != nil || u.OutputDetails != nil):
		return u.responses(), nil
	case u.InputTokens != nil:
		return u.anthropic(), nil
	case u.PromptTokenCount != nil || u.TotalTokenCount != nil:
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
// Anthropic's cache figures, still inside prompt_tokens.
func (u *usage) chat() plimsoll.Usage {
	prompt := u.PromptDetails.orNone()
	read := max(prompt.Cached.tokens(), u.CacheHit.tokens(), u.CacheRead.tokens())
	written := max(prompt.CacheWrite.tokens(), u.CacheCreation.tokens())
	used := splitInput(u.PromptTokens.tokens(), read, written)
	used.Output = u.CompletionTokens.tokens()
	used.Reasoning = u.CompletionDetails.orNone().Reasoning.tokens()
	if used.Reasoning > 0 && u.TotalTokens.tokens() == u.PromptTokens.tokens()+used.Output+used.Reasoning {
		used.Output += used.Reasoning // xAI bills it beside the completion
	}
	used.Reasoning = min(used.Output, used.Reasoning)
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

// gemini reads usageMetadata, which counts thoughts beside the candidates.
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
