package api

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/embedding"
	"github.com/plimsoll/plimsoll/token"
	"github.com/plimsoll/plimsoll/trim"
)

// trimRequest asks to leave messages out until the rest fits.
type trimRequest struct {
	// Max is nil where it was not given, because 0 is a value.
	Max      *int   `json:"max,omitempty" jsonschema:"Tokens that the messages may weigh together. Required."`
	Model    string `json:"model,omitempty" jsonschema:"Model to count for. Default: the one that the request names."`
	Encoder  string `json:"encoder,omitempty" jsonschema:"Count with this encoding or estimator; none is characters / 4 + 1."`
	Pairs    bool   `json:"pairs,omitempty" jsonschema:"Keep tool calls and their results together."`
	Embedder string `json:"embedder,omitempty" enum:"lexical" jsonschema:"Measure how much of the wording is kept."`
}

// trimmed describes the JSON of a [trim.Result], which writes itself.
type trimmed struct {
	Messages   []map[string]any `json:"messages"`
	Statistics struct {
		CompressionRatio  float64 `json:"compression_ratio"`
		CompressRatio     float64 `json:"compress_ratio"`
		InputTokens       int     `json:"input_tokens"`
		OutputTokens      int     `json:"output_tokens"`
		SemanticRetention float64 `json:"semantic_retention,omitempty"`
	} `json:"statistics"`
	TokenCounter struct {
		Model        string  `json:"model"`
		Encoding     *string `json:"encoding"`
		UsesTiktoken bool    `json:"uses_tiktoken"`
		Strategy     string  `json:"strategy"`
	} `json:"token_counter"`
	SemanticOptions map[string]any `json:"semantic_options"`
}

func (o *trimRequest) do(c *httpCall) (any, error) {
	if o.Max == nil {
		return nil, optionError("max", errMissing, "say how many tokens the messages may weigh together")
	}
	options := &trim.Options{MaxTokens: *o.Max, Pairs: o.Pairs}
	if name := o.Encoder; name != "" {
		if name == "none" {
			name = plimsoll.StrategyHeuristic
		}
		named, err := token.Named(name)
		if err != nil {
			return nil, err
		}
		options.Counter = named
	}
	switch o.Embedder {
	case "":
	case "lexical":
		options.Embedder, options.SemanticOptions = embedding.Lexical, map[string]any{"embedder": "lexical"}
	default:
		return nil, optionError("embedder", fmt.Errorf("%.40q is not known here", o.Embedder), "use lexical, or leave it out")
	}
	parsed, err := trim.Parse(c.body)
	if err != nil {
		return nil, trimError(err)
	}
	options.Model = cmp.Or(o.Model, parsed.Model)
	result, err := trim.Messages(c.Context(), parsed.Messages, options)
	if err != nil {
		return nil, trimError(err)
	}
	text, err := result.MarshalJSON() // json.Marshal would change the bytes of the messages
	return json.RawMessage(text), err
}

func trimError(err error) error {
	e := &plimsoll.Error{Op: "trim", Code: plimsoll.CodeInvalid, Err: err, Hint: "want a list of messages, each an object with a role and a content, or a chat completions request"}
	if errors.Is(err, plimsoll.ErrUnsupported) {
		e.Code, e.Hint = plimsoll.CodeUnsupported, "leave out pairs, or give messages in the form of OpenAI's chat completions"
	}
	return e
}
