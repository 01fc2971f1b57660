package model

import (
	"fmt"
	"strings"

	"github.com/plimsoll/plimsoll"
)

// match says how a name led to a model. Later values are weaker.
type match int

const (
	// matchNone means that nothing was found.
	matchNone match = iota
	// matchExact means that the name is the model's id.
	matchExact
	// matchAlias means that the name is another name of the model.
	matchAlias
	// matchPrefix means that the name carried a provider or gateway.
	matchPrefix
	// matchDated means that a date, version or channel was taken off the name.
	matchDated
	// matchFamily means that the name is a size or quantisation of open weights
	// of which only the family is known.
	matchFamily
)

// maxName is longer than any model name; what is longer is not looked at.
const maxName = 256

// Lookup finds the model a name stands for. It tries the id, the aliases, the
// name without provider prefixes, and each of these without dates, versions and
// channels. A name is only ever shortened at such a boundary and then compared
// whole, so "gpt-4" never answers for "gpt-4.1". A name that says its provider
// ("azure/gpt-4o") prefers that provider's entry. The error is always a
// [plimsoll.ErrUnknownModel]; [Registry.Nearest] has names that are written alike.
func (r *Registry) Lookup(name string) (Model, error) {
	if i, how := r.find(foldName(name)); how != matchNone {
		return r.models[i].clone(), nil
	}
	return Model{}, &plimsoll.Error{Op: fmt.Sprintf("model %q", clip(name)), Hint: unknownHint, Err: plimsoll.ErrUnknownModel}
}

// Match says in a word how [Registry.Lookup] finds a name: "exact", "alias", "prefix", "dated"
// or "family"; "none" if it does not.
func (r *Registry) Match(name string) string {
	_, how := r.find(foldName(name))
	return [...]string{"none", "exact", "alias", "prefix", "dated", "family"}[how]
}

// Cheaper returns the cheapest model of the same provider whose window is no smaller and
// whose prompts and answers cost less; false if there is none, or if the prices of the
// named model are unknown.
func (r *Registry) Cheaper(name string) (Model, bool) {
	own, err := r.Lookup(name)
	if err != nil || !own.Prices.Known {
		return Model{}, false
	}
	best := own
	for _, m := range r.models {
		p := m.Prices
		if m.Provider != own.Provider || !p.Known || p.Input == 0 || !m.Tools || m.Window < own.Window || p.Output >= own.Prices.Output {
			continue
		}
		if p.Input < best.Prices.Input || p.Input == best.Prices.Input && p.Output < best.Prices.Output {
			best = m
		}
	}
	return best.clone(), best.ID != own.ID
}

func (r *Registry) find(key string) (int, match) {
	if key == "" || len(key) > maxName {
		return 0, matchNone
	}
	for n, form := range withoutPrefixes(key) {
		floor := matchExact
		if n > 0 {
			floor = matchPrefix
		}
		if i, how := r.findForm(form); how != matchNone {
			return i, max(how, floor)
		}
	}
	return 0, matchNone
}

// findForm looks for the name and for what is left of it when suffixes are taken
// off one by one.
func (r *Registry) findForm(form string) (int, match) {
	if i, how := r.direct(form); how != matchNone {
		return i, how
	}
	for _, s := range withoutSuffixes(form) {
		i, how := r.direct(s.name)
		if how == matchNone || weightsOf(r.models[i].Provider) < s.weights {
			continue
		}
		return i, max(how, s.how)
	}
	return 0, matchNone
}

// direct compares the whole name, without taking anything off it.
func (r *Registry) direct(name string) (int, match) {
	if provider, rest, ok := strings.Cut(name, "/"); ok {
		if i, ok := r.served[servedKey{canonicalProvider(provider), foldName(rest)}]; ok {
			return i, matchPrefix
		}
	}
	if i, ok := r.ids[name]; ok {
		return i, matchExact
	}
	if i, ok := r.aliases[name]; ok {
		return i, matchAlias
	}
	if i, ok := r.plain[plainName(name)]; ok {
		return i, matchAlias
	}
	return 0, matchNone
}

// Resolve gives the id a name stands for, or the name itself when it is unknown.
func (r *Registry) Resolve(name string) string {
	if i, how := r.find(foldName(name)); how != matchNone {
		return r.models[i].ID
	}
	return name
}
