package chat

import "github.com/plimsoll/plimsoll"

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

// unbounded is a window that stands for none: package transport knows models without
// a limit until one is learned.
const unbounded = 1 << 39

func gaugeOf(p Participant, before, after plimsoll.Load, line plimsoll.Line, marks plimsoll.Marks) Gauge {
	g := Gauge{
		Participant: p.Name, Model: p.Model, System: after.System, Tools: after.Tools,
		Exact: after.Exact, Band: after.Band, Cut: max(0, before.Total-after.Total),
	}
	g.History = after.Total - after.System - after.Tools
	if line.Window >= unbounded {
		g.Unlimited = true
		return g
	}
	g.Free = after.Freeboard(line)
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
