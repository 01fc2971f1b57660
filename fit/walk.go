package fit

import (
	"context"
	"slices"
	"strings"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/summary"
)

// Work is the state of one walk: a request on its way through the engine. A rung sees
// the exported methods, which read, and edits the draft. A Work belongs to one
// goroutine.
type Work struct {
	k    *Keeper
	task *Task
	// meter knows the last bill of the conversation.
	meter   plimsoll.Meter
	plan    *plimsoll.Plan
	draft   *plimsoll.Draft
	options walkOptions
	// high is the load above which rungs must act.
	high int
	// memo is the policy's state after the longest earlier request that this one begins with.
	memo policyMemo
	// known is how many messages that request had; 0 if there was none.
	known int
	// decided says that the policy was asked.
	decided bool
	// drawn says that it was asked by a new outlook, for which every message was looked at.
	drawn bool
	// action is what is still to be done for the policy.
	action Action
	// goesOn says that the conversation was seen, billed or cut before. Else the cut is for
	// this request alone, as far as the keeper knows.
	goesOn bool
	// correction is the measured load minus the load computed from the edits.
	correction int

	// protections say of each message whether it must survive; nil until protect was called.
	protections []protection
	// orphans and dead count the results without calls and the calls without results in the
	// original. No rung caused them.
	orphans, dead int
	// floor is how many tokens of the original no rung may remove.
	floor int
	// items add up to the floor; nil until findFloor was called.
	items []plimsoll.FloorItem

	// replayed is the cut of an earlier request, with which the draft begins; nil if there
	// is none.
	replayed *cutList
	// checkpoint is the one in the draft; nil if there is none.
	checkpoint *summary.Checkpoint
	// placed are the insertions that the checkpoint consists of.
	placed []plimsoll.InsertID

	// recollected are the recollections in the draft.
	recollected recollected
	// crowded says that a cut must make room for a recollection.
	crowded bool

	// unstored is content that was named and is stored if everything succeeds.
	unstored map[string]plimsoll.List[plimsoll.Part]

	// made are the compactions of this walk.
	made []*Compaction
	// flight is what other walks wait for; nil if this walk makes no checkpoint.
	flight *flight
	// background says that no request waits for this walk.
	background bool
	// due says that the policy asks for a checkpoint that can be made in the background.
	due bool
	// dueAfter is what was replayed when the checkpoint became due.
	dueAfter *cutList

	// verified is the state to which the draft goes back if a check fails.
	verified verifiedState
	// checked is the last state that passed a check.
	checked checkedState
	// strict says that each rung is checked by itself.
	strict bool
}

// verifiedState is a state of the draft that is valid: it has only what earlier requests had,
// or it ends with a checkpoint, which is checked at once.
type verifiedState struct {
	at plimsoll.Position
	// reports is how many rungs had reported.
	reports int
}

// checkedState is a state of the draft that the provider would take; zero is the original.
type checkedState struct {
	at plimsoll.Position
	// body is the draft as a request body; nil if the task cannot encode it.
	body []byte
}

// walkOptions say how a walk is done.
type walkOptions struct {
	// dry means that nothing outside may notice.
	dry bool
	// noCompaction leaves compactors out.
	noCompaction bool
	// best weighs by [Options.Best].
	best bool
}

// walk makes a draft by the count of the preset, and by the best count if that draft would
// not fit. The caller commits.
//
// Some presets count by an estimate of their own. It decides what they cut, but the provider
// counts otherwise. So every figure that leaves the keeper is by the best count. Only a line
// in tokens of the estimate has figures of the estimate.
func (k *Keeper) walk(ctx context.Context, t *Task, o walkOptions) (*Work, error) {
	w, err := k.walkOnce(ctx, t, o)
	if err != nil || w.settle(ctx) {
		return w, err
	}
	w.release()
	o.best = true
	return k.walkOnce(ctx, t, o)
}

