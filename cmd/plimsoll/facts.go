package main

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/internal/bar"
	"github.com/plimsoll/plimsoll/model"
)

// showFacts prints everything that is known about one model.
func showFacts(w io.Writer, d display, m model.Model, query string, how string) {
	title := bar.Clean(m.ID)
	if how != "exact" {
		title += fmt.Sprintf(" (%q leads here: %s)", query, how)
	}
	fmt.Fprintln(w, d.paint(d.lang.Say(title), styleStrong))
	indent := 17
	if d.width < 50 {
		indent = 4
	}
	facts, widest := factsOf(m), 13
	for _, f := range facts {
		widest = max(widest, bar.Cells(d.lang.Say(f.name)))
	}
	if indent > 4 {
		indent = widest + 4
	}
	for _, f := range facts {
		if f.value != "" {
			fmt.Fprintln(w, d.wrap("  "+bar.Pad(d.lang.Say(f.name), widest)+"  "+d.lang.List(f.value), indent))
		}
	}
}

type fact struct{ name, value string }

func factsOf(m model.Model) []fact {
	facts := []fact{
		{"name", bar.Clean(m.Name)},
		{"provider", bar.Clean(m.Provider)},
		{"family", bar.Clean(m.Family)},
		{"also called", bar.Clean(strings.Join(m.Aliases, ", "))},
		{"window", tokens(m.Window)},
		{"input limit", tokens(m.InputLimit)},
		{"output limit", tokens(m.OutputLimit)},
		{"prices", prices(m.Prices)},
	}
	for _, c := range m.Cliffs {
		facts = append(facts, fact{"above " + grouped(c.Above), prices(c.Prices)})
	}
	return append(facts,
		fact{"prompt cache", cacheTerms(m.Cache)},
		fact{"tokenizer", tokenizerTerms(m.Tokenizer)},
		fact{"abilities", abilities(m)},
		fact{"facts of", bar.Clean(strings.Trim(m.AsOf+", "+m.Source, ", "))},
	)
}

// prices writes a price list in a line.
func prices(p model.Prices) string {
	if !p.Known {
		return "unknown"
	}
	out := fmt.Sprintf("$%s in, $%s out, $%s cached", price(p, p.Input), price(p, p.Output), price(p, p.CacheRead))
	if p.CacheWrite != p.Input {
		out += ", $" + price(p, p.CacheWrite) + " to write the cache"
	}
	if p.CacheWriteLong != p.CacheWrite {
		out += " ($" + price(p, p.CacheWriteLong) + " for the long life)"
	}
	return out + ", per million tokens"
}

func cacheTerms(c model.Cache) string {
	var terms []string
	switch c.Mode {
	case model.CacheAutomatic:
		terms = append(terms, "automatic")
	case model.CacheBreakpoint:
		terms = append(terms, "at marked places")
	}
	if c.MinPrefix > 0 {
		terms = append(terms, "from "+grouped(c.MinPrefix)+" tokens")
	}
	if c.LifeSeconds > 0 {
		life := "lives " + duration(c.LifeSeconds)
		if c.LongLifeSeconds > 0 {
			life = fmt.Sprintf("lives %s or %s", duration(c.LifeSeconds), duration(c.LongLifeSeconds))
		}
		terms = append(terms, life)
	}
	return strings.Join(terms, ", ")
}

// duration writes seconds in the largest unit that has no remainder.
func duration(seconds int) string {
	switch d := time.Duration(seconds) * time.Second; {
	case d%time.Hour == 0:
		return plural(int(d/time.Hour), "hour")
	case d%time.Minute == 0:
		return plural(int(d/time.Minute), "minute")
	}
	return plural(seconds, "second")
}

func tokenizerTerms(t model.Tokenizer) string {
	switch {
	case t.Name == "":
		return "unknown, counts are estimates"
	case t.Exact && needsFile(t):
		return t.Name + ", exact with --tokenizers, else counts are estimates"
	case t.Exact:
		return t.Name + ", exact"
	}
	return t.Name + ", the nearest public one, counts are estimates"
}

func abilities(m model.Model) string {
	var can []string
	for _, a := range []struct {
		has  bool
		name string
	}{{m.Tools, "tools"}, {m.Vision, "images"}, {m.Reasoning, "reasoning"}} {
		if a.has {
			can = append(can, a.name)
		}
	}
	return strings.Join(can, ", ")
}
