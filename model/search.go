package model

import (
	"cmp"
	"slices"
	"strings"
)

// Search finds models for a person who types part of a name. Every word of the
// query must stand somewhere in a model's id, provider, family, name or aliases;
// case and punctuation do not matter. The best fits come first, and among equals
// the higher version. An empty query gives every model; a query that fits none
// gives the models whose names are written alike.
func (r *Registry) Search(query string) []Model {
	words := strings.Fields(searchText(query))
	if len(words) == 0 {
		return r.All()
	}
	type hit struct {
		model Model
		far   int
	}
	var hits []hit
	for _, m := range r.models {
		if far, ok := m.distanceTo(words); ok {
			hits = append(hits, hit{m.clone(), far})
		}
	}
	if len(hits) == 0 {
		return r.alike(query)
	}
	slices.SortStableFunc(hits, func(a, b hit) int {
		return cmp.Or(cmp.Compare(a.far, b.far), cmp.Compare(a.model.Provider, b.model.Provider), -compareNatural(a.model.ID, b.model.ID))
	})
	out := make([]Model, len(hits))
	for i, h := range hits {
		out[i] = h.model
	}
	return out
}

// distanceTo says how well a model fits the words; smaller is better.
func (m Model) distanceTo(words []string) (int, bool) {
	id := searchText(m.ID)
	rest := searchText(strings.Join(append([]string{m.Provider, m.Family, m.Name}, m.Aliases...), "\n"))
	far := 0
	for _, w := range words {
		switch {
		case id == w:
		case strings.HasPrefix(id, w):
			far += 1
		case strings.Contains(id, w):
			far += 2
		case strings.Contains(rest, w):
			far += 3
		default:
			return 0, false
		}
	}
	return far, true
}

func (r *Registry) alike(query string) []Model {
	var out []Model
	for _, name := range r.nearest(foldName(query), 5) {
		m, err := r.Lookup(name)
		if err == nil && !slices.ContainsFunc(out, func(o Model) bool { return o.ID == m.ID }) {
			out = append(out, m)
		}
	}
	return out
}

// searchText evens out case and punctuation, and keeps words apart.
func searchText(s string) string {
	return strings.Map(func(c rune) rune {
		if strings.ContainsRune(".-_:/@", c) {
			return -1
		}
		return c
	}, strings.ToLower(s))
}

// compareNatural orders names so that numbers in them count as numbers.
func compareNatural(a, b string) int {
	for a != "" && b != "" {
		an, bn := digitRun(a), digitRun(b)
		if an > 0 && bn > 0 {
			x, y := strings.TrimLeft(a[:an], "0"), strings.TrimLeft(b[:bn], "0")
			if c := cmp.Or(cmp.Compare(len(x), len(y)), cmp.Compare(x, y)); c != 0 {
				return c
			}
			a, b = a[an:], b[bn:]
			continue
		}
		if a[0] != b[0] {
			return cmp.Compare(a[0], b[0])
		}
		a, b = a[1:], b[1:]
	}
	return cmp.Compare(len(a), len(b))
}

func digitRun(s string) int {
	n := 0
	for n < len(s) && s[n] >= '0' && s[n] <= '9' {
		n++
	}
	return n
}
