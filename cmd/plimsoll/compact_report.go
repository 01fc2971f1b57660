package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/bar"
)

// compactReport is what compact says, as JSON.
type compactReport struct {
	Status  plimsoll.CompressionStatus `json:"status"`
	Trigger plimsoll.Trigger           `json:"trigger"`
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
	Checkpoint *checkpointParts `json:"checkpoint"`
	Degraded   string           `json:"degraded,omitempty"`
}

// checkpointParts are the parts of a checkpoint, each as it stands in the new history.
type checkpointParts struct {
	User    string `json:"user"`
	Ledger  string `json:"ledger"`
	Summary string `json:"summary"`
	// Tail is what stands behind the checkpoint.
	Tail   string `json:"tail"`
	Retain string `json:"retain,omitempty"`
	// By names who wrote the summary, Notes say what was tried.
	By    string         `json:"by"`
	Notes []string       `json:"notes,omitempty"`
	Model string         `json:"model,omitempty"`
	Usage plimsoll.Usage `json:"usage"`
	// Cost in dollars; 0 if it is unknown or nobody was asked.
	Cost float64 `json:"cost,omitempty"`
	// Old is the span of messages that it stands for, Kept those of them that still
	// stand there.
	Old  plimsoll.Span `json:"old"`
	Kept []int         `json:"kept,omitempty"`
}

func newCompactReport(made *plimsoll.Compaction) compactReport {
	r := compactReport{
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
		r.Checkpoint = &checkpointParts{
			User: userOf(made.Plan.Draft(), cp), Ledger: cp.Ledger, Summary: cp.Summary, Tail: tailOf(made.Plan.Draft(), cp.Old.End), Retain: cp.Retain,
			By: cp.By, Notes: cp.Notes, Model: cp.Model, Usage: cp.Usage, Cost: made.Cost, Old: cp.Old, Kept: cp.Kept,
		}
	}
	r.referStanding(made.Plan)
	return r
}

// referStanding adds the references of cuts that stand: an edit that was followed by
// another of the same content has none any more, and what was dropped without a word
// has none either.
func (r *compactReport) referStanding(plan *plimsoll.Plan) {
	var all strings.Builder
	for m := range plan.Draft().Placed() {
		all.WriteString(plainText(m.Message) + "\n")
	}
	text := all.String()
	for _, e := range plan.Edits {
		if e.Ref != nil && strings.Contains(text, e.Ref.ID) {
			r.refer(e.Ref)
		}
	}
}

func (r *compactReport) refer(ref *plimsoll.Ref) {
	if ref != nil && !slices.Contains(r.Refs, ref.ID) {
		r.Refs = append(r.Refs, ref.ID)
	}
}

// userOf is what still stands of the words of the user in the old part, with the
// excerpts that stand for the longest of them.
func userOf(d *plimsoll.Draft, cp *plimsoll.Checkpoint) string {
	excerpts := map[string]bool{}
	for _, m := range cp.Messages {
		excerpts[m.Text] = m.Before < cp.Old.End && m.Role == plimsoll.User
	}
	var said []string
	for m := range d.Placed() {
		kept := m.Original >= 0 && cp.Old.Contains(m.Original) && !d.Original().CheckpointAt(m.Original)
		own := m.Message.Role == plimsoll.User && !plimsoll.Has[plimsoll.ToolResult](m.Message) && !plimsoll.IsReceipt(m.Message)
		if text := m.Message.Text(); own && text != "" && (kept || m.Original < 0 && excerpts[text] && !plimsoll.IsCheckpoint(m.Message)) {
			said = append(said, text)
		}
	}
	return strings.Join(said, "\n\n")
}

// tailOf is what the messages behind a checkpoint say.
func tailOf(d *plimsoll.Draft, end int) string {
	var tail []string
	for m := range d.Placed() {
		if text := plainText(m.Message); m.Original >= end && text != "" {
			tail = append(tail, text)
		}
	}
	return strings.Join(tail, "\n\n")
}

// plainText is what a message says, its calls and results included, word for word: what
// has no words is left out.
func plainText(m plimsoll.Message) string {
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

// show says what became of a compaction, for people.
func (r compactReport) show(w io.Writer, d display, name string, made *plimsoll.Compaction) {
	plan := made.Plan
	title := fmt.Sprintf("%s: %s: %s", bar.Clean(name), r.Status, grouped(r.TokensBefore))
	if r.TokensAfter != r.TokensBefore {
		title += fmt.Sprintf(" tokens became %s of %s%s", grouped(r.TokensAfter), grouped(r.Limit), measure(d, plan.After))
	} else {
		title += fmt.Sprintf(" of %s tokens%s", grouped(r.Limit), measure(d, plan.After))
	}
	fmt.Fprintln(w, d.paint(d.wrap(title, 2), styleStrong))
	if r.Reason != "" {
		fmt.Fprintln(w, d.wrap(bar.Clean(r.Reason), 0))
	}
	if r.Degraded != "" {
		fmt.Fprintln(w, d.paint(d.wrap("nothing was kept: "+bar.Clean(r.Degraded), 0), styleAlarm))
	}
	if cp := r.Checkpoint; cp != nil {
		r.showCheckpoint(w, d, cp)
	}
	if len(r.Edits) > 0 && r.Checkpoint == nil {
		fmt.Fprintln(w)
		showRungs(w, d, plan.Rungs)
	}
	if made.Checkpoint != nil && made.Checkpoint.Ref != nil {
		fmt.Fprintf(w, "\nundo: plimsoll compact --undo %s\n", made.Checkpoint.Ref.ID)
	}
}

// showCheckpoint draws what the checkpoint consists of.
func (r compactReport) showCheckpoint(w io.Writer, d display, cp *checkpointParts) {
	by := "by " + cp.By
	if cp.Cost > 0 {
		by += fmt.Sprintf(" for $%.4f", cp.Cost)
	}
	fmt.Fprintln(w, d.wrap(fmt.Sprintf("%s became a checkpoint %s", plural(cp.Old.Len(), "message"), bar.Clean(by)), 0))
	for _, note := range cp.Notes {
		fmt.Fprintln(w, d.wrap("note: "+bar.Clean(note), 2))
	}
	fmt.Fprintln(w)
	t := table{columns: []column{{title: "part"}, {title: "characters", right: true}, {title: "begins with", floor: 16}}}
	for _, part := range []struct{ name, text string }{
		{"user", cp.User}, {"retain", cp.Retain}, {"ledger", cp.Ledger}, {"summary", cp.Summary}, {"tail", cp.Tail},
	} {
		if part.text == "" {
			continue
		}
		begin := bar.Clean(strings.Join(strings.Fields(part.text[:min(len(part.text), 400)]), " "))
		t.rows = append(t.rows, []string{part.name, grouped(len([]rune(part.text))), bar.Clip(begin, max(16, d.width-24))})
	}
	showTable(w, d, t)
}
