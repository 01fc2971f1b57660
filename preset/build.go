package preset

import (
	"fmt"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/fit"
	"github.com/plimsoll/plimsoll/rung"
)

// ladder says in what the presets' rungs of one name differ.
type ladder struct {
	// shrink adds a last rung that cuts the newest outputs to what is left.
	shrink bool
	// wholeTurn keeps slide out of the newest turn.
	wholeTurn bool
	// loose lets trim part calls from results.
	loose bool
	// strict refuses unknown models, instead of taking a safe limit.
	strict bool
	// layout of checkpoints; keepTurns is how many turns stay beside one where the
	// layout says nothing.
	layout    rung.Layout
	keepTurns int
	// notes lets checkpoints quote what people said, and fill the goal.
	notes bool
	// early lets compaction decide by its own trigger, before the line is reached.
	early bool
}

// build makes the rungs by their names. Compaction that has a trigger of its own, or
// none, stands among those that are tried whatever the load is.
func (o *Options) build(names []string, l ladder) (arrival, rungs []fit.Rung, err error) {
	for _, name := range names {
		r, err := o.rung(name, l)
		if err != nil {
			return nil, nil, err
		}
		switch {
		case r == nil:
		case name == "compact" && (l.early || o.Compaction.Manual):
			arrival = append(arrival, r)
		default:
			rungs = append(rungs, r)
		}
	}
	if l.shrink && !o.Outputs.Off {
		rungs = append(rungs, &rung.View{ToFit: true, Tail: 0.25, Errors: true, Explain: true})
	}
	return arrival, rungs, nil
}

// rung makes one rung; nil if it is switched off.
func (o *Options) rung(name string, l ladder) (fit.Rung, error) {
	out := o.Outputs
	switch name {
	case "view", "dedupe", "clear":
		if out.Off {
			return nil, nil
		}
	case "compact":
		if o.Compaction.Off {
			return nil, nil
		}
	}
	switch name {
	case "view":
		return &rung.View{MaxBytes: out.MaxBytes, MaxLine: out.MaxLine, Tail: 0.25, Errors: true, Explain: true}, nil
	case "dedupe":
		return &rung.Dedupe{Paths: out.Paths}, nil
	case "clear":
		keep, budget := out.KeepNewest, out.Budget
		if keep == 0 {
			keep = 3
		}
		if budget == 0 {
			budget = -1 // the goal says how much must go
		}
		return &rung.Clear{Budget: budget, KeepNewest: max(0, keep), MinReclaim: out.MinReclaim, ToGoal: true, Explain: true}, nil
	case "reasoning":
		return &rung.Reasoning{}, nil
	case "slide":
		return &rung.Slide{TurnsOnly: l.wholeTurn}, nil
	case "trim":
		return &rung.Trim{Loose: l.loose}, nil
	case "compact":
		return o.compact(l), nil
	}
	return nil, &plimsoll.Error{
		Op: "rung " + name, Hint: "choose from view, dedupe, clear, reasoning, compact, slide and trim",
		Err: fmt.Errorf("unknown: %w", plimsoll.ErrInvalid),
	}
}
