package api

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/fit"
	"github.com/plimsoll/plimsoll/preset"
	"github.com/plimsoll/plimsoll/wire"
	"github.com/plimsoll/plimsoll/wire/dialects"
)

// observeRequest hands in what a provider billed for a request.
type observeRequest struct {
	Usage  json.RawMessage `json:"usage,omitempty" jsonschema:"The usage as the provider reported it."`
	Answer json.RawMessage `json:"answer,omitempty" jsonschema:"The provider's answer, instead of usage."`
	target
	Settings
}

// Observed says what was billed, and what the request weighed before.
type Observed struct {
	Usage     plimsoll.Usage `json:"usage" jsonschema:"What was billed; the first four figures never overlap."`
	Billed    int            `json:"billed" jsonschema:"Tokens of the prompt on the bill."`
	Estimated int            `json:"estimated" jsonschema:"Tokens of the prompt as weighed before."`
}

func (o *observeRequest) do(c *httpCall) (any, error) {
	r, k, client, err := c.prepare(o.target, o.Settings)
	if err != nil {
		return nil, err
	}
	usage, err := o.usage(r.Dialect())
	if err != nil {
		return nil, err
	}
	task := preset.Task(r, client)
	plan, err := sentBy(c, k, task)
	if err != nil {
		return nil, err
	}
	if plan.Body == nil && 2*usage.Prompt() < plan.After.Total-plan.After.Hidden {
		err := fmt.Errorf("%d tokens were billed, and the request has about %d", usage.Prompt(), plan.After.Total)
		return nil, optionError("usage", err, "send the request that was billed, with the options that it was fitted with")
	}
	err = k.Observe(c.Context(), task, plan, usage)
	return Observed{usage, usage.Prompt(), plan.After.Total}, err
}

// usage reads the bill.
func (o *observeRequest) usage(d plimsoll.Dialect) (plimsoll.Usage, error) {
	switch {
	case o.Usage != nil && o.Answer != nil:
		return plimsoll.Usage{}, optionError("usage", errTwice, "give either usage or answer")
	case o.Usage != nil:
		usage, err := wire.ParseUsage(o.Usage)
		if err != nil {
			return usage, optionError("usage", err, "give the object that the provider calls usage or usageMetadata")
		}
		return usage, nil
	case o.Answer != nil:
		answer, err := dialects.Codec(d).ReadResponse(o.Answer)
		if err == nil && !answer.HasUsage {
			err = errors.New("it has no usage")
		}
		if err != nil {
			return plimsoll.Usage{}, optionError("answer", err, "give the whole answer; of a stream, give the usage of its last event as usage")
		}
		return answer.Usage, nil
	}
	return plimsoll.Usage{}, optionError("usage", errMissing, `send {"request":…,"usage":…} or {"request":…,"answer":…}`)
}

// sentBy returns the plan by which a request was sent. The keeper remembers what it has
// cut. What it would cut only now, the client has sent whole.
func sentBy(c *httpCall, k *fit.Keeper, task fit.Task) (*plimsoll.Plan, error) {
	plan, err := k.Plan(c.Context(), task)
	if over := (*plimsoll.OverloadError)(nil); err != nil && !errors.As(err, &over) {
		return nil, err
	}
	whole := err != nil
	if !whole {
		for _, r := range plan.Rungs {
			whole = whole || r.Edits > 0 && !r.Replayed && r.Rung != "recollect" // that follows an earlier cut
		}
	}
	if !whole {
		return plan, nil
	}
	load := k.Weigh(c.Context(), task)
	return &plimsoll.Plan{Before: load, After: load, Draft: plimsoll.NewDraft(task.Conversation, nil)}, nil
}
