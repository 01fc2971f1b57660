package model_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/model"
)

func loadTestdata(t *testing.T, file string) (*model.Registry, []error) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", file))
	if err != nil {
		t.Fatal(err)
	}
	reg, problems, err := model.Load(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return reg, problems
}

func lookup(t *testing.T, reg *model.Registry, name string) model.Model {
	t.Helper()
	m, err := reg.Lookup(name)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestC03_ReadsLiteLLMsNativeFormat(t *testing.T) {
	t.Parallel()
	reg, problems := loadTestdata(t, "litellm.json")
	want := []model.Model{
		{
			ID: "gpt-99", Provider: "openai", InputLimit: 400_000, OutputLimit: 32_000,
			Prices: model.Prices{Known: true, Input: 2_000_000, Output: 8_000_000, CacheRead: 200_000, CacheWrite: 2_000_000, CacheWriteLong: 2_000_000},
			Cliffs: []model.Cliff{{Above: 272_000, Prices: model.Prices{Known: true, Input: 4_000_000, Output: 12_000_000, CacheRead: 400_000, CacheWrite: 4_000_000, CacheWriteLong: 4_000_000}}},
			Cache:  model.Cache{Mode: model.CacheAutomatic, MinPrefix: 1024, LifeSeconds: 300},
			Tools:  true, Vision: true, Source: "LiteLLM",
		},
		{
			ID: "claude-test-9", Provider: "anthropic", InputLimit: 1_000_000, OutputLimit: 64_000,
			Prices:    model.Prices{Known: true, Input: 3_000_000, Output: 15_000_000, CacheRead: 300_000, CacheWrite: 3_750_000, CacheWriteLong: 6_000_000},
			Cache:     model.Cache{Mode: model.CacheBreakpoint, MinPrefix: 512, LifeSeconds: 300, LongLifeSeconds: 3600},
			Tokenizer: model.Tokenizer{Name: "claude"}, Reasoning: true, Source: "LiteLLM",
		},
		{
			ID: "qwen-tiered", Provider: "alibaba", InputLimit: 30_720,
			Prices:    model.Prices{Known: true, Input: 1_000_000, Output: 5_000_000, CacheRead: 1_000_000, CacheWrite: 1_000_000, CacheWriteLong: 1_000_000},
			Cliffs:    []model.Cliff{{Above: 32_000, Prices: model.Prices{Known: true, Input: 2_000_000, Output: 6_000_000, CacheRead: 2_000_000, CacheWrite: 2_000_000, CacheWriteLong: 2_000_000}}},
			Tokenizer: model.Tokenizer{Name: "qwen3"}, Source: "LiteLLM",
		},
		{ID: "gpt-99", Provider: "azure", InputLimit: 128_000, Source: "LiteLLM"},
		{ID: "gpt-free", Provider: "openai", Prices: model.Prices{Known: true}, Source: "LiteLLM"},
	}
	for _, w := range want {
		if diff := cmp.Diff(w, lookup(t, reg, w.Provider+"/"+w.ID)); diff != "" {
			t.Errorf("%s/%s (-want +got):\n%s", w.Provider, w.ID, diff)
		}
	}
	if len(reg.All()) != len(want) {
		t.Errorf("got %d models, want %d", len(reg.All()), len(want))
	}
	wantProblems(t, "litellm.json", problems, "bad-limit", "bad-price", "bad-entry")
}

func TestC03_ReadsModelsDevsNativeFormat(t *testing.T) {
	t.Parallel()
	reg, problems := loadTestdata(t, "modelsdev.json")
	want := []model.Model{
		{
			ID: "gpt-99", Provider: "openai", Family: "gpt", Name: "GPT-99", InputLimit: 272_000, OutputLimit: 128_000, Window: 400_000,
			Prices: model.Prices{Known: true, Input: 2_000_000, Output: 8_000_000, CacheRead: 200_000, CacheWrite: 2_000_000, CacheWriteLong: 2_000_000},
			Cliffs: []model.Cliff{{Above: 200_000, Prices: model.Prices{Known: true, Input: 4_000_000, Output: 12_000_000, CacheRead: 400_000, CacheWrite: 4_000_000, CacheWriteLong: 4_000_000}}},
			Cache:  model.Cache{Mode: model.CacheAutomatic, MinPrefix: 1024, LifeSeconds: 300},
			Tools:  true, Vision: true, Reasoning: true, AsOf: "2026-05-01", Source: "models.dev",
		},
		{
			ID: "old-tiers", Provider: "openai", Name: "Old", InputLimit: 1_000_000, OutputLimit: 8192, Window: 1_000_000,
			Prices: model.Prices{Known: true, Input: 1_000_000, Output: 2_000_000, CacheRead: 1_000_000, CacheWrite: 1_000_000, CacheWriteLong: 1_000_000},
			Cliffs: []model.Cliff{{Above: 200_000, Prices: model.Prices{Known: true, Input: 3_000_000, Output: 4_000_000, CacheRead: 3_000_000, CacheWrite: 3_000_000, CacheWriteLong: 3_000_000}}},
			Source: "models.dev",
		},
		{ID: "gpt-99", Provider: "someone", Name: "GPT-99 resold", InputLimit: 64_000, OutputLimit: 8_000, Window: 64_000, Source: "models.dev"},
	}
	for _, w := range want {
		if diff := cmp.Diff(w, lookup(t, reg, w.Provider+"/"+w.ID)); diff != "" {
			t.Errorf("%s/%s (-want +got):\n%s", w.Provider, w.ID, diff)
		}
	}
	if len(reg.All()) != len(want) {
		t.Errorf("got %d models, want %d", len(reg.All()), len(want))
	}
	wantProblems(t, "modelsdev.json", problems, "openai/bad-limit", "openai/bad-entry", "broken")
}

// wantProblems checks the keys of the problems and that each offset points at
// the entry's value.
func wantProblems(t *testing.T, file string, problems []error, keys ...string) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", file))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, err := range problems {
		var p *model.Problem
		if !errors.As(err, &p) {
			t.Fatalf("got %T, want a Problem", err)
		}
		got = append(got, p.Key)
		key := p.Key[strings.LastIndexByte(p.Key, '/')+1:]
		if before := strings.TrimSpace(string(data[:p.Offset])); !strings.HasSuffix(before, `"`+key+`":`) {
			t.Errorf("offset %d of %s does not point at its value", p.Offset, p.Key)
		}
	}
	if diff := cmp.Diff(keys, got); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
}

