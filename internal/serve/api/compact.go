package api

import (
	"context"
	"errors"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/fit"
	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/preset"
	"github.com/plimsoll/plimsoll/summary"
	"github.com/plimsoll/plimsoll/wire"
	"github.com/plimsoll/plimsoll/wire/dialects"
)

// compactRequest asks to replace old messages by a checkpoint.
type compactRequest struct {
	Force      bool     `json:"force,omitempty" jsonschema:"Compact whatever the load is."`
	Directives []string `json:"directives,omitempty" jsonschema:"What to add to the question that a model is asked."`
	DryRun     bool     `json:"dry_run,omitempty" jsonschema:"Answer with the report only; nothing is stored and no model is asked."`
	target
	Settings
}

func (o *compactRequest) do(c *httpCall) (any, error) {
	o.Dry = o.DryRun
	r, k, task, err := c.task(o.target, o.Settings)
	if err != nil {
		return nil, err
	}
	made, err := k.Compact(c.Context(), task, fit.CompactOptions{Force: o.Force, Directives: o.Directives})
	if err != nil {
		return nil, err
	}
	answer := edited{report: report.NewCompaction(made)}
	if !o.DryRun {
		answer.request, err = r.Encode(made.Plan.Draft)
	}
	return answer, err
}

// undoRequest asks to put messages back for their checkpoint.
type undoRequest struct {
	Ref string `json:"ref,omitempty" jsonschema:"The reference that the checkpoint carries."`
	target
	Settings
}

// Restored is the report of an undone compaction.
type Restored struct {
	Ref            string `json:"ref"`
	MessagesBefore int    `json:"messages_before"`
	MessagesAfter  int    `json:"messages_after"`
}

func (o *undoRequest) do(c *httpCall) (any, error) {
	if o.Ref == "" {
		return nil, optionError("ref", errMissing, "name the reference that the checkpoint carries")
	}
	if c.tenant == nil {
		return nil, errNoStore
	}
	r, k, task, err := c.task(o.target, o.Settings)
	if err != nil {
		return nil, err
	}
	whole, err := Undo(c.Context(), k, c.tenant, r, o.Ref, func(whole *wire.Request) fit.Task {
		t := Task(whole, o.Model)
		t.Line, t.Scope, t.Archive, t.Memory = task.Line, task.Scope, task.Archive, task.Memory
		return t
	})
	if err != nil {
		return nil, err
	}
	return edited{whole.Body(), Restored{
		Ref: o.Ref, MessagesBefore: r.Conversation().Messages.Len(), MessagesAfter: whole.Conversation().Messages.Len(),
	}}, nil
}

// Undo returns the request with the archived messages instead of the checkpoint that
// names the reference, and makes the keeper forget the decision. A request without such
// a checkpoint is whole already. Undo makes the task from the whole request.
func Undo(ctx context.Context, k *fit.Keeper, from fit.Archive, r *wire.Request, ref string, task func(*wire.Request) fit.Task) (*wire.Request, error) {
	whole := r
	_, standing := summary.CheckpointSpan(r.Conversation(), ref)
	if standing {
		content, err := from.Content(ctx, ref)
		if err != nil {
			return nil, err
		}
		list, err := fit.SpanOf(content)
		if err != nil {
			return nil, err
		}
		edited, err := preset.Restore(r, ref, list)
		if err != nil {
			return nil, err
		}
		if whole, err = dialects.Codec(r.Dialect()).Decode(edited); err != nil {
			return nil, err
		}
	}
	_, err := k.Undo(ctx, task(whole), ref)
	if standing && errors.Is(err, plimsoll.ErrNotFound) {
		err = nil // the store never had the decision, or has forgotten it
	}
	return whole, err
}
