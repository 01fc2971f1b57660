package report

import (
	"slices"
	"strings"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/fit"
	"github.com/plimsoll/plimsoll/summary"
)

// Compaction is what is said of a compaction.
type Compaction struct {
	Status  fit.CompressionStatus `json:"status"`
	Trigger fit.Trigger           `json:"trigger"`
	// Reason says why nothing was done or what failed.
	Reason       string          `json:"reason,omitempty"`
	TokensBefore int             `json:"tokens_before"`
	TokensAfter  int             `json:"tokens_after"`
	Limit        int             `json:"limit"`
	DurationMS   int64           `json:"duration_ms"`
	Edits        []plimsoll.Edit `json:"edits"`
	// Refs are the references that stand in the new history, that of the old
	// messages first.
	Refs       []string         `json:"refs"`
	Checkpoint *CheckpointParts `json:"checkpoint"`
	Degraded   string           `json:"degraded,omitempty"`
}

// CheckpointParts are the parts of a checkpoint, each as it stands in the new history.
type CheckpointParts struct {
	User    string `json:"user"`
	Ledger  string `json:"ledger"`
	Summary string `json:"summary"`
	// Passages are the sentences that its notes quote.
	Passages string `json:"passages,omitempty"`
	// Tail is what follows the checkpoint.
	Tail   string `json:"tail"`
	Retain string `json:"retain,omitempty"`
	// By names who wrote the summary, Notes say what was tried.
	By    string         `json:"by"`
	Notes []string       `json:"notes,omitempty"`
	Model string         `json:"model,omitempty"`
	Usage plimsoll.Usage `json:"usage"`
	// Cost in dollars; 0 if it is unknown or no model was asked.
	Cost float64 `json:"cost,omitempty"`
	// Old is the span of messages that it stands for, Kept those of them that still
	// stand there.
	Old  plimsoll.Span `json:"old"`
	Kept []int         `json:"kept,omitempty"`
}

// NewCompaction reports on what became of a compaction.
func NewCompaction(made *fit.Compaction) Compaction {
	r := Compaction{
		Status: made.Status, Trigger: made.Trigger, Reason: made.Reason, TokensBefore: made.Before, TokensAfter: made.After,
		Limit: made.Plan.Line.Limit(), DurationMS: made.Duration.Milliseconds(), Edits: made.Plan.Edits, Refs: []string{},
		Degraded: made.Plan.Degraded,
	}
	cp := made.Checkpoint
	if cp != nil {
		r.refer(cp.Ref)
		for _, id := range cp.Refs {
			r.refer(&plimsoll.Ref{ID: id})
		}
		r.Checkpoint = &CheckpointParts{
			User: userOf(made.Plan.Draft, cp), Ledger: cp.Ledger, Summary: cp.Summary, Passages: cp.Passages, Tail: tailOf(made.Plan.Draft, cp.Old.End), Retain: cp.Retain,
			By: cp.By, Notes: cp.Notes, Model: cp.Model, Usage: cp.Usage, Cost: made.Cost, Old: cp.Old, Kept: cp.Kept,
		}
	}
	r.referStanding(made.Plan)
	return r
}

// referStanding adds the references of cuts that stand: an edit that was followed by
// another of the same content has none any more, and what was dropped without a word
// has none either.
func (r *Compaction) referStanding(plan *plimsoll.Plan) {
	var all strings.Builder
	for m := range plan.Draft.Placed() {
		all.WriteString(PlainText(m.Message) + "\n")
	}
	text := all.String()
	for _, e := range plan.Edits {
		if e.Ref != nil && strings.Contains(text, e.Ref.ID) {
			r.refer(e.Ref)
		}
	}
}

func (r *Compaction) refer(ref *plimsoll.Ref) {
	if ref != nil && !slices.Contains(r.Refs, ref.ID) {
		r.Refs = append(r.Refs, ref.ID)
	}
}

// userOf is what still stands of the words of the user in the old part, with the
// excerpts that stand for the longest of them.
func userOf(d *plimsoll.Draft, cp *summary.Checkpoint) string {
	excerpts := map[string]bool{}
	for _, m := range cp.Messages {
		excerpts[m.Text] = m.Before < cp.Old.End && m.Role == plimsoll.User
	}
	var said []string
	for m := range d.Placed() {
		kept := m.Original >= 0 && cp.Old.Contains(m.Original) && !summary.CheckpointAt(d.Original(), m.Original)
		own := m.Message.Role == plimsoll.User && !plimsoll.Has[plimsoll.ToolResult](m.Message) && !plimsoll.IsReceipt(m.Message)
		if text := m.Message.Text(); own && text != "" && (kept || m.Original < 0 && excerpts[text] && !summary.IsCheckpoint(m.Message)) {
			said = append(said, text)
		}
	}
	return strings.Join(said, "\n\n")
}

// tailOf is what the messages behind a checkpoint say.
func tailOf(d *plimsoll.Draft, end int) string {
	var tail []string
	for m := range d.Placed() {
		if text := PlainText(m.Message); m.Original >= end && text != "" {
			tail = append(tail, text)
		}
	}
	return strings.Join(tail, "\n\n")
}

// PlainText is what a message says, its calls and results included, word for word: what
// has no words is left out.
func PlainText(m plimsoll.Message) string {
	var said []string
	for _, p := range m.Parts.All() {
		switch p := p.(type) {
		case plimsoll.Text:
			said = append(said, p.Text)
		case plimsoll.ToolCall:
			said = append(said, p.Name, p.Arguments)
		case plimsoll.ToolResult:
			said = append(said, plimsoll.TextOf(p.Content))
		}
	}
	return strings.Join(said, "\n")
}
