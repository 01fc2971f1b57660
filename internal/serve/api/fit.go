package api

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/fit"
	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/preset"
	"github.com/plimsoll/plimsoll/wire"
)

// Settings are what a request may ask of a keeper. Zero values leave the operator's
// settings in force.
type Settings struct {
	Window  int      `json:"window,omitempty" minimum:"1" jsonschema:"Context window in tokens, for prompt and answer together. Default: the model's."`
	Limit   int      `json:"limit,omitempty" minimum:"1" jsonschema:"The most that the prompt may weigh in tokens: a window of which nothing is reserved. Not with window or reserve."`
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

// errBeside says that an option contradicts another one.
var errBeside = errors.New("it is given beside an option that says the same")

// planRequest asks what fit would do.
type planRequest struct {
	target
	Settings
}

func (o *planRequest) do(c *httpCall) (any, error) {
	r, k, client, err := c.prepare(o.target, o.Settings)
	if err != nil {
		return nil, err
	}
	plan, err := k.Plan(c.Context(), preset.Task(r, client))
	if err != nil {
		return nil, err
	}
	return report.NewPlan(plan), nil
}

// fitRequest asks to make a request fit.
type fitRequest struct {
	target
	Settings
}

func (o *fitRequest) do(c *httpCall) (any, error) {
	r, k, client, err := c.prepare(o.target, o.Settings)
	if err != nil {
		return nil, err
	}
	plan, err := k.Fit(c.Context(), preset.Task(r, client))
	if err != nil {
		return nil, err
	}
	body, err := preset.Body(r, plan)
	return edited{body, report.NewPlan(plan)}, err
}

// prepare returns the client's request, the keeper for the settings, and the client.
func (c *httpCall) prepare(t target, s Settings) (*wire.Request, *fit.Keeper, preset.Client, error) {
	r, err := t.decode(c.body)
	if err != nil {
		return nil, nil, preset.Client{}, err
	}
	if s.Limit > 0 && (s.Window > 0 || s.Reserve != nil) {
		return nil, nil, preset.Client{}, optionError("limit", errBeside, "it is a window of which nothing is reserved: leave out window and reserve")
	}
	if err := c.readHeaders(&s); err != nil {
		return nil, nil, preset.Client{}, err
	}
	client := c.client(t, s)
	s.Window, s.Limit = 0, 0 // they are of one task: a keeper of its own could not undo what the proxy decided
	k, err := c.h.keeper(s)
	if err != nil {
		return nil, nil, preset.Client{}, err
	}
	return r, k, client, nil
}

// The headers by which a client of the proxy says which conversation it means, and how
// the proxy manages it. They mean the same here.
const (
	conversationHeader = "X-Plimsoll-Conversation"
	presetHeader       = "X-Plimsoll-Preset"
	windowHeader       = "X-Plimsoll-Window"
	limitHeader        = "X-Plimsoll-Limit"
)

// readHeaders takes preset, window and limit from the headers where the options do not say
// them.
func (c *httpCall) readHeaders(s *Settings) error {
	if s.Preset == "" {
		s.Preset = c.Header.Get(presetHeader)
	}
	if s.Window > 0 || s.Limit > 0 {
		return nil
	}
	for name, into := range map[string]*int{windowHeader: &s.Window, limitHeader: &s.Limit} {
		text := c.Header.Get(name)
		if text == "" {
			continue
		}
		n, err := strconv.Atoi(text)
		if err != nil || n <= 0 {
			return headerError(name, fmt.Errorf("%q is no positive number", text), "want a number of tokens above zero; leave the header out for that of the model")
		}
		*into = n
	}
	if s.Window > 0 && s.Limit > 0 {
		return headerError(limitHeader, errBeside, "it is a window of which nothing is reserved: leave out "+windowHeader)
	}
	return nil
}

func headerError(name string, err error, hint string) error {
	return &plimsoll.Error{Op: "read the header " + name, Code: plimsoll.CodeInvalid, Err: err, Hint: hint}
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

// client says who asks, in the proxy's words: the API and the proxy replay and forget
// each other's decisions.
func (c *httpCall) client(t target, s Settings) preset.Client {
	client := preset.Client{
		Model: t.Model, Conversation: c.Header.Get(conversationHeader), Preset: s.Preset, Window: s.Window, Limit: s.Limit, Dry: s.Dry,
	}
	if c.tenant != nil {
		client.Tenant, client.Archive, client.Memory = c.tenant.Key(), c.tenant, c.tenant.Memory()
	}
	return client
}
