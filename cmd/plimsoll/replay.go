package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/expand"
	"github.com/plimsoll/plimsoll/fit"
	"github.com/plimsoll/plimsoll/fit/rent"
	"github.com/plimsoll/plimsoll/internal/bar"
	"github.com/plimsoll/plimsoll/internal/config"
	"github.com/plimsoll/plimsoll/internal/lab/replay"
)

// replayCmd compares policies on recorded conversations.
type replayCmd struct {
	Files []string `arg:"" name:"file" complete:"file" help:"Recorded conversations, .jsonl or .jsonl.gz."`

	Policy     []string `placeholder:"NAME,…" help:"Policies to compare. Default: none and those that say something beside it, and serve if your settings describe another one."`
	Prices     string   `placeholder:"NAME" help:"A price list or a model. Default: the prices of each conversation's own model."`
	Window     *int     `placeholder:"N" help:"Context window in tokens. Default: that of the settings, else of each conversation's model, else 200,000."`
	MinContext int      `placeholder:"N" help:"Leave out conversations that weigh less than this."`
	Refetch    bool     `help:"Charge for reading again what a policy has hidden and the conversation used."`
	Tools      bool     `help:"Give a conversation the tools that read what was taken out, with its first cut, as the proxy does."`
	Quality    bool     `help:"Print what cuts keep against what they cost, for all policies and methods unless --policy names some."`
	JSON       string   `name:"json" placeholder:"PATH" complete:"file" help:"Write the result as JSON; - is standard output, without the table."`
	HTML       string   `name:"html" placeholder:"PATH" complete:"file" help:"Write a page with plots."`
	CSV        string   `name:"csv" placeholder:"PATH" complete:"file" help:"Write a row for each conversation and policy."`
}

// Help is the long help text.
func (*replayCmd) Help() string {
	return `Plays recorded conversations to policies, without a model. It says what each policy would have cost, relative to doing nothing and to the optimum, and how much of what the agent used later was still visible.

Policies: ` + strings.Join(replay.Names(), ", ") + `, and serve, which is what "plimsoll serve" does with your settings. The settings window, reserve and models hold for all policies.

Price lists: ` + strings.Join(listNames(), ", ") + `; or any model that "plimsoll models" knows.

Files hold a conversation a line, a request body a line (captured traffic), or a session of Claude Code, Codex or pi.

Examples:

    plimsoll replay ~/.claude/projects/*/*.jsonl
    plimsoll replay --policy none,auto,agent --prices anthropic-5m --refetch --html report.html sessions.jsonl.gz`
}

func listNames() []string {
	var names []string
	for _, l := range rent.Lists() {
		names = append(names, l.Name)
	}
	return names
}

// Validate refuses numbers that cannot be meant.
func (c *replayCmd) Validate() error {
	if c.Window != nil && *c.Window < 0 || c.MinContext < 0 {
		return fmt.Errorf("--window and --min-context: want numbers of tokens that are not negative")
	}
	return nil
}

// Run plays the files and writes what was asked for.
func (c *replayCmd) Run(p *process, root *cli) error {
	d := newDisplay(p, nil, root.Color)
	settings, err := p.settings(root, []config.Flag{{Key: "window", Value: c.Window}})
	if err != nil {
		return err
	}
	counting, err := p.counting(settings.Settings)
	if err != nil {
		return err
	}
	o := &replay.Options{
		Policies: c.Policy, Prices: c.Prices, MinContext: c.MinContext, Refetch: c.Refetch, Registry: counting.Registry,
		Window: settings.Settings.Window, Reserve: settings.Settings.Reserve,
		Serve: func() (*fit.Options, error) {
			return p.keeperOptions(settings, keeping{dry: true, counting: &counting})
		},
	}
	switch {
	case c.Policy != nil:
	case c.Quality:
		o.Policies = replay.Names()
	case slices.ContainsFunc([]string{"preset", "policy", "method", "pins", "marks.high", "marks.low"}, func(key string) bool { return settings.Origin(key).Chosen() }):
		o.Policies = append(replay.Defaults(), replay.Serve)
	}
	if c.Tools {
		o.Offer = expand.Tools()
	}
	if isTerminal(p.stderr) {
		o.Progress = func(at replay.Progress) { fmt.Fprint(p.stderr, "\r\x1b[K"+bar.Clip(progressLine(at, d), d.width-1)) }
	}
	report, err := replay.Run(context.Background(), c.Files, o)
	if o.Progress != nil {
		fmt.Fprint(p.stderr, "\r\x1b[K")
	}
	if err != nil {
		return err
	}
	for _, out := range []struct {
		path  string
		write func(io.Writer) error
	}{{c.JSON, func(w io.Writer) error { return encodeJSON(w, report) }}, {c.HTML, report.WriteHTML}, {c.CSV, report.WriteCSV}} {
		if err := p.writeTo(out.path, out.write); err != nil {
			return err
		}
	}
	if c.JSON != "-" {
		t := costTable(report)
		if c.Quality {
			t = qualityTable(report)
		}
		drawReplay(p, d, report, t)
	}
	return nil
}

