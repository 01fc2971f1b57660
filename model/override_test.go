package model_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/model"
)

func TestOverrideCorrectsWhatItNames(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name     string
		override model.Override
		lookup   string
		want     func(*model.Model)
		adds     int
	}{
		{"an id", model.Override{Model: "gpt-4o", InputLimit: 64_000}, "gpt-4o", func(m *model.Model) { m.InputLimit = 64_000 }, 0},
		{"an id of a provider", model.Override{Model: "openai/gpt-4o", OutputLimit: 9}, "gpt-4o", func(m *model.Model) { m.OutputLimit = 9 }, 0},
		{"an alias", model.Override{Model: "gpt-35-turbo", InputLimit: 5}, "gpt-3.5-turbo", func(m *model.Model) { m.InputLimit = 5 }, 0},
		{"a limit above the window lifts it", model.Override{Model: "gpt-4", InputLimit: 10_000}, "gpt-4", func(m *model.Model) { m.InputLimit, m.Window = 10_000, 10_000 }, 0},
		{"a smaller window bounds the limit", model.Override{Model: "gpt-4", Window: 4_000}, "gpt-4", func(m *model.Model) { m.InputLimit, m.Window = 4_000, 4_000 }, 0},
		{"prices take the cliffs with them", model.Override{Model: "gemini-2.5-pro", Prices: model.Prices{Known: true, Input: 1}}, "gemini-2.5-pro", func(m *model.Model) { m.Prices, m.Cliffs = model.Prices{Known: true, Input: 1}, nil }, 0},
		{"single cache terms", model.Override{Model: "gpt-4o", Cache: model.Cache{LifeSeconds: 60}}, "gpt-4o", func(m *model.Model) { m.Cache.LifeSeconds = 60 }, 0},
		{"another tokenizer and name", model.Override{Model: "gpt-4o", Tokenizer: model.Tokenizer{Name: "x"}, Aliases: []string{"my-model"}}, "my-model", func(m *model.Model) { m.Tokenizer, m.Aliases = model.Tokenizer{Name: "x"}, []string{"my-model"} }, 0},
		{"a pattern", model.Override{Model: "gpt-4o*", InputLimit: 7}, "gpt-4o-mini", func(m *model.Model) { m.InputLimit = 7 }, 0},
		{"a pattern over a provider", model.Override{Model: "anthropic/*", InputLimit: 8}, "claude-opus-5", func(m *model.Model) { m.InputLimit = 8 }, 0},
		{"a dated name becomes a model of its own", model.Override{Model: "gpt-5.2-2025-12-11", InputLimit: 9}, "gpt-5.2-2025-12-11", func(m *model.Model) { m.ID, m.InputLimit = "gpt-5.2-2025-12-11", 9 }, 1},
		{"so does a name at another provider", model.Override{Model: "azure/gpt-4o", InputLimit: 10}, "azure/gpt-4o", func(m *model.Model) { m.Provider, m.InputLimit = "azure", 10 }, 1},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			want := lookup(t, model.Default(), strings.Replace(tc.lookup, "my-model", "gpt-4o", 1))
			tc.want(&want)
			reg, problems := model.Default().Override(tc.override)
			if len(problems) > 0 {
				t.Fatal(problems)
			}
			if diff := cmp.Diff(want, lookup(t, reg, tc.lookup)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if reg.Len() != model.Default().Len()+tc.adds {
				t.Errorf("got %d models, want %d more than before", reg.Len(), tc.adds)
			}
		})
	}
}

func TestOverrideOfADatedNameLeavesTheOthersAlone(t *testing.T) {
	t.Parallel()
	reg, _ := model.Default().Override(model.Override{Model: "gpt-5.2-2025-12-11", InputLimit: 9}, model.Override{Model: "azure/gpt-4o", InputLimit: 10})
	for name, want := range map[string]int{"gpt-5.2": 272_000, "gpt-5.2-2026-01-01": 272_000, "gpt-4o": 128_000, "openai/gpt-4o": 128_000} {
		if got := lookup(t, reg, name).InputLimit; got != want {
			t.Errorf("%s: %d, want %d", name, got, want)
		}
	}
}

func TestOverrideAddsAModelNobodyKnows(t *testing.T) {
	t.Parallel()
	reg, problems := model.Default().Override(model.Override{Model: "acme/zorp-9", InputLimit: 32_768, Aliases: []string{"zorp"}})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	want := model.Model{ID: "zorp-9", Provider: "acme", InputLimit: 32_768, Window: 32_768, Aliases: []string{"zorp"}, Source: "configuration"}
	for _, name := range []string{"zorp-9", "acme/zorp-9", "zorp", "zorp-9-2026-01-01"} {
		if diff := cmp.Diff(want, lookup(t, reg, name)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestOverridesThatCannotBeAreReportedAndLeftOut(t *testing.T) {
	t.Parallel()
	reg, problems := model.Default().Override(
		model.Override{Model: "", InputLimit: 1},
		model.Override{Model: "gpt-4o", InputLimit: -1},
		model.Override{Model: "zorp-*", InputLimit: 1},
		model.Override{Model: "gpt-4o", Cliffs: []model.Cliff{{Above: 2}, {Above: 1}}},
		model.Override{Model: "gpt-4o", OutputLimit: 5},
	)
	if len(problems) != 4 {
		t.Errorf("got %v, want four problems", problems)
	}
	m := lookup(t, reg, "gpt-4o")
	if m.OutputLimit != 5 || m.InputLimit != 128_000 || m.Cliffs != nil {
		t.Errorf("got %+v", m)
	}
}

func TestRegistriesCannotBeChangedThroughWhatTheyGive(t *testing.T) {
	t.Parallel()
	given := model.Model{ID: "m", Provider: "p", Aliases: []string{"a"}, Cliffs: []model.Cliff{{Above: 1}}}
	reg := model.NewRegistry(given)
	given.Aliases[0], given.Cliffs[0].Above = "x", 9
	got := lookup(t, reg, "m")
	got.Aliases[0], got.Cliffs[0].Above = "x", 9
	reg.All()[0].Aliases[0] = "x"
	reg.Search("m")[0].Aliases[0] = "x"
	want := model.Model{ID: "m", Provider: "p", Aliases: []string{"a"}, Cliffs: []model.Cliff{{Above: 1}}}
	if diff := cmp.Diff(want, lookup(t, reg, "a")); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
