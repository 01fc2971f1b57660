package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/plimsoll/plimsoll/fit"
	"github.com/plimsoll/plimsoll/internal/bar"
	"github.com/plimsoll/plimsoll/internal/report"
)

// compacted is a report on a compaction that can be shown.
type compacted struct{ report.Compaction }

// show says what became of a compaction, for people.
func (r compacted) show(w io.Writer, d display, name string, made *fit.Compaction) {
	plan := made.Plan
	title := fmt.Sprintf("%s: %s: %s", bar.Clean(name), r.Status, grouped(r.TokensBefore))
	if r.TokensAfter != r.TokensBefore {
		title += fmt.Sprintf(" tokens became %s of %s%s", grouped(r.TokensAfter), grouped(r.Limit), measure(d, plan.After))
	} else {
		title += fmt.Sprintf(" of %s tokens%s", grouped(r.Limit), measure(d, plan.After))
	}
	fmt.Fprintln(w, d.paint(d.wrap(title, 2), styleStrong))
	showRisk(w, d, plan.After)
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
		fmt.Fprintln(w, d.lang.Say("\nundo: plimsoll compact --undo "+made.Checkpoint.Ref.ID))
	}
}

// showCheckpoint draws what the checkpoint consists of.
func (r compacted) showCheckpoint(w io.Writer, d display, cp *report.CheckpointParts) {
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
		{"user", cp.User}, {"retain", cp.Retain}, {"ledger", cp.Ledger}, {"summary", cp.Summary}, {"notes", cp.Passages}, {"tail", cp.Tail},
	} {
		if part.text == "" {
			continue
		}
		begin := bar.Clean(strings.Join(strings.Fields(part.text[:min(len(part.text), 400)]), " "))
		t.rows = append(t.rows, []string{part.name, grouped(len([]rune(part.text))), bar.Clip(begin, max(16, d.width-24))})
	}
	showTable(w, d, t)
}
