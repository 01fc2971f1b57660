package main

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/fit"
	"github.com/plimsoll/plimsoll/internal/bar"
	"github.com/plimsoll/plimsoll/internal/config"
	"github.com/plimsoll/plimsoll/model"
	"github.com/plimsoll/plimsoll/preset"
)

// settings is what flags, environment and files say together. What was passed over
// is said once.
func (p *process) settings(root *cli, flags []config.Flag) (*config.Config, error) {
	c, err := p.loadSettings(root, flags)
	if err != nil {
		return nil, err
	}
	for _, problem := range c.Problems {
		p.warn(problem)
	}
	return c, nil
}

func (p *process) loadSettings(root *cli, flags []config.Flag) (*config.Config, error) {
	c, err := config.Load(&config.Options{Flags: flags, Environ: p.environ, File: root.Config, Preset: presetSettings})
	if err != nil {
		return nil, separate(err)
	}
	c.Problems = append(c.Problems, ineffective(c)...)
	return c, nil
}

// presetSettings is what a preset sets. Where the first cut of a conversation keeps more
// than later ones, the low mark is left open: one that is set holds for all cuts.
func presetSettings(name string) map[string]any {
	marks := preset.Marks(name)
	if marks == (fit.Watermarks{}) {
		return nil
	}
	set := map[string]any{"marks.high": marks.High}
	if marks.First == 0 {
		set["marks.low"] = marks.Low
	}
	return set
}

// marksOf are the marks of the settings for a conversation that goes on, with the preset's
// for what is prepared ahead.
func marksOf(s config.Settings) fit.Watermarks {
	own := preset.Marks(s.Preset)
	return fit.Watermarks{High: s.Marks.High, Low: cmp.Or(s.Marks.Low, min(s.Marks.High, own.Low)), Soft: min(s.Marks.High, own.Soft)}
}

// separate takes joined errors apart, so that each is reported by itself.
func separate(err error) failures {
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return failures{err}
	}
	var all failures
	for _, e := range joined.Unwrap() {
		all = append(all, separate(e)...)
	}
	return all
}

// settingsReport is what doctor says about the settings.
type settingsReport struct {
	// Files are those that were read, of those that were looked for.
	Files    []string       `json:"files"`
	Looked   []string       `json:"looked_for"`
	Settings []config.Value `json:"settings"`
	// Limit is nil where it depends on the model of each request.
	Limit *limitReport `json:"limit"`
	// Variables set limits of models.
	Variables []variable `json:"limit_variables"`
	Problems  []string   `json:"problems"`
}

type limitReport struct {
	Model  string       `json:"model,omitempty"`
	Tokens int          `json:"tokens"`
	Source model.Source `json:"source"`
	From   string       `json:"from,omitempty"`
}

type variable struct {
	Name   string `json:"name"`
	Tokens int    `json:"tokens"`
}

func (p *process) reportSettings(root *cli) (settingsReport, error) {
	c, err := p.loadSettings(root, nil)
	if err != nil {
		return settingsReport{}, err
	}
	r := settingsReport{
		Files: append([]string{}, c.Files...), Looked: c.Looked, Settings: c.Values,
		Variables: limitVariables(p.environ), Problems: []string{},
	}
	problems := append(c.Problems, tokenizersProblem(c)...)
	registry, err := loadRegistry(p, texts(c.Settings.Models))
	if err != nil {
		problems = append(problems, err)
	}
	r.Limit = limitInForce(c, &model.Limits{Registry: registry, Env: p.getenv})
	if r.Limit != nil && r.Limit.Source == model.SourceDefault {
		problems = append(problems, fmt.Errorf("%s: model %q is not known: set its window with window or windows, or add a list with models", c.Origin("model"), c.Settings.Model))
	}
	if r.Limit != nil && c.Settings.Reserve != nil && *c.Settings.Reserve >= r.Limit.Tokens {
		problems = append(problems, fmt.Errorf("%s: reserve %s leaves nothing of the window of %s tokens: set a smaller reserve or a larger window",
			c.Origin("reserve"), grouped(*c.Settings.Reserve), grouped(r.Limit.Tokens)))
	}
	for _, problem := range problems {
		r.Problems = append(r.Problems, problem.Error())
	}
	return r, nil
}

func texts(paths []config.Path) []string {
	var out []string
	for _, path := range paths {
		out = append(out, string(path))
	}
	return out
}

// tokenizersProblem finds a directory that is none; without it counts would be
// estimates without a reason given.
func tokenizersProblem(c *config.Config) []error {
	dir := string(c.Settings.Tokenizers)
	if info, err := os.Stat(dir); dir == "" || err == nil && info.IsDir() {
		return nil
	}
	return []error{fmt.Errorf("%s: tokenizers %q: no such directory", c.Origin("tokenizers"), dir)}
}

