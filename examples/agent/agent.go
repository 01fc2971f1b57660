package main

import (
	"context"
	"fmt"
	"io"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/fit"
	"github.com/plimsoll/plimsoll/preset"
	"github.com/plimsoll/plimsoll/wire"
)

// keeper is what the loop needs of [fit.Keeper].
type keeper interface {
	Fit(context.Context, fit.Task) (*plimsoll.Plan, error)
	Observe(context.Context, fit.Task, *plimsoll.Plan, plimsoll.Usage) error
	AfterModel(context.Context, fit.Task, plimsoll.Usage) (*fit.Compaction, error)
	AfterTools(context.Context, fit.Task) (*fit.Compaction, error)
	BeforeReturn(context.Context, fit.Task) (*fit.Compaction, error)
}

// agent lets a model call tools until it has an answer.
type agent struct {
	model    *client
	keeper   keeper
	tools    *tools
	rounds   int
	progress io.Writer
}

// work is the loop. The history is made to fit before each call; and the keeper is
// asked after the model, after the tools and before the return whether old messages
// should become a checkpoint.
func (a *agent) work(ctx context.Context, h *history, task string) (string, error) {
	h.add(message{Role: "user", Content: &task})
	for range a.rounds {
		fitted, plan, err := a.fit(ctx, h)
		if err != nil {
			return "", err
		}
		reply, err := a.model.complete(ctx, h.body())
		if err != nil {
			return "", err
		}
		if err := a.keeper.Observe(ctx, fitted, plan, reply.Usage); err != nil {
			return "", err
		}
		h.add(said(reply.Message))
		err = a.compact(h, func(t fit.Task) (*fit.Compaction, error) {
			return a.keeper.AfterModel(ctx, t, reply.Usage)
		})
		if err != nil {
			return "", err
		}
		calls := callsOf(reply.Message)
		if len(calls) == 0 {
			return reply.Message.Text(), a.compact(h, func(t fit.Task) (*fit.Compaction, error) {
				return a.keeper.BeforeReturn(ctx, t)
			})
		}
		for _, c := range calls {
			fmt.Fprintf(a.progress, "%s %s\n", c.Name, c.Arguments)
			h.add(message{Role: "tool", CallID: c.ID, Content: new(a.tools.call(ctx, c.Name, c.Arguments))})
		}
		err = a.compact(h, func(t fit.Task) (*fit.Compaction, error) {
			return a.keeper.AfterTools(ctx, t)
		})
		if err != nil {
			return "", err
		}
	}
	return "", &plimsoll.Error{Op: "work", Err: fmt.Errorf("no answer after %d model calls", a.rounds), Hint: "ask for less, or raise --rounds"}
}

// fit makes the history fit for the next call.
func (a *agent) fit(ctx context.Context, h *history) (fit.Task, *plimsoll.Plan, error) {
	request, err := h.request()
	if err != nil {
		return fit.Task{}, nil, err
	}
	task := preset.Task(request, preset.Client{})
	plan, err := a.keeper.Fit(ctx, task)
	if err != nil {
		return task, nil, err
	}
	fmt.Fprintf(a.progress, "load: %d of %d tokens\n", plan.After.Total, plan.Line.Limit())
	return task, plan, h.take(request, plan)
}

// compact asks for a compaction and goes on with what became of it.
func (a *agent) compact(h *history, ask func(fit.Task) (*fit.Compaction, error)) error {
	request, err := h.request()
	if err != nil {
		return err
	}
	c, err := ask(preset.Task(request, preset.Client{}))
	if err != nil {
		return err
	}
	switch c.Status {
	case fit.Compressed, fit.ContentTruncated:
		return h.take(request, c.Plan)
	}
	return nil
}

// take goes on with the history as a plan leaves it.
func (h *history) take(request *wire.Request, plan *plimsoll.Plan) error {
	body, err := request.Encode(plan.Draft)
	if err != nil {
		return err
	}
	return h.set(body)
}
