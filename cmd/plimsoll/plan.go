package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/bar"
)

// mostEdits is how many edits are shown one by one.
const mostEdits = 20

// showPlan says what was done to a conversation, for people.
func showPlan(w io.Writer, d display, name string, c plimsoll.Conversation, plan *plimsoll.Plan) {
	limit := plan.Line.Limit()
	if !plan.Changed() {
		fmt.Fprintln(w, d.wrap(fmt.Sprintf("%s fits: %s of %s tokens%s; nothing was changed",
			bar.Clean(name), grouped(plan.After.Total), grouped(limit), measure(d, plan.After)), 2))
		showRisk(w, d, plan.After)
		return
	}
	title := fmt.Sprintf("%s: %s tokens became %s of %s%s", bar.Clean(name),
		grouped(plan.Before.Total), grouped(plan.After.Total), grouped(limit), measure(d, plan.After))
	fmt.Fprintln(w, d.paint(bar.Clip(d.lang.Say(title), d.width), styleStrong))
	showRisk(w, d, plan.After)
	fmt.Fprintln(w)
	showRungs(w, d, plan.Rungs)
	fmt.Fprintln(w)
	showEdits(w, d, c, plan.Edits)
}

// measure says how far the figures can be trusted.
func measure(d display, load plimsoll.Load) string {
	if load.Exact {
		return ", exact"
	}
	return ", estimated " + d.band(load.Band)
}

// risk is what people must know of a figure that is an estimate, beside that.
const risk = "API errors may occur"

// showRisk says it of a load that may be off by more than a hundredth.
func showRisk(w io.Writer, d display, load plimsoll.Load) {
	if !load.Exact && 100*load.Band > load.Total {
		fmt.Fprintln(w, d.wrap("the estimate may be off, and "+risk, 0))
	}
}

// showRungs leaves out those that found nothing to do.
func showRungs(w io.Writer, d display, reports []plimsoll.RungReport) {
	t := table{columns: []column{{title: "rung"}, {title: "edits", right: true}, {title: "saved", right: true}, {title: "not done because", floor: 10, drop: 1}}}
	reasons := false
	for _, r := range reports {
		why := r.Undone + r.Skipped // a rung that was passed over has no edits to undo
		if r.Edits == 0 && why == "" {
			continue
		}
		reasons = reasons || why != ""
		t.rows = append(t.rows, []string{r.Rung, strconv.Itoa(r.Edits), grouped(r.Saved), bar.Clean(d.lang.Say(why))})
	}
	if !reasons {
		t.columns = t.columns[:3]
		for i := range t.rows {
			t.rows[i] = t.rows[i][:3]
		}
	}
	showTable(w, d, t)
}

func showEdits(w io.Writer, d display, c plimsoll.Conversation, edits []plimsoll.Edit) {
	t := table{columns: []column{
		{title: "message", right: true},
		{title: "role", drop: 1},
		{title: "edit"},
		{title: "saved", right: true},
		{title: "why", floor: 16},
	}}
	for _, e := range edits[:min(mostEdits, len(edits))] {
		t.rows = append(t.rows, []string{placeOf(e), roleOf(c, e), string(e.Kind), grouped(e.Saved), bar.Clean(e.Rung + ": " + d.lang.Say(e.Reason))})
	}
	showTable(w, d, t)
	if more := len(edits) - mostEdits; more > 0 {
		fmt.Fprintln(w, d.lang.Say(fmt.Sprintf("and %s; --json or --report shows them all", plural(more, "more edit"))))
	}
}

func showTable(w io.Writer, d display, t table) {
	lines := d.lines(t, d.width)
	fmt.Fprintln(w, d.paint(lines[0], styleFaint))
	fmt.Fprintln(w, strings.Join(lines[1:], "\n"))
}

func placeOf(e plimsoll.Edit) string {
	if e.Message < 0 {
		return ""
	}
	return strconv.Itoa(e.Message)
}

func roleOf(c plimsoll.Conversation, e plimsoll.Edit) string {
	if e.Message < 0 || e.Message >= c.Messages.Len() || e.Kind == plimsoll.EditInsert {
		return ""
	}
	return bar.Clean(string(c.Messages.At(e.Message).Role))
}
