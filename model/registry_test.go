package model_test

import (
	"bytes"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/plimsoll/plimsoll/model"
)

func TestEveryIDIsFoundExactly(t *testing.T) {
	t.Parallel()
	for _, m := range model.Default().All() {
		for _, name := range []string{m.ID, strings.ToUpper(m.ID)} {
			got, err := model.Default().Lookup(name)
			how := model.Default().Match(name)
			if err != nil || how != "exact" || got.ID != m.ID || got.Provider != m.Provider {
				t.Errorf("%s: %s/%s (%s), %v", name, got.Provider, got.ID, how, err)
			}
		}
	}
}

func TestEveryAliasMeansOneModelAndNoAliasIsAnID(t *testing.T) {
	t.Parallel()
	owner := map[string]string{}
	for _, m := range model.Default().All() {
		for _, alias := range m.Aliases {
			if other, taken := owner[alias]; taken {
				t.Errorf("%s is an alias of %s and %s", alias, other, m.ID)
			}
			owner[alias] = m.ID
			got, err := model.Default().Lookup(alias)
			how := model.Default().Match(alias)
			if err != nil || how != "alias" || got.ID != m.ID {
				t.Errorf("%s: %s (%s), want the alias to lead to %s", alias, got.ID, how, m.ID)
			}
		}
	}
}

func TestEveryEntryIsCompleteAndPlausible(t *testing.T) {
	t.Parallel()
	day := regexp.MustCompile(`^20\d\d-\d\d-\d\d$`)
	for _, m := range model.Default().All() {
		switch {
		case m.InputLimit < 1_000 || m.Window < m.InputLimit:
			t.Errorf("%s: input limit %d, window %d", m.ID, m.InputLimit, m.Window)
		case m.OutputLimit < 0 || m.OutputLimit > m.Window:
			t.Errorf("%s: output limit %d, window %d", m.ID, m.OutputLimit, m.Window)
		case m.Name == "" || m.Family == "" || m.Source == "" || !day.MatchString(m.AsOf):
			t.Errorf("%s: name %q, family %q, source %q, as of %q", m.ID, m.Name, m.Family, m.Source, m.AsOf)
		case m.Prices.CacheRead > m.Prices.Input || m.Prices.CacheWriteLong < m.Prices.CacheWrite:
			t.Errorf("%s: prices %+v", m.ID, m.Prices)
		case m.Prices.Input > m.Prices.Output && m.Prices.Output > 0:
			t.Errorf("%s: input is dearer than output: %+v", m.ID, m.Prices)
		}
		for _, c := range m.Cliffs {
			if c.Above >= m.InputLimit || c.Prices.Input < m.Prices.Input || c.Prices.Output < m.Prices.Output {
				t.Errorf("%s: cliff %+v", m.ID, c)
			}
		}
	}
}

// TestFactsThatOthersRelyOn pins figures that the texts, the cost notes or the
// sources state outright.
func TestFactsThatOthersRelyOn(t *testing.T) {
	t.Parallel()
	reg := model.Default()
	for name, want := range map[string]int{
		"gpt-4": 8_192, "gpt-4-32k": 32_768, "gpt-4-turbo": 128_000, "gpt-4o": 128_000, "gpt-3.5-turbo": 16_385, "gpt-4.1": 1_047_576,
		"gpt-5": 272_000, "gpt-5.2": 272_000, "gpt-5.5": 922_000, "o3": 200_000,
		"claude-sonnet-4-5": 200_000, "claude-opus-5": 1_000_000, "gemini-2.5-pro": 1_048_576, "gemini-1.5-pro": 2_097_152, "llama3.1": 131_072,
	} {
		if got, err := limitOf(reg, name); got != want || err != nil {
			t.Errorf("limit of %s: %d (%v), want %d", name, got, err, want)
		}
	}
	for name, want := range map[string]model.Cache{
		"claude-sonnet-4-5": {Mode: model.CacheBreakpoint, MinPrefix: 1024, LifeSeconds: 300, LongLifeSeconds: 3600},
		"claude-haiku-4-5":  {Mode: model.CacheBreakpoint, MinPrefix: 4096, LifeSeconds: 300, LongLifeSeconds: 3600},
		"claude-opus-4-7":   {Mode: model.CacheBreakpoint, MinPrefix: 2048, LifeSeconds: 300, LongLifeSeconds: 3600},
		"claude-opus-5":     {Mode: model.CacheBreakpoint, MinPrefix: 512, LifeSeconds: 300, LongLifeSeconds: 3600},
		"gpt-5.2":           {Mode: model.CacheAutomatic, MinPrefix: 1024, LifeSeconds: 300, LongLifeSeconds: 86400},
		"gpt-5.6":           {Mode: model.CacheBreakpoint, MinPrefix: 1024, LifeSeconds: 1800},
		"gemini-2.5-flash":  {Mode: model.CacheAutomatic, MinPrefix: 1024, LongLifeSeconds: 3600},
		"gemini-2.5-pro":    {Mode: model.CacheAutomatic, MinPrefix: 4096, LongLifeSeconds: 3600},
	} {
		if got := lookup(t, reg, name).Cache; got != want {
			t.Errorf("cache of %s: %+v, want %+v", name, got, want)
		}
	}
}

