package preset

import (
	"cmp"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/model"
	"github.com/plimsoll/plimsoll/rung"
	"github.com/plimsoll/plimsoll/summary"
)

// DefaultRetain is what a model is asked to retain word for word.
const DefaultRetain = "References to stored outputs, decisions with their reasons, and what the user asked for or forbade."

// CompactionOptions says when old messages are replaced by a checkpoint, and how that is
// written. The zero value is ready to use: a checkpoint without a model, when the
// preset calls for one.
type CompactionOptions struct {
	// Off leaves it out. Manual means that it is done only on
	// request.
	Off, Manual bool
	// Ratio of the window from which on [Agent] compacts; 0 means 0.8.
	Ratio float64
	// Threshold is the fraction of the window below which [Gemini] leaves everything
	// as it is; 0 means 0.5.
	Threshold float64
	// KeepTurns is how many of the newest turns stay in [Agent]; 0 means 1, negative
	// none.
	KeepTurns int
	// Tail is the most tokens of newest messages that stay, Size the most that the
	// checkpoint takes beside them; 0 means the rung's own.
	Tail, Size int
	// Summarizer writes the summary; nil means [summary.Extract].
	Summarizer summary.Summarizer
	// Model is the one that Summarizer asks; empty if it asks none.
	Model string
	// SummaryPrompt is how a model is asked; empty means our own way.
	SummaryPrompt string
	// RetainPrompt says what a model is to retain word for word; empty means
	// [DefaultRetain]. NoRetain asks for nothing.
	RetainPrompt string
	NoRetain     bool
	// SummaryDirectives and RetainDirectives are added to the two as bullets.
	SummaryDirectives, RetainDirectives []string
}

// rung makes the rung for a layout.
func (c CompactionOptions) rung(l ladder) *rung.Compact {
	r := &rung.Compact{
		Layout: l.layout, Summarizer: c.Summarizer, Model: c.Model, Manual: c.Manual,
		Ratio: c.Ratio, Threshold: c.Threshold, KeepTurns: l.keepTurns, Tail: c.Tail, Size: c.Size, Notes: l.notes,
		Prompt: summary.Prompt{Ask: c.SummaryPrompt, SummaryDirectives: c.SummaryDirectives},
	}
	switch l.layout {
	case rung.RetainAndSummary:
		r.KeepTurns = max(0, cmp.Or(c.KeepTurns, 1))
		if !c.NoRetain {
			r.Prompt.Retain, r.Prompt.RetainDirectives = cmp.Or(c.RetainPrompt, DefaultRetain), c.RetainDirectives
		}
	case rung.SnapshotAndAnswer:
		r.Prompt.System = summary.CompressionPrompt
	}
	return r
}

// costs returns what a call costs by the prices of a registry.
func costs(r *model.Registry) func(string, plimsoll.Usage) (float64, bool) {
	return func(name string, u plimsoll.Usage) (float64, bool) {
		m, err := r.Lookup(name)
		if err != nil {
			return 0, false
		}
		cost, known := m.Cost(u)
		return cost.USD(), known
	}
}
