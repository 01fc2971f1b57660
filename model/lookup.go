package model

import (
	"errors"
	"fmt"
	"strings"
)

// Match says how a name led to a model. Later values are weaker.
type Match int

const (
	// matchNone means that nothing was found.
	matchNone Match = iota
	// MatchExact means that the name is the model's id.
	MatchExact
	// matchAlias means that the name is another name of the model.
	matchAlias
	// matchPrefix means that the name carried a provider or gateway.
	matchPrefix
	// matchDated means that a date, version or channel was taken off the name.
	matchDated
	// matchFamily means that the name is a size or quantisation of open weights
	// of which only the family is known.
	matchFamily
	// matchDefault means that no model was found and a default stands in.
	matchDefault
)

var matchNames = [...]string{"none", "exact", "alias", "prefix", "dated", "family", "default"}

// String gives the word used in output.
func (m Match) String() string {
	if m < 0 || int(m) >= len(matchNames) {
		return "none"
	}
	return matchNames[m]
}

// maxName is longer than any model name; what is longer is not looked at.
const maxName = 256

// Lookup finds the model a name stands for. It tries the id, the aliases, the
// name without provider prefixes, and each of these without dates, versions and
// channels. A name is only ever shortened at such a boundary and then compared
// whole, so "gpt-4" never answers for "gpt-4.1". A name that says its provider
// ("azure/gpt-4o") prefers that provider's entry. The error is always an
// [*UnknownModelError].
func (r *Registry) Lookup(name string) (Model, Match, error) {
	if i, how := r.find(foldName(name)); how != matchNone {
		return r.models[i].clone(), how, nil
	}
	return Model{}, matchNone, r.unknown(name)
}

func (r *Registry) find(key string) (int, Match) {
	if key == "" || len(key) > maxName {
		return 0, matchNone
	}
	for n, form := range withoutPrefixes(key) {
		floor := MatchExact
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
func (r *Registry) findForm(form string) (int, Match) {
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
func (r *Registry) direct(name string) (int, Match) {
	if provider, rest, ok := strings.Cut(name, "/"); ok {
		if i, ok := r.served[servedKey{canonicalProvider(provider), foldName(rest)}]; ok {
			return i, matchPrefix
		}
	}
	if i, ok := r.ids[name]; ok {
		return i, MatchExact
	}
	if i, ok := r.aliases[name]; ok {
		return i, matchAlias
	}
	if i, ok := r.plain[plainName(name)]; ok {
		return i, matchAlias
	}
	return 0, matchNone
}

// ErrNoLimit says that a model is known but its limit is not.
var ErrNoLimit = errors.New("no limit is known")

// Limit gives the number of prompt tokens a model takes, strictly: a name that is
// not known, or whose limit is not, is an error and never a guess.
func (r *Registry) Limit(name string) (int, error) {
	m, _, err := r.Lookup(name)
	if err != nil {
		return 0, err
	}
	if m.Limit() == 0 {
		return 0, fmt.Errorf("model %s: %w: %s", m.ID, ErrNoLimit, unknownHint)
	}
	return m.Limit(), nil
}

// Resolve gives the id a name stands for, or the name itself when it is unknown.
func (r *Registry) Resolve(name string) string {
	if i, how := r.find(foldName(name)); how != matchNone {
		return r.models[i].ID
	}
	return name
}
