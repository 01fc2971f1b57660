package rung

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/fit"
	"github.com/plimsoll/plimsoll/summary"
)

// Layout says what a checkpoint consists of.
type Layout int

const (
	// Full keeps the user's messages word for word. After them the assistant's notes
	// hold a ledger and a summary with sections.
	Full Layout = iota
	// RetainAndSummary is two messages of the user before the newest turns: what the
	// model must retain, and the summary.
	RetainAndSummary
	// SnapshotAndAnswer is a snapshot in a message of the user and a short answer of
	// the assistant, before the newest part.
	SnapshotAndAnswer
)

// Compact replaces old messages by a checkpoint. It splits between turns, or between the
// rounds of a turn that is too long, as in an agent's loop.
type Compact struct {
	Layout Layout
	// Summarizer writes the summary; nil means [summary.Extract]. Compact assumes that
	// any other asks a model. Caller says that it asks the conversation's own server: it
	// is used only for tasks with one.
	Summarizer summary.Summarizer
	Caller     bool
	// Prompt is the prompt for a model.
	Prompt summary.Prompt
	// Manual means that compaction runs only on request.
	Manual bool
	// Ratio is the fraction of the window at which [RetainAndSummary] is due; 0 means
	// 0.8.
	Ratio float64
	// Threshold is the fraction of the window that the history without the newest
	// request must fill before [SnapshotAndAnswer] is due; 0 means 0.5.
	Threshold float64
	// KeepTurns is how many of the newest turns stay, for [RetainAndSummary], and
	// for [Full] if it is not 0.
	KeepTurns int
	// KeepShare is the newest part that stays, for [SnapshotAndAnswer]; 0 means 0.3.
	KeepShare float64
	// Tail is the most tokens of the newest messages that stay, if the layout has no
	// rule of its own; 0 means 20,000. It is never more than 0.3 of the limit.
	Tail int
	// Size is the most tokens that a checkpoint takes beside the tail; 0 means
	// 6,000. It is never more than a fifth of the limit.
	Size int
	// Notes makes a checkpoint of [Full] that quotes what people said. Checkpoint and
	// tail then fill the goal, and Tail and Size have no defaults; see room.divide.
	Notes bool
}

var _ fit.Compactor = (*Compact)(nil)

// The defaults; those of a layout come from the program that it imitates.
const (
	defaultRatio     = 0.8
	defaultThreshold = 0.5
	defaultKeepShare = 0.3
	// overflowShare is the part of the remaining window that one request may fill.
	overflowShare = 0.95
	defaultTail   = 20_000
	defaultSize   = 6_000
	// minSize is the fewest tokens of a checkpoint.
	minSize = 300
)

// Name returns "compact".
func (*Compact) Name() string { return "compact" }

// Slow reports whether it asks a model.
func (c *Compact) Slow(t *fit.Task) bool { return c.Summarizer != nil && (!c.Caller || t.Ask != nil) }

// windowOf returns the model's limit for a prompt, without room for the answer.
func windowOf(line plimsoll.Line) int {
	if line.Input > 0 {
		return line.Input
	}
	return line.Window
}

// Due reports whether compaction is due. For [RetainAndSummary], the load has reached
// the ratio. For [SnapshotAndAnswer], the history has reached the threshold, and the
// request fills more than 0.95 of the rest of the window. For [Full], the load is over
// the keeper's high watermark.
func (c *Compact) Due(r fit.Reading) (due bool, why string) {
	if c.Manual {
		return false, "automatic compaction is switched off"
	}
	switch c.Layout {
	case RetainAndSummary:
		threshold := int(or(c.Ratio, defaultRatio) * float64(windowOf(r.Line)))
		due = r.Total >= min(threshold, r.Line.Limit())
	case SnapshotAndAnswer:
		request := requestOf(r)
		history := r.Total - request
		threshold := int(or(c.Threshold, defaultThreshold) * float64(windowOf(r.Line)))
		remaining := windowOf(r.Line) - history
		due = history >= threshold && float64(request) > overflowShare*float64(remaining)
	default:
		due = r.Total > r.High
	}
	return due, "the load is below the threshold"
}

// requestOf returns the tokens of the newest request: of all messages after the
// assistant's newest one.
func requestOf(r fit.Reading) int {
	request := 0
	for i := r.Conversation.Messages.Len() - 1; i >= 0 && r.Conversation.Messages.At(i).Role != plimsoll.Assistant; i-- {
		request += r.Load.Messages[i].Tokens
	}
	return request
}

// Apply replaces the old messages.
func (c *Compact) Apply(ctx context.Context, w *fit.Work, t fit.Target) error {
	old := c.Old(w, t)
	if old.Len() == 0 {
		return nil
	}
	_, err := c.Checkpoint(ctx, w, fit.Order{Old: old, Target: t, Trigger: fit.Automatic})
	return err
}

// Checkpoint writes a checkpoint for the order's span and places it in the draft. If its
// notes do not fill their room, it replaces fewer messages.
func (c *Compact) Checkpoint(ctx context.Context, w *fit.Work, o fit.Order) (*summary.Checkpoint, error) {
	m, err := c.compose(ctx, w, o)
	if err != nil {
		return nil, err
	}
	for range fillTries {
		if !m.lengthen(&o) {
			break
		}
		if again, err := c.compose(ctx, w, o); err == nil {
			m = again
		}
	}
	why := plimsoll.Why{Rung: c.Name(), Reason: fmt.Sprintf("%s checkpoint by %s", o.Trigger, m.cp.By)}
	if err := w.Place(m.cp, why); err != nil {
		return nil, err
	}
	return m.cp, nil
}

