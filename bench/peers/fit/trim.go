package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/bench/internal/fit"
	"github.com/plimsoll/plimsoll/bench/internal/line"
	engine "github.com/plimsoll/plimsoll/fit"
	"github.com/plimsoll/plimsoll/preset"
	"github.com/plimsoll/plimsoll/token"
	"github.com/plimsoll/plimsoll/wire/dialects"
)

// passes of a call, the best of which counts, unless they have taken enough.
const (
	passes = 3
	enough = 200 * time.Millisecond
)

// methods by the way that the driver asks for.
var methods = map[string]string{"auto": "", "window": preset.MethodWindow}

func trimAll(way, from, to string) (string, error) {
	method, ok := methods[way]
	if !ok {
		return "", fmt.Errorf("no way is called %s", way)
	}
	cases, err := fit.ReadLines[fit.Case](from)
	if err != nil {
		return "", err
	}
	var all []fit.Outcome
	for _, c := range cases {
		body := fit.Body(c.Messages)
		for _, b := range c.Budgets {
			outcome, err := best(body, method, b.Tokens)
			if err != nil {
				return "", fmt.Errorf("%s in %d tokens: %w", c.ID, b.Tokens, err)
			}
			all = append(all, outcome)
		}
	}
	return fmt.Sprintf("ok\t%d", len(all)), fit.WriteLines(to, all)
}

func best(body []byte, method string, budget int) (fit.Outcome, error) {
	var found fit.Outcome
	spent := time.Duration(0)
	for i := range passes {
		start := line.CPU()
		out, load, err := trim(body, method, budget)
		took := line.CPU() - start
		if i == 0 || took < found.CPU {
			found.CPU = took
		}
		var over *plimsoll.OverloadError
		if errors.As(err, &over) {
			found.Refused = err.Error()
			return found, nil
		}
		if err != nil {
			return found, err
		}
		if i == 0 {
			if found.Messages, err = messagesOf(out); err != nil {
				return found, err
			}
			found.Tokens = load
		}
		if spent += took; spent > enough {
			break
		}
	}
	return found, nil
}

// trim is all that it takes from the bytes of a request to the bytes of another,
// by a keeper that has seen nothing before.
func trim(body []byte, method string, budget int) (out []byte, load int, err error) {
	request, err := dialects.Codec(plimsoll.OpenAI).Decode(body)
	if err != nil {
		return nil, 0, err
	}
	options, err := preset.Auto(&preset.Options{
		Window: budget, Reserve: new(0), Marks: engine.Watermarks{Low: 1}, Method: method, Meter: token.NewMeter(nil),
	})
	if err != nil {
		return nil, 0, err
	}
	keeper, err := engine.New(options)
	if err != nil {
		return nil, 0, err
	}
	plan, err := keeper.Fit(context.Background(), engine.Task{
		Conversation: request.Conversation(),
		Encode:       request.Encode,
		Check:        func(_ *plimsoll.Draft, body []byte) error { return dialects.Verify(request, body) },
	})
	if err != nil {
		return nil, 0, err
	}
	out, err = request.Encode(plan.Draft)
	return out, plan.After.Total, err
}

func messagesOf(body []byte) (json.RawMessage, error) {
	var request struct {
		Messages json.RawMessage `json:"messages"`
	}
	err := json.Unmarshal(body, &request)
	return request.Messages, err
}
