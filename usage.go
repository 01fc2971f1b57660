package plimsoll

import "fmt"

// Usage is what a provider billed for one call. The four figures never overlap:
// providers that count cached tokens inside their input (OpenAI, Gemini) are
// brought to the same form as those that count them beside it (Anthropic).
type Usage struct {
	// Input tokens that were neither read from nor written to a prompt cache.
	Input int `json:"input"`
	// Output tokens, reasoning included.
	Output int `json:"output"`
	// CacheCreation tokens were written to the prompt cache.
	CacheCreation int `json:"cache_creation"`
	// CacheRead tokens were read from the prompt cache.
	CacheRead int `json:"cache_read"`
	// Reasoning says how many of the output tokens were hidden thinking.
	Reasoning int `json:"reasoning"`
}

// Total returns the sum of the four figures.
func (u Usage) Total() int { return u.Input + u.Output + u.CacheCreation + u.CacheRead }

// Prompt returns what was sent: everything but the output.
func (u Usage) Prompt() int { return u.Input + u.CacheCreation + u.CacheRead }

// Add returns the sum of two usages.
func (u Usage) Add(v Usage) Usage {
	return Usage{
		Input:         u.Input + v.Input,
		Output:        u.Output + v.Output,
		CacheCreation: u.CacheCreation + v.CacheCreation,
		CacheRead:     u.CacheRead + v.CacheRead,
		Reasoning:     u.Reasoning + v.Reasoning,
	}
}

// ParseUsage reads a provider's usage object: OpenAI Chat Completions and its
// compatibles (DeepSeek's cache figures included), OpenAI Responses, Anthropic,
// Gemini's usageMetadata, Bedrock's Converse and Ollama. The form is known by
// its keys. Figures that contradict each other are cut to what is possible,
// never to a negative number.
func ParseUsage(data []byte) (Usage, error) {
	w, err := readUsage(data)
	if err != nil {
		return Usage{}, fmt.Errorf("usage: %w: %w", ErrInvalid, err)
	}
	switch {
	case w.PromptTokens.stated:
		return w.chat(), nil
	case w.InputTokens.stated && (w.CacheCreation.stated || w.CacheRead.stated):
		return w.anthropic(), nil
	case w.InputTokens.stated && (w.InputDetails != nil || w.OutputDetails != nil):
		return w.responses(), nil
	case w.InputTokens.stated:
		return w.anthropic(), nil
	case w.PromptTokenCount.stated || w.TotalTokenCount.stated:
		return w.gemini(), nil
	case w.ConverseInput.stated:
		return w.converse(), nil
	case w.PromptEvalCount.stated || w.EvalCount.stated:
		return Usage{Input: w.PromptEvalCount.tokens, Output: w.EvalCount.tokens}, nil
	}
	return Usage{}, fmt.Errorf("usage: %w: none of the known token counts is present", ErrInvalid)
}

// wireUsage is the union of the providers' usage objects.
type wireUsage struct {
	// Chat Completions.
	PromptTokens, CompletionTokens, TotalTokens figure
	PromptDetails, CompletionDetail             *usageDetails
	CacheHit                                    figure

	// Responses and Anthropic.
	InputTokens, OutputTokens   figure
	InputDetails, OutputDetails *usageDetails
	CacheCreation, CacheRead    figure

	// Gemini.
	PromptTokenCount, CandidatesTokenCount, ThoughtsTokenCount        figure
	CachedContentTokenCount, ToolUsePromptTokenCount, TotalTokenCount figure

	// Converse.
	ConverseInput, ConverseOutput, ConverseCacheRead, ConverseCacheWrite figure

	// Ollama.
	PromptEvalCount, EvalCount figure
}

type usageDetails struct{ Cached, CacheWrite, Reasoning figure }

func (d *usageDetails) cached() int {
	if d == nil {
		return 0
	}
	return d.Cached.tokens
}

func (d *usageDetails) written() int {
	if d == nil {
		return 0
	}
	return d.CacheWrite.tokens
}

func (d *usageDetails) reasoning() int {
	if d == nil {
		return 0
	}
	return d.Reasoning.tokens
}

// chat reads Chat Completions. Gateways that translate Anthropic to it repeat
// Anthropic's cache figures, still inside prompt_tokens.
func (w wireUsage) chat() Usage {
	read := max(w.PromptDetails.cached(), w.CacheHit.tokens, w.CacheRead.tokens)
	written := max(w.PromptDetails.written(), w.CacheCreation.tokens)
	u := insideInput(w.PromptTokens.tokens, read, written)
	u.Output = w.CompletionTokens.tokens
	u.Reasoning = w.CompletionDetail.reasoning()
	if total := w.TotalTokens.tokens; u.Reasoning > 0 && total == w.PromptTokens.tokens+u.Output+u.Reasoning {
		u.Output += u.Reasoning // billed beside the completion, as xAI does
	}
	u.Reasoning = min(u.Output, u.Reasoning)
	return u
}

func (w wireUsage) responses() Usage {
	u := insideInput(w.InputTokens.tokens, w.InputDetails.cached(), w.InputDetails.written())
	u.Output = w.OutputTokens.tokens
	u.Reasoning = min(u.Output, w.OutputDetails.reasoning())
	return u
}

func (w wireUsage) anthropic() Usage {
	return Usage{
		Input:         w.InputTokens.tokens,
		Output:        w.OutputTokens.tokens,
		CacheCreation: w.CacheCreation.tokens,
		CacheRead:     w.CacheRead.tokens,
	}
}

// gemini reads usageMetadata, where thoughts stand beside the candidates.
func (w wireUsage) gemini() Usage {
	prompt := w.PromptTokenCount.tokens + w.ToolUsePromptTokenCount.tokens
	u := insideInput(prompt, w.CachedContentTokenCount.tokens, 0)
	u.Reasoning = w.ThoughtsTokenCount.tokens
	u.Output = w.CandidatesTokenCount.tokens + u.Reasoning
	return u
}

func (w wireUsage) converse() Usage {
	return Usage{
		Input:         w.ConverseInput.tokens,
		Output:        w.ConverseOutput.tokens,
		CacheCreation: w.ConverseCacheWrite.tokens,
		CacheRead:     w.ConverseCacheRead.tokens,
	}
}

// insideInput splits an input figure that contains its cached tokens.
func insideInput(input, read, written int) Usage {
	read = min(read, input)
	written = min(written, input-read)
	return Usage{Input: input - read - written, CacheRead: read, CacheCreation: written}
}

// figure is a number of tokens. Some gateways write 12.0 for 12.
type figure struct {
	tokens int
	// stated tells a figure from none, and from null.
	stated bool
}

// maxFigure bounds what a provider can claim, so that sums cannot overflow.
const maxFigure = 1 << 40
