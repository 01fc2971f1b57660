package rung

import (
	"context"
	"fmt"
	"slices"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/fit"
	"github.com/plimsoll/plimsoll/summary"
)

// Layout says what a checkpoint consists of.
type Layout int

const (
	// Full keeps what the user said word for word, and puts behind it, as the
	// assistant's own notes, a ledger and a typed summary.
	Full Layout = iota
	// RetainAndSummary is one message of what must be retained and one of the
	// summary, both as the user, before the newest turns.
	RetainAndSummary
	// SnapshotAndAnswer is a snapshot as the user and a short answer of the model,
	// before the newest part.
	SnapshotAndAnswer
)

// Compact replaces what is old by a checkpoint. It splits between turns, and where
// one turn is too long for that, as in an agent's loop, between its rounds.
type Compact struct {
	Layout Layout
	// Summarizer writes the summary; nil means [summary.Extract]. Any other is taken
	// to ask a model.
	Summarizer summary.Summarizer
	// Model is the one that Summarizer asks, for the price; empty means that of the
	// conversation.
	Model string
	// Prompt is how a model is asked.
	Prompt summary.Prompt
	// Manual means that it is never due by itself.
	Manual bool
	// Ratio of the window at which it is due, for [RetainAndSummary]; 0 means 0.8.
	Ratio float64
	// Threshold is the fraction of the window that the history must have reached, the
	// request not counted, for [SnapshotAndAnswer]; 0 means 0.5.
	Threshold float64
	// KeepTurns is how many of the newest turns stay, for [RetainAndSummary], and
	// for [Full] if it is not 0.
	KeepTurns int
	// KeepShare is the newest part that stays, for [SnapshotAndAnswer]; 0 means 0.3.
	KeepShare float64
	// Tail is the most tokens of newest messages that stay where the layout says
	// nothing else; 0 means 20,000. It is never more than 0.3 of the limit.
	Tail int
	// Size is the most tokens that a checkpoint takes beside the tail; 0 means
	// 6,000. It is never more than a fifth of the limit.
	Size int
}

var _ fit.Compactor = (*Compact)(nil)

// What the origins of the layouts use.
const (
	defaultRatio     = 0.8
	defaultThreshold = 0.5
	defaultKeepShare = 0.3
	// overflowShare of what remains of the window may be filled by one request.
	overflowShare = 0.95
	defaultTail   = 20_000
	defaultSize   = 6_000
	// minSize is the least that a checkpoint is given.
	minSize = 300
)

// Name returns "compact".
func (*Compact) Name() string { return "compact" }

// Slow reports whether a model is asked.
func (c *Compact) Slow() bool { return c.Summarizer != nil }

// ActsFrom returns the load at which the layout may act; 0 leaves it to the keeper.
func (c *Compact) ActsFrom(line plimsoll.Line) int {
	switch c.Layout {
	case RetainAndSummary:
		return min(int(or(c.Ratio, defaultRatio)*float64(windowOf(line))), line.Limit())
	case SnapshotAndAnswer:
		return int(or(c.Threshold, defaultThreshold) * float64(windowOf(line)))
	default:
		return 0
	}
}

// windowOf is the model's limit for a prompt, the answer not kept free.
func windowOf(line plimsoll.Line) int {
	if line.Input > 0 {
		return line.Input
	}
	return line.Window
}

// Due reports whether the layout's own trigger says so: a total at or over its
// ratio; a history at or over its threshold, with a request that takes more than 0.95 of
// what the history leaves of the window; for [Full] what the keeper's mark says.
func (c *Compact) Due(r fit.Reading) bool {
	if c.Manual {
		return false
	}
	switch c.Layout {
	case RetainAndSummary:
		return r.Total >= c.ActsFrom(r.Line)
	case SnapshotAndAnswer:
		request := requestOf(r)
		history := r.Total - request
		remaining := windowOf(r.Line) - history
		return history >= c.ActsFrom(r.Line) && float64(request) > overflowShare*float64(remaining)
	default:
		return r.Total > r.High
	}
}

// requestOf is the load of what is about to be asked: everything behind the model's
// newest message.
func requestOf(r fit.Reading) int {
	request := 0
	for i := r.Conversation.Messages.Len() - 1; i >= 0 && r.Conversation.Messages.At(i).Role != plimsoll.Assistant; i-- {
		request += r.Load.Messages[i].Tokens
	}
	return request
}

// Apply replaces what is old.
func (c *Compact) Apply(ctx context.Context, w *fit.Work, t fit.Target) error {
	old := c.Old(w, t)
	if old.Len() == 0 {
		return nil
	}
	_, err := c.Checkpoint(ctx, w, fit.Order{Old: old, Target: t, Trigger: fit.Automatic})
	return err
}

