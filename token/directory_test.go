package token_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/model"
	"github.com/plimsoll/plimsoll/token"
)

// TestF06_ADirectoryAddsATokenizerUnderItsName: a vocabulary that no table knows is used
// once its file is there, and before that the name is an error that says what to do.
func TestF06_ADirectoryAddsATokenizerUnderItsName(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	registry := model.NewRegistry(model.Model{ID: "harbour-9", Window: 8000, InputLimit: 8000, Tokenizer: model.Tokenizer{Name: "mytok", Exact: true}})
	err := token.CheckTokenizer("mytok", dir)
	if err == nil || !strings.Contains(plimsoll.HintOf(err), "mytok.json") || !strings.Contains(err.Error(), "mytok") {
		t.Errorf("an unknown name: %v, %q", err, plimsoll.HintOf(err))
	}
	if err := os.WriteFile(filepath.Join(dir, "mytok.json"), []byte(harbourVocabulary), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := token.CheckTokenizer("mytok", dir); err != nil {
		t.Errorf("with its file: %v", err)
	}
	c, err := token.For("harbour-9", &token.Options{Registry: registry, Tokenizers: dir})
	if err != nil || c.Count("harbour") != 4 || !c.Info().Exact || c.Info().Encoding != "mytok" {
		t.Errorf("%v, %+v", err, c.Info())
	}
	for _, name := range []string{"", "claude", "llama3", "o200k_base"} {
		if err := token.CheckTokenizer(name, ""); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if token.CheckTokenizer("../"+filepath.Base(dir)+"/mytok", dir) == nil {
		t.Error("a name leads out of the directory")
	}
}

// TestF06_AMeterWithARuleOfItsOwnTakesVocabularies: presets that count by an estimate use
// the vocabulary of a model where they have it, and their rule for other models.
func TestF06_AMeterWithARuleOfItsOwnTakesVocabularies(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "llama3.json"), []byte(harbourVocabulary), 0o600); err != nil {
		t.Fatal(err)
	}
	m := token.NewMeter(&token.MeterOptions{Options: token.Options{Tokenizers: dir}, CounterFor: token.Tiktoken})
	for name, want := range map[string]string{"llama3.1": "llama3", "gpt-4o": "o200k_base", "claude-sonnet-4-5": "cl100k_base"} {
		if c, err := m.Counter(name); err != nil || c.Info().Encoding != want {
			t.Errorf("%s is counted by %q, %v; want %q", name, c.Info().Encoding, err, want)
		}
	}
}

// harbourVocabulary counts "harbour" as har, bo, u, r.
const harbourVocabulary = `{"added_tokens": [], "normalizer": null,
 "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": false, "use_regex": true}, "decoder": {"type": "ByteLevel"},
 "model": {"type": "BPE", "merges": ["h a", "ha r", "b o"],
  "vocab": {"a": 0, "b": 1, "h": 2, "o": 3, "r": 4, "u": 5, "ha": 6, "har": 7, "bo": 8, "Ċ": 9}}}`
