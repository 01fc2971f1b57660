package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

func TestOnlySaysWhichPartsRun(t *testing.T) {
	t.Parallel()
	for only, want := range map[string][3]bool{
		"proxy": {}, "proxy,proxy-leak": {}, "gpt,proxy": {true, false, false},
		"": {true, true, true}, "fit": {false, true, false}, "store": {false, false, true}, "store,fit": {false, true, true},
		"gpt,bpe": {true, false, false}, "gpt,fit": {true, true, false}, "fitting": {true, false, false},
	} {
		o := options{only: only}
		if got := [3]bool{o.wantsTokenizers(), o.wantsFit(), o.wantsStore()}; got != want {
			t.Errorf("--only %q: tokenizers, fit and store %v, want %v", only, got, want)
		}
	}
}

func TestBothPartsShareAFile(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		keep bool
		want int
	}{
		{"the other part of this run stays", true, 2},
		{"an older run does not", false, 1},
	} {
		file := filepath.Join(t.TempDir(), "run.json")
		if err := os.WriteFile(file, []byte(`{"samples":[1]}`), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := addJSON(file, tt.keep, "fit", map[string]int{"figures": 3}); err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var got map[string]json.RawMessage
		if err := json.Unmarshal(data, &got); err != nil || len(got) != tt.want || got["fit"] == nil {
			t.Errorf("%s: got %s, %v", tt.name, data, err)
		}
	}
}
