package main

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/model"
)

var packageDir = filepath.Join("..", "..")

func TestTheEmbeddedRegistryIsWhatTheListsGive(t *testing.T) {
	t.Parallel()
	l, err := readLists(sharedDir(packageDir))
	if errors.Is(err, fs.ErrNotExist) {
		t.Skipf("NOT RUN: the two lists are not in %s; set PLIMSOLL_SHARED to check that registry.json can be made again", sharedDir(packageDir))
	}
	if err != nil {
		t.Fatal(err)
	}
	reg, _, err := l.curate()
	if err != nil {
		t.Fatal(err)
	}
	var got bytes.Buffer
	if err := write(&got, reg); err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile(filepath.Join(packageDir, "registry.json"))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got.String()); diff != "" {
		t.Errorf("registry.json is out of date: go run ./model/internal/genregistry (-committed +made):\n%s", diff)
	}
}

func TestTheEmbeddedRegistryHasEveryPickAndEveryHandSetFact(t *testing.T) {
	t.Parallel()
	picks, err := parsePicks(curatedText)
	if err != nil {
		t.Fatal(err)
	}
	reg := model.Default()
	if len(reg.All()) != len(picks) {
		t.Errorf("%d models for %d picks", len(reg.All()), len(picks))
	}
	for _, p := range picks {
		m, ok := find(reg, []string{p.provider + "/" + p.id})
		if !ok || !slices.Equal(m.Aliases, p.aliases) {
			t.Errorf("%s/%s: found %v with aliases %v, want %v", p.provider, p.id, ok, m.Aliases, p.aliases)
		}
	}
	hand, _, err := model.Load(bytes.NewReader(handJSON))
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range hand.All() {
		m, ok := find(reg, []string{h.Provider + "/" + h.ID})
		if !ok || (h.InputLimit > 0 && m.InputLimit != h.InputLimit) || (h.Prices.Known && m.Prices != h.Prices) {
			t.Errorf("%s/%s: %+v does not follow hand.json", h.Provider, h.ID, m)
		}
	}
}

func TestPicksAreRead(t *testing.T) {
	t.Parallel()
	got, err := parsePicks("# note\n[p]\na\nb:1 : x y # tail\n\n[q]\nc : z <- p/a r/s/t\n")
	if err != nil {
		t.Fatal(err)
	}
	want := []pick{
		{provider: "p", id: "a", sources: []string{"p/a"}},
		{provider: "p", id: "b:1", aliases: []string{"x", "y"}, sources: []string{"p/b:1"}},
		{provider: "q", id: "c", aliases: []string{"z"}, sources: []string{"p/a", "r/s/t"}},
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(pick{}), cmp.Transformer("empty", func(s []string) []string { return append([]string{}, s...) })); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if _, err := parsePicks("a\n"); err == nil {
		t.Error("a model without a provider is taken")
	}
}

func TestTheMoreCarefulFactWins(t *testing.T) {
	t.Parallel()
	known := func(in, out model.Rate) model.Prices {
		return model.Prices{Known: true, Input: in, Output: out, CacheRead: in, CacheWrite: in, CacheWriteLong: in}
	}
	cliff := []model.Cliff{{Above: 5, Prices: known(9, 9)}}
	for _, tc := range []struct {
		name      string
		lite, dev model.Model
		want      model.Model
	}{
		{
			"input limit and window of one model",
			model.Model{InputLimit: 1050, OutputLimit: 128},
			model.Model{InputLimit: 922, OutputLimit: 128, Window: 1050},
			model.Model{InputLimit: 922, OutputLimit: 128, Window: 1050},
		},
		{
			"an output limit that leaves less for the input",
			model.Model{InputLimit: 272, OutputLimit: 272},
			model.Model{InputLimit: 272, OutputLimit: 272, Window: 400},
			model.Model{InputLimit: 128, OutputLimit: 272, Window: 400},
		},
		{
			"no input limit of its own",
			model.Model{InputLimit: 200, OutputLimit: 64},
			model.Model{InputLimit: 200, OutputLimit: 60, Window: 200},
			model.Model{InputLimit: 200, OutputLimit: 60, Window: 200},
		},
		{
			"different windows",
			model.Model{InputLimit: 128},
			model.Model{InputLimit: 1000, Window: 1000},
			model.Model{InputLimit: 128, Window: 128},
		},
		{
			"equal prices share cliffs",
			model.Model{InputLimit: 10, Prices: known(1, 2)},
			model.Model{InputLimit: 10, Window: 10, Prices: known(1, 2), Cliffs: cliff},
			model.Model{InputLimit: 10, Window: 10, Prices: known(1, 2), Cliffs: cliff},
		},
		{
			"different prices do not",
			model.Model{InputLimit: 10, Prices: known(3, 2)},
			model.Model{InputLimit: 10, Window: 10, Prices: known(1, 2), Cliffs: cliff},
			model.Model{InputLimit: 10, Window: 10, Prices: known(1, 2), Cliffs: cliff},
		},
		{
			"the newer price where neither has cliffs",
			model.Model{InputLimit: 10, Prices: known(3, 2)},
			model.Model{InputLimit: 10, Window: 10, Prices: known(1, 2)},
			model.Model{InputLimit: 10, Window: 10, Prices: known(3, 2)},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			got, _ := combine(tc.lite, true, tc.dev, true)
			tc.want.AsOf, tc.want.Source = got.AsOf, got.Source
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}
