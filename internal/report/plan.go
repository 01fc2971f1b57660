package report

import "github.com/plimsoll/plimsoll"

// Unbounded is the window of a model whose limit is unknown.
const Unbounded = 1 << 40

// Plan is a plan as programs read it: line and goal are null if no limit is known.
type Plan struct {
	Line *plimsoll.Line `json:"line"`
	Goal *int           `json:"goal"`
	*plimsoll.Plan
}

// NewPlan returns the report of a plan.
func NewPlan(p *plimsoll.Plan) Plan {
	r := Plan{Plan: p}
	if p.Line.Window < Unbounded {
		r.Line, r.Goal = &p.Line, &p.Goal
	}
	return r
}
