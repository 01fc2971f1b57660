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
	Max              *int   `json:"max,omitempty" jsonschema:"Tokens that the messages may weigh together. Required, here or as max_context_tokens."`
	MaxContextTokens *int   `json:"max_context_tokens,omitempty" jsonschema:"Another name for max."`
	Model            string `json:"model,omitempty" jsonschema:"Model to count for. Default: the one that the request names."`
	Encoder          string `json:"encoder,omitempty" jsonschema:"Count with this encoding or estimator; none is characters / 4 + 1."`
	Pairs            bool   `json:"pairs,omitempty" jsonschema:"Keep tool calls and their results together."`
	Embedder         string `json:"embedder,omitempty" enum:"lexical upstream" jsonschema:"Measure how much is kept: of the wording (lexical), or of the meaning by the embeddings of the server's OpenAI upstream, asked with the caller's key (upstream)."`
	EmbeddingModel   string `json:"embedding_model,omitempty" jsonschema:"Model to ask the upstream for. Default: text-embedding-3-small."`
}

// trimmed describes the JSON of a [trim.Result], which writes itself.
type trimmed struct {
	Messages   []map[string]any `json:"messages"`
	Statistics struct {
		CompressionRatio  float64 `json:"compression_ratio"`
		CompressRatio     float64 `json:"compress_ratio"`
		InputTokens       int     `json:"input_tokens"`
		OutputTokens      int     `json:"output_tokens"`
		ExcessTokens      int     `json:"excess_tokens,omitempty"`
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
	limit := cmp.Or(o.Max, o.MaxContextTokens)
	switch {
	case limit == nil:
		return nil, optionError("max", errMissing, "say how many tokens the messages may weigh together")
	case o.Max != nil && o.MaxContextTokens != nil:
		return nil, optionError("max_context_tokens", errTwice, "leave out max, which means the same")
	}
	options := &trim.Options{MaxTokens: *limit, Pairs: o.Pairs}
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
	switch {
	case o.Embedder == "":
	case o.Embedder == "lexical":
		options.Embedder, options.SemanticOptions = embedding.Lexical, map[string]any{"embedder": "lexical"}
	case o.Embedder == "upstream" && c.h.options.Embeddings != nil:
		e := c.h.options.Embeddings(c.Request)
		e.Model = cmp.Or(o.EmbeddingModel, embedding.DefaultModel)
		options.Embedder, options.SemanticOptions = e.Embed, map[string]any{"embedder": e.Address(), "embedding_model": e.Model}
	default:
		return nil, optionError("embedder", fmt.Errorf("%.40q is not known here", o.Embedder), "use lexical or upstream, or leave it out")
	}
	parsed, err := trim.Parse(c.body)
	if err != nil {
		return nil, trimError(err)
	}
	options.Model = cmp.Or(o.Model, parsed.Model, "gpt-4o")
	if options.Counter, err = c.h.counter(options.Counter, options.Model); err != nil {
		return nil, err
	}
	result, err := trim.Messages(c.Context(), parsed.Messages, options)
	if err != nil {
		return nil, trimError(err)
	}
	c.h.options.Logger.Info("trimmed", "max_context_tokens", *limit, "statistics", result.Statistics,
		"token_counter", result.TokenCounter, "semantic_options", result.SemanticOptions)
	text, err := result.MarshalJSON() // json.Marshal would change the bytes of the messages
	return json.RawMessage(text), err
}

// counter returns the given counter, else that of the model's vocabulary in the directory
// of the server, else that of its OpenAI encoding.
func (h *Handler) counter(given plimsoll.Counter, name string) (plimsoll.Counter, error) {
	return token.NewMeter(&token.MeterOptions{Options: h.options.Scales.Options, Counter: given, CounterFor: token.Tiktoken}).Counter(name)
}

func trimError(err error) error {
	e := &plimsoll.Error{Op: "trim", Code: plimsoll.CodeInvalid, Err: err, Hint: "want a list of messages, each an object with a role and a content, or a chat completions request"}
	if errors.Is(err, plimsoll.ErrUnsupported) {
		e.Code, e.Hint = plimsoll.CodeUnsupported, "leave out pairs, or give messages in the form of OpenAI's chat completions"
	}
	return e
}
