package api

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/account"
	"github.com/plimsoll/plimsoll/fit"
	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/preset"
	"github.com/plimsoll/plimsoll/wire"
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

func (o *planRequest) do(c *httpCall) (any, error) {
	_, k, task, err := c.task(o.target, o.Settings)
	if err != nil {
		return nil, err
	}
	return k.Plan(c.Context(), task)
}

// fitRequest asks to make a request fit.
type fitRequest struct {
	target
	Settings
}

func (o *fitRequest) do(c *httpCall) (any, error) {
	r, k, task, err := c.task(o.target, o.Settings)
	if err != nil {
		return nil, err
	}
	plan, err := k.Fit(c.Context(), task)
	if err != nil {
		return nil, err
	}
	body, err := r.Encode(plan.Draft)
	return edited{body, plan}, err
}

// Task returns the task of a request: for the given model, else for the request's own,
// else for the default model of its API.
func Task(r *wire.Request, model string) fit.Task {
	task := preset.Task(r)
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
func (c *httpCall) task(t target, s Settings) (*wire.Request, *fit.Keeper, fit.Task, error) {
	r, err := t.decode(c.body)
	if err != nil {
		return nil, nil, fit.Task{}, err
	}
	if err := c.readHeaders(&s); err != nil {
		return nil, nil, fit.Task{}, err
	}
	window := s.Window
	s.Window = 0 // it is the line of one task: a keeper of its own could not undo what the proxy decided
	k, err := c.h.keeper(s)
	if err != nil {
		return nil, nil, fit.Task{}, err
	}
	task := Task(r, t.Model)
	if window > 0 {
		reserve, set := k.Reserve()
		if !set {
			reserve = fit.ReserveFor(window, task.Conversation.MaxOutput)
		}
		task.Line = &plimsoll.Line{Window: window, Reserve: reserve}
	}
	return r, k, c.owned(task, s, window), nil
}

// The headers by which a client of the proxy says which conversation it means, and how
// the proxy manages it. They mean the same here.
const (
	conversationHeader = "X-Plimsoll-Conversation"
	presetHeader       = "X-Plimsoll-Preset"
	limitHeader        = "X-Plimsoll-Limit"
)

// readHeaders takes preset and window from the headers where the options do not say
// them.
func (c *httpCall) readHeaders(s *Settings) error {
	if s.Preset == "" {
		s.Preset = c.Header.Get(presetHeader)
	}
	if text := c.Header.Get(limitHeader); text != "" && s.Window == 0 {
		n, err := strconv.Atoi(text)
		if err != nil || n <= 0 {
			return &plimsoll.Error{
				Op: "read the header " + limitHeader, Code: plimsoll.CodeInvalid,
				Err: fmt.Errorf("%q is no positive number", text), Hint: "want a number of tokens",
			}
		}
		s.Window = n
	}
	return nil
}

// keeper returns the keeper for the settings. The handler holds those used last. It does
// not hold one for a dry run, which remembers decisions that were never made.
func (h *Handler) keeper(s Settings) (*fit.Keeper, error) {
	if s.Dry {
		return h.options.Keeper(s)
	}
	key, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	if held, ok := h.keepers.Get(string(key)); ok {
		return held, nil
	}
	made, err := h.options.Keeper(s)
	if err == nil {
		h.keepers.Put(string(key), made)
	}
	return made, err
}

// owned gives a task the tenant's archive and memory, in the proxy's scope: the API and
// the proxy replay and forget each other's decisions.
func (c *httpCall) owned(t fit.Task, s Settings, limit int) fit.Task {
	if c.tenant == nil {
		return t
	}
	t.Scope = fit.Scope{
		Tenant: c.tenant.Key(), Conversation: c.Header.Get(conversationHeader), Preset: s.Preset, Limit: limit,
	}
	t.Archive, t.Memory = c.tenant, c.tenant.Memory()
	if s.Dry {
		t.Archive, t.Memory = NamesOnly{c.tenant}, recallOnly{t.Memory}
	}
	return t
}

// NamesOnly is an archive that gives references and stores nothing.
type NamesOnly struct{ fit.Archive }

// Put returns the reference.
func (a NamesOnly) Put(ctx context.Context, content plimsoll.List[plimsoll.Part]) (plimsoll.Ref, error) {
	return a.Ref(ctx, content)
}

// recallOnly is a memory to which nothing is added.
type recallOnly struct{ fit.Memory }

// Remember does nothing.
func (recallOnly) Remember(context.Context, fit.Decision) error { return nil }

// Forget does nothing.
func (recallOnly) Forget(context.Context, ...plimsoll.Digest) error { return nil }

// AddAccount does nothing.
func (recallOnly) AddAccount(context.Context, account.Account) error { return nil }

// Lease is always granted.
func (recallOnly) Lease(context.Context, string, time.Duration) (func(), bool, error) {
	return func() {}, true, nil
}
