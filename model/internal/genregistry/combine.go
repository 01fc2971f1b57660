package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/plimsoll/plimsoll/model"
)

// facts combines what the lists and the hand-set facts say about one pick.
func (l *lists) facts(p pick) (model.Model, []string, error) {
	lite, inLite := find(l.liteLLM, p.sources)
	dev, inDev := find(l.modelsDev, p.sources)
	hand, inHand := find(l.hand, []string{p.provider + "/" + p.id})
	if !inLite && !inDev && !inHand {
		return model.Model{}, nil, fmt.Errorf("%s/%s: no list and no hand-set facts", p.provider, p.id)
	}
	m, remarks := combine(lite, inLite, dev, inDev)
	m.ID, m.Provider = p.id, p.provider
	if inHand {
		m = overlay(m, hand)
	}
	m.Aliases = p.aliases
	m.Name = cmp.Or(strings.TrimSpace(strings.TrimSuffix(m.Name, "(latest)")), m.ID)
	m.Family = cmp.Or(m.Family, familyOf(m.ID))
	m.Cliffs = slices.DeleteFunc(m.Cliffs, func(c model.Cliff) bool { return c.Above >= m.Limit() || c.Prices == m.Prices })
	if m.Limit() == 0 {
		return m, nil, fmt.Errorf("%s/%s: no limit known", p.provider, p.id)
	}
	for i, r := range remarks {
		remarks[i] = fmt.Sprintf("%s/%s: %s", p.provider, p.id, r)
	}
	return m, remarks, nil
}

// find gives the first of the sources that a list has, taken literally.
func find(reg *model.Registry, sources []string) (model.Model, bool) {
	for _, s := range sources {
		provider, id, _ := strings.Cut(s, "/")
		m, err := reg.Lookup(s)
		if err == nil && m.Provider == provider && strings.EqualFold(m.ID, id) {
			return m, true
		}
	}
	return model.Model{}, false
}

// combine takes the smaller limits, and the prices of LiteLLM, whose facts are
// newer and know writes with a long life.
func combine(lite model.Model, inLite bool, dev model.Model, inDev bool) (model.Model, []string) {
	switch {
	case !inLite && !inDev:
		return model.Model{}, nil
	case !inLite:
		dev.AsOf = modelsDevDay
		return dev, nil
	case !inDev:
		lite.AsOf = liteLLMDay
		lite.Window = max(lite.Window, lite.InputLimit)
		return lite, nil
	}
	m := dev
	if dev.InputLimit < dev.Window {
		// The list states an input limit of its own, so the provider keeps the
		// room for the answer apart.
		m.InputLimit = smaller(dev.InputLimit, dev.Window-dev.OutputLimit)
	}
	if lite.InputLimit > 0 && lite.InputLimit < m.InputLimit/10*9 {
		// So far apart they do not mean input and window of one model but
		// different windows.
		m.Window = lite.InputLimit
	}
	m.InputLimit = smaller(lite.InputLimit, m.InputLimit)
	m.OutputLimit = smaller(lite.OutputLimit, dev.OutputLimit)
	m.Cache = lite.Cache
	if m.Cache == (model.Cache{}) {
		m.Cache = dev.Cache
	}
	m.Reasoning, m.Tools, m.Vision = lite.Reasoning || dev.Reasoning, lite.Tools || dev.Tools, lite.Vision || dev.Vision
	m.AsOf, m.Source = liteLLMDay, "LiteLLM, models.dev"
	var remarks []string
	m.Prices, m.Cliffs, remarks = prices(lite, dev)
	return m, remarks
}

// prices chooses between two price lists and remarks on what they disagree about.
// Cliffs are never taken from one list and base prices from the other unless the
// base prices agree.
func prices(lite, dev model.Model) (model.Prices, []model.Cliff, []string) {
	switch {
	case !lite.Prices.Known:
		return dev.Prices, dev.Cliffs, nil
	case !dev.Prices.Known:
		return lite.Prices, lite.Cliffs, nil
	case lite.Prices.Input != dev.Prices.Input || lite.Prices.Output != dev.Prices.Output:
		remark := fmt.Sprintf("price in/out %v/%v (LiteLLM) and %v/%v (models.dev)",
			lite.Prices.Input.PerMillion(), lite.Prices.Output.PerMillion(), dev.Prices.Input.PerMillion(), dev.Prices.Output.PerMillion())
		if len(lite.Cliffs) == 0 && len(dev.Cliffs) > 0 {
			return dev.Prices, dev.Cliffs, []string{remark + ": models.dev taken, it knows the cliffs"}
		}
		return lite.Prices, lite.Cliffs, []string{remark + ": LiteLLM taken"}
	}
	p, cliffs := lite.Prices, lite.Cliffs
	if p.CacheRead == p.Input && p.CacheWrite == p.Input {
		p = dev.Prices
	}
	if len(cliffs) == 0 {
		cliffs = dev.Cliffs
	}
	return p, cliffs, nil
}

func smaller(a, b int) int {
	if a == 0 || (b != 0 && b < a) {
		return b
	}
	return a
}

// overlay lays hand-set facts over those of the lists.
func overlay(m, hand model.Model) model.Model {
	if m.ID == "" || m.Source == "" {
		return hand
	}
	reg := model.NewRegistry(m).Merge(model.NewRegistry(hand))
	return reg.All()[0]
}

// familyOf is the part of an id before its version.
func familyOf(id string) string {
	family, _, _ := strings.Cut(strings.ToLower(id), "-")
	return family
}