// limitInForce is the limit of the configured model, or nil where every request
// brings its own.
func limitInForce(c *config.Config, limits *model.Limits) *limitReport {
	if c.Settings.Model == "" && c.Settings.Window == 0 {
		return nil
	}
	l := c.Limit(limits, c.Settings.Model)
	return &limitReport{c.Settings.Model, l.Tokens, l.Source, l.From}
}

// limitVariables are the variables that set limits of models; those that cannot
// are problems.
func limitVariables(environ []string) []variable {
	all := []variable{}
	for _, setting := range environ {
		name, value, _ := strings.Cut(setting, "=")
		n, err := strconv.Atoi(strings.TrimSpace(value))
		if !strings.HasSuffix(name, "_MAX_CONTEXT_LENGTH") || err != nil || len(model.CheckEnv([]string{setting})) > 0 {
			continue
		}
		all = slices.DeleteFunc(all, func(v variable) bool { return v.Name == name })
		all = append(all, variable{name, n})
	}
	slices.SortFunc(all, func(a, b variable) int { return cmp.Compare(a.Name, b.Name) })
	return all
}

// failed is the error of a report with problems.
func (r settingsReport) failed() error {
	if len(r.Problems) == 0 {
		return nil
	}
	return &plimsoll.Error{
		Op: "doctor", Code: plimsoll.CodeInvalid, Err: errors.New(plural(len(r.Problems), "problem") + " in the settings"),
		Hint: "correct what is listed; docs/configuration.md has every setting",
	}
}

// show draws the report: the files, every setting with its source, the limit and
// what is wrong.
func (r settingsReport) show(p *process, d display) {
	fmt.Fprintf(p.out, "%s\n\n", d.wrap(r.sources(), 2))
	r.showSettings(p, d)
	fmt.Fprintf(p.out, "\n%s\n", d.wrap(r.limit(), 0))
	for _, v := range r.Variables {
		fmt.Fprintln(p.out, d.wrap(bar.Clean(v.Name)+" sets "+grouped(v.Tokens), 2))
	}
	for i, problem := range r.Problems {
		if i == 0 {
			fmt.Fprintf(p.out, "\n%s\n", d.paint(d.lang.Say(plural(len(r.Problems), "problem"))+":", styleAlarm))
		}
		fmt.Fprintln(p.out, d.wrap("  "+bar.Clean(problem), 4))
	}
}

// showSettings draws a table, or sentences where the terminal has no room for one:
// the beginnings of keys and sources say nothing.
func (r settingsReport) showSettings(p *process, d display) {
	t := table{columns: []column{{title: "setting"}, {title: "value", floor: 12}, {title: "source", words: true}}}
	for _, v := range r.Settings {
		t.rows = append(t.rows, []string{v.Key, bar.Clean(v.String()), bar.Clean(v.Origin.String())})
	}
	width := math.MaxInt
	if d.known {
		width = d.width
	}
	lines := d.lines(t, width)
	if slices.ContainsFunc(lines, func(line string) bool { return bar.Cells(line) > width }) {
		lines = lines[:1]
		for _, row := range t.rows {
			lines = append(lines, d.wrap(fmt.Sprintf("%s: %s (%s)", row[0], row[1], row[2]), 2))
		}
		lines[0] = d.lang.Say("setting: value (source)")
	}
	for i, line := range lines {
		if i > 0 && r.Settings[i-1].Origin.Kind != config.FromDefault {
			line = d.paint(line, styleStrong)
		}
		fmt.Fprintln(p.out, d.titled(i, line))
	}
}

func (r settingsReport) sources() string {
	if len(r.Files) == 0 {
		return "no file of settings\nlooked for " + bar.Clean(strings.Join(r.Looked, " and "))
	}
	return "settings from " + bar.Clean(strings.Join(r.Files, ", then "))
}

func (r settingsReport) limit() string {
	if r.Limit == nil {
		return "limit: that of the model which a request names"
	}
	of := ""
	if r.Limit.Model != "" {
		of = " of " + bar.Clean(r.Limit.Model)
	}
	return fmt.Sprintf("limit%s: %s tokens, from %s", of, grouped(r.Limit.Tokens), r.Limit.from())
}

// from says where the limit came from.
func (l limitReport) from() string {
	switch l.Source {
	case model.SourceRegistry:
		return "the registry"
	case model.SourceTable:
		return "the table " + l.From
	case model.SourceDefault:
		return "a safe default"
	}
	return bar.Clean(l.From)
}
