package fit

import (
	"context"
	"fmt"
	"slices"

	"github.com/plimsoll/plimsoll"
)

// commit stores what was taken out, and then remembers and reports what was made.
func (w *Work) commit(ctx context.Context) error {
	var refs []string
	for _, e := range w.draft.Edits() {
		if e.Ref != nil {
			refs = append(refs, e.Ref.ID)
		}
	}
	if w.checkpoint != nil {
		refs = append(refs, w.checkpoint.Refs...)
	}
	tenant := w.task.Scope.Tenant
	for _, o := range w.plan.Outputs {
		if _, known := w.k.stored.Get(tenantRef{tenant, o.Ref.ID}); !known {
			refs = append(refs, o.Ref.ID)
		}
	}
	for _, ref := range refs {
		content, ok := w.unstored[ref]
		if !ok {
			continue
		}
		if _, err := w.task.Archive.Put(ctx, content); err != nil {
			return &archiveError{err}
		}
		delete(w.unstored, ref)
	}
	for _, o := range w.plan.Outputs {
		w.k.stored.Put(tenantRef{tenant, o.Ref.ID}, struct{}{})
	}
	w.remember(ctx)
	w.rememberRecollections(ctx)
	for _, made := range w.made {
		w.report(ctx, made)
	}
	return nil
}

// remember keeps how the draft is cut for later requests, if this walk cut anything.
func (w *Work) remember(ctx context.Context) {
	fresh := slices.ContainsFunc(w.draft.EditsSince(plimsoll.Position(replayedEdits(w.plan))), func(e plimsoll.Edit) bool { return e.Rung != recollectName })
	if !fresh {
		return
	}
	if !w.k.options.Sticky && !w.compacted() {
		w.claimRefs(ctx)
		return
	}
	c := w.cutList()
	if c == nil {
		return
	}
	err := w.k.remember(ctx, w.task, c)
	if err == nil && w.compacted() {
		err = w.k.supersede(ctx, w.task, c.Until)
	}
	if err != nil {
		w.plan.Degraded = fmt.Sprintf("memory: %v", err)
	}
}

// claimRefs remembers which references the conversation has, where nothing else does, so
// that they can be deleted with it.
func (w *Work) claimRefs(ctx context.Context) {
	d := Decision{Body: []byte("{}"), Conversation: w.task.account()}
	for _, e := range w.draft.Edits() {
		if e.Ref != nil {
			d.Refs = append(d.Refs, e.Ref.ID)
		}
	}
	memory, chain := w.task.Memory, w.task.chain()
	if memory == nil || len(d.Refs) == 0 {
		return
	}
	d.Key = forModel(chain[len(chain)-1:], "\x00refs")[0]
	if err := memory.Remember(ctx, d); err != nil {
		w.plan.Degraded = fmt.Sprintf("memory: %v", err)
	}
}

// compacted reports whether this walk made a checkpoint.
func (w *Work) compacted() bool {
	return slices.ContainsFunc(w.made, func(m *Compaction) bool { return m.Status == Compressed && !m.shared })
}
