package api

import (
	"github.com/plimsoll/plimsoll/fit"
	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/preset"
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
	r, k, client, err := c.prepare(o.target, o.Settings)
	if err != nil {
		return nil, err
	}
	made, err := k.Compact(c.Context(), preset.Task(r, client), fit.CompactOptions{Force: o.Force, Directives: o.Directives})
	if err != nil {
		return nil, err
	}
	answer := edited{report: report.NewCompaction(made)}
	if !o.DryRun {
		answer.request, err = preset.Body(r, made.Plan)
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
	r, k, client, err := c.prepare(o.target, o.Settings)
	if err != nil {
		return nil, err
	}
	whole, err := preset.Undo(c.Context(), k, r, client, o.Ref)
	if err != nil {
		return nil, err
	}
	return edited{whole.Body(), Restored{
		Ref: o.Ref, MessagesBefore: r.Conversation().Messages.Len(), MessagesAfter: whole.Conversation().Messages.Len(),
	}}, nil
}
