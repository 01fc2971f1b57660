package plimsoll

import (
	"context"
	"errors"
	"fmt"
	"slices"
)

// ladder is one walk over the rungs.
type ladder struct {
	k    *Keeper
	task Task
	plan *Plan
	work *Work
	// flaws of the original are not the rungs' fault.
	orphans, dead int
	items         []FloorItem
}

// start finds out what must survive, and refuses at once what cannot fit.
func (l *ladder) start(archive Archive, over bool) error {
	draft, options := l.plan.draft, &l.k.options
	c, o := draft.base, draft.Outline()
	l.orphans, l.dead = len(o.Orphans), len(o.Dead)
	pins := append(slices.Clip(options.Pins), l.task.Pins...)
	l.work = &Work{
		draft: draft, line: l.plan.Line, before: l.plan.Before, archive: archive, facts: l.k.facts,
		kept: standings(c, o, options.Keep, options.Loose, pins), stowed: map[string]List[Part]{},
	}
	l.plan.Floor, l.items = floorOf(l.plan.Before, c, l.work.kept, options.least())
	l.plan.Goal = max(l.plan.Goal, (l.plan.Floor+l.plan.Line.Limit())/2)
	l.work.goal = l.plan.Goal
	if over && l.plan.Floor > l.plan.Line.Limit() {
		return l.overload(0)
	}
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

func (l *ladder) climb(ctx context.Context, high int) error {
	for _, r := range l.k.options.Arrival {
		if err := l.try(ctx, r); err != nil {
			return err
		}
	}
	if l.work.Load() > high {
		for _, r := range l.k.options.Rungs {
			if l.work.Reached() {
				break
			}
			if err := l.try(ctx, r); err != nil {
				return err
			}
		}
	}
	l.plan.Edits = l.plan.draft.Edits()
	if l.plan.Changed() {
		l.plan.After = l.k.options.Meter.Weigh(l.plan.draft.Result())
	}
	if l.plan.After.Exceeds(l.plan.Line) {
		return l.overload(l.plan.After.Total)
	}
	return nil
}

// try applies a rung and takes its edits back if they do not hold. Only a caller
// that has gone away and an archive that fails end the walk.
func (l *ladder) try(ctx context.Context, r Rung) error {
	w, mark, before := l.work, l.work.draft.Mark(), l.work.Load()
	drift := w.drift
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
		err = l.verify(before)
	}
	if err != nil {
		report.Undone, report.Edits = err.Error(), 0
		w.draft.Rollback(mark)
		w.drift = drift
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

// verify asks whether the draft is smaller than before, whole and valid.
func (l *ladder) verify(before int) error {
	w := l.work
	result := w.draft.Result()
	w.drift += l.k.options.Meter.Weigh(result).Total - w.Load()
	if w.Load() >= before {
		return errNotSmaller
	}
	for i := range w.kept {
		s := &w.draft.slots()[i]
		if w.Kept(i) && s.dropped || w.Pinned(i) && s.edited {
			return fmt.Errorf("message %d: %w", i, errPin)
		}
	}
	if o := result.Outline(); !l.k.options.Loose && (len(o.Orphans) > l.orphans || len(o.Dead) > l.dead) {
		return ErrSeparated
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
