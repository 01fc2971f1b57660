package api

import (
	"context"
	"errors"
	"time"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/wire"
	"github.com/plimsoll/plimsoll/wire/dialects"
)

// Task returns the task of a request: for the model that is asked for, else for its
// own, else for a usual one of its API.
func Task(r *wire.Request, model string) plimsoll.Task {
	task := dialects.Task(r)
	named := task.Conversation.Model != "" || dialects.Codec(r.Dialect()).Traits().InPath
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

// NamesOnly is an archive that gives references and stores nothing.
type NamesOnly struct{ plimsoll.Archive }

// Put returns the reference.
func (a NamesOnly) Put(ctx context.Context, content plimsoll.List[plimsoll.Part]) (plimsoll.Ref, error) {
	return a.Ref(ctx, content)
}

// recallOnly is a memory that nothing is added to.
type recallOnly struct{ plimsoll.Memory }

// Remember does nothing.
func (recallOnly) Remember(context.Context, plimsoll.Decision) error { return nil }

// Forget does nothing.
func (recallOnly) Forget(context.Context, ...plimsoll.Digest) error { return nil }

// Lease is granted without anybody being told.
func (recallOnly) Lease(context.Context, string, time.Duration) (func(), bool, error) {
	return func() {}, true, nil
}

// task returns the request, the keeper for it and the task, with what is kept for the
// tenant.
func (c *call) task() (*wire.Request, *plimsoll.Keeper, plimsoll.Task, error) {
	r, err := c.request()
	if err != nil {
		return nil, nil, plimsoll.Task{}, err
	}
	c.wish.settings.Dry = c.wish.dryRun
	k, err := c.h.keepers.find(c.wish.settings)
	if err != nil {
		return nil, nil, plimsoll.Task{}, err
	}
	return r, k, c.owned(Task(r, c.wish.model)), nil
}

// conversationHeader tells conversations apart that begin alike. The proxy takes it
// too.
const conversationHeader = "X-Plimsoll-Conversation"

// owned gives a task to the tenant, in the scope that the proxy has for it: what it
// decided is found, and forgotten, here too.
func (c *call) owned(t plimsoll.Task) plimsoll.Task {
	if c.tenant == nil {
		return t
	}
	id := c.tenant.ID()
	t.Scope, t.Archive, t.Memory = string(id[:]), c.tenant, c.tenant.Memory()
	if name := c.Header.Get(conversationHeader); name != "" {
		t.Scope += "\x00" + name
	}
	if c.wish.dryRun {
		t.Archive, t.Memory = NamesOnly{c.tenant}, recallOnly{t.Memory}
	}
	return t
}

// encode writes the request with the edits of a draft.
func (c *call) encode(r *wire.Request, d *plimsoll.Draft) ([]byte, error) {
	if c.h.options.Manage {
		return dialects.Codec(r.Dialect()).Manage(r, d)
	}
	return r.Encode(d)
}

// plan says what fit would do.
func (c *call) plan() (answer, error) {
	_, k, task, err := c.task()
	if err != nil {
		return answer{}, err
	}
	plan, err := k.PlanTask(c.Context(), task)
	return answer{body: plan}, err
}

// fit makes the request fit.
func (c *call) fit() (answer, error) {
	r, k, task, err := c.task()
	if err != nil {
		return answer{}, err
	}
	plan, err := k.FitTask(c.Context(), task)
	if err != nil {
		return answer{}, err
	}
	body, err := c.encode(r, plan.Draft())
	return answer{request: body, report: plan}, err
}

// compact replaces old messages by a checkpoint.
func (c *call) compact() (answer, error) {
	r, k, task, err := c.task()
	if err != nil {
		return answer{}, err
	}
	made, err := k.Compact(c.Context(), task, plimsoll.CompactOptions{Force: c.wish.force, Directives: c.wish.directives})
	if err != nil {
		return answer{}, err
	}
	a := answer{report: report.NewCompaction(made)}
	if !c.wish.dryRun {
		a.request, err = c.encode(r, made.Plan.Draft())
	}
	return a, err
}

// Restored is what is said of a compaction that was taken back.
type Restored struct {
	Ref string `json:"ref"`
	// MessagesBefore and MessagesAfter count the messages.
	MessagesBefore int `json:"messages_before"`
	MessagesAfter  int `json:"messages_after"`
}

// undo puts archived messages in the place of their checkpoint, and lets the store
// forget that there was one.
func (c *call) undo() (answer, error) {
	if c.wish.ref == "" {
		return answer{}, wishError("ref", errMissing, "name the reference that the checkpoint carries")
	}
	if c.tenant == nil {
		return answer{}, errNoStore
	}
	r, k, _, err := c.task()
	if err != nil {
		return answer{}, err
	}
	whole, err := Undo(c.Context(), k, c.tenant, r, c.wish.ref, func(whole *wire.Request) plimsoll.Task {
		return c.owned(Task(whole, c.wish.model))
	})
	if err != nil {
		return answer{}, err
	}
	return answer{request: whole.Body(), report: Restored{
		Ref: c.wish.ref, MessagesBefore: r.Conversation().Messages.Len(), MessagesAfter: whole.Conversation().Messages.Len(),
	}}, nil
}

// Undo returns the request with the archived messages in the place of the checkpoint
// that names the reference, and makes the keeper forget the decision. One that has no
// such checkpoint is whole already. The task is made of the whole request.
func Undo(ctx context.Context, k *plimsoll.Keeper, from plimsoll.Contents, r *wire.Request, ref string, task func(*wire.Request) plimsoll.Task) (*wire.Request, error) {
	whole := r
	_, standing := plimsoll.CheckpointSpan(r.Conversation(), ref)
	if standing {
		content, err := from.Content(ctx, ref)
		if err != nil {
			return nil, err
		}
		list, err := plimsoll.SpanOf(content)
		if err != nil {
			return nil, err
		}
		edited, err := dialects.Restore(r, ref, list)
		if err != nil {
			return nil, err
		}
		if whole, err = dialects.Codec(r.Dialect()).Decode(edited); err != nil {
			return nil, err
		}
	}
	_, err := k.Undo(ctx, task(whole), ref)
	if standing && errors.Is(err, plimsoll.ErrNotFound) {
		err = nil // the store never knew, or has forgotten already
	}
	return whole, err
}
