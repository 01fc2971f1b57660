package model_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/model"
)

func ids(models []model.Model) []string {
	var out []string
	for _, m := range models {
		out = append(out, m.ID)
	}
	return out
}

func TestSearchFindsModelsByPartsOfTheirNames(t *testing.T) {
	t.Parallel()
	reg := model.NewRegistry(
		model.Model{ID: "gpt-4o", Provider: "openai", Name: "GPT-4o"},
		model.Model{ID: "gpt-4o-mini", Provider: "openai", Name: "GPT-4o mini"},
		model.Model{ID: "gpt-4.1", Provider: "openai", Name: "GPT-4.1"},
		model.Model{ID: "gpt-10", Provider: "openai", Name: "GPT-10"},
		model.Model{ID: "claude-sonnet-4-5", Provider: "anthropic", Name: "Claude Sonnet 4.5"},
		model.Model{ID: "claude-opus-4-5", Provider: "anthropic", Name: "Claude Opus 4.5", Aliases: []string{"big-one"}},
		model.Model{ID: "qwen3", Provider: "local", Family: "qwen3"},
	)
	for _, tc := range []struct {
		name, query string
		want        []string
	}{
		{"an exact id comes first", "gpt-4o", []string{"gpt-4o", "gpt-4o-mini"}},
		{"the higher version comes first", "gpt", []string{"gpt-10", "gpt-4o-mini", "gpt-4o", "gpt-4.1"}},
		{"case and punctuation do not matter", "GPT 4.1", []string{"gpt-4.1"}},
		{"words in any order", "4.5 sonnet", []string{"claude-sonnet-4-5"}},
		{"by provider", "anthropic", []string{"claude-sonnet-4-5", "claude-opus-4-5"}},
		{"by provider and id", "openai mini", []string{"gpt-4o-mini"}},
		{"by alias", "big", []string{"claude-opus-4-5"}},
		{"a typing error finds what is written alike", "cluade-sonet-4-5", []string{"claude-sonnet-4-5"}},
		{"nothing like it", "zzzzzzzzzzzz", nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tc.want, ids(reg.Search(tc.query))); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestSearchWithoutAQueryGivesEverything(t *testing.T) {
	t.Parallel()
	reg := model.Default()
	if diff := cmp.Diff(reg.All(), reg.Search("  ")); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestSearchFindsEveryModelByItsID(t *testing.T) {
	t.Parallel()
	for _, id := range ids(model.Default().All()) {
		if got := ids(model.Default().Search(id)); len(got) == 0 || got[0] != id {
			t.Errorf("%s is not the first of %v", id, got)
		}
	}
}

func TestAllIsOrderedByProviderAndID(t *testing.T) {
	t.Parallel()
	all := model.Default().All()
	if !slices.IsSortedFunc(all, func(a, b model.Model) int {
		return slices.Compare([]string{a.Provider, a.ID}, []string{b.Provider, b.ID})
	}) {
		t.Error("not in order")
	}
}