// walkOnce is the story of a request: cut it as an earlier one was cut, and if it does not
// fit then, climb the ladder.
func (k *Keeper) walkOnce(ctx context.Context, t *Task, o walkOptions) (*Work, error) {
	w, err := k.weigh(ctx, t, o)
	if err != nil {
		return nil, err
	}
	recalled := w.recall(ctx)
	if recalled != nil {
		if err := w.protect(ctx); err != nil {
			return nil, err
		}
		w.replay(recalled)
		w.aim()
	}
	w.offerNew()
	w.reweigh()
	w.recollect(ctx, true)
	if !w.mustWork() {
		if err := w.decide(ctx); err != nil {
			return nil, err
		}
		if w.action == Wait && !w.drawn { // else the plan tells the floor, too
			return w, w.verify(ctx)
		}
	}
	if err := w.protect(ctx); err != nil {
		return nil, err
	}
	if !w.goesOn && w.cutBefore() {
		w.goesOn = true
		w.aim()
	}
	finished := false
	defer func() {
		if !finished { // by an error or a panic: no other walk may wait for this one
			w.release()
		}
	}()
	w.expectRecollection()
	if err := w.findFloor(w.plan.Before.Total > w.high); err != nil {
		return nil, err
	}
	if err := w.climb(ctx); err != nil {
		return nil, err
	}
	w.recollect(ctx, false)
	if err := w.verify(ctx); err != nil {
		return nil, err
	}
	finished = true
	return w, nil
}

// weigh begins a walk: what the conversation weighs, and where it should be.
func (k *Keeper) weigh(ctx context.Context, t *Task, o walkOptions) (*Work, error) {
	line, err := k.lineOf(t)
	if err != nil {
		return nil, err
	}
	load, meter := k.anchor(ctx, t, o.best)
	plan := &plimsoll.Plan{
		Line: line, Before: load, After: load,
		Edits: []plimsoll.Edit{}, Rungs: []plimsoll.RungReport{},
		Draft: plimsoll.NewWeighedDraft(t.Conversation, meter, load),
	}
	w := &Work{
		k: k, task: t, meter: meter, plan: plan, draft: plan.Draft, options: o,
		high: int(k.options.Marks.High * float64(line.Limit())), unstored: map[string]plimsoll.List[plimsoll.Part]{},
	}
	w.memo, w.known = k.stateOf(t)
	_, billed := meter.(corrected)
	w.goesOn = k.seen(t, o.dry) || billed && t.counted == nil || t.GoesOn
	w.aim()
	return w, nil
}

// seen reports whether the keeper has seen a shorter part of the conversation, and remembers
// this one. The same request may be sent again.
func (k *Keeper) seen(t *Task, dry bool) bool {
	key, n := t.beginning(), t.Conversation.Messages.Len()
	first, known := k.begun.Get(key)
	if !known && !dry {
		k.begun.Put(key, n)
	}
	return known && first != n
}

// cutBefore reports whether the client's own messages have what an earlier cut left: it
// goes on with what it was given then.
func (w *Work) cutBefore() bool {
	for _, m := range w.task.Conversation.Messages.All() {
		if plimsoll.IsReceipt(m) || summary.IsCheckpoint(m) {
			return true
		}
		for _, p := range m.Parts.All() {
			if r, ok := p.(plimsoll.ToolResult); ok && strings.HasPrefix(plimsoll.TextOf(r.Content), plimsoll.ResultOpening) {
				return true
			}
		}
	}
	return false
}

// aim sets how far a cut goes. It is called when goesOn is known, and again before the climb
// if that has changed. Then expectRecollection lowers the goal and findFloor raises it.
func (w *Work) aim() {
	keep := w.k.options.Marks.First
	if w.goesOn {
		keep = w.k.options.Marks.Low
	}
	w.plan.Goal = int(keep * float64(w.plan.Line.Limit()))
}

// mustWork reports whether rungs act now, whatever the policy says: some act on arrival, or
// the load is over the high watermark.
func (w *Work) mustWork() bool { return len(w.k.options.Arrival) > 0 || w.tooLong() }

// tooLong reports whether the load is over the high watermark, or leaves too little room
// for a recollection.
func (w *Work) tooLong() bool { return w.Load() > w.high || w.crowded }

// reweigh takes the load of the draft as a whole, and returns by how much it is more
// than the sum of the edits says.
func (w *Work) reweigh() int {
	w.plan.Floor = w.floorWithTools()
	if w.draft.Position() == 0 {
		w.plan.After = w.plan.Before
		return 0
	}
	w.plan.After = w.meter.Weigh(w.draft.Result())
	off := w.plan.After.Total - w.Load()
	w.correction += off
	return off
}

