package main

import (
	"fmt"
	"io"
	"math"

	"github.com/plimsoll/plimsoll/account"
	"github.com/plimsoll/plimsoll/internal/bar"
	"github.com/plimsoll/plimsoll/internal/report"
)

// statement is the accounts of a tenant, to be shown.
type statement struct{ *report.Statement }

// shownName is how much of a conversation's name a table shows.
const shownName = 12

// show draws the table and says what it comes to.
func (s statement) show(w io.Writer, d display) {
	if s.All == 0 {
		fmt.Fprintln(w, d.wrap("There are no accounts yet: nothing was observed for this tenant.", 0))
		return
	}
	t := table{columns: []column{
		{title: "conversation", floor: shownName},
		{title: "model", floor: 10, drop: 7},
		{title: "requests", right: true},
		{title: "in", right: true},
		{title: "cached", right: true, drop: 6},
		{title: "written", right: true, drop: 4},
		{title: "out", right: true, drop: 5},
		{title: "saved", right: true},
		{title: "cuts", right: true, drop: 3},
		{title: "breaks", right: true, drop: 2},
		{title: "drift", right: true, drop: 1},
		{title: "net", right: true},
	}}
	for _, a := range s.Listed {
		name := a.Conversation[:min(len(a.Conversation), shownName)]
		t.rows = append(t.rows, accountRow(bar.Clean(name), bar.Clean(a.Model), a))
	}
	if left := s.All - len(s.Listed); left > 0 {
		row := make([]string, len(t.columns))
		row[0] = d.lang.Say(fmt.Sprintf("and %s more", grouped(left)))
		t.rows = append(t.rows, row)
	}
	t.rows = append(t.rows, accountRow(d.lang.Say("total"), "", s.Total))
	width := d.width
	if !d.known {
		width = math.MaxInt
	}
	for i, line := range d.lines(t, width) {
		fmt.Fprintln(w, d.titled(i, line))
	}
	fmt.Fprintf(w, "\n%s\n", d.wrap(verdict(s.Total), 0))
	for _, m := range s.Models {
		if off := m.Drift(); m.Estimated > 0 && math.Abs(off) > maxDrift {
			fmt.Fprintln(w, d.wrap(fmt.Sprintf("Estimates for %s are %s off the bill.", bar.Clean(m.Model), signed(off)), 0))
		}
	}
}

// maxDrift is how far estimates may be off before it is said.
const maxDrift = 0.1

func accountRow(name, model string, a account.Account) []string {
	net, drift := "-", "-"
	if a.Priced > 0 || a.Summaries != 0 {
		net = a.Net().String()
	}
	if a.Estimated > 0 {
		drift = signed(a.Drift())
	}
	return []string{
		name, model, grouped(int(a.Requests)), grouped(a.Usage.Prompt()), fmt.Sprintf("%.1f%%", 100*a.CacheShare()),
		grouped(a.Usage.CacheCreation), grouped(a.Usage.Output), grouped(int(a.Saved)), grouped(int(a.Cuts)),
		fmt.Sprintf("%.1f", a.BreaksPer100()), drift, net,
	}
}

func signed(share float64) string { return fmt.Sprintf("%+.1f%%", 100*share) }

// verdict says in words whether cutting paid.
func verdict(a account.Account) string {
	known := ""
	if a.Priced < a.Requests {
		known = fmt.Sprintf(" Prices are known for %s of %s.", grouped(int(a.Priced)), plural(int(a.Requests), "request"))
	}
	if a.Priced == 0 {
		return "What it cost is not known." + known
	}
	said := fmt.Sprintf("Paid %s", a.Paid)
	if a.Summaries != 0 {
		said += fmt.Sprintf(" and %s for summaries", a.Summaries)
	}
	said += fmt.Sprintf("; without cuts it would have been %s. ", a.Uncut)
	switch net := a.Net(); {
	case net > 0:
		said += fmt.Sprintf("Cutting saved %s after its effects on prompt caches.", net)
	case net < 0:
		said += fmt.Sprintf("Cutting cost %s more than it saved.", -net)
	default:
		said += "Cutting saved nothing."
	}
	return said + known
}
