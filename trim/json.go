package trim

import (
	"encoding/json"

	"github.com/plimsoll/plimsoll"
)

// MarshalJSON writes the four keys. Messages keep their bytes, unless
// [json.Marshal] takes the white space between their values out afterwards.
func (r *Result) MarshalJSON() ([]byte, error) {
	out := []byte(`{"messages":[`)
	for i, m := range r.Messages {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, m...)
	}
	out = append(out, ']')
	for _, member := range []struct {
		name  string
		value any
	}{
		{"statistics", r.Statistics},
		{"token_counter", r.TokenCounter},
		{"semantic_options", r.SemanticOptions},
	} {
		value, err := json.Marshal(member.value)
		if err != nil {
			return nil, &plimsoll.Error{Op: "write " + member.name, Code: plimsoll.CodeInvalid, Err: err}
		}
		out = append(append(append(out, `,"`...), member.name...), `":`...)
		out = append(out, value...)
	}
	return append(out, '}'), nil
}

// float is a number that is written with a fraction, which tells readers in other
// languages its type.
type float float64

// MarshalJSON writes 1 as 1.0.
func (f float) MarshalJSON() ([]byte, error) { return appendFloat(nil, float64(f)), nil }

// MarshalJSON writes the ratio under both of its names. The tokens beyond the limit are
// there only if there are any.
func (s Statistics) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		CompressRatio     float  `json:"compress_ratio"`
		CompressionRatio  float  `json:"compression_ratio"`
		InputTokens       int    `json:"input_tokens"`
		OutputTokens      int    `json:"output_tokens"`
		ExcessTokens      int    `json:"excess_tokens,omitempty"`
		SemanticRetention *float `json:"semantic_retention,omitempty"`
	}{
		float(s.CompressRatio), float(s.CompressRatio), s.InputTokens, s.OutputTokens, s.ExcessTokens, (*float)(s.SemanticRetention),
	})
}
