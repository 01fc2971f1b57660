package main

import (
	"fmt"
	"io"
	"strconv"

	"github.com/plimsoll/plimsoll/internal/bar"
)

// show draws the two totals side by side, what changed in sum, and the messages.
func (r diffReport) show(w io.Writer, d display, all bool) {
	fmt.Fprintln(w, d.paint(d.wrap(r.title(d), 2), styleStrong))
	fmt.Fprintln(w)
	r.showTotals(w, d)
	fmt.Fprintln(w)
	r.showMessages(w, d, all)
}

func (r diffReport) title(d display) string {
	title := fmt.Sprintf("%s: %s, %s tokens; %s: %s, %s tokens", bar.Clean(r.Before.File), plural(r.Before.Messages, "message"),
		grouped(r.Before.Tokens), bar.Clean(r.After.File), plural(r.After.Messages, "message"), grouped(r.After.Tokens))
	if !r.Exact {
		title += ", estimated " + d.band(max(r.Before.Band, r.After.Band))
	}
	if r.Before.Tokens > 0 {
		title += "; " + percent(r.After.Tokens, r.Before.Tokens) + " are left"
	}
	return title
}

func (r diffReport) showTotals(w io.Writer, d display) {
	t := table{columns: []column{{title: "change", words: true}, {title: "messages", right: true}, {title: "before", right: true}, {title: "after", right: true}}}
	for _, total := range r.Totals {
		t.rows = append(t.rows, []string{string(total.Change), grouped(total.Messages), grouped(total.Before), grouped(total.After)})
	}
	for i, line := range d.lines(t, d.width) {
		if i > 0 && r.Totals[i-1].Messages > 0 {
			line = d.paint(line, styleOfChange(r.Totals[i-1].Change))
		}
		fmt.Fprintln(w, d.titled(i, line))
	}
}

// longRun is how many messages of one change in a row are listed one by one.
const longRun = 6

// showMessages lists the messages; of a long run with one change only both ends.
func (r diffReport) showMessages(w io.Writer, d display, all bool) {
	t := table{columns: []column{
		{title: ""},
		{title: "before", right: true},
		{title: "after", right: true},
		{title: "role", drop: 1},
		{title: "what", floor: 14, drop: 2},
		{title: "tokens", right: true},
		{title: "begins with", floor: 16},
	}}
	var changes []change
	for i := 0; i < len(r.Messages); {
		run := 1
		for i+run < len(r.Messages) && r.Messages[i+run].Change == r.Messages[i].Change {
			run++
		}
		for k, m := range r.Messages[i : i+run] {
			if run <= longRun || all || k < 2 || k >= run-2 {
				t.rows = append(t.rows, m.row())
				changes = append(changes, m.Change)
			}
			if k == 1 && run > longRun && !all {
				t.rows = append(t.rows, between(r.Messages[i+2:i+run-2]))
				changes = append(changes, m.Change)
			}
		}
		i += run
	}
	for i, line := range d.lines(t, d.width) {
		if i > 0 {
			line = d.paint(line, styleOfChange(changes[i-1]))
		}
		fmt.Fprintln(w, d.titled(i, line))
	}
}

// between stands for messages that are not listed.
func between(messages []diffedPair) []string {
	tokens := 0
	for _, m := range messages {
		tokens += max(m.TokensBefore, m.TokensAfter)
	}
	return []string{sign(messages[0].Change), "", "", "", "", grouped(tokens), fmt.Sprintf("%s more", grouped(len(messages)))}
}

func (d diffedPair) row() []string {
	tokens := grouped(max(d.TokensBefore, d.TokensAfter))
	if d.Change == edited {
		tokens = grouped(d.TokensBefore) + " > " + grouped(d.TokensAfter)
	}
	return []string{
		sign(d.Change), place(d.Before), place(d.After), bar.Clip(bar.Clean(d.Role), 16),
		bar.Clip(bar.Clean(d.What), 24), tokens, bar.Clean(d.Begins),
	}
}

func place(i int) string {
	if i < 0 {
		return ""
	}
	return strconv.Itoa(i)
}

func sign(c change) string {
	return map[change]string{kept: "=", edited: "~", dropped: "-", added: "+"}[c]
}

func styleOfChange(c change) string {
	return map[change]string{kept: styleFaint, edited: "33", dropped: "31", added: "32"}[c]
}
