package config

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/plimsoll/plimsoll/model"
)

// Limit returns the window that is in force for a model and where it came from: that of a
// flag or of PLIMSOLL_WINDOW, the variables that set windows of models, the window of a
// file, the windows of single models, and then what is known of the model. What l.Env and
// l.Registry say is used as it is; nil means the zero value.
func (c *Config) Limit(l *model.Limits, name string) model.Limit {
	if l == nil {
		l = &model.Limits{}
	}
	origin := c.Origin("window")
	window := model.Limit{Tokens: c.Settings.Window, Source: model.Source(origin.Kind), From: origin.Name}
	if window.Tokens > 0 && (origin.Kind == FromFlag || origin.Kind == FromEnv) {
		return window
	}
	known := l.For(name)
	switch {
	case known.Source == model.SourceEnv || known.Source == model.SourceEnvDefault:
		return known
	case window.Tokens > 0:
		return window
	}
	if entry := c.limitOf(l.Registry, name); entry != "" {
		origin := c.Origin("windows")
		return model.Limit{Tokens: c.Settings.Windows[entry], Source: model.Source(origin.Kind), From: origin.Name}
	}
	return known
}

// limitOf returns the entry of the windows that a model falls under: its own, else
// the longest pattern.
func (c *Config) limitOf(r *model.Registry, name string) string {
	if r == nil {
		r = model.Default()
	}
	names := []string{strings.ToLower(name)}
	found, err := r.Lookup(name)
	if err == nil {
		names = append(names, strings.ToLower(found.ID), strings.ToLower(found.Provider+"/"+found.ID))
	}
	entries := slices.SortedFunc(maps.Keys(c.Settings.Windows), func(a, b string) int {
		return cmp.Or(cmp.Compare(strings.Count(a, "*"), strings.Count(b, "*")), cmp.Compare(len(b), len(a)), strings.Compare(a, b))
	})
	for _, entry := range entries {
		if slices.ContainsFunc(names, func(n string) bool { return covers(strings.ToLower(entry), n) }) {
			return entry
		}
		if m, unknown := r.Lookup(entry); unknown == nil && err == nil && m.ID == found.ID && m.Provider == found.Provider {
			return entry
		}
	}
	return ""
}

// covers says whether a pattern is all of a name; a star stands for any text.
func covers(pattern, name string) bool {
	first, rest, star := strings.Cut(pattern, "*")
	name, ok := strings.CutPrefix(name, first)
	if !star || !ok {
		return ok && name == ""
	}
	for {
		part, after, more := strings.Cut(rest, "*")
		if !more {
			return strings.HasSuffix(name, part)
		}
		_, behind, found := strings.Cut(name, part)
		if !found {
			return false
		}
		name, rest = behind, after
	}
}