// Checkpoint writes a checkpoint for the order's span and lays it.
func (c *Compact) Checkpoint(ctx context.Context, w *fit.Work, o fit.Order) (*summary.Checkpoint, error) {
	m := c.maker(ctx, w, o)
	if err := m.keep(); err != nil {
		return nil, err
	}
	if err := m.write(o); err != nil {
		return nil, err
	}
	if err := m.arrange(); err != nil {
		return nil, err
	}
	why := plimsoll.Why{Rung: c.Name(), Reason: fmt.Sprintf("%s checkpoint by %s", o.Trigger, m.cp.By)}
	return m.cp, w.Place(m.cp, why)
}

// maker makes one checkpoint.
type maker struct {
	*Compact
	ctx  context.Context
	work *fit.Work
	cp   *summary.Checkpoint
	// size is what the checkpoint may take, fresh the part of the old span that no
	// earlier checkpoint knows.
	size  int
	fresh plimsoll.Span
	// excerpts stand in for what the user said at length.
	excerpts []summary.CheckpointMessage
	earlier  earlier
}

func (c *Compact) maker(ctx context.Context, w *fit.Work, o fit.Order) *maker {
	m := &maker{
		Compact: c, ctx: ctx, work: w, cp: &summary.Checkpoint{Old: o.Old},
		size: min(or(c.Size, defaultSize), max(minSize, o.Target.Line.Limit()/5)),
	}
	m.earlier = c.earlierOf(w, o.Old)
	m.fresh = plimsoll.Span{Start: max(o.Old.Start, m.earlier.end), End: o.Old.End}
	return m
}

// write makes the ledger and the summary.
func (m *maker) write(o fit.Order) error {
	w, c := m.work, m.work.Draft().Original()
	// What the user said leaves the ledger and the summary less, but never nothing.
	left := m.size - w.Count(m.cp.User)
	if m.Layout == Full {
		m.cp.Ledger = summary.WriteLedger(c, m.fresh, summary.LedgerOptions{
			Budget: min(m.size/2, max(m.size/5, left-m.size/4)), Count: w.Count, Ref: m.refOf(), Previous: m.earlier.ledger,
		})
		left -= w.Count(m.cp.Ledger)
	}
	prompt := m.Prompt
	prompt.SummaryDirectives = slices.Concat(prompt.SummaryDirectives, o.Directives)
	r := &summary.Request{
		Conversation: c, Old: m.fresh, Sent: w.Sent, Encode: w.Encode(), Previous: m.earlier.summary, Format: m.format(), Prompt: prompt,
		Budget: min(m.size/3, max(m.size/10, left)), Count: w.Count,
		Required: slices.Concat(summary.Rules(m.earlier.summary), summary.Needs(c, m.fresh)), Progress: o.Progress,
	}
	s, err := m.summarizer().Summarize(m.ctx, r)
	if err == nil && s.Text == "" {
		err = summary.ErrEmpty
	}
	if err != nil {
		return &fit.NoSummaryError{Err: err}
	}
	m.cp.Summary = s.Text
	if m.Layout == RetainAndSummary {
		m.cp.Retain = newestLines(mergeLines(m.earlier.summary.Retain, s.Retain), m.size/3, w.Count)
	}
	m.refer()
	m.cp.By, m.cp.Notes, m.cp.Usage = s.By, s.Notes, s.Usage
	if s.Usage != (plimsoll.Usage{}) {
		m.cp.Model = or(m.Model, c.Model)
	}
	return nil
}

// summarizer is the one that may be asked: a dry run asks no model.
func (m *maker) summarizer() summary.Summarizer {
	if m.Summarizer == nil || m.work.DryRun() {
		return &summary.Extract{}
	}
	return m.Summarizer
}

func (c *Compact) format() summary.Format {
	if c.Layout == RetainAndSummary {
		return summary.Retained
	}
	return summary.Snapshot
}

func or[T comparable](v, otherwise T) T {
	var zero T
	if v == zero {
		return otherwise
	}
	return v
}

// Prospect returns what a checkpoint would take off, its own weight counted in.
func (c *Compact) Prospect(w *fit.Work) (removable, first int) {
	o := w.Draft().Outline()
	s := &splitter{work: w, kept: w.Kept, outline: o, from: o.Head}
	if cp := w.Checkpoint(); cp != nil {
		s.from = cp.Old.End
	}
	limit := w.Line().Limit()
	size := min(or(c.Size, defaultSize), limit/5)
	return max(0, s.free()-min(or(c.Tail, defaultTail), limit*3/10)-size), o.Head
}
