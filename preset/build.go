package preset

import (
	"fmt"

	"github.com/plimsoll/plimsoll"
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
	// strict refuses models that nobody knows, instead of taking a safe limit.
	strict bool
}

// build makes the rungs by their names.
func (o *Options) build(names []string, l ladder) ([]plimsoll.Rung, error) {
	var rungs []plimsoll.Rung
	for _, name := range names {
		r, err := o.rung(name, l)
		if err != nil {
			return nil, err
		}
		if r != nil {
			rungs = append(rungs, r)
		}
	}
	if l.shrink && !o.Outputs.Off {
		rungs = append(rungs, &rung.View{ToFit: true, Tail: 0.25, Errors: true, Explain: true})
	}
	return rungs, nil
}

// rung makes one rung; nil if tool outputs are to be left alone.
func (o *Options) rung(name string, l ladder) (plimsoll.Rung, error) {
	out := o.Outputs
	switch name {
	case "view", "dedupe", "clear":
		if out.Off {
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
		return nil, &plimsoll.Error{
			Op: "rung " + name, Hint: "leave it out",
			Err: fmt.Errorf("this version cannot make summaries: %w", plimsoll.ErrUnsupported),
		}
	}
	return nil, &plimsoll.Error{
		Op: "rung " + name, Hint: "choose from view, dedupe, clear, reasoning, slide and trim",
		Err: fmt.Errorf("unknown: %w", plimsoll.ErrInvalid),
	}
}