func TestDatedAndPrefixedVariantsOfEveryModelAreFound(t *testing.T) {
	t.Parallel()
	models := model.Default().All()
	rapid.Check(t, func(t *rapid.T) {
		m := rapid.SampledFrom(models).Draw(t, "model")
		name := rapid.SampledFrom([]string{"", "", "openrouter/", "acme/", "a/b/", "models/", "bedrock/us-east-1/"}).Draw(t, "prefix") +
			m.ID +
			rapid.SampledFrom([]string{"", "-2026-01-15", "-20260115", "@20260115", "-0115", "-01-2026", "-preview-01-15", "-latest", "-001", "-v1:0", ":free", "@default"}).Draw(t, "suffix")
		got, err := model.Default().Lookup(name)
		how := model.Default().Match(name)
		if err != nil || got.ID != m.ID {
			t.Fatalf("%s leads to %q (%s), %v; want %s", name, got.ID, how, err, m.ID)
		}
		if (how == "exact") != strings.EqualFold(name, m.ID) {
			t.Fatalf("%s is found as %s", name, how)
		}
	})
}

func TestAFurtherDigitOrLetterIsAnotherModel(t *testing.T) {
	t.Parallel()
	reg := model.Default()
	known := map[string]bool{}
	for _, m := range reg.All() {
		for _, name := range append(m.Aliases, m.ID) {
			known[strings.NewReplacer(".", "-", "_", "-").Replace(strings.ToLower(name))] = true
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		m := rapid.SampledFrom(reg.All()).Draw(t, "model")
		name := strings.ToLower(m.ID) + rapid.StringMatching(`[0-9a-z]`).Draw(t, "tail")
		if known[strings.NewReplacer(".", "-", "_", "-").Replace(name)] {
			t.Skip("is a model itself")
		}
		if got, err := reg.Lookup(name); err == nil && got.ID == m.ID {
			t.Fatalf("%s leads to %s (%s)", name, got.ID, reg.Match(name))
		}
	})
}

func TestAnyNameIsAnsweredWithoutPanic(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.OneOf(rapid.String(), rapid.StringMatching(`[a-z0-9:/.@*-]{0,40}`)).Draw(t, "name")
		checkName(t, name)
	})
}

// checkName looks a name up in every way and checks what must always hold.
func checkName(t interface{ Fatalf(string, ...any) }, name string) {
	reg := model.Default()
	m, err := reg.Lookup(name)
	how := reg.Match(name)
	if (err == nil) != (how != "none") || (err == nil) != (m.ID != "") {
		t.Fatalf("%q: %q (%s), %v", name, m.ID, how, err)
	}
	if how == "exact" && !strings.EqualFold(strings.TrimSpace(name), m.ID) {
		t.Fatalf("%q is exactly %s", name, m.ID)
	}
	if limit := (&model.Limits{Env: func(string) string { return "" }}).For(name); limit.Tokens <= 0 || (err == nil && limit.Tokens != m.Limit()) {
		t.Fatalf("%q: limit %+v", name, limit)
	}
	for _, variable := range reg.EnvNames(name) {
		if strings.Trim(variable, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") != "" {
			t.Fatalf("%q: variable %q", name, variable)
		}
	}
	model.EncodingFor(name)
	reg.Search(name)
}

func FuzzLookup(f *testing.F) {
	for _, name := range []string{"gpt-4o", "bedrock/us.anthropic.claude-sonnet-4-5-20250929-v1:0", "llama3.1:8b-instruct-q4_K_M", "ft:gpt-4o:a::b", "-2025-01-01", "claude-*"} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) { checkName(t, name) })
}

func FuzzLoad(f *testing.F) {
	for _, list := range []string{
		`{"format": "plimsoll-models/1", "models": [{"id": "m", "provider": "p", "input_limit": 5, "prices": {"input": 1, "output": 2}, "cliffs": [{"above": 3, "prices": {"input": 2, "output": 3}}]}]}`,
		`{"gpt-9": {"litellm_provider": "openai", "mode": "chat", "max_input_tokens": 10, "input_cost_per_token": 1e-6, "input_cost_per_token_above_200k_tokens": 2e-6}}`,
		`{"openai": {"models": {"gpt-9": {"name": "GPT-9", "limit": {"context": 10, "output": 5}, "cost": {"input": 1, "output": 2, "tiers": [{"tier": {"size": 5}, "input": 3, "output": 4}]}}}}}`,
		`{"a": {"mode": "chat", "tiered_pricing": [{"range": [0, 5], "input_cost_per_token": 1e-6}, {"range": [5, 9], "input_cost_per_token": 1e-7}]}}`,
	} {
		f.Add([]byte(list))
	}
	f.Fuzz(func(t *testing.T, list []byte) {
		reg, _, err := model.Load(bytes.NewReader(list))
		if err != nil {
			return
		}
		written := write(t, reg)
		again, problems, err := model.Load(bytes.NewReader(written))
		if err != nil || len(problems) > 0 || len(again.All()) != len(reg.All()) {
			t.Fatalf("written list: %v %v, %d of %d models\n%s", err, problems, len(again.All()), len(reg.All()), written)
		}
		for i, m := range reg.All() {
			if m.ID == "" || m.InputLimit < 0 || m.Window < 0 || again.All()[i].Prices != m.Prices {
				t.Fatalf("%+v", m)
			}
		}
	})
}

func BenchmarkLoadEmbedded(b *testing.B) {
	b.SetBytes(int64(len(model.RegistryJSON)))
	for b.Loop() {
		if _, _, err := model.Load(bytes.NewReader(model.RegistryJSON)); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkLookup(b *testing.B) {
	reg := model.Default()
	for _, name := range []string{"gpt-4o", "bedrock/us.anthropic.claude-sonnet-4-5-20250929-v1:0", "no-such-model"} {
		b.Run(strings.ReplaceAll(name, "/", "_"), func(b *testing.B) {
			for b.Loop() {
				reg.Lookup(name)
			}
		})
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
