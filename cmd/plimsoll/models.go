package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/bar"
	"github.com/plimsoll/plimsoll/internal/bpe"
	"github.com/plimsoll/plimsoll/model"
)

// modelsCmd shows what is known about models.
type modelsCmd struct {
	Query []string `arg:"" optional:"" complete:"model" help:"A model, or words that its name, family or provider contains."`

	JSON bool     `name:"json" help:"Print a JSON array."`
	From []string `sep:"none" placeholder:"FILE|URL" complete:"file" help:"Add the models of this list: LiteLLM's, models.dev's or our own format."`
}

// Help is the long help text.
func (*modelsCmd) Help() string {
	return `Lists models with the most tokens a prompt and an answer may have, prices in US dollars per million tokens, and the tokenizer: with a plus where counts are exact once count has its vocabulary from --tokenizers, with a star where it is only the nearest public one and counts are estimates. The name of one model shows everything that is known about it, also when it is written with a date or a provider.

The built-in list is a dated selection. The complete public lists load at run time and win over it.

Examples:

    plimsoll models
    plimsoll models claude haiku
    plimsoll models openrouter/openai/gpt-4o-2024-11-20
    plimsoll models --from model_prices_and_context_window.json --json mistral`
}

// Run finds and prints the models.
func (c *modelsCmd) Run(p *process, root *cli) error {
	registry, err := loadRegistry(p, c.From)
	if err != nil {
		return err
	}
	query := strings.Join(c.Query, " ")
	d := newDisplay(p, nil, root.Color)
	if m, err := registry.Lookup(query); err == nil {
		if c.JSON {
			return writeModels(p.out, []model.Model{m})
		}
		showFacts(p.out, d, m, query, registry.Match(query))
		showOthers(p.out, d, m, registry.Search(query))
		return nil
	}
	found := registry.Search(query)
	if len(found) == 0 || !fits(found[0], query) {
		return unknownQuery(query, found)
	}
	if c.JSON {
		return writeModels(p.out, found)
	}
	showModels(p.out, d, found)
	return nil
}

func writeModels(w io.Writer, models []model.Model) error {
	lines := json.NewEncoder(w)
	lines.SetEscapeHTML(false)
	lines.SetIndent("", "  ")
	return lines.Encode(models)
}

// fits tells what was found by its words from what is merely spelled alike.
func fits(m model.Model, query string) bool {
	fold := strings.NewReplacer(".", "", "-", "", "_", "", ":", "", "/", "", "@", "")
	facts := fold.Replace(strings.ToLower(strings.Join(append(m.Aliases, m.ID, m.Provider, m.Family, m.Name), "\n")))
	for _, word := range strings.Fields(fold.Replace(strings.ToLower(query))) {
		if !strings.Contains(facts, word) {
			return false
		}
	}
	return true
}

func unknownQuery(query string, alike []model.Model) error {
	hint := "run plimsoll models for all of them, or add a fuller list with --from FILE|URL"
	if len(alike) > 0 {
		var names []string
		for _, m := range alike {
			names = append(names, m.ID)
		}
		hint = "did you mean " + strings.Join(names, " or ") + "? Otherwise " + hint
	}
	return &plimsoll.Error{
		Op: fmt.Sprintf("models %q", query), Code: plimsoll.CodeUnknownModel, Hint: hint,
		Err: errors.New("no such model"),
	}
}

// showModels draws the table.
func showModels(w io.Writer, d display, models []model.Model) {
	t := table{columns: []column{
		{title: "model", floor: 24},
		{title: "provider", drop: 3},
		{title: "input", right: true},
		{title: "output", right: true, drop: 2},
		{title: "$/M in", right: true, drop: 6},
		{title: "out", right: true, drop: 5},
		{title: "cached", right: true, drop: 1},
		{title: "tokenizer", drop: 4},
	}}
	for _, m := range models {
		t.rows = append(t.rows, []string{
			bar.Clean(m.ID), bar.Clean(m.Provider), tokens(m.Limit()), tokens(m.OutputLimit),
			price(m.Prices, m.Prices.Input), price(m.Prices, m.Prices.Output), price(m.Prices, m.Prices.CacheRead),
			tokenizer(m),
		})
	}
	width := d.width
	if !d.known {
		width = math.MaxInt
	}
	lines := d.lines(t, width)
	for i, line := range lines {
		fmt.Fprintln(w, d.titled(i, line))
	}
	fmt.Fprintf(w, "\n%s\n", d.wrap(plural(len(models), "model")+", facts of "+newest(models), 0))
	if strings.HasSuffix(lines[0], d.lang.Say("tokenizer")) {
		showMarks(w, d, t.rows)
	}
}

// showMarks explains the marks of the tokenizers that are in the table.
func showMarks(w io.Writer, d display, rows [][]string) {
	for _, mark := range []struct{ end, means string }{
		{"+", "+ exact with --tokenizers"},
		{"*", "* the nearest public one: estimates"},
		{"-", "- unknown: estimates"},
	} {
		if slices.ContainsFunc(rows, func(row []string) bool { return strings.HasSuffix(row[len(row)-1], mark.end) }) {
			fmt.Fprintln(w, d.wrap(mark.means, 2))
		}
	}
}

// newest is the day of the latest facts.
func newest(models []model.Model) string {
	day := ""
	for _, m := range models {
		day = max(day, m.AsOf)
	}
	if day == "" {
		return "an unknown day"
	}
	return day
}

// tokens writes a number of tokens, or a dash for an unknown one.
func tokens(n int) string {
	if n == 0 {
		return "-"
	}
	return grouped(n)
}

func price(p model.Prices, r model.Rate) string {
	if !p.Known {
		return "-"
	}
	return strconv.FormatFloat(r.PerMillion(), 'f', -1, 64)
}

// tokenizer names a model's tokenizer and marks how far its counts go.
func tokenizer(m model.Model) string {
	switch t := m.Tokenizer; {
	case t.Name == "":
		return "-"
	case !t.Exact:
		return t.Name + "*"
	case needsFile(t):
		return t.Name + "+"
	default:
		return t.Name
	}
}

// needsFile says whether the vocabulary is none of those that are built in.
func needsFile(t model.Tokenizer) bool { return !slices.Contains(bpe.Names(), t.Name) }

// showOthers names the models that the query would also have found.
func showOthers(w io.Writer, d display, shown model.Model, found []model.Model) {
	const most = 8
	var names []string
	for _, m := range found {
		name := bar.Clean(m.ID)
		if m.ID == shown.ID && m.Provider != shown.Provider {
			name = bar.Clean(m.Provider + "/" + m.ID)
		}
		if (m.ID != shown.ID || m.Provider != shown.Provider) && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return
	}
	more := ""
	if len(names) > most {
		more = fmt.Sprintf(" and %d more", len(names)-most)
	}
	also := d.lang.Say("also") + ": "
	fmt.Fprintf(w, "\n%s\n", d.wrap(also+strings.Join(names[:min(most, len(names))], ", ")+d.lang.Say(more), bar.Cells(also)))
}
