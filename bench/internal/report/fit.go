package report

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/bench/internal/fit"
	"github.com/plimsoll/plimsoll/bench/internal/measure"
)

// The part of the page about the keeper has markers of its own, because it can be
// measured alone.
const (
	fitBegin = "<!-- written by bench/run --only fit: begin -->\n"
	fitEnd   = "<!-- written by bench/run --only fit: end -->\n"
)

// UpdateFit replaces the tables of a page that Fit makes.
func UpdateFit(file, markdown string) error { return update(file, fitBegin, fitEnd, markdown) }

// Fit returns the report on the keeper.
func Fit(r *fit.Result, m measure.Machine) string {
	sections := []string{machineText(m) + ".\n"}
	if r.Missing != "" {
		sections = append(sections, "**Not compared:** "+r.Missing+"\n")
	} else {
		sections = append(sections, comparison(r)...)
	}
	return strings.Join(append(sections,
		"### A conversation of about 200,000 tokens\n\n"+keeperTable(r).String(),
		waitsSection(r),
		"### Growing with the number of messages\n\nCPU time for one message of the conversation.\n\n"+growthTable(r).String(),
		"### Goals of making fit\n\n"+fitGoalTable(r).String(),
	), "\n")
}

func comparison(r *fit.Result) []string {
	tools := func(v fit.Verdict) bool { return v.Tools }
	chats := func(v fit.Verdict) bool { return !v.Tools }
	return []string{
		fmt.Sprintf("%s; %d conversations, %d more could not be used. Calls were stopped after %s.\n", r.Version, r.Conversations, r.Unused, duration(r.Limit)),
		"### Conversations with tool calls\n\n" + waysTable(r, tools).String(),
		"### Conversations without tool calls\n\n" + waysTable(r, chats).String(),
		"### What is kept of the same conversations\n\nShare of the budget that results fill, where both are usable.\n\n" + matches(r, tools, chats).String(),
		"### With tool calls, by budget\n\nUsable results, and what part of the budget they fill.\n\n" + byBudget(r).String(),
		"### With tool calls, time by corpus\n\nCPU time of all calls.\n\n" + byCorpus(r).String(),
		rescued(r),
	}
}

// kinds are the columns of a table, as far as they occur.
var kinds = []fit.Kind{fit.Usable, fit.Broken, fit.Invalid, fit.Over, fit.Nothing, fit.Failed, fit.Stopped, fit.Refused}

func waysTable(r *fit.Result, wanted func(fit.Verdict) bool) *table {
	t := &table{head: []string{"way"}}
	columns := occurring(r, wanted)
	for _, k := range columns {
		t.head = append(t.head, string(k))
	}
	t.head = append(t.head, "budget used", "newest user message", "median time", "total", "× auto")
	ours := r.Summary(fit.Ways[0].ID, wanted)
	for _, way := range fit.Ways {
		s := r.Summary(way.ID, wanted)
		row := []string{way.Title}
		for _, k := range columns {
			row = append(row, share(s.Kinds[k], s.Cases))
		}
		t.add(append(row, percent(s.Used), share(s.Newest, s.Cases), duration(s.Median), duration(s.Total),
			times(s.Total.Seconds(), ours.Total.Seconds()))...)
	}
	return t
}

func occurring(r *fit.Result, wanted func(fit.Verdict) bool) []fit.Kind {
	return slices.DeleteFunc(slices.Clone(kinds), func(k fit.Kind) bool {
		return k != fit.Usable && !slices.ContainsFunc(r.Verdicts, func(v fit.Verdict) bool { return v.Kind == k && wanted(v) })
	})
}

// matches has a row for each pair of ways: comparing all that one made usable with
// all that another did would compare different conversations.
func matches(r *fit.Result, tools, chats func(fit.Verdict) bool) *table {
	t := &table{head: []string{"pair", "with tools: cases", "ours", "theirs", "without: cases", "ours", "theirs"}}
	for _, ours := range fit.Ways {
		for _, theirs := range fit.Ways {
			if !ours.Ours || theirs.Ours {
				continue
			}
			a, b := r.Match(ours.ID, theirs.ID, tools), r.Match(ours.ID, theirs.ID, chats)
			t.add(ours.Title+"; "+theirs.Title, fmt.Sprint(a.Cases), percent(a.Ours), percent(a.Theirs),
				fmt.Sprint(b.Cases), percent(b.Ours), percent(b.Theirs))
		}
	}
	return t
}

func byBudget(r *fit.Result) *table {
	t := &table{head: append([]string{"way"}, fit.BudgetNames...)}
	for _, way := range fit.Ways {
		row := []string{way.Title}
		for _, budget := range fit.BudgetNames {
			s := r.Summary(way.ID, func(v fit.Verdict) bool { return v.Tools && v.Budget.Name == budget })
			row = append(row, fmt.Sprintf("%s, %s", share(s.Kinds[fit.Usable], s.Cases), percent(s.Used)))
		}
		t.add(row...)
	}
	return t
}

