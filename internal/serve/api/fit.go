package api

import (
	"context"
	"encoding/json"
	"time"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/wire"
	"github.com/plimsoll/plimsoll/wire/dialects"
)

// Settings are what a request may ask of a keeper. Zero values leave the operator's
// settings in force.
type Settings struct {
	Window  int      `json:"window,omitempty" minimum:"1" jsonschema:"Context limit in tokens. Default: the model's."`
	Reserve *int     `json:"reserve,omitempty" jsonschema:"Tokens to keep free for the answer."`
	Preset  string   `json:"preset,omitempty" enum:"auto agent multichat gemini cookbook" jsonschema:"Named configuration."`
	Method  string   `json:"method,omitempty" enum:"window summary hybrid" jsonschema:"How old content goes."`
	Low     *float64 `json:"low,omitempty" jsonschema:"Fraction of the limit to come down to."`
	Rungs   []string `json:"rungs,omitempty" enum:"view dedupe clear reasoning compact slide trim" jsonschema:"Ways to make it smaller, in order."`
	Pins    []string `json:"pins,omitempty" jsonschema:"Messages to leave as they are: role=NAME, index=N, tool=NAME or match=PATTERN."`
	// Dry asks for a keeper without side effects: it calls no model and no hook. It is
	// used once.
	Dry bool `json:"-"`
}

// planRequest asks what fit would do.
type planRequest struct {
	target
	Settings
}

func (o *planRequest) do(c *call) (any, error) {
	_, k, task, err := c.task(o.target, o.Settings)
	if err != nil {
		return nil, err
	}
	return k.PlanTask(c.Context(), task)
}

// fitRequest asks to make a request fit.
type fitRequest struct {
	target
	Settings
}

func (o *fitRequest) do(c *call) (any, error) {
	r, k, task, err := c.task(o.target, o.Settings)
	if err != nil {
		return nil, err
	}
	plan, err := k.FitTask(c.Context(), task)
	if err != nil {
		return nil, err
	}
	body, err := r.Encode(plan.Draft())
	return edited{body, plan}, err
}

// Task returns the task of a request: for the given model, else for the request's own,
// else for the default model of its API.
func Task(r *wire.Request, model string) plimsoll.Task {
	task := dialects.Task(r)
	named := task.Conversation.Model != "" || r.Dialect() == plimsoll.Gemini
	switch {
	case model != "":
		task.Conversation.Model = model
	case task.Conversation.Model == "":
		task.Conversation.Model = report.DefaultModel(r.Dialect())
	}
	if !named {
		task.Encode = nil // without a model the body is no request that could be sent
	}
	return task
}

// task returns the client's request, the keeper for the settings, and the tenant's task.
func (c *call) task(t target, s Settings) (*wire.Request, *plimsoll.Keeper, plimsoll.Task, error) {
	r, err := t.decode(c.body)
	if err != nil {
		return nil, nil, plimsoll.Task{}, err
	}
	k, err := c.h.keeper(s)
	if err != nil {
		return nil, nil, plimsoll.Task{}, err
	}
	return r, k, c.owned(Task(r, t.Model), s.Dry), nil
}

// keeper returns the keeper for the settings. The handler holds those used last. It does
// not hold one for a dry run, which remembers decisions that were never made.
func (h *Handler) keeper(s Settings) (*plimsoll.Keeper, error) {
	if s.Dry {
		return h.options.Keeper(s)
	}
	key, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	if held, ok := h.keepers.Find(string(key)); ok {
		return held, nil
	}
	made, err := h.options.Keeper(s)
	if err == nil {
		h.keepers.Put(string(key), made)
	}
	return made, err
}

// conversationHeader tells conversations apart that begin alike. The proxy reads the
// same header.
const conversationHeader = "X-Plimsoll-Conversation"

// owned gives a task the tenant's archive and memory, in the proxy's scope: the API and
// the proxy replay and forget each other's decisions.
func (c *call) owned(t plimsoll.Task, dry bool) plimsoll.Task {
	if c.tenant == nil {
		return t
	}
	id := c.tenant.ID()
	t.Scope, t.Archive, t.Memory = string(id[:]), c.tenant, c.tenant.Memory()
	if name := c.Header.Get(conversationHeader); name != "" {
		t.Scope += "\x00" + name
	}
	if dry {
		t.Archive, t.Memory = NamesOnly{c.tenant}, recallOnly{t.Memory}
	}
	return t
}

// NamesOnly is an archive that gives references and stores nothing.
type NamesOnly struct{ plimsoll.Archive }

// Put returns the reference.
func (a NamesOnly) Put(ctx context.Context, content plimsoll.List[plimsoll.Part]) (plimsoll.Ref, error) {
	return a.Ref(ctx, content)
}

// recallOnly is a memory to which nothing is added.
type recallOnly struct{ plimsoll.Memory }

// Remember does nothing.
func (recallOnly) Remember(context.Context, plimsoll.Decision) error { return nil }

// Forget does nothing.
func (recallOnly) Forget(context.Context, ...plimsoll.Digest) error { return nil }

// Lease is always granted.
func (recallOnly) Lease(context.Context, string, time.Duration) (func(), bool, error) {
	return func() {}, true, nil
}
