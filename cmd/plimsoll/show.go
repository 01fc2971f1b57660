package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/plimsoll/plimsoll/internal/bar"
	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/internal/transcript"
	"github.com/plimsoll/plimsoll/model"
	"github.com/plimsoll/plimsoll/preset"
)

// showReport draws one report: how it was counted, the largest messages, what
// takes the space, and how much of the limit that is.
func showReport(w io.Writer, d display, r weighed, top int) {
	fmt.Fprintln(w, d.paint(bar.Clip(r.title()+r.size(d), d.width), styleStrong))
	fmt.Fprintln(w, d.wrap(r.method(d), 0))
	if len(r.Messages) > 0 {
		fmt.Fprintln(w)
		showMessages(w, d, r, top)
	}
	if len(r.Space) > 0 {
		fmt.Fprintln(w)
		showSpace(w, d, r)
	}
	fmt.Fprintln(w)
	showVerdict(w, d, r)
}

func (r weighed) size(d display) string {
	if r.Format == string(transcript.Text) {
		return ": " + d.lang.Say("text")
	}
	size := ": " + d.lang.Say(plural(len(r.Messages), "message"))
	if r.ToolCount > 0 {
		size += ", " + d.lang.Say(plural(r.ToolCount, "tool"))
	}
	return size
}

// method says what was counted for and how far it can be trusted.
func (r weighed) method(d display) string {
	if r.ModelFree {
		return r.chosenMethod(d)
	}
	out := "model " + bar.Clean(r.Model)
	switch {
	case r.Requested != "" && r.ModelFrom == "file":
		out += " (the file says " + bar.Clean(r.Requested) + ")"
	case r.Requested != "":
		out += " (for " + bar.Clean(r.Requested) + ")"
	case r.ModelFrom == "file":
		out += " (named in the file)"
	case r.ModelFrom == "default" && r.Dialect != "" && preset.DefaultModel(r.Dialect) != preset.DefaultModel(""):
		out += " (the default for " + string(r.Dialect) + " requests)"
	case r.ModelFrom == "default":
		out += " (the default)"
	}
	if r.Encoding == nil {
		return out + ", estimated (" + r.Strategy + "), " + d.band(r.Band) + " tokens; " + risk
	}
	out = d.lang.Say(out) + ", " + *r.Encoding + ", "
	if r.Exact {
		return out + d.lang.Say("exact")
	}
	return out + d.lang.Say(d.band(r.Band)+" tokens")
}

// chosenMethod is the method when the user chose it and named no model.
func (r weighed) chosenMethod(d display) string {
	switch {
	case r.Encoding == nil:
		return "estimator " + r.Strategy + ", " + d.band(r.Band) + " tokens; " + risk
	case r.Exact:
		return "encoding " + *r.Encoding + ", exact for this encoding"
	}
	return "encoding " + *r.Encoding + ", " + d.band(r.Band) + " tokens"
}

// showMessages lists the largest messages in their order.
func showMessages(w io.Writer, d display, r weighed, top int) {
	shown, rest := largest(r.Messages, top)
	others := ""
	if len(rest) > 0 {
		others = d.lang.Say(plural(len(rest), "smaller one"))
	}
	t := table{columns: []column{
		{title: "#", right: true, least: 6},
		{title: "role", drop: 2},
		{title: "what", floor: max(8, bar.Cells(others))},
		{title: "tokens", right: true, least: 9},
		{title: "share", right: true, least: 7, drop: 1},
	}}
	for _, m := range shown {
		t.rows = append(t.rows, []string{
			strconv.Itoa(m.Index), bar.Clip(bar.Clean(m.Role), 16), bar.Clean(m.What), grouped(m.Tokens), percent(m.Tokens, r.Total),
		})
	}
	if len(rest) > 0 {
		sum := 0
		for _, m := range rest {
			sum += m.Tokens
		}
		t.rows = append(t.rows, []string{"", "", others, grouped(sum), percent(sum, r.Total)})
	}
	for i, line := range d.lines(t, d.width) {
		fmt.Fprintln(w, d.titled(i, line))
	}
}

// largest gives the top messages by weight, in their order, and the others.
func largest(messages []report.Message, top int) (shown, rest []report.Message) {
	if top >= len(messages) {
		return messages, nil
	}
	sorted := slices.Clone(messages)
	slices.SortStableFunc(sorted, func(a, b report.Message) int { return cmp.Compare(b.Tokens, a.Tokens) })
	shown, rest = sorted[:max(0, top)], sorted[max(0, top):]
	slices.SortFunc(shown, func(a, b report.Message) int { return cmp.Compare(a.Index, b.Index) })
	return shown, rest
}

// styleOf gives each kind its colour.
func styleOf(k report.Kind) string {
	switch k {
	case report.System:
		return "35"
	case report.Tools:
		return "36"
	case report.User:
		return "32"
	case report.Assistant:
		return "34"
	case report.Calls:
		return "94"
	case report.Results:
		return "33"
	case report.Reasoning:
		return "95"
	case report.Media:
		return "96"
	}
	return "90"
}

