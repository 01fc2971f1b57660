package plimsoll

import "encoding/json"

// Usage is what a provider billed for one call. The four figures never overlap:
// providers that count cached tokens inside their input (OpenAI, Gemini) are
// brought to the same form as those that count them beside it (Anthropic).
type Usage struct {
	// Input tokens that were neither read from nor written to a prompt cache.
	Input int `json:"input_tokens"`
	// Output tokens, reasoning included.
	Output int `json:"output_tokens"`
	// CacheCreation tokens were written to the prompt cache.
	CacheCreation int `json:"cache_creation_tokens"`
	// CacheRead tokens were read from the prompt cache.
	CacheRead int `json:"cache_read_tokens"`
	// Reasoning says how many of the output tokens were hidden thinking.
	Reasoning int `json:"reasoning_tokens"`
}

// MarshalJSON writes the figures and total_tokens, their sum.
func (u Usage) MarshalJSON() ([]byte, error) {
	type figures Usage
	return json.Marshal(struct {
		figures
		Total int `json:"total_tokens"`
	}{figures(u), u.Total()})
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
