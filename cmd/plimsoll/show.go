package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/bar"
	"github.com/plimsoll/plimsoll/internal/transcript"
	"github.com/plimsoll/plimsoll/model"
)

// showReport draws one report: how it was counted, the largest messages, what
// takes the space, and how much of the limit that is.
func showReport(w io.Writer, d display, r report, top int) {
	fmt.Fprintln(w, d.paint(bar.Clip(r.title()+r.size(), d.width), styleStrong))
	fmt.Fprintln(w, r.method(d))
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

func (r report) size() string {
	if r.Format == string(transcript.Text) {
		return ": text"
	}
	size := ": " + plural(len(r.Messages), "message")
	if r.toolCount > 0 {
		size += ", " + plural(r.toolCount, "tool")
	}
	return size
}

// method says what was counted for and how far it can be trusted.
func (r report) method(d display) string {
	if r.modelFree {
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
	case r.ModelFrom == "default" && (r.dialect == plimsoll.Anthropic || r.dialect == plimsoll.Gemini):
		out += " (the default for " + string(r.dialect) + " requests)"
	case r.ModelFrom == "default":
		out += " (the default)"
	}
	if r.Encoding == nil {
		return out + ", estimated (" + r.Strategy + "), " + d.band(r.Band) + " tokens"
	}
	out += ", " + *r.Encoding + ", "
	if r.Exact {
		return out + "exact"
	}
	return out + d.band(r.Band) + " tokens"
}

// chosenMethod is the method when the user chose it and named no model.
func (r report) chosenMethod(d display) string {
	switch {
	case r.Encoding == nil:
		return "estimator " + r.Strategy + ", " + d.band(r.Band) + " tokens"
	case r.Exact:
		return "encoding " + *r.Encoding + ", exact for this encoding"
	}
	return "encoding " + *r.Encoding + ", " + d.band(r.Band) + " tokens"
}

// showMessages lists the largest messages in their order.
func showMessages(w io.Writer, d display, r report, top int) {
	shown, rest := largest(r.Messages, top)
	others := ""
	if len(rest) > 0 {
		others = plural(len(rest), "smaller one")
	}
	roles, whats := len("role"), max(len("what"), len(others))
	for _, m := range shown {
		roles = max(roles, bar.Cells(bar.Clean(m.Role)))
		whats = max(whats, bar.Cells(bar.Clean(m.What)))
	}
	roles = min(roles, 16)
	const beside = 6 + 2 + 2 + 2 + 9 + 2 + 7
	whats = min(whats, max(8, len(others), d.width-beside-roles))
	line := func(index, role, what, tokens, part string) string {
		return fmt.Sprintf("%6s  %s  %s  %9s  %7s", index,
			bar.Pad(bar.Clip(bar.Clean(role), roles), roles), bar.Pad(bar.Clip(bar.Clean(what), whats), whats), tokens, part)
	}
	fmt.Fprintln(w, d.paint(line("#", "role", "what", "tokens", "share"), styleFaint))
	for _, m := range shown {
		fmt.Fprintln(w, line(strconv.Itoa(m.Index), m.Role, m.What, grouped(m.Tokens), percent(m.Tokens, r.Total)))
	}
	if len(rest) > 0 {
		sum := 0
		for _, m := range rest {
			sum += m.Tokens
		}
		fmt.Fprintln(w, line("", "", others, grouped(sum), percent(sum, r.Total)))
	}
}

// largest gives the top messages by weight, in their order, and the others.
func largest(messages []messageReport, top int) (shown, rest []messageReport) {
	if top >= len(messages) {
		return messages, nil
	}
	sorted := slices.Clone(messages)
	slices.SortStableFunc(sorted, func(a, b messageReport) int { return cmp.Compare(b.Tokens, a.Tokens) })
	shown, rest = sorted[:max(0, top)], sorted[max(0, top):]
	slices.SortFunc(shown, func(a, b messageReport) int { return cmp.Compare(a.Index, b.Index) })
	return shown, rest
}

// styleOf gives each kind its colour.
func styleOf(k kind) string {
	switch k {
	case kindSystem:
		return "35"
	case kindTools:
		return "36"
	case kindUser:
		return "32"
	case kindAssistant:
		return "34"
	case kindCalls:
		return "94"
	case kindResults:
		return "33"
	case kindReasoning:
		return "95"
	case kindMedia:
		return "96"
	}
	return "90"
}

func showSpace(w io.Writer, d display, r report) {
	numbers := 0
	for _, s := range r.Space {
		numbers = max(numbers, len(grouped(s.Tokens)))
	}
	rows := make([]bar.Row, len(r.Space))
	for i, s := range r.Space {
		rows[i] = bar.Row{
			Label: s.Kind.String(), Value: s.Tokens, Style: styleOf(s.Kind),
			Note: fmt.Sprintf("%*s  %7s", numbers, grouped(s.Tokens), percent(s.Tokens, r.Total)),
		}
	}
	for _, line := range bar.Chart(rows, d.chart()) {
		fmt.Fprintln(w, line)
	}
}

// showVerdict says how much of the limit is used, and whether it is too much.
func showVerdict(w io.Writer, d display, r report) {
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
		fmt.Fprintln(w, d.paint(fmt.Sprintf("over the limit: %s, %s too many", used, grouped(-r.Freeboard)), styleAlarm))
		return
	}
	free := "freeboard " + grouped(r.Freeboard)
	if len(used)+len(free) > d.width-2 {
		fmt.Fprintln(w, used)
		fmt.Fprintln(w, free)
		return
	}
	fmt.Fprintln(w, used+", "+free)
}