// compose writes a checkpoint for the order's span.
func (c *Compact) compose(ctx context.Context, w *fit.Work, o fit.Order) (*maker, error) {
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
	if m.cp.Summary == "" && m.cp.Passages == "" {
		return nil, &fit.NoSummaryError{Err: errors.New("there is nothing to say, or no room to say it")}
	}
	return m, nil
}

// maker makes one checkpoint.
type maker struct {
	*Compact
	ctx  context.Context
	work *fit.Work
	cp   *summary.Checkpoint
	// size is the most tokens of the user's messages, the ledger and the extract. room is
	// what notes share with them. fresh is the part of the old span that no earlier
	// checkpoint covers.
	size  int
	room  room
	fresh plimsoll.Span
	// excerpts replace long messages of the user.
	excerpts []summary.CheckpointMessage
	earlier  earlier
}

func (c *Compact) maker(ctx context.Context, w *fit.Work, o fit.Order) *maker {
	m := &maker{Compact: c, ctx: ctx, work: w, cp: &summary.Checkpoint{Old: o.Old}, size: c.size(o.Target.Line.Limit())}
	if c.Notes {
		m.room = c.roomOf(w, o.Target)
		m.room.split(o.Old.End, m.size)
		m.size = m.room.work
	}
	m.earlier = c.earlierOf(w, o.Old)
	m.fresh = plimsoll.Span{Start: max(o.Old.Start, m.earlier.end), End: o.Old.End}
	return m
}

// size returns the most tokens of a checkpoint of an agent's work.
func (c *Compact) size(limit int) int { return min(or(c.Size, defaultSize), max(minSize, limit/5)) }

// write makes the ledger and the summary.
func (m *maker) write(o fit.Order) error {
	w, c := m.work, m.work.Draft().Original()
	noModel := m.Summarizer == nil || m.Caller && w.Ask() == nil
	extracts := noModel || w.DryRun() // a dry run asks no model
	prompt := m.Prompt
	prompt.SummaryDirectives = slices.Concat(prompt.SummaryDirectives, o.Directives)
	if noModel && len(prompt.SummaryDirectives)+len(prompt.RetainDirectives) > 0 {
		m.cp.Notes = append(m.cp.Notes, "the directives have no effect: no model was asked; set compaction.summarizer to auto or API:MODEL")
	}
	if m.size == 0 && noModel {
		m.cp.By = summary.Extract{}.Name()
		return nil // a chat: its notes have all that an extract would repeat
	}
	// The user's messages leave less for the ledger and the summary, but never nothing.
	left := m.size - w.Count(m.cp.User)
	if m.Layout == Full && m.size > 0 {
		m.cp.Ledger = summary.WriteLedger(c, m.fresh, summary.LedgerOptions{
			Budget: min(m.size/2, max(m.size/5, left-m.size/4)), Count: w.Count, Ref: m.refOf(), Previous: m.earlier.ledger,
		})
		left -= w.Count(m.cp.Ledger)
	}
	r := &summary.Request{
		Conversation: c, Old: m.fresh, Whole: m.Layout == RetainAndSummary, Ask: w.Ask(), Window: windowOf(o.Target.Line), Sent: func() *plimsoll.Draft { return w.Replayed(m.ctx) }, Encode: w.Encode(m.Caller), Previous: m.earlier.summary, Format: m.format(), Prompt: prompt,
		Budget: min(m.size/3, max(m.size/10, left)), Count: w.Count,
		Required: summary.Required(c, m.fresh, m.earlier.summary), Progress: o.Progress,
	}
	if m.Notes && !noModel {
		r.Budget = min(m.room.all-m.room.tailFrom(m.cp.Old.End), m.Compact.size(o.Target.Line.Limit())) / 3
	}
	by := m.Summarizer
	if extracts {
		by = &summary.Extract{}
	}
	s, err := by.Summarize(m.ctx, r)
	if err == nil && s.Text == "" {
		err = errors.New("the summary is empty")
	}
	switch extract := (summary.Extract{}); {
	case err == nil:
	case !m.Notes || m.ctx.Err() != nil:
		return &fit.NoSummaryError{Err: err}
	case extracts:
		s = summary.Summary{By: extract.Name()} // the notes are enough
	default:
		s = summary.Summary{}
		if m.size > 0 {
			s, _ = extract.Summarize(m.ctx, r)
		}
		s.By, s.Notes = extract.Name(), append(s.Notes, fmt.Sprintf("%s: %v", by.Name(), err))
	}
	m.cp.Summary = s.Text
	switch asked := prompt.Retain != "" || len(prompt.RetainDirectives) > 0; {
	case m.Layout == RetainAndSummary && !asked && s.Retain != "":
		m.cp.Summary = s.Retain + "\n\n" + s.Text // an extract has it in any case
	case m.Layout == RetainAndSummary && asked:
		m.cp.Retain = newestLines(mergeLines(m.earlier.summary.Retain, s.Retain), m.size/3, w.Count)
	}
	m.refer()
	m.cp.By, m.cp.Notes, m.cp.Usage = s.By, append(m.cp.Notes, s.Notes...), s.Usage
	if s.Usage != (plimsoll.Usage{}) {
		m.cp.Model = or(s.Model, c.Model)
	}
	return nil
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

// Prospect estimates the tokens that a checkpoint saves, less its own, and returns the
// first message that it would change.
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