func byCorpus(r *fit.Result) *table {
	var names []string
	seen := map[string]bool{}
	for _, v := range r.Verdicts {
		if v.Tools && !seen[v.Corpus] {
			seen[v.Corpus] = true
			names = append(names, v.Corpus)
		}
	}
	t := &table{head: append([]string{"way"}, names...)}
	for _, way := range fit.Ways {
		row := []string{way.Title}
		for _, name := range names {
			s := r.Summary(way.ID, func(v fit.Verdict) bool { return v.Tools && v.Corpus == name })
			row = append(row, duration(s.Total))
		}
		t.add(row...)
	}
	return t
}

// rescued says what others made of what Plimsoll refuses.
func rescued(r *fit.Result) string {
	all := func(fit.Verdict) bool { return true }
	var parts []string
	for _, way := range fit.Ways {
		if !way.Ours {
			parts = append(parts, fmt.Sprintf("%s %d", way.Title, r.Rescued(fit.Ways[0].ID, way.ID)))
		}
	}
	return fmt.Sprintf("Plimsoll refused %d of %d cases; usable results for these: %s.\n",
		r.Summary(fit.Ways[0].ID, all).Kinds[fit.Refused], r.Summary(fit.Ways[0].ID, all).Cases, strings.Join(parts, ", "))
}

func keeperTable(r *fit.Result) *table {
	t := &table{head: []string{"what", "CPU time", "of Weigh"}}
	if len(r.Figures) == 0 {
		return t
	}
	f := r.Figures[0]
	add := func(what string, took time.Duration) {
		t.add(what, duration(took), fmt.Sprintf("%.2f", took.Seconds()/f.Weigh.Seconds()))
	}
	add(fmt.Sprintf("`Decode` of the body, %d messages in %d bytes", f.Messages, f.Bytes), f.Decode)
	add(fmt.Sprintf("`bpe.Count` of all texts, %d tokens", f.Tokens), f.Count)
	add("`Meter.Weigh`, nothing seen before", f.Weigh)
	add("`Fit` under the line, first sight", f.Under.First)
	add("`Fit` under the line, one more round", f.Under.Next)
	add("`Fit` over the line, first sight", f.Over.First)
	add("`Fit` over the line, one more round", f.Over.Next)
	return t
}

// waitsSection is by the clock, on one processor and on all.
func waitsSection(r *fit.Result) string {
	t := &table{head: []string{"process", "processors", "`Weigh`", "`Fit` under the line", "`Fit` over the line", "of `Weigh` on one processor: `Weigh`", "under", "over"}}
	for _, w := range r.Waits {
		process := "has seen the words"
		if w.Fresh {
			process = "fresh"
		}
		of := func(d time.Duration) string { return fmt.Sprintf("%.2f", d.Seconds()/aloneWeigh(r, w.Fresh).Seconds()) }
		t.add(process, fmt.Sprint(w.Processors), duration(w.Weigh), duration(w.Under), duration(w.Over), of(w.Weigh), of(w.Under), of(w.Over))
	}
	return "### Waiting for its first sight\n\nTime by the clock, the best of the rounds.\n\n" + t.String()
}

// aloneWeigh is what weighing takes on one processor.
func aloneWeigh(r *fit.Result, fresh bool) time.Duration {
	i := slices.IndexFunc(r.Waits, func(w fit.Waiting) bool { return w.Processors == 1 && w.Fresh == fresh })
	return r.Waits[i].Weigh
}

func growthTable(r *fit.Result) *table {
	t := &table{head: []string{"messages", "tokens", "Weigh", "under, first", "under, next", "over, first", "over, next"}}
	for _, f := range r.Figures[min(1, len(r.Figures)):] {
		each := func(d time.Duration) string { return fmt.Sprintf("%d ns", d.Nanoseconds()/int64(f.Messages)) }
		t.add(fmt.Sprint(f.Messages), fmt.Sprint(f.Tokens), each(f.Weigh), each(f.Under.First), each(f.Under.Next), each(f.Over.First), each(f.Over.Next))
	}
	return t
}

func share(n, of int) string {
	if of == 0 {
		return "–"
	}
	return percent(float64(n) / float64(of))
}

// percent shows few as few and none as none.
func percent(part float64) string {
	switch {
	case part == 0:
		return "0"
	case part < 0.1 || part > 0.99 && part < 1:
		return fmt.Sprintf("%.1f %%", 100*part)
	}
	return fmt.Sprintf("%.0f %%", 100*part)
}
