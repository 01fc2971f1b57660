package model

import (
	"errors"
	"slices"
	"strconv"
	"strings"
)

// perToken turns LiteLLM's US dollars per token into a Rate, perMillion turns
// models.dev's US dollars per million tokens into one.
const (
	perToken   = 1e12
	perMillion = 1e6
)

// loadLiteLLM reads LiteLLM's list (model_prices_and_context_window.json): an object
// from names to facts. Entries that are no conversation models are left out.
func loadLiteLLM(members []member) (*Registry, []error, error) {
	var models []Model
	var problems []error
	for _, m := range members {
		if m.key == "sample_spec" {
			continue
		}
		f := readFields(m.value)
		if f.err == nil && !converses(f.values["mode"]) {
			continue
		}
		model := liteLLMModel(m.key, &f)
		if f.err != nil {
			problems = append(problems, &problem{m.key, m.offset, f.err})
			continue
		}
		models = append(models, model)
	}
	return NewRegistry(models...), problems, nil
}

// converses says whether a mode is one of models that answer in text.
func converses(mode any) bool {
	return mode == nil || mode == "chat" || mode == "responses" || mode == "completion"
}

func liteLLMModel(key string, f *entryReader) Model {
	provider := f.text("litellm_provider")
	m := Model{
		ID:          liteLLMID(key, provider),
		Provider:    canonicalProvider(provider),
		InputLimit:  firstOf(f.count("max_input_tokens"), f.count("max_tokens")),
		OutputLimit: f.count("max_output_tokens"),
		Reasoning:   f.flag("supports_reasoning"),
		Tools:       f.flag("supports_function_calling"),
		Vision:      f.flag("supports_vision"),
		Source:      "LiteLLM",
	}
	if m.ID == "" && f.err == nil {
		f.err = errors.New("want a name")
	}
	m.Prices = liteLLMPrices(f, "")
	m.Cliffs = liteLLMCliffs(f)
	if !m.Prices.Known && len(m.Cliffs) > 0 && m.Cliffs[0].Above == 0 {
		m.Prices, m.Cliffs = m.Cliffs[0].Prices, m.Cliffs[1:]
	}
	m.inferFacts()
	m.Cache.MinPrefix = firstOf(f.count("prompt_cache_min_tokens"), m.Cache.MinPrefix)
	return m
}

// liteLLMID takes the provider off a key. Keys of some providers carry it and of
// others do not, and some carry a word that differs from the provider's.
func liteLLMID(key, provider string) string {
	word, rest, ok := strings.Cut(key, "/")
	if ok && rest != "" && canonicalProvider(word) == canonicalProvider(provider) {
		return rest
	}
	return key
}

func liteLLMPrices(f *entryReader, suffix string) Prices {
	return statedPrices(
		f.rate("input_cost_per_token"+suffix, perToken),
		f.rate("output_cost_per_token"+suffix, perToken),
		f.rate("cache_read_input_token_cost"+suffix, perToken),
		f.rate("cache_creation_input_token_cost"+suffix, perToken),
		f.rate("cache_creation_input_token_cost_above_1hr"+suffix, perToken),
	)
}

// liteLLMCliffs reads both ways in which the list writes prices that depend on
// the size of the prompt.
func liteLLMCliffs(f *entryReader) []Cliff {
	const before, after = "input_cost_per_token_above_", "k_tokens"
	cliffs := liteLLMTiers(f)
	for name := range f.values {
		number, ok := strings.CutPrefix(name, before)
		number, whole := strings.CutSuffix(number, after)
		thousands, err := strconv.Atoi(number)
		if !ok || !whole || err != nil || thousands <= 0 || thousands > maxCount/1000 {
			continue
		}
		prices := liteLLMPrices(f, "_above_"+number+after)
		cliffs = append(cliffs, Cliff{thousands * 1000, prices})
	}
	return orderCliffs(cliffs)
}

// liteLLMTiers reads "tiered_pricing", whose first range has the base price. A
// model with tiers states no other price.
func liteLLMTiers(f *entryReader) []Cliff {
	var cliffs []Cliff
	for _, t := range f.list("tiered_pricing") {
		tier, _ := t.(map[string]any)
		inner := entryReader{values: tier}
		bounds := inner.list("range")
		if len(bounds) == 0 {
			continue
		}
		lower := entryReader{values: map[string]any{"range": bounds[0]}}
		cliffs = append(cliffs, Cliff{lower.count("range"), liteLLMPrices(&inner, "")})
	}
	return cliffs
}

// orderCliffs sorts cliffs and drops those without prices or with a size that
// stands twice.
func orderCliffs(cliffs []Cliff) []Cliff {
	slices.SortFunc(cliffs, func(a, b Cliff) int { return a.Above - b.Above })
	cliffs = slices.DeleteFunc(cliffs, func(c Cliff) bool { return !c.Prices.Known })
	return slices.CompactFunc(cliffs, func(a, b Cliff) bool { return a.Above == b.Above })
}
