package plimsoll

import (
	"context"
	"fmt"
)

// Rung is one way to make a conversation smaller.
type Rung interface {
	// Name is the word for it in edits, reports and configurations.
	Name() string
	// Apply edits the work's draft until the goal is reached or there is nothing
	// left that this rung may do. It is deterministic, and it changes nothing but
	// the draft: what it takes out it hands to [Work.Stow].
	Apply(ctx context.Context, w *Work) error
}

// Shrinker is a rung that can cut a tool result down where it stands, even one of
// the newest round.
type Shrinker interface {
	Rung
	// Least returns the fewest tokens that it leaves of a result.
	Least() int
}

// Archive keeps what rungs take out of a conversation, so that it can be had back.
// Same content, same reference.
type Archive interface {
	// Ref returns the reference of the content without storing it.
	Ref(ctx context.Context, content List[Part]) (Ref, error)
	// Put stores the content under the reference that Ref returns.
	Put(ctx context.Context, content List[Part]) (Ref, error)
}

// Work is what a rung is given: a draft, how far down it shall come, and what must
// not be touched. Like a draft it belongs to one goroutine.
type Work struct {
	draft   *Draft
	line    Line
	before  Load
	goal    int
	drift   int // what the meter found beyond the sum of the edits
	kept    []standing
	facts   *facts
	notes   []notes
	archive Archive
	stowed  map[string]List[Part]
	// rawMessage and encode are the task's Raw and Encode.
	rawMessage func(int) []byte
	encode     func(*Draft) ([]byte, error)
	dry        bool
	// checkpoint stands in the draft, by the insertions laid; sent is how an earlier
	// request was cut.
	checkpoint *Checkpoint
	laid       []InsertID
	sent       *sticky
	// decided says that a policy found that cutting pays.
	decided bool
	// compacting lets earlier checkpoints go, which no other rung may take.
	compacting bool
}

// Draft returns the conversation in the making.
func (w *Work) Draft() *Draft { return w.draft }

// Line returns the load line in force.
func (w *Work) Line() Line { return w.line }

// Goal returns the load to come down to.
func (w *Work) Goal() int { return w.goal }

// Before returns the load of the original, message by message.
func (w *Work) Before() Load { return w.before }

// Load returns what the draft weighs now.
func (w *Work) Load() int { return w.before.Total - w.draft.Saved() + w.drift }

// Fixed returns what the draft weighs beside its messages.
func (w *Work) Fixed() int {
	n := w.before.System + w.before.Tools + w.before.Framing
	for _, e := range w.draft.log {
		if e.Kind == EditSystem || e.Kind == EditTool {
			n -= e.Saved
		}
	}
	return n
}

// Reached reports whether the goal is reached.
func (w *Work) Reached() bool { return w.Load() <= w.goal }

// Kept reports whether original message i must survive: it belongs to the
// instructions, to the newest round or turn, or to what is pinned. Its tool
// results may still be shrunk unless it is Pinned.
func (w *Work) Kept(i int) bool {
	return w.kept[i] > knowledge || !w.compacting && (w.kept[i] == knowledge || w.checkpoint.opensWith(i))
}

// Pinned reports whether original message i must stay exactly as it is.
func (w *Work) Pinned(i int) bool { return w.kept[i] == pinned || w.kept[i] == instruction }

// Decided reports whether a policy found that cutting pays, so that a rung need not
// ask itself.
func (w *Work) Decided() bool { return w.decided }

// Archived reports whether there is an archive.
func (w *Work) Archived() bool { return w.archive != nil }

// Stow names content that is about to be taken out. The reference is nil when
// there is no archive. The content is stored once the whole work has succeeded.
func (w *Work) Stow(ctx context.Context, content List[Part]) (*Ref, error) {
	if w.archive == nil {
		return nil, nil
	}
	ref, err := w.archive.Ref(ctx, content)
	if err != nil {
		return nil, &ArchiveError{err}
	}
	w.stowed[ref.ID] = content
	return &ref, nil
}

// commit stores what the edits refer to.
func (w *Work) commit(ctx context.Context) error {
	if w.archive == nil {
		return nil
	}
	for _, e := range w.draft.log {
		if e.Ref == nil {
			continue
		}
		if err := w.store(ctx, e.Ref.ID); err != nil {
			return err
		}
	}
	if w.checkpoint != nil {
		for _, id := range w.checkpoint.Refs {
			if err := w.store(ctx, id); err != nil {
				return err
			}
		}
	}
	return nil
}

// store puts what was stowed under a reference into the archive, once.
func (w *Work) store(ctx context.Context, id string) error {
	content, ok := w.stowed[id]
	if !ok {
		return nil
	}
	if _, err := w.archive.Put(ctx, content); err != nil {
		return &ArchiveError{err}
	}
	delete(w.stowed, id)
	return nil
}

// ArchiveError says that content could not be named or stored.
type ArchiveError struct{ Err error }

// Error returns what the archive said.
func (e *ArchiveError) Error() string { return fmt.Sprintf("archive: %v", e.Err) }

// Unwrap returns the cause.
func (e *ArchiveError) Unwrap() error { return e.Err }
