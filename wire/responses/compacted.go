package responses

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/wire"
)

// compaction is what POST /responses/compact answers.
type compaction struct {
	ID        string            `json:"id"`
	Object    string            `json:"object"`
	CreatedAt int64             `json:"created_at"`
	Output    []json.RawMessage `json:"output"`
	Usage     compactionUsage   `json:"usage"`
}

type compactionUsage struct {
	InputTokens   int            `json:"input_tokens"`
	InputDetails  map[string]int `json:"input_tokens_details"`
	OutputTokens  int            `json:"output_tokens"`
	OutputDetails map[string]int `json:"output_tokens_details"`
	TotalTokens   int            `json:"total_tokens"`
}

// Compacted renders a draft of a request as the answer to a demand for a shorter
// conversation. Its output is items that any server takes back as input: what stands
// for older ones is a message, not something that only one server can read.
func Compacted(r *wire.Request, d *plimsoll.Draft, id string, created time.Time, usage plimsoll.Usage) ([]byte, error) {
	body, err := r.Encode(d)
	if err != nil {
		return nil, fmt.Errorf("compacted: %w", err)
	}
	shorter, err := Codec{}.Decode(body)
	if err != nil {
		return nil, fmt.Errorf("compacted: %w", err)
	}
	items, err := InputItems(shorter)
	if err != nil {
		return nil, fmt.Errorf("compacted: %w", err)
	}
	answer := compaction{ID: id, Object: "response.compaction", CreatedAt: created.Unix(), Output: []json.RawMessage{}, Usage: compactionUsage{
		InputTokens: usage.Prompt(), InputDetails: map[string]int{"cached_tokens": usage.CacheRead},
		OutputTokens: usage.Output, OutputDetails: map[string]int{"reasoning_tokens": usage.Reasoning},
		TotalTokens: usage.Total(),
	}}
	for _, item := range items {
		answer.Output = append(answer.Output, item)
	}
	return json.Marshal(answer)
}
