package main

import (
	"fmt"
	"io"
	"math"
	"time"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/bar"
)

// accountFigures is an account for programs.
type accountFigures struct {
	Conversation string `json:"conversation,omitempty"`
	Model        string `json:"model,omitempty"`
	Requests     int64  `json:"requests"`
	// Input is the whole prompt; Cached and Written are parts of it.
	Input          int       `json:"input_tokens"`
	Cached         int       `json:"cached_tokens"`
	Written        int       `json:"written_tokens"`
	Output         int       `json:"output_tokens"`
	Saved          int64     `json:"saved_tokens"`
	Rewritten      int64     `json:"rewritten_tokens"`
	Cuts           int64     `json:"cuts"`
	Breaks         int64     `json:"prefix_breaks"`
	BreaksPer100   float64   `json:"prefix_breaks_per_100"`
	CacheReadShare float64   `json:"cache_read_share"`
	Estimated      int64     `json:"estimated_tokens"`
	Drift          float64   `json:"drift"`
	Priced         int64     `json:"priced_requests"`
	Paid           float64   `json:"paid_usd"`
	Uncut          float64   `json:"uncut_usd"`
	Summaries      float64   `json:"summaries_usd"`
	Net            float64   `json:"net_usd"`
	First          time.Time `json:"first,omitzero"`
	Last           time.Time `json:"last,omitzero"`
}

func figuresOf(a plimsoll.Account) accountFigures {
	return accountFigures{
		Conversation: a.Conversation, Model: a.Model, Requests: a.Requests,
		Input: a.Usage.Prompt(), Cached: a.Usage.CacheRead, Written: a.Usage.CacheCreation, Output: a.Usage.Output,
		Saved: a.Saved, Rewritten: a.Written, Cuts: a.Cuts, Breaks: a.Breaks, BreaksPer100: a.BreaksPer100(),
		CacheReadShare: a.CacheShare(), Estimated: a.Estimated, Drift: a.Drift(),
		Priced: a.Priced, Paid: a.Paid.USD(), Uncut: a.Uncut.USD(), Summaries: a.Summaries.USD(), Net: a.Net().USD(),
		First: a.First.UTC(), Last: a.Last.UTC(),
	}
}

// accountReport is a statement for programs.
type accountReport struct {
	Conversations []accountFigures `json:"conversations"`
	Models        []accountFigures `json:"models"`
	Total         accountFigures   `json:"total"`
}

func (s *statement) report() accountReport {
	r := accountReport{Conversations: []accountFigures{}, Models: []accountFigures{}, Total: figuresOf(s.total)}
	r.Total.Model = ""
	for _, a := range s.listed {
		r.Conversations = append(r.Conversations, figuresOf(a))
	}
	for _, a := range s.models {
		r.Models = append(r.Models, figuresOf(a))
	}
	return r
}

// shownName is how much of a conversation's name a table shows.
const shownName = 12

// show draws the table and says what it comes to.
func (s *statement) show(w io.Writer, d display) {
	if s.all == 0 {
		fmt.Fprintln(w, d.wrap("There are no accounts yet: nothing was observed with this store.", 0))
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
	for _, a := range s.listed {
		name := a.Conversation[:min(len(a.Conversation), shownName)]
		t.rows = append(t.rows, accountRow(bar.Clean(name), bar.Clean(a.Model), a))
	}
	if left := s.all - len(s.listed); left > 0 {
		row := make([]string, len(t.columns))
		row[0] = fmt.Sprintf("and %s more", grouped(left))
		t.rows = append(t.rows, row)
	}
	t.rows = append(t.rows, accountRow("total", "", s.total))
	width := d.width
	if !d.known {
		width = math.MaxInt
	}
	for i, line := range t.lines(width) {
		fmt.Fprintln(w, d.titled(i, line))
	}
	fmt.Fprintf(w, "\n%s\n", d.wrap(verdict(s.total), 0))
	for _, m := range s.models {
		if off := m.Drift(); m.Estimated > 0 && math.Abs(off) > maxDrift {
			fmt.Fprintln(w, d.wrap(fmt.Sprintf("Estimates for %s are %s off the bill.", bar.Clean(m.Model), signed(off)), 0))
		}
	}
}

// maxDrift is how far estimates may be off before it is said.
const maxDrift = 0.1

func accountRow(name, model string, a plimsoll.Account) []string {
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
func verdict(a plimsoll.Account) string {
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
