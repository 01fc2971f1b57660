// Package trim shortens a list of OpenAI-compatible messages to a number of
// tokens by leaving messages out: the system message and the newest stay, older
// ones stay while they fit.
//
// It is the plain, stateless form of trimming, for callers who have messages and
// want fewer: nothing is stored, summarised or rewritten, and the report has a
// form that audit logs of other tools know. A conversation that must fit, be valid
// for its API and lose as little as possible is the business of the ladder; both
// choose with [rung.Select]. Messages come in and go out as raw JSON, byte for
// byte, so fields that this package has never heard of survive.
package trim

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/model"
	"github.com/plimsoll/plimsoll/rung"
	"github.com/plimsoll/plimsoll/token"
)

// defaultModel is counted for when none is named.
const defaultModel = "gpt-4o"

// framing is what every message weighs beside its content.
const framing = 4

// Options say how to trim. The zero value leaves only the system message and the
// newest other one.
type Options struct {
	// MaxTokens is what the messages may weigh together, the system message
	// included. What is always kept may exceed it; the statistics say so.
	MaxTokens int
	// Model to count for; empty means gpt-4o. Aliases are resolved.
	Model string
	// Counter to count with. It may be shared. Nil means OpenAI's encoding of the
	// model, else cl100k_base.
	Counter plimsoll.Counter
	// Pairs keeps tool calls and their results together. Without it, a result
	// may outlive its call, which APIs refuse.
	Pairs bool
	// Embedder measures how much of the meaning is kept; nil means that this is
	// not measured.
	Embedder Embedder
	// SemanticOptions are repeated in the result, for its reader to know
	// how the meaning was measured. The values must be fit for JSON.
	SemanticOptions map[string]any
}

// Embedder turns a text into a vector.
type Embedder func(ctx context.Context, text string) ([]float64, error)

// Result is what is left, and what that took. As JSON it has exactly the keys
// messages, statistics, token_counter and semantic_options.
type Result struct {
	// Messages that were kept, copied; the first system message stands first.
	Messages []json.RawMessage
	// Kept says where each of Messages stood in the input.
	Kept []int
	// Statistics compare the messages before and after.
	Statistics Statistics
	// TokenCounter says how they were counted.
	TokenCounter plimsoll.CounterInfo
	// SemanticOptions as they were given; never nil.
	SemanticOptions map[string]any
	// EmbedderError is why the embedder gave no vector; the retention is then 0.
	EmbedderError error
}

// Statistics compare the messages before and after.
type Statistics struct {
	// CompressRatio is output by input tokens; 1 for an input of 0.
	CompressRatio float64
	InputTokens   int
	OutputTokens  int
	// ExcessTokens are those of the output beyond MaxTokens: the system message and the
	// newest message stay even if they do not fit.
	ExcessTokens int
	// SemanticRetention is the cosine similarity of the embedded texts before and
	// after, from 0 to 1; nil without an embedder.
	SemanticRetention *float64
}

// Messages leaves out what does not fit. The first system message is taken
// first; the others are walked from the newest to the oldest and taken while they
// fit; one that does not is passed over. The newest is always kept. Each message
// weighs the tokens of its content's text plus 4; tool calls are not
// counted. The input is not changed. The context is the embedder's: an embedder
// that fails or is cut short makes no error, only a retention of 0.
func Messages(ctx context.Context, messages []json.RawMessage, o *Options) (*Result, error) {
	if o == nil {
		o = &Options{}
	}
	counter := o.counter()
	all, err := readMessages(messages)
	if err != nil {
		return nil, err
	}
	tokens := make([]int, len(all))
	for i, m := range all {
		tokens[i] = m.weigh(counter)
	}
	kept, err := o.choose(messages, all, tokens)
	if err != nil {
		return nil, err
	}
	result := &Result{
		Messages:        make([]json.RawMessage, len(kept)),
		Kept:            kept,
		Statistics:      o.compare(tokens, kept),
		TokenCounter:    o.info(counter),
		SemanticOptions: map[string]any{},
	}
	maps.Copy(result.SemanticOptions, o.SemanticOptions)
	left := make([]message, len(kept))
	for i, at := range kept {
		result.Messages[i], left[i] = slices.Clone(messages[at]), all[at]
	}
	if o.Embedder != nil {
		retained, err := retention(ctx, o.Embedder, joined(all), joined(left))
		result.Statistics.SemanticRetention, result.EmbedderError = &retained, err
	}
	return result, nil
}

// CountMessage returns what one message weighs: the tokens of its content's text plus 4.
// A nil counter is that of gpt-4o. The figures of [Statistics] are sums of it.
func CountMessage(message json.RawMessage, counter plimsoll.Counter) (int, error) {
	m, err := readMessage(message)
	if err != nil {
		return 0, fmt.Errorf("%w: %w", plimsoll.ErrInvalid, err)
	}
	return m.weigh((&Options{Counter: counter}).counter()), nil
}

func (o *Options) model() string {
	if o.Model == "" {
		return defaultModel
	}
	return o.Model
}

func (o *Options) counter() plimsoll.Counter {
	if o.Counter != nil {
		return o.Counter
	}
	return token.Tiktoken(o.model())
}

// info says how the counter counts. One that was made for no model in particular
// counted for ours.
func (o *Options) info(c plimsoll.Counter) plimsoll.CounterInfo {
	info := c.Info()
	if info.Model == "" {
		info.Model = model.Default().Resolve(o.model())
	}
	return info
}

// choose returns the messages to keep, the system message first.
func (o *Options) choose(messages []json.RawMessage, all []message, tokens []int) ([]int, error) {
	c := rung.Choice{
		Messages: len(all), Tokens: tokens, Budget: o.MaxTokens,
		System: slices.IndexFunc(all, func(m message) bool { return m.role == string(plimsoll.System) }),
	}
	if o.Pairs {
		var err error
		if c.Groups, err = pairsOf(messages); err != nil {
			return nil, err
		}
	}
	chosen, err := rung.Select(c)
	if err != nil {
		return nil, fmt.Errorf("trim: %w", err)
	}
	kept := []int{}
	if c.System >= 0 {
		kept = append(kept, c.System)
	}
	for i, keep := range chosen {
		if keep && i != c.System {
			kept = append(kept, i)
		}
	}
	return kept, nil
}

func (o *Options) compare(tokens, kept []int) Statistics {
	s := Statistics{CompressRatio: 1}
	for _, n := range tokens {
		s.InputTokens += n
	}
	for _, i := range kept {
		s.OutputTokens += tokens[i]
	}
	s.ExcessTokens = max(0, s.OutputTokens-max(0, o.MaxTokens))
	if s.InputTokens != 0 {
		s.CompressRatio = float64(s.OutputTokens) / float64(s.InputTokens)
	}
	return s
}