func limitOf(r *model.Registry, name string) (int, error) {
	m, err := r.Lookup(name)
	return m.Limit(), err
}

func TestC03_EnrichmentMakesUnknownModelsKnown(t *testing.T) {
	t.Parallel()
	if _, err := limitOf(model.Default(), "gpt-99"); err == nil {
		t.Fatal("gpt-99 is known before it was loaded")
	}
	extra, _ := loadTestdata(t, "litellm.json")
	reg := model.Default().Merge(extra)
	if got, err := limitOf(reg, "gpt-99-2026-11-01"); got != 400_000 || err != nil {
		t.Errorf("limit = %d, %v; want 400000", got, err)
	}
	if got, err := limitOf(reg, "azure/gpt-99"); got != 128_000 || err != nil {
		t.Errorf("limit at azure = %d, %v; want 128000", got, err)
	}
	if got, err := limitOf(reg, "gpt-free"); got != 0 || err != nil {
		t.Errorf("limit of a known model without one = %d, %v", got, err)
	}
	if _, err := limitOf(model.Default(), "gpt-99"); err == nil {
		t.Error("merging changed the default registry")
	}
}

func TestMergeLaterFactsWinAndUnknownFactsStay(t *testing.T) {
	t.Parallel()
	base := model.NewRegistry(model.Model{
		ID: "m", Provider: "openai", Name: "M", InputLimit: 900, OutputLimit: 100, Window: 1000,
		Prices: model.Prices{Known: true, Input: 5}, Tokenizer: model.Tokenizer{Name: "o200k_base", Exact: true},
		Cache: model.Cache{Mode: model.CacheAutomatic, MinPrefix: 1024}, Aliases: []string{"em"},
	})
	for _, tc := range []struct {
		name  string
		later model.Model
		want  func(*model.Model)
	}{
		{"a lower limit wins", model.Model{InputLimit: 500}, func(m *model.Model) { m.InputLimit = 500 }},
		{"a higher limit wins and lifts the window", model.Model{InputLimit: 2000}, func(m *model.Model) { m.InputLimit, m.Window = 2000, 2000 }},
		{"the window given as input limit does not lift the limit", model.Model{InputLimit: 1000}, func(*model.Model) {}},
		{"nor does it when the window is given too", model.Model{InputLimit: 1000, Window: 1000}, func(*model.Model) {}},
		{"prices and cliffs go together", model.Model{Prices: model.Prices{Known: true, Input: 7}}, func(m *model.Model) { m.Prices = model.Prices{Known: true, Input: 7} }},
		{"aliases add up", model.Model{Aliases: []string{"em", "emm"}}, func(m *model.Model) { m.Aliases = []string{"em", "emm"} }},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			tc.later.ID, tc.later.Provider = "m", "openai"
			want := lookup(t, base, "m")
			tc.want(&want)
			got := lookup(t, base.Merge(model.NewRegistry(tc.later)), "m")
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestTheMakersEntryStandsForABareID(t *testing.T) {
	t.Parallel()
	reg := model.NewRegistry(
		model.Model{ID: "gpt-99", Provider: "aaa", InputLimit: 1},
		model.Model{ID: "gpt-99", Provider: "openai", InputLimit: 2},
		model.Model{ID: "gpt-99", Provider: "zzz", InputLimit: 3},
		model.Model{ID: "openai/gpt-99", Provider: "router", InputLimit: 4},
	)
	for name, want := range map[string]int{
		"gpt-99": 2, "openai/gpt-99": 2, "aaa/gpt-99": 1, "zzz/gpt-99": 3, "nobody/gpt-99": 2, "router/openai/gpt-99": 4,
	} {
		if got := lookup(t, reg, name).InputLimit; got != want {
			t.Errorf("%s has limit %d, want %d", name, got, want)
		}
	}
}

func TestMergeCorrectsTheEntryABareIDStandsFor(t *testing.T) {
	t.Parallel()
	reg := model.Default().Merge(model.NewRegistry(model.Model{ID: "gpt-4o", InputLimit: 7}))
	got := lookup(t, reg, "openai/gpt-4o")
	if got.InputLimit != 7 || got.Provider != "openai" || len(reg.All()) != len(model.Default().All()) {
		t.Errorf("got %s/%s with limit %d among %d models", got.Provider, got.ID, got.InputLimit, len(reg.All()))
	}
}

func TestListsThatCannotBeReadSayWhereAndWhy(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, list, want string
	}{
		{"an empty list", "", "want a JSON object"},
		{"an array", "[]", "want a JSON object"},
		{"an object of something else", `{"a": {"b": 1}}`, "not recognised"},
		{"an empty object", `{}`, "not recognised"},
		{"a list that is cut off", `{"gpt-9": {"mode": "chat"}, "gpt-10": {"mo`, `value of "gpt-10"`},
		{"more behind the list", `{"gpt-9": {"mode": "chat"}} x`, "at byte 27"},
		{"a later version of our own format", `{"format": "plimsoll-models/9", "models": []}`, `want version "plimsoll-models/1"`},
		{"models that are no array", `{"format": "plimsoll-models/1", "models": {}}`, "want an array"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			_, _, err := model.Load(strings.NewReader(tc.list))
			var format *model.FormatError
			if !errors.As(err, &format) || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %v, want a FormatError with %q", err, tc.want)
			}
		})
	}
}