// progressWidth is how wide the bar is.
const progressWidth = 20

// progressLine draws how far a replay is.
func progressLine(at replay.Progress, d display) string {
	full, empty := "█", "░"
	if d.ascii {
		full, empty = "#", "."
	}
	n := max(0, min(progressWidth, int(at.Share*progressWidth)))
	return strings.Repeat(full, n) + strings.Repeat(empty, progressWidth-n) + " " +
		fmt.Sprintf("%s, %s", plural(at.Sessions, "conversation"), plural(at.Calls, "call"))
}

// writeTo writes a file; - is standard output, and an empty path nothing.
func (p *process) writeTo(path string, write func(io.Writer) error) error {
	switch path {
	case "":
		return nil
	case "-":
		return write(p.out)
	}
	f, err := os.Create(path)
	if err != nil {
		return &plimsoll.Error{Op: "write " + path, Err: err, Hint: "name a file in a folder that exists"}
	}
	err = write(f)
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return &plimsoll.Error{Op: "write " + path, Err: err}
	}
	return nil
}

// costTable says what each policy costs and what calls could still see.
func costTable(r *replay.Report) table {
	t := table{columns: []column{
		{title: "policy"},
		{title: "cost", right: true},
		{title: "/optimum", right: true},
		{title: "reach", right: true},
		{title: "with refs", right: true},
		{title: "hard", right: true, drop: 4},
		{title: "valid", right: true, drop: 6},
		{title: "stable", right: true, drop: 3},
		{title: "cached", right: true, drop: 5},
		{title: "breaks", right: true},
		{title: "refetch", right: true, drop: 2},
		{title: "mean load", right: true, drop: 1},
	}}
	for _, name := range r.Order {
		res := r.Policies[name]
		t.rows = append(t.rows, []string{
			name, fmt.Sprintf("%.3f", res.CostVsNone), fmt.Sprintf("%.3f", res.CostVsOptimum), rate(res.Reach), rate(res.ReachRef),
			rate(res.ReachHard), rate(res.Validity), rate(res.PrefixStability), rate(res.CacheReadShare),
			grouped(res.Breaks), grouped(res.Refetches), grouped(res.MeanLoad),
		})
	}
	t.rows = append(t.rows, []string{"(optimum)", fmt.Sprintf("%.3f", r.Optimum), "1.000", "", "", "", "", "", "", "", "", ""})
	return t
}

// qualityTable says what each policy costs and what its cuts keep.
func qualityTable(r *replay.Report) table {
	t := table{columns: []column{
		{title: "policy"},
		{title: "cost", right: true},
		{title: "cached", right: true, drop: 2},
		{title: "breaks", right: true},
		{title: "window used", right: true},
		{title: "ids", right: true},
		{title: "words", right: true},
		{title: "reach", right: true},
		{title: "of words", right: true},
		{title: "recollected", right: true, drop: 4},
		{title: "added", right: true, drop: 1},
		{title: "hits", right: true, drop: 3},
	}}
	for _, name := range r.Order {
		res := r.Policies[name]
		t.rows = append(t.rows, []string{
			name, fmt.Sprintf("%.3f", res.CostVsNone), rate(res.CacheReadShare), grouped(res.Breaks), rateIfAny(res.Used),
			rateIfAny(res.SurvivalIDs), rateIfAny(res.SurvivalWords), rate(res.Reach), rateIfAny(res.ReachWords),
			grouped(res.Recollections), grouped(res.RecollectionTokens), rateIfAny(res.RecollectionHits),
		})
	}
	return t
}

// drawReplay prints a table and what it rests on.
func drawReplay(p *process, d display, r *replay.Report, t table) {
	p.say("%s, %s, %s tokens at their ends.\n", plural(r.Sessions, "conversation"), plural(r.Calls, "call"), grouped(r.Tokens))
	for i, line := range d.lines(t, d.width) {
		fmt.Fprintln(p.out, d.titled(i, line))
	}
	p.say("\nWhat this rests on:")
	for _, a := range r.Assumptions {
		fmt.Fprintln(p.out, d.wrap("- "+a, 2))
	}
	for _, name := range r.Order {
		for _, flaw := range r.Policies[name].Flaws {
			fmt.Fprintln(p.out, d.wrap(fmt.Sprintf("%s would be refused: %s", name, bar.Clean(flaw)), 2))
		}
	}
}

// rateIfAny writes a share as percent, and a dash where there is none.
func rateIfAny(share *float64) string {
	if share == nil {
		return "–"
	}
	return rate(*share)
}

// rate writes a share as percent.
func rate(share float64) string { return fmt.Sprintf("%.1f %%", 100*share) }
