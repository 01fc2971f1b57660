package fit

import (
	"context"
	"fmt"
	"regexp"
	"strings"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/refname"
	"github.com/plimsoll/plimsoll/summary"
)

// Archive keeps what rungs take out of a conversation, so that it can be read again.
// Same content, same reference.
type Archive interface {
	// Ref returns the reference of the content without storing it.
	Ref(ctx context.Context, content plimsoll.List[plimsoll.Part]) (plimsoll.Ref, error)
	// Put stores the content under the reference that Ref returns.
	Put(ctx context.Context, content plimsoll.List[plimsoll.Part]) (plimsoll.Ref, error)
	// Content returns what is stored under a reference, or [plimsoll.ErrNotFound].
	Content(ctx context.Context, id string) (plimsoll.List[plimsoll.Part], error)
}

// archiveError says that content could not be named or stored.
type archiveError struct{ Err error }

// Error returns what the archive said.
func (e *archiveError) Error() string { return fmt.Sprintf("archive: %v", e.Err) }

// Unwrap returns the cause.
func (e *archiveError) Unwrap() error { return e.Err }

// Draft returns the conversation in the making.
func (w *Work) Draft() *plimsoll.Draft { return w.draft }

// Line returns the load line in force.
func (w *Work) Line() plimsoll.Line { return w.plan.Line }

// Before returns the load of the original, message by message.
func (w *Work) Before() plimsoll.Load { return w.plan.Before }

// Load returns what the draft weighs now.
func (w *Work) Load() int { return w.plan.Before.Total - w.draft.Saved() + w.correction }

// Fixed returns what the draft weighs beside its messages.
func (w *Work) Fixed() int {
	n := w.plan.Before.System + w.plan.Before.Tools + w.plan.Before.Framing
	for _, e := range w.draft.Edits() {
		if e.Kind == plimsoll.EditSystem || e.Kind == plimsoll.EditTool {
			n -= e.Saved
		}
	}
	return n
}

// Base returns what system and tools weigh, with the instructions at the head.
func (w *Work) Base() int {
	n := w.Fixed()
	for i := range w.draft.Outline().Head {
		n += w.draft.Weight(i)
	}
	return n
}

// TokensPerCall returns what a call of the model has added to the conversation so far,
// on average: what the client sent beside its instructions, by the answers in it. One
// answer may be several messages.
func (w *Work) TokensPerCall() int {
	calls, last := 0, plimsoll.Role("")
	for _, m := range w.task.Conversation.Messages.All() {
		if m.Role == plimsoll.Assistant && last != plimsoll.Assistant {
			calls++
		}
		last = m.Role
	}
	return max(0, w.plan.Before.Total-w.Base()) / max(1, calls)
}

// MostRewritten is the [RewriteShare] that a cut may have if it can wait or be made
// otherwise: prompt caches pay as long as nine tenths of the prompts come from them.
const MostRewritten = 0.1

// RewriteShare returns the fraction of prompt tokens that miss the prompt cache between
// a cut and the moment the load has grown back: what each call adds, and what follows
// the cut, which is written once more. A cut that takes off nothing has the share 1.
func RewriteShare(load, left, rewritten, perCall int) float64 {
	if left >= load {
		return 1
	}
	return 2 * float64(perCall) * (1 + float64(rewritten)/float64(load-left)) / float64(load+left)
}

// Kept reports whether original message i must survive: it belongs to the
// instructions, to the newest round or turn, to a checkpoint, or it is pinned. Its tool
// results may still be shrunk unless it is Pinned.
func (w *Work) Kept(i int) bool {
	return w.protections[i] >= checkpointed || opensWith(w.checkpoint, i)
}

// Protected is like Kept, but false for an earlier checkpoint: a compaction may replace
// that.
func (w *Work) Protected(i int) bool { return w.protections[i] > checkpointed }

// Pinned reports whether original message i must stay exactly as it is.
func (w *Work) Pinned(i int) bool {
	return w.protections[i] == pinned || w.protections[i] == instruction
}

// Count returns the tokens of a text as the meter counts them in a message.
func (w *Work) Count(text string) int {
	load := w.meter.WeighMessage(w.task.Conversation, plimsoll.Say(plimsoll.Assistant, text), 0)
	return load.Tokens - load.Framing
}

// Checkpoint returns the one that the draft begins with, or nil.
func (w *Work) Checkpoint() *summary.Checkpoint { return w.checkpoint }

