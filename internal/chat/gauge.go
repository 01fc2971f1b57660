package chat

import (
	"fmt"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/fit"
)

// Gauge says how full the context of one participant is: what the next request would
// weigh without a new message, after what would be cut from it.
type Gauge struct {
	Participant string
	Model       string
	// Window = System + Tools + History + Free + Reserve. Free is negative where the
	// rest exceeds the line. Framing counts as history.
	Window, System, Tools, History, Free, Reserve int
	// Unlimited says that no limit is known; then Window and Free are 0.
	Unlimited bool
	// Exact says that the figures are the provider's own; Band is what they may be
	// off by otherwise.
	Exact bool
	Band  int
	// Vocabulary is the model's own by which its texts are counted, so that only what
	// the API puts around them is estimated; empty if there is none.
	Vocabulary string
	// Level says which mark is reached.
	Level Level
	// Cut is how many tokens of the history are left out of the request.
	Cut int
}

// Level says how near a load is to its line.
type Level int

// The levels.
const (
	// Calm: below the soft mark.
	Calm Level = iota
	// Soft: a checkpoint is being made or soon will be.
	Soft
	// Hard: something must be cut.
	Hard
)

// Used returns the tokens that a request takes.
func (g Gauge) Used() int { return g.System + g.Tools + g.History }

// Limit returns the most that a request may take.
func (g Gauge) Limit() int { return g.Used() + g.Free }

// String writes the gauge in a line.
func (g Gauge) String() string {
	if g.Unlimited {
		return fmt.Sprintf("%s tokens, no limit is known", Tokens(g.Used(), g.Exact))
	}
	text := fmt.Sprintf("%s of %s tokens (system %s, tools %s, history %s, free %s, reserve %s)",
		Tokens(g.Used(), g.Exact), Tokens(g.Window, true), Tokens(g.System, g.Exact), Tokens(g.Tools, g.Exact),
		Tokens(g.History, g.Exact), Tokens(g.Free, g.Exact), Tokens(g.Reserve, true))
	if g.Cut > 0 {
		text += fmt.Sprintf(", %s left out", Tokens(g.Cut, g.Exact))
	}
	return text
}

// unbounded is a window that stands for none: package transport knows models without
// a limit until one is learned.
const unbounded = 1 << 39

// gaugeOf reads the gauge of what a plan leaves.
func gaugeOf(p Participant, plan *plimsoll.Plan, v view, marks fit.Watermarks) Gauge {
	after := plan.After
	if v.among && len(after.Messages) > 0 {
		after.System += after.Messages[0].Tokens
	}
	g := gauge(p, after, plan.Line, marks)
	g.Cut = max(0, plan.Before.Total-plan.After.Total)
	return g
}

func gauge(p Participant, load plimsoll.Load, line plimsoll.Line, marks fit.Watermarks) Gauge {
	g := Gauge{
		Participant: p.Name, Model: p.Model, System: load.System, Tools: load.Tools,
		History: load.Total - load.System - load.Tools, Exact: load.Exact, Band: load.Band,
	}
	if line.Window == 0 || line.Window >= unbounded {
		g.Unlimited = true
		return g
	}
	g.Free = load.Freeboard(line)
	g.Reserve = line.Window - line.Limit()
	g.Window = line.Window
	switch used, limit := float64(g.Used()), float64(line.Limit()); {
	case used >= marks.High*limit:
		g.Level = Hard
	case marks.Soft > 0 && used >= marks.Soft*limit:
		g.Level = Soft
	}
	return g
}
