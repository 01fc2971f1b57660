// Package model knows the facts about language models that decide how much may
// be sent and what it costs: limits, prices, cache terms, tokenizers and the
// many names one model goes by. It exists so that no other package carries a
// number that a provider may change.
//
// The facts are defaults with a date, never truth: [Default] is a curated
// snapshot, and a caller lays fuller lists ([Load]) and its own facts
// ([NewRegistry]) over it with [Registry.Merge]. Registries are immutable; every
// change gives a new one.
//
// The package knows nothing of conversations, wire formats or policy, counts no
// tokens itself, and takes only errors, usage and money from the packages below it.
package model

import "slices"

// Model is what is known about one model. A zero number means "not known",
// except where the field says otherwise.
type Model struct {
	// ID is the name the provider's API takes, without a provider prefix.
	ID string `json:"id"`
	// Provider is the company or service that serves it ("openai", "anthropic",
	// "google", …) or "local" for weights that anyone can run.
	Provider string `json:"provider"`
	// Family groups models of one line ("gpt", "claude-sonnet", "llama3.1").
	Family string `json:"family,omitempty"`
	// Name is the name for people.
	Name string `json:"name,omitempty"`

	// InputLimit is the most tokens a prompt may have.
	InputLimit int `json:"input_limit,omitempty"`
	// OutputLimit is the most tokens an answer may have.
	OutputLimit int `json:"output_limit,omitempty"`
	// Window is what prompt and answer may have together. It is at least
	// InputLimit; where it is equal, the answer takes its room from the prompt.
	Window int `json:"window,omitempty"`

	// Prices apply up to the first cliff.
	Prices Prices `json:"prices,omitzero"`
	// Cliffs are ordered by Above, lowest first.
	Cliffs []Cliff `json:"cliffs,omitempty"`
	// Cache holds the terms of the provider's prompt cache.
	Cache Cache `json:"cache,omitzero"`
	// Tokenizer says which vocabulary counts this model's text.
	Tokenizer Tokenizer `json:"tokenizer,omitzero"`

	// Reasoning says that the model can think before it answers.
	Reasoning bool `json:"reasoning,omitempty"`
	// Tools says that the model can call tools.
	Tools bool `json:"tools,omitempty"`
	// Vision says that the model accepts images.
	Vision bool `json:"vision,omitempty"`

	// Aliases are further names that mean this model.
	Aliases []string `json:"aliases,omitempty"`
	// AsOf is the day the facts were taken, as YYYY-MM-DD.
	AsOf string `json:"as_of,omitempty"`
	// Source says where the facts come from.
	Source string `json:"source,omitempty"`
}

// Tokenizer names the vocabulary of a model.
type Tokenizer struct {
	// Name is an encoding ("o200k_base"), a vocabulary family ("llama3",
	// "qwen2.5", "gemma3", "claude"), or empty when none is known.
	Name string `json:"name,omitempty"`
	// Exact says that counts by this vocabulary are the provider's own counts of
	// plain text; otherwise it is the nearest public one.
	Exact bool `json:"exact,omitempty"`
}

// CacheMode says who decides what is cached. It is empty when nothing is known of a
// prompt cache, or when there is none.
type CacheMode string

const (
	// CacheAutomatic means that the provider caches repeated prefixes by itself.
	CacheAutomatic CacheMode = "automatic"
	// CacheBreakpoint means that the request marks where cached prefixes end.
	CacheBreakpoint CacheMode = "breakpoint"
)

// Cache holds the terms of a prompt cache.
type Cache struct {
	Mode CacheMode `json:"mode,omitempty"`
	// MinPrefix is the shortest prefix in tokens that is cached at all.
	MinPrefix int `json:"min_prefix,omitempty"`
	// LifeSeconds is how long an entry lives after its last use by default.
	LifeSeconds int `json:"life_seconds,omitempty"`
	// LongLifeSeconds is the life that can be asked for; zero when there is only
	// one.
	LongLifeSeconds int `json:"long_life_seconds,omitempty"`
}

// Limit is the number of prompt tokens to budget with: the input limit, else
// the window. It is zero when neither is known.
func (m Model) Limit() int {
	if m.InputLimit > 0 {
		return m.InputLimit
	}
	return m.Window
}

// clone keeps callers from reaching into a registry through shared slices.
func (m Model) clone() Model {
	m.Cliffs = slices.Clone(m.Cliffs)
	m.Aliases = slices.Clone(m.Aliases)
	return m
}

// overlay gives m with every fact that later knows.
func (m Model) overlay(later Model) Model {
	out := later.clone()
	out.ID, out.Provider = m.ID, m.Provider
	out.Family = firstOf(later.Family, m.Family)
	out.Name = firstOf(later.Name, m.Name)
	out.InputLimit = firstOf(later.InputLimit, m.InputLimit)
	if later.InputLimit == m.Window && (later.Window == 0 || later.Window == later.InputLimit) {
		// Lists that know no separate input limit give the window for it; such a
		// number must not lift a limit that is known to be lower.
		out.InputLimit = firstOf(m.InputLimit, later.InputLimit)
	}
	out.OutputLimit = firstOf(later.OutputLimit, m.OutputLimit)
	out.Window = max(firstOf(later.Window, m.Window), out.InputLimit)
	if !later.Prices.Known {
		out.Prices, out.Cliffs = m.Prices, slices.Clone(m.Cliffs)
	}
	out.Cache = m.Cache.overlay(later.Cache)
	out.Tokenizer = firstOf(later.Tokenizer, m.Tokenizer)
	out.Reasoning = m.Reasoning || later.Reasoning
	out.Tools = m.Tools || later.Tools
	out.Vision = m.Vision || later.Vision
	out.Aliases = union(m.Aliases, later.Aliases)
	out.AsOf = firstOf(later.AsOf, m.AsOf)
	out.Source = firstOf(later.Source, m.Source)
	return out
}

func (c Cache) overlay(later Cache) Cache {
	return Cache{
		Mode:            firstOf(later.Mode, c.Mode),
		MinPrefix:       firstOf(later.MinPrefix, c.MinPrefix),
		LifeSeconds:     firstOf(later.LifeSeconds, c.LifeSeconds),
		LongLifeSeconds: firstOf(later.LongLifeSeconds, c.LongLifeSeconds),
	}
}

func firstOf[T comparable](values ...T) T {
	var zero T
	for _, v := range values {
		if v != zero {
			return v
		}
	}
	return zero
}

func union(a, b []string) []string {
	out := slices.Clone(a)
	for _, s := range b {
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}