// verify asks once whether what will be sent is valid. If it is not, the edits since
// the last valid state are rolled back, and the rungs are applied again with a check
// after each, so that only the edits that do not hold are missing.
func (w *Work) verify(ctx context.Context) error {
	if w.draft.Position() == w.verified.at || w.check() == nil {
		return w.encode()
	}
	if w.takeBack("the provider would refuse it") && w.check() == nil {
		return w.encode()
	}
	w.rollback(w.verified.at)
	w.plan.Rungs, w.strict, w.correction = w.plan.Rungs[:w.verified.reports], true, 0
	w.reweigh()
	if err := w.climb(ctx); err != nil {
		return err
	}
	return w.encode()
}

// check asks whether the draft can be sent: no call is parted from its result, and the
// provider would take its body.
func (w *Work) check() error {
	is := checkedState{at: w.draft.Position()}
	if w.checked.at == is.at {
		return nil
	}
	if !w.k.options.Loose && w.moved(w.verified.at) {
		if o := w.draft.Result().Outline(); len(o.Orphans) > w.orphans || len(o.Dead) > w.dead {
			return plimsoll.ErrSeparated
		}
	}
	if w.task.Encode != nil {
		var err error
		if is.body, err = w.task.Encode(w.draft); err != nil {
			return err
		}
	}
	if w.task.Check != nil {
		if err := w.task.Check(w.draft, is.body); err != nil {
			return err
		}
	}
	w.checked = is
	return nil
}

// rollback takes the draft back to an earlier state, and forgets a check of a later one.
func (w *Work) rollback(to plimsoll.Position) {
	w.draft.Rollback(to)
	if w.checked.at > to {
		w.checked = checkedState{}
	}
}

// moved reports whether messages came or went since a position of the log.
func (w *Work) moved(since plimsoll.Position) bool {
	return slices.ContainsFunc(w.draft.EditsSince(since), func(e plimsoll.Edit) bool {
		return e.Kind == plimsoll.EditDrop || e.Kind == plimsoll.EditInsert || e.Kind == plimsoll.EditWithdraw
	})
}

// encode ends a plan: it writes the body that will be sent, unless it is the original's.
func (w *Work) encode() (err error) {
	w.plan.Edits = w.draft.Edits()
	if w.task.Encode == nil || w.draft.Position() == 0 {
		return nil
	}
	if w.plan.Body = w.checked.body; w.checked.at != w.draft.Position() {
		w.plan.Body, err = w.task.Encode(w.draft)
	}
	return err
}

// markVerified says that the draft is valid as it is now.
func (w *Work) markVerified() {
	w.verified = verifiedState{w.draft.Position(), len(w.plan.Rungs)}
}

// estimates reports whether the keeper decides under a line by another count than it shows.
func (k *Keeper) estimates(line plimsoll.Line) bool {
	return k.options.Best != nil && !line.Estimated
}

// settle ends a walk by the preset's count. It gives the plan its figures by the best count,
// and reports whether the draft fits by that. Nothing may be decided by the walk afterwards.
func (w *Work) settle(ctx context.Context) bool {
	if !w.k.estimates(w.plan.Line) || w.options.best {
		return true
	}
	load, meter := w.k.anchor(ctx, w.task, true)
	w.plan.Before, w.plan.After, w.plan.Edits = load, load, w.draft.EditsBy(meter)
	if w.draft.Position() > 0 {
		w.plan.After = meter.Weigh(w.draft.Result())
	}
	rest := slices.Clone(w.plan.Edits)
	for i := range w.plan.Rungs {
		r := &w.plan.Rungs[i]
		left := r.Edits
		r.Saved = 0
		rest = slices.DeleteFunc(rest, func(e plimsoll.Edit) bool {
			if left == 0 || e.Rung != r.Rung && r.Rung != recallName {
				return false
			}
			left--
			r.Saved += e.Saved
			return true
		})
	}
	if w.items != nil {
		w.floor, w.items = floorOf(load, w.task.Conversation, w.protections, w.k.options.least())
		_, tools := toolEdits(w.plan.Edits)
		w.plan.Floor = w.floor + tools
	}
	for _, made := range w.made {
		made.left, made.Before, made.After = made.After, load.Total, load.Total
		if made.Status == Compressed {
			made.After = w.plan.After.Total
		}
		if made.Status == Compressed && !made.shared {
			made.Checkpoint.Saved = made.Before - made.After
		}
	}
	return !w.plan.After.Exceeds(w.plan.Line)
}

// best returns the meter that comes nearest to what is billed.
func (k *Keeper) best() plimsoll.Meter {
	if k.options.Best != nil {
		return k.options.Best
	}
	return k.options.Meter
}
