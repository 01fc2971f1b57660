package api

import (
	"github.com/plimsoll/plimsoll/internal/prune"
	"github.com/plimsoll/plimsoll/preset"
)

// pruneRequest asks to drop the oldest turns of a chat.
type pruneRequest struct {
	target
	Max    int    `json:"max,omitempty" minimum:"1" jsonschema:"Tokens that the system prompt and the history may have together. Required."`
	System string `json:"system,omitempty" jsonschema:"System prompt that is sent beside the history; it counts and stays."`
}

func (o *pruneRequest) do(c *httpCall) (any, error) {
	if o.Max == 0 {
		return nil, optionError("max", errMissing, "say how many tokens the system prompt and the history may have together")
	}
	r, err := o.decode(c.body)
	if err != nil {
		return nil, err
	}
	history := r.Conversation()
	options := &prune.Options{MaxTokens: o.Max, Model: o.Model, System: o.System, Token: c.h.options.Scales.Options, BufferFactor: c.h.options.BufferFactor}
	if o.Model == "" && history.Model == "" {
		options.Model = preset.DefaultModel(r.Dialect())
	}
	plan, err := prune.Plan(c.Context(), history, options)
	if err != nil {
		return nil, err
	}
	body, err := r.Encode(plan.Draft)
	return edited{body, prune.InfoOf(plan)}, err
}