func TestTooLargeListsAreRefused(t *testing.T) {
	t.Parallel()
	_, _, err := model.Load(&spaces{left: model.MaxListBytes + 100})
	if !errors.Is(err, model.ErrTooLarge) {
		t.Errorf("got %v, want ErrTooLarge", err)
	}
}

// spaces is a reader of blanks.
type spaces struct{ left int }

func (s *spaces) Read(p []byte) (int, error) {
	if s.left <= 0 {
		return 0, errors.New("read past the limit")
	}
	n := min(len(p), s.left)
	for i := range n {
		p[i] = ' '
	}
	s.left -= n
	return n, nil
}

func TestWrittenRegistriesReadBackTheSame(t *testing.T) {
	t.Parallel()
	reg, problems, err := model.Load(bytes.NewReader(write(t, model.Default())))
	if err != nil || len(problems) > 0 {
		t.Fatal(err, problems)
	}
	if diff := cmp.Diff(model.Default().All(), reg.All()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// write returns a registry in this package's own format.
func write(t interface{ Fatal(...any) }, r *model.Registry) []byte {
	data, err := json.Marshal(map[string]any{"about": "a \"test\"", "format": "plimsoll-models/1", "models": r.All()})
	if err != nil {
		t.Fatal(err)
	}
	return data
}