// limitName says what the limit is.
func (r report) limitName() string {
	switch r.LimitFrom {
	case "flag":
		return "limit given"
	case "environment", "environment default":
		return "limit set in the environment"
	case "default":
		return "safe default, since the model is unknown"
	}
	name := "input limit"
	if r.Limit == r.Window || r.Window == 0 {
		name = "window"
	}
	if r.modelFree {
		name += " of " + bar.Clean(r.Model)
	}
	return name
}

// showSummary draws a line for each of several reports and one for their sum.
func showSummary(w io.Writer, d display, reports []report) {
	names, models, sum := len("conversation"), len("model"), 0
	for _, r := range reports {
		names = max(names, bar.Cells(r.title()))
		models = max(models, bar.Cells(bar.Clean(r.Model)))
		sum += r.Total
	}
	models = min(models, 28)
	const beside = 2 + 2 + 8 + 2 + 13 + 2 + 9
	names = min(names, max(16, d.width-beside-models))
	line := func(name, model, messages, tokens, part string) string {
		return fmt.Sprintf("%s  %s  %8s  %13s  %9s", bar.Pad(bar.Clip(name, names), names),
			bar.Pad(bar.Clip(bar.Clean(model), models), models), messages, tokens, part)
	}
	fmt.Fprintln(w, d.paint(line("conversation", "model", "messages", "tokens", "of limit"), styleFaint))
	for _, r := range reports {
		text := line(r.title(), r.Model, grouped(len(r.Messages)), r.tokens(), percent(r.Total, r.Limit))
		if r.Over {
			text = d.paint(text+"  over the limit", styleAlarm)
		}
		fmt.Fprintln(w, text)
	}
	estimated := slices.ContainsFunc(reports, func(r report) bool { return !r.Exact })
	total := report{Total: sum, Exact: !estimated}.tokens()
	fmt.Fprintln(w, strings.TrimRight(line("all "+grouped(len(reports)), "", "", total, ""), " "))
	if estimated {
		fmt.Fprintln(w, "~ estimated")
	}
	showUnknown(w, reports)
}

// showUnknown says which models were compared with a limit that is not theirs.
func showUnknown(w io.Writer, reports []report) {
	var said []string
	for _, r := range reports {
		if r.LimitFrom == string(model.SourceDefault) && !slices.Contains(said, r.Model) {
			said = append(said, r.Model)
			fmt.Fprintf(w, "%s is unknown: compared with a safe default of %s tokens\n", bar.Clean(r.Model), grouped(r.Limit))
		}
	}
}

// tokens marks estimates.
func (r report) tokens() string {
	if !r.Exact {
		return "~" + grouped(r.Total)
	}
	return grouped(r.Total)
}
