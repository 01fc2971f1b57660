package preset

import (
	"cmp"
	"time"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/model"
	"github.com/plimsoll/plimsoll/rung"
	"github.com/plimsoll/plimsoll/summary"
	"github.com/plimsoll/plimsoll/summary/remote"
)

// CompactionOptions says when old messages are replaced by a checkpoint, and how that is
// written. The zero value is ready to use: a checkpoint when the preset calls for one.
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
	// Summarizer writes the summary. Nil means the preset's own: in [Agent] and [Gemini],
	// and with a method that summarises, a model of the conversation's own server, by
	// [fit.Task.Ask]; else, and for tasks without such a server, [summary.Extract].
	Summarizer summary.Summarizer
	// Timeout of a model that the preset asks; 0 means 60 seconds.
	Timeout time.Duration
	// SummaryPrompt is how a model is asked; empty means our own way.
	SummaryPrompt string
	// RetainPrompt says what a model is to retain word for word; empty asks for nothing.
	RetainPrompt string
	// SummaryDirectives and RetainDirectives are added to the two as bullets.
	SummaryDirectives, RetainDirectives []string
}

// AskCaller returns a summariser that asks the conversation's own server, and extracts a
// summary if that fails. An empty model is the conversation's own, or in preset gemini
// the one that its table names.
func AskCaller(preset, name string, models *model.Registry, timeout time.Duration) summary.Summarizer {
	o := remote.Options{Model: name, Models: models, Timeout: timeout}
	if preset == NameGemini {
		o.MapModel = remote.CompressionModel
	}
	caller, err := remote.New(o)
	if err != nil {
		panic("preset: " + err.Error()) // without an address nothing can be wrong
	}
	return &summary.Chain{Model: caller, Fallback: summary.Extract{}, Timeout: timeout}
}

// summarizer returns who writes summaries, and whether that asks the conversation's own
// server; nil means that no model does.
func (o *Options) summarizer(l ladder) (by summary.Summarizer, caller bool) {
	by = o.Compaction.Summarizer
	switch _, extracts := by.(summary.Extract); {
	case extracts:
		return nil, false
	case by == nil && l.layout == rung.RetainAndSummary:
		by = AskCaller(NameAgent, "", o.Token.Registry, o.Compaction.Timeout)
	case by == nil && l.layout == rung.SnapshotAndAnswer:
		by = AskCaller(NameGemini, "", o.Token.Registry, o.Compaction.Timeout)
	case by == nil && (o.Method == MethodSummary || o.Method == MethodHybrid):
		by = AskCaller("", remote.Cheaper, o.Token.Registry, o.Compaction.Timeout)
	}
	if chain, ok := by.(*summary.Chain); ok {
		asked, ok := chain.Model.(*remote.Summarizer)
		return by, ok && asked.AsksCaller()
	}
	return by, false
}

// compact makes the rung for a layout.
func (o *Options) compact(l ladder) *rung.Compact {
	c := o.Compaction
	by, caller := o.summarizer(l)
	r := &rung.Compact{
		Layout: l.layout, Summarizer: by, Caller: caller, Manual: c.Manual,
		Ratio: c.Ratio, Threshold: c.Threshold, KeepTurns: l.keepTurns, Tail: c.Tail, Size: c.Size, Notes: l.notes,
		Prompt: summary.Prompt{Ask: c.SummaryPrompt, SummaryDirectives: c.SummaryDirectives},
	}
	switch l.layout {
	case rung.RetainAndSummary:
		r.KeepTurns = max(0, cmp.Or(c.KeepTurns, 1))
		r.Prompt.Retain, r.Prompt.RetainDirectives = c.RetainPrompt, c.RetainDirectives
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
