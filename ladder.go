package plimsoll

import (
	"context"
	"errors"
	"fmt"
	"slices"
)

// ladder is one walk over the rungs.
type ladder struct {
	k       *Keeper
	task    *Task
	plan    *Plan
	options walkOptions
	work    *Work
	// seen is what was found out about the messages when they were weighed.
	seen *album
	// high is the load above which rungs must act.
	high int
	// made are the compactions of this walk; they are settled when everything is
	// stored. flight is what others wait for meanwhile.
	made   []*Compaction
	flight *flight
	// background says that no request waits for this walk. Due says that a policy asks
	// for a checkpoint which no request need wait for, and was how the conversation was
	// cut when it did.
	background, due bool
	was             *sticky
	// flaws of the original are not the rungs' fault.
	orphans, dead int
	items         []FloorItem
}

// start finds out what must survive, and refuses at once what cannot fit.
func (l *ladder) start(over bool) error {
	l.k.facts.order()
	draft, options := l.plan.draft, &l.k.options
	c, o := draft.base, draft.Outline()
	l.orphans, l.dead = len(o.Orphans), len(o.Dead)
	pins := append(slices.Clip(options.Pins), l.task.Pins...)
	l.work = &Work{
		draft: draft, line: l.plan.Line, before: l.plan.Before, archive: l.options.archive, facts: l.k.facts, notes: l.seen.notes,
		kept: standings(c, o, options, l.task.Keep, pins), stowed: map[string]List[Part]{},
		rawMessage: l.task.Raw, encode: l.task.Encode, dry: l.options.dry,
	}
	l.keepCheckpoints()
	l.plan.Floor, l.items = floorOf(l.plan.Before, c, l.work.kept, options.least())
	if over && l.plan.Floor > l.plan.Line.Limit() {
		return l.overload(0)
	}
	least := l.plan.Floor
	if over {
		least += l.toll()
	}
	l.plan.Goal = max(l.plan.Goal, (least+l.plan.Line.Limit())/2)
	l.work.goal = l.plan.Goal
	return nil
}

// least returns what the best shrinker of the ladder leaves of a result, or -1.
func (o *Options) least() int {
	least := -1
	for _, r := range o.Rungs {
		if s, ok := r.(Shrinker); ok && (least < 0 || s.Least() < least) {
			least = s.Least()
		}
	}
	return least
}

func (l *ladder) climb(ctx context.Context) error {
	l.offerNew()
	for _, r := range l.k.options.Arrival {
		if c, ok := r.(Compactor); ok && !c.Due(l.reading(0)) {
			continue
		}
		if err := l.try(ctx, r); err != nil {
			return err
		}
	}
	if err := l.act(ctx); err != nil {
		return err
	}
	l.offerNew()
	l.weigh()
	if l.work.Load() > l.high {
		if err := l.pass(ctx); err != nil {
			return err
		}
		// A meter may weigh a message otherwise when its neighbours are gone.
		if l.weigh() > 0 && !l.work.Reached() {
			if err := l.pass(ctx); err != nil {
				return err
			}
			l.weigh()
		}
	}
	return l.underLine()
}

// underLine refuses a draft that is over the line, even without what is offered.
func (l *ladder) underLine() error {
	if l.plan.After.Exceeds(l.plan.Line) {
		l.retract()
	}
	if l.plan.After.Exceeds(l.plan.Line) {
		return l.overload(l.plan.After.Total)
	}
	return nil
}

// pass tries the rungs in order until the goal is reached.
func (l *ladder) pass(ctx context.Context) error {
	l.makeRoom()
	goal := l.work.goal
	defer func() { l.work.goal = goal }()
	for _, r := range l.k.options.Rungs {
		if l.work.goal = l.goalOf(r, goal); l.work.Reached() {
			continue
		}
		if err := l.try(ctx, r); err != nil {
			return err
		}
	}
	l.offerNew()
	return nil
}

// goalOf is how far a rung goes. One that takes nothing but outputs and thinking goes
// further, so that the next cut is not soon.
func (l *ladder) goalOf(r Rung, goal int) int {
	_, deep := r.(Compactor)
	if _, cheap := r.(Prospector); !cheap || deep || l.k.options.Marks.Room == 0 {
		return goal
	}
	base, limit := l.work.Base(), l.plan.Line.Limit()
	return min(goal, base+int((1-l.k.options.Marks.Room)*float64(max(0, limit-base))))
}

// weigh takes the load of the draft as a whole, and returns by how much it is more
// than the sum of the edits says.
func (l *ladder) weigh() int {
	l.plan.Edits = l.plan.draft.Edits()
	if !l.plan.Changed() {
		return 0
	}
	l.plan.After = l.k.options.Meter.Weigh(l.plan.draft.Result())
	off := l.plan.After.Total - l.work.Load()
	l.work.drift += off
	return off
}

// try applies a rung and takes its edits back if they do not hold. Only a caller
// that has gone away and an archive that fails end the walk.
func (l *ladder) try(ctx context.Context, r Rung) error {
	if c, ok := r.(Compactor); ok {
		return l.compact(ctx, c, CompactOptions{})
	}
	w, mark, before := l.work, l.work.draft.Mark(), l.work.Load()
	err := r.Apply(ctx, w)
	var archive *ArchiveError
	if ctx.Err() != nil {
		return fmt.Errorf("fit: %s: %w", r.Name(), ctx.Err())
	}
	if errors.As(err, &archive) {
		return err
	}
	report := RungReport{Rung: r.Name(), Edits: int(w.draft.Mark() - mark)}
	if err == nil && report.Edits > 0 {
		err = l.verify(mark, before)
	}
	if err != nil {
		report.Undone, report.Edits = err.Error(), 0
		w.draft.Rollback(mark)
	}
	report.Saved = before - w.Load()
	l.plan.Rungs = append(l.plan.Rungs, report)
	return nil
}

// The reasons for which a rung's edits are undone, beside what a check says.
var (
	errNotSmaller = errors.New("the conversation did not become smaller")
	errPin        = errors.New("a message that must survive was removed or changed")
)

// verify asks whether the edits since the mark left the draft smaller, whole and
// valid.
func (l *ladder) verify(mark Mark, before int) error {
	w := l.work
	if w.Load() >= before {
		return errNotSmaller
	}
	moved := false
	for _, e := range w.draft.log[mark:] {
		gone := e.Kind == EditDrop
		if e.Kind == EditInsert || e.Kind == EditWithdraw {
			moved = true
			continue
		}
		moved = moved || gone
		if e.Message >= 0 && (gone && w.Kept(e.Message) || w.Pinned(e.Message)) {
			return fmt.Errorf("message %d: %w", e.Message, errPin)
		}
	}
	if moved && !l.k.options.Loose {
		if o := w.draft.Result().Outline(); len(o.Orphans) > l.orphans || len(o.Dead) > l.dead {
			return ErrSeparated
		}
	}
	if l.task.Check != nil {
		return l.task.Check(w.draft)
	}
	return nil
}

func (l *ladder) overload(load int) error {
	e := &OverloadError{Line: l.plan.Line, Floor: l.plan.Floor, Items: l.items, Load: load, Rungs: l.plan.Rungs}
	return &Error{Op: "fit", Hint: e.Hint(), Err: e}
}
