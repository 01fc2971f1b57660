package model

import (
	"errors"
	"slices"
)

// loadModelsDev reads the list of models.dev (api.json): an object from providers to
// their models. Entries without a window (images, speech) are left out.
func loadModelsDev(members []member) (*Registry, []error, error) {
	var models []Model
	var problems []error
	for _, provider := range members {
		list, at, err := modelsOf(provider)
		if err != nil {
			problems = append(problems, &problem{provider.key, at, err})
			continue
		}
		for _, m := range list {
			f := readFields(m.value)
			model := modelsDevModel(provider.key, m.key, &f)
			if f.err != nil {
				problems = append(problems, &problem{provider.key + "/" + m.key, m.offset, f.err})
				continue
			}
			if model.Window > 0 {
				models = append(models, model)
			}
		}
	}
	return NewRegistry(models...), problems, nil
}

// modelsOf finds the models of one provider, with their places in the list.
func modelsOf(provider member) ([]member, int64, error) {
	inner, at, err := splitObject(provider.value)
	if err != nil {
		return nil, provider.offset + at, err
	}
	i := slices.IndexFunc(inner, func(m member) bool { return m.key == "models" })
	if i < 0 {
		return nil, provider.offset, errors.New(`want a provider with "models"`)
	}
	start := provider.offset + inner[i].offset
	list, at, err := splitObject(inner[i].value)
	if err != nil {
		return nil, start + at, err
	}
	for i := range list {
		list[i].offset += start
	}
	return list, 0, nil
}

func modelsDevModel(provider, id string, f *entryReader) Model {
	limit, cost, modalities := f.object("limit"), f.object("cost"), f.object("modalities")
	m := Model{
		ID:          id,
		Provider:    canonicalProvider(provider),
		Family:      f.text("family"),
		Name:        f.text("name"),
		Window:      limit.count("context"),
		OutputLimit: limit.count("output"),
		Reasoning:   f.flag("reasoning"),
		Tools:       f.flag("tool_call"),
		Vision:      slices.Contains(modalities.list("input"), any("image")),
		AsOf:        f.text("last_updated"),
		Source:      "models.dev",
	}
	m.InputLimit = firstOf(limit.count("input"), m.Window)
	m.Prices = modelsDevPrices(&cost)
	m.Cliffs = modelsDevCliffs(&cost)
	m.inferFacts()
	f.err = firstError(f.err, limit.err, cost.err)
	if id == "" && f.err == nil {
		f.err = errors.New("want a name")
	}
	return m
}

func modelsDevPrices(cost *entryReader) Prices {
	return statedPrices(
		cost.rate("input", perMillion),
		cost.rate("output", perMillion),
		cost.rate("cache_read", perMillion),
		cost.rate("cache_write", perMillion),
		nil,
	)
}

// modelsDevCliffs reads "tiers" and the older "context_over_200k".
func modelsDevCliffs(cost *entryReader) []Cliff {
	var cliffs []Cliff
	for _, t := range cost.list("tiers") {
		values, _ := t.(map[string]any)
		tier := entryReader{values: values}
		size := tier.object("tier")
		if above := size.count("size"); above > 0 {
			cliffs = append(cliffs, Cliff{above, modelsDevPrices(&tier)})
		}
		cost.err = firstError(cost.err, tier.err, size.err)
	}
	if over := cost.object("context_over_200k"); len(over.values) > 0 {
		cliffs = append(cliffs, Cliff{200_000, modelsDevPrices(&over)})
		cost.err = firstError(cost.err, over.err)
	}
	return orderCliffs(cliffs)
}

func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