// Replayed returns a new draft that is cut as an earlier request was, and no further. It
// has the recollections of that request.
func (w *Work) Replayed(ctx context.Context) *plimsoll.Draft {
	d := plimsoll.NewDraft(w.task.Conversation, nil)
	if w.replayed != nil {
		again := &Work{k: w.k, task: w.task, plan: w.plan, draft: d, protections: make([]protection, len(w.protections))}
		_ = w.replayed.replay(again) // it was replayed on the same conversation before
		again.replayRecollections(ctx)
	}
	return d
}

// Encode writes a draft as a body that a summariser can send; nil if there is none. A body
// that names no model can only go to the caller's own server, whose path names it.
func (w *Work) Encode(toCaller bool) func(*plimsoll.Draft) ([]byte, error) {
	if w.task.Nameless && !toCaller {
		return nil
	}
	return w.task.Encode
}

// Ask asks the client's own server; nil if there is none.
func (w *Work) Ask() summary.Sender { return w.task.Ask }

// DryRun reports whether nothing outside the draft may notice the work.
func (w *Work) DryRun() bool { return w.options.dry }

// HasArchive reports whether there is an archive.
func (w *Work) HasArchive() bool { return w.task.Archive != nil }

// Archive names content that is about to be taken out. The reference is nil when
// there is no archive. The content is stored once the whole walk has succeeded. A view
// that the client has sent back gets the reference of its original.
func (w *Work) Archive(ctx context.Context, content plimsoll.List[plimsoll.Part]) (*plimsoll.Ref, error) {
	if w.task.Archive == nil {
		return nil, nil
	}
	if original, ok := w.original(ctx, content); ok {
		content = original
	}
	ref, err := w.task.Archive.Ref(ctx, content)
	if err != nil {
		return nil, &archiveError{err}
	}
	w.unstored[ref.ID] = content
	return &ref, nil
}

// Output notes that a tool result of the original is archived under a reference. It is
// stored once the whole walk has succeeded, whether it is cut or not.
func (w *Work) Output(at plimsoll.PartRef, ref plimsoll.Ref) {
	w.plan.Outputs = append(w.plan.Outputs, plimsoll.OutputRef{Message: at.Message, Part: at.Part, Ref: ref})
}

// viewEnd is the last line of a view, with the reference of its original.
var viewEnd = regexp.MustCompile(`\n\n` + regexp.QuoteMeta(plimsoll.ResultOpening) + `truncated[^\n]*; ` + refname.Mark + `([^\s;\[\]]+)\]$`)

// viewEndLimit is more bytes than the last line of a view has.
const viewEndLimit = 1024

// original returns what a view was made of, if the archive has it. A tool may print
// anything, so the original must be as long and begin with the first line of the view.
func (w *Work) original(ctx context.Context, view plimsoll.List[plimsoll.Part]) (plimsoll.List[plimsoll.Part], bool) {
	text := plimsoll.TextOf(view)
	named := viewEnd.FindStringSubmatch(text[max(0, len(text)-viewEndLimit):])
	if named == nil {
		return view, false
	}
	original, err := w.task.Archive.Content(ctx, named[1])
	if err != nil { // it is gone: the view is all that is left
		return view, false
	}
	whole := plimsoll.TextOf(original)
	first, _, _ := strings.Cut(text, "\n")
	return original, len(whole) >= len(text)-len(named[0]) && strings.HasPrefix(whole, first)
}

// Place puts a checkpoint into the draft. It replaces the span that it summarises and
// the checkpoint that was there before.
func (w *Work) Place(cp *summary.Checkpoint, why plimsoll.Why) error {
	why.Ref = cp.Ref
	for _, id := range w.placed {
		old := plimsoll.Why{Rung: why.Rung, Reason: "the new checkpoint takes its place", Ref: w.checkpoint.Ref}
		if err := w.draft.Withdraw(id, old); err != nil {
			return err
		}
	}
	start := cp.Old.Start
	for _, kept := range append(cp.Kept[:len(cp.Kept):len(cp.Kept)], cp.Old.End) {
		if err := w.draft.Drop(plimsoll.Span{Start: start, End: kept}, why); err != nil {
			return err
		}
		start = kept + 1
	}
	placed := make([]plimsoll.InsertID, 0, len(cp.Messages))
	for _, m := range cp.Messages {
		id, err := w.draft.Insert(m.Before, plimsoll.Say(m.Role, refname.Write(w.named(m.Text, cp.Ref), w.HasReader(), cp.Refs...)), why)
		if err != nil {
			return err
		}
		placed = append(placed, id)
	}
	w.placed, w.checkpoint = placed, cp
	return nil
}
