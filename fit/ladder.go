package fit

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/plimsoll/plimsoll"
)

// Rung is one way to make a conversation smaller.
//
// A rung may also be a [Shrinker], a [Prospector] or a [Compactor]. The keeper finds
// that out by a type assertion: most rungs are none of them, and a program's own rung
// needs two methods only. Over the limit the keeper applies all rungs in order. Under the
// limit a policy may ask for a cut: that applies only a [Prospector] or the [Compactor],
// and Plan.Rungs says of each other rung why it was passed over.
type Rung interface {
	// Name is the word for it in edits, reports and configurations.
	Name() string
	// Apply edits the work's draft until the target is reached or nothing is left that
	// this rung may do. It is deterministic and changes nothing but the draft: what it
	// takes out it hands to [Work.Archive].
	Apply(ctx context.Context, w *Work, t Target) error
}

// Shrinker is a rung that can cut a tool result down in its place, even in the newest
// round.
type Shrinker interface {
	Rung
	// Least returns the fewest tokens that it leaves of a result.
	Least() int
}

// Target says how far a rung goes.
type Target struct {
	// Goal is the load to come down to.
	Goal int
	// Line is the line in force, less what tools will need that come with this cut.
	Line plimsoll.Line
	// GoesOn says that later requests follow, for which a cut makes room.
	GoesOn bool
	// Decided says that the load does not force the cut: a policy found that it pays, or
	// the caller asked for it. A rung need not ask itself whether it pays.
	Decided bool
	// Always says that the rung acts on arrival, whatever the load is and even if the
	// conversation does not become smaller: a view has fewer characters, and may have a
	// token more.
	Always bool
}

// Reached reports whether the draft is down to the goal.
func (t Target) Reached(w *Work) bool { return w.Load() <= t.Goal }

// target returns how far rungs go over the line, with room for the tools that the cut will
// bring. Two other rungs get a target without that room: one that acts on arrival, whatever
// the load is, and one that a policy asks for, which takes all that it promised.
func (w *Work) target() Target {
	cost := w.toolCost()
	t := Target{Goal: max(0, w.plan.Goal-cost), Line: w.plan.Line, GoesOn: w.goesOn}
	t.Line.Reserve += cost
	if t.Line.Input > 0 {
		t.Line.Input = max(1, t.Line.Input-cost)
	}
	return t
}

// climb applies what the conversation needs: arrival rungs, what the policy asks for,
// and over the line the rungs in order.
func (w *Work) climb(ctx context.Context) error {
	w.plan.Outputs = nil
	w.offerNew()
	for _, r := range w.k.options.Arrival {
		if c, ok := r.(Compactor); ok {
			if due, _ := c.Due(w.reading(0)); !due {
				continue
			}
		}
		if err := w.applyRung(ctx, r, Target{Goal: w.plan.Goal, Line: w.plan.Line, Always: true}); err != nil {
			return err
		}
	}
	if err := w.applyPolicy(ctx); err != nil {
		return err
	}
	w.offerNew()
	w.reweigh()
	if w.tooLong() {
		w.withdrawRecollections("the conversation is too long")
		if err := w.applyAll(ctx); err != nil {
			return err
		}
		// A meter may weigh a message differently when its neighbours are gone.
		if w.reweigh() > 0 && w.Load() > w.plan.Goal {
			if err := w.applyAll(ctx); err != nil {
				return err
			}
			w.reweigh()
		}
	}
	return w.underLine()
}

// underLine refuses a draft that is over the line even without the offered tools.
func (w *Work) underLine() error {
	if w.plan.After.Exceeds(w.plan.Line) {
		w.retract()
	}
	if w.plan.After.Exceeds(w.plan.Line) {
		return w.overload(w.plan.After.Total)
	}
	return nil
}

// applyAll applies the rungs in order until the goal is reached. A rung that the policy
// skipped is applied, too.
func (w *Work) applyAll(ctx context.Context) error {
	w.plan.Rungs = slices.DeleteFunc(w.plan.Rungs, func(r plimsoll.RungReport) bool { return r.Skipped != "" })
	for _, r := range w.k.options.Rungs {
		t := w.target() // not once for all: another walk's checkpoint brings its tools
		if t.Goal = w.goalOf(r, t.Goal); t.Reached(w) {
			continue
		}
		if err := w.applyRung(ctx, r, t); err != nil {
			return err
		}
	}
	w.offerNew()
	return nil
}

// goalOf is how far a rung goes. A cheap rung cuts a conversation that goes on down to
// Watermarks.Room, so that the next cut comes later.
func (w *Work) goalOf(r Rung, goal int) int {
	if !cheap(r) || w.k.options.Marks.Room == 0 || !w.goesOn {
		return goal
	}
	base, limit := w.Base(), w.plan.Line.Limit()
	return min(goal, base+int((1-w.k.options.Marks.Room)*float64(max(0, limit-base))))
}

// applyRung applies a rung and takes its edits back if they do not hold. Only a caller that
// has gone away and an archive that fails end the walk.
func (w *Work) applyRung(ctx context.Context, r Rung, t Target) error {
	if c, ok := r.(Compactor); ok {
		return w.compact(ctx, c, t, CompactOptions{})
	}
	since, before := w.draft.Position(), w.Load()
	err := r.Apply(ctx, w, t)
	var archive *archiveError
	if ctx.Err() != nil {
		return fmt.Errorf("fit: %s: %w", r.Name(), ctx.Err())
	}
	if errors.As(err, &archive) {
		return err
	}
	report := plimsoll.RungReport{Rung: r.Name(), Edits: int(w.draft.Position() - since)}
	if err == nil && report.Edits > 0 {
		most := before
		if t.Always {
			most = math.MaxInt
		}
		err = w.checkEdits(since, most, w.Kept)
	}
	if err == nil && report.Edits > 0 && w.strict {
		err = w.check()
	}
	if err != nil {
		report.Undone, report.Edits = err.Error(), 0
		w.rollback(since)
	}
	report.Saved = before - w.Load()
	w.plan.Rungs = append(w.plan.Rungs, report)
	return nil
}

// The reasons for which a rung's edits are undone, beside what a check says.
var (
	errNotSmaller = errors.New("the conversation did not become smaller")
	errProtected  = errors.New("a message that must survive was removed or changed")
)

// checkEdits asks whether the edits since a position left the draft smaller, and touched
// nothing that must survive. mustStay says of a message whether it may be dropped.
func (w *Work) checkEdits(since plimsoll.Position, before int, mustStay func(int) bool) error {
	if w.Load() >= before {
		return errNotSmaller
	}
	for _, e := range w.draft.EditsSince(since) {
		if e.Kind == plimsoll.EditInsert || e.Kind == plimsoll.EditWithdraw || e.Message < 0 {
			continue
		}
		if e.Kind == plimsoll.EditDrop && mustStay(e.Message) || w.Pinned(e.Message) {
			return fmt.Errorf("message %d: %w", e.Message, errProtected)
		}
	}
	return nil
}

// overload is the error for a conversation that cannot be made to fit. The draft has no
// added tools then.
func (w *Work) overload(load int) error {
	e := &plimsoll.OverloadError{Line: w.plan.Line, Floor: w.floor, Items: w.items, Load: load, Rungs: w.plan.Rungs}
	return &plimsoll.Error{Op: "fit", Hint: e.Hint(), Err: e}
}
