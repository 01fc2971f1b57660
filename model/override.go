package model

import (
	"errors"
	"fmt"
	"strings"
)

// Override corrects facts by configuration. Fields that are zero leave the fact
// as it is.
type Override struct {
	// Model says which models are meant: an id ("gpt-4o"), an id of one provider
	// ("azure/gpt-4o"), or a pattern over either in which "*" stands for any
	// text ("claude-*", "openrouter/*"). An id that the registry does not have
	// is added, with the facts of the model it would otherwise lead to.
	Model string `json:"model"`

	InputLimit  int `json:"input_limit,omitempty"`
	OutputLimit int `json:"output_limit,omitempty"`
	Window      int `json:"window,omitempty"`
	// Prices replace all prices, and the cliffs with them.
	Prices    Prices    `json:"prices,omitzero"`
	Cliffs    []Cliff   `json:"cliffs,omitempty"`
	Cache     Cache     `json:"cache,omitzero"`
	Tokenizer Tokenizer `json:"tokenizer,omitzero"`
	Aliases   []string  `json:"aliases,omitempty"`
}

// Override gives a registry with the overrides applied in order. An override
// that cannot be, or whose pattern covers no model, is left out and reported.
func (r *Registry) Override(overrides ...Override) (*Registry, []error) {
	var problems []error
	for _, o := range overrides {
		next, err := r.override(o)
		if err != nil {
			problems = append(problems, fmt.Errorf("override of %q: %w", clip(o.Model), err))
			continue
		}
		r = next
	}
	return r, problems
}

func (r *Registry) override(o Override) (*Registry, error) {
	if err := o.apply(Model{ID: "checked"}).check(); err != nil {
		return nil, err
	}
	targets, err := r.targets(foldName(o.Model))
	if err != nil {
		return nil, err
	}
	for i, m := range targets {
		targets[i] = o.apply(m)
	}
	return r.With(targets...), nil
}

// targets gives the models an override is meant for.
func (r *Registry) targets(name string) ([]Model, error) {
	if name == "" || len(name) > maxName {
		return nil, errors.New("want the name of a model or a pattern")
	}
	if !strings.Contains(name, "*") {
		m := r.target(name)
		return []Model{m}, m.check()
	}
	var out []Model
	for _, m := range r.models {
		id := foldName(m.ID)
		if glob(name, id) || glob(name, m.Provider+"/"+id) {
			out = append(out, m.clone())
		}
	}
	if len(out) == 0 {
		return nil, errors.New("the pattern covers no model")
	}
	return out, nil
}

// target gives the entry an id names; one that does not exist yet starts with the
// facts of the model the name leads to.
func (r *Registry) target(name string) Model {
	provider, id, qualified := strings.Cut(name, "/")
	if !qualified {
		provider, id = "", name
	}
	i, how := r.find(name)
	if how == MatchNone {
		return Model{ID: strings.TrimSpace(id), Provider: canonicalProvider(provider), Source: "configuration"}
	}
	m := r.models[i].clone()
	same := canonicalProvider(provider) == m.Provider && how == MatchPrefix
	if how == MatchExact || how == MatchAlias || same {
		return m
	}
	m.ID, m.Aliases = strings.TrimSpace(id), nil
	if qualified {
		m.Provider = canonicalProvider(provider)
	}
	return m
}

func (o Override) apply(m Model) Model {
	m.OutputLimit = firstOf(o.OutputLimit, m.OutputLimit)
	m.InputLimit = firstOf(o.InputLimit, m.InputLimit)
	m.Window = firstOf(o.Window, m.Window)
	if o.Window > 0 && o.InputLimit == 0 {
		m.InputLimit = min(firstOf(m.InputLimit, o.Window), o.Window)
	}
	m.Window = max(m.Window, m.InputLimit)
	if o.Prices.Known {
		m.Prices, m.Cliffs = o.Prices, nil
	}
	if o.Cliffs != nil {
		m.Cliffs = o.Cliffs
	}
	m.Cache = m.Cache.overlay(o.Cache)
	m.Tokenizer = firstOf(o.Tokenizer, m.Tokenizer)
	m.Aliases = union(m.Aliases, o.Aliases)
	return m
}

// glob says whether pattern covers all of text; "*" stands for any text. It takes
// time in proportion to their product at worst.
func glob(pattern, text string) bool {
	p, t, star, mark := 0, 0, -1, 0
	for t < len(text) {
		switch {
		case p < len(pattern) && pattern[p] == '*':
			star, mark = p, t
			p++
		case p < len(pattern) && pattern[p] == text[t]:
			p++
			t++
		case star >= 0:
			mark++
			p, t = star+1, mark
		default:
			return false
		}
	}
	return strings.Trim(pattern[p:], "*") == ""
}