// leastChart is the width below which bars would have no room.
const leastChart = 40

func showSpace(w io.Writer, d display, r weighed) {
	if d.width < leastChart {
		showSpaceTable(w, d, r)
		return
	}
	numbers := 0
	for _, s := range r.Space {
		numbers = max(numbers, len(grouped(s.Tokens)))
	}
	rows := make([]bar.Row, len(r.Space))
	for i, s := range r.Space {
		rows[i] = bar.Row{
			Label: d.lang.Say(s.Kind.String()), Value: s.Tokens, Style: styleOf(s.Kind),
			Note: fmt.Sprintf("%*s  %7s", numbers, grouped(s.Tokens), percent(s.Tokens, r.Total)),
		}
	}
	for _, line := range bar.Chart(rows, d.chart()) {
		fmt.Fprintln(w, line)
	}
}

func showSpaceTable(w io.Writer, d display, r weighed) {
	t := table{columns: []column{{title: "kind", floor: 8}, {title: "tokens", right: true}, {title: "share", right: true, drop: 1}}}
	for _, s := range r.Space {
		t.rows = append(t.rows, []string{d.lang.Say(s.Kind.String()), grouped(s.Tokens), percent(s.Tokens, r.Total)})
	}
	for i, line := range d.lines(t, d.width) {
		fmt.Fprintln(w, d.titled(i, line))
	}
}

// showVerdict says how much of the limit is used, and whether it is too much.
func showVerdict(w io.Writer, d display, r weighed) {
	style := "32"
	switch {
	case r.Over:
		style = "31"
	case r.Total*10 > r.Limit*8:
		style = "33"
	}
	fmt.Fprintln(w, bar.Gauge(r.Total, r.Limit, style, d.chart()))
	used := fmt.Sprintf("%s of %s tokens, %s of the %s", grouped(r.Total), grouped(r.Limit), percent(r.Total, r.Limit), r.limitName())
	if r.Over {
		fmt.Fprintln(w, d.paint(d.wrap(fmt.Sprintf("over the limit: %s, %s too many", used, grouped(-r.Freeboard)), 0), styleAlarm))
		return
	}
	free := "freeboard " + grouped(r.Freeboard)
	used, free = d.lang.Say(used), d.lang.Say(free)
	if bar.Cells(used)+bar.Cells(free) > d.width-2 {
		fmt.Fprintln(w, d.wrap(used, 0))
		fmt.Fprintln(w, free)
		return
	}
	fmt.Fprintln(w, used+", "+free)
}

// limitName says what the limit is.
func (r weighed) limitName() string {
	switch r.LimitFrom {
	case "flag":
		return "limit given"
	case "file":
		return "window that the request asks for"
	case "environment", "environment default":
		return "limit set in the environment"
	case "default":
		return "safe default, since the model is unknown"
	}
	name := "input limit"
	if r.Limit == r.Window || r.Window == 0 {
		name = "window"
	}
	if r.ModelFree {
		name += " of " + bar.Clean(r.Model)
	}
	return name
}

// showSummary draws a line for each of several reports and one for their sum.
func showSummary(w io.Writer, d display, reports []weighed) {
	t := table{columns: []column{
		{title: "conversation", floor: 16},
		{title: "model", floor: 12, drop: 3},
		{title: "messages", right: true, drop: 2},
		{title: "tokens", right: true, least: 13},
		{title: "of limit", right: true, least: 9},
		{drop: 1},
	}}
	sum, exact := 0, true
	for _, r := range reports {
		over := ""
		if r.Over {
			over = d.lang.Say("over the limit")
		}
		t.rows = append(t.rows, []string{
			r.title(), bar.Clip(bar.Clean(r.Model), 28), grouped(len(r.Messages)), r.tokens(), percent(r.Total, r.Limit), over,
		})
		sum += r.Total
		exact = exact && r.Exact
	}
	total := weighed{report.Count{Total: sum, Exact: exact}}.tokens()
	t.rows = append(t.rows, []string{d.lang.Say("all " + grouped(len(reports))), "", "", total, "", ""})
	for i, line := range d.lines(t, d.width) {
		if i > 0 && i <= len(reports) && reports[i-1].Over {
			line = d.paint(line, styleAlarm)
		}
		fmt.Fprintln(w, d.titled(i, line))
	}
	if !exact {
		fmt.Fprintln(w, d.wrap("~ estimated; "+risk, 0))
	}
	showUnknown(w, d, reports)
}

// showUnknown says which models were compared with a limit that is not theirs.
func showUnknown(w io.Writer, d display, reports []weighed) {
	var said []string
	for _, r := range reports {
		if r.LimitFrom == string(model.SourceDefault) && !slices.Contains(said, r.Model) {
			said = append(said, r.Model)
			fmt.Fprintln(w, d.wrap(bar.Clean(r.Model)+" is unknown: compared with a safe default of "+grouped(r.Limit)+" tokens", 0))
		}
	}
}

// tokens marks estimates.
func (r weighed) tokens() string {
	if !r.Exact {
		return "~" + grouped(r.Total)
	}
	return grouped(r.Total)
}
