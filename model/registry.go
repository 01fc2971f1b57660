package model

import (
	"bytes"
	"cmp"
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"sync"
)

// Registry is an immutable set of models with their names. The zero value is an
// empty registry. It is safe for concurrent use.
type Registry struct {
	// models is ordered by provider and id.
	models []Model
	// served finds the model that one provider serves under one id.
	served map[servedKey]int
	// ids finds a model by its bare id; where several providers serve the same
	// id, the maker's own entry stands here.
	ids map[string]int
	// aliases finds a model by a further name, plain finds it by a name whose
	// version is written with another punctuation.
	aliases map[string]int
	plain   map[string]int
	// names are all ids and aliases in order, for suggestions.
	names []string
}

type servedKey struct{ provider, id string }

func keyOf(m Model) servedKey {
	return servedKey{canonicalProvider(m.Provider), foldName(m.ID)}
}

// NewRegistry gives a registry of the models; of two with the same provider and
// id the later one wins.
func NewRegistry(models ...Model) *Registry {
	return (&Registry{}).put(models, func(_, later Model) Model { return later.clone() })
}

// Merge gives a registry with the models of both. Where both have an entry,
// every fact that other knows wins and what it does not know stays.
func (r *Registry) Merge(other *Registry) *Registry {
	return r.put(other.models, Model.overlay)
}

func (r *Registry) put(models []Model, combine func(earlier, later Model) Model) *Registry {
	out := slices.Clone(r.models)
	at := make(map[servedKey]int, len(out)+len(models))
	for i, m := range out {
		at[keyOf(m)] = i
	}
	for _, m := range models {
		if m.ID == "" {
			continue
		}
		if m.Provider == "" {
			m.Provider = r.providerOf(m.ID)
		}
		m.Provider = canonicalProvider(m.Provider)
		if i, ok := at[keyOf(m)]; ok {
			out[i] = combine(out[i], m)
			continue
		}
		at[keyOf(m)] = len(out)
		out = append(out, m.clone())
	}
	return index(out)
}

func (r *Registry) providerOf(id string) string {
	if i, ok := r.ids[foldName(id)]; ok {
		return r.models[i].Provider
	}
	return ""
}

// index builds a registry over models, which it takes over.
func index(models []Model) *Registry {
	slices.SortStableFunc(models, func(a, b Model) int {
		return cmp.Or(cmp.Compare(a.Provider, b.Provider), cmp.Compare(a.ID, b.ID))
	})
	r := &Registry{
		models:  models,
		served:  make(map[servedKey]int, len(models)),
		ids:     make(map[string]int, len(models)),
		aliases: make(map[string]int),
		plain:   make(map[string]int, len(models)),
	}
	for i, m := range models {
		r.served[keyOf(m)] = i
		r.claim(r.ids, foldName(m.ID), i)
	}
	for i, m := range models {
		for _, alias := range m.Aliases {
			r.claim(r.aliases, foldName(alias), i)
		}
	}
	for _, names := range []map[string]int{r.aliases, r.ids} {
		for name, i := range names {
			r.claim(r.plain, plainName(name), i)
			r.names = append(r.names, name)
		}
	}
	slices.Sort(r.names)
	r.names = slices.Compact(r.names)
	return r
}

// claim gives name to model i unless a model with a better right has it.
func (r *Registry) claim(names map[string]int, name string, i int) {
	if name == "" {
		return
	}
	held, taken := names[name]
	if !taken || cmp.Or(r.rightTo(name, i)-r.rightTo(name, held), held-i) > 0 {
		names[name] = i
	}
}

// rightTo ranks who may have a bare name: the maker, then local weights, then
// anyone else.
func (r *Registry) rightTo(name string, i int) int {
	provider := r.models[i].Provider
	v, known := vendorOf(name)
	switch {
	case known && v.provider == provider:
		return 2
	case provider == localProvider:
		return 1
	}
	return 0
}

// localProvider is the provider of weights that anyone can run.
const localProvider = "local"

// All gives every model, ordered by provider and id.
func (r *Registry) All() []Model {
	out := make([]Model, len(r.models))
	for i, m := range r.models {
		out[i] = m.clone()
	}
	return out
}

// foldName makes names comparable: ids differ in case from list to list.
func foldName(name string) string {
	return strings.ToLower(strings.TrimSpace(name))
}

// plainName evens out how versions are punctuated ("claude-sonnet-4.5" and
// "claude-sonnet-4-5").
func plainName(name string) string {
	if !strings.ContainsAny(name, "._") {
		return name
	}
	return strings.Map(func(c rune) rune {
		if c == '.' || c == '_' {
			return '-'
		}
		return c
	}, name)
}

//go:generate go run ./internal/genregistry

//go:embed registry.json
var registryJSON []byte

var curated = sync.OnceValue(func() *Registry {
	reg, problems, err := Load(bytes.NewReader(registryJSON))
	if err != nil || len(problems) > 0 {
		panic(fmt.Sprintf("model: embedded registry: %v %v", err, problems))
	}
	return reg
})

// Default is the curated registry that is compiled in, parsed on first use. Each
// entry carries the date of its facts.
func Default() *Registry { return curated() }
