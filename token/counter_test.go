package token_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/token"
)

func named(t testing.TB, name string) plimsoll.Counter {
	t.Helper()
	c, err := token.Named(name)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// checkEstimator compares an estimator with figures worked out by hand.
func checkEstimator(t *testing.T, name string, want map[string]int) {
	t.Helper()
	c := named(t, name)
	for text, n := range want {
		if got := c.Count(text); got != n {
			t.Errorf("%s counts %d tokens in %.12q, want %d", name, got, text, n)
		}
	}
	if info := c.Info(); info.Exact || info.Encoding != "" {
		t.Errorf("an estimate claims to be exact: %+v", info)
	}
}

func TestT05_HeuristicIsCharactersByFourPlusOne(t *testing.T) {
	t.Parallel()
	checkEstimator(t, plimsoll.StrategyHeuristic, map[string]int{"": 1, "hello": 2, "tell me more": 4, "会話の履歴です": 2})
}

func TestO03_BytesByFourRoundedUp(t *testing.T) {
	t.Parallel()
	checkEstimator(t, "bytes", map[string]int{"": 0, "abcd": 1, "abcde": 2, "日本": 2})
}

func TestG03_AQuarterForASCIIAndOnePointThreeForOthers(t *testing.T) {
	t.Parallel()
	checkEstimator(t, "gemini", map[string]int{
		"": 0, "Hello world!": 3, "日本": 2, "Hi日本": 3, "🙂": 1, "会話の履歴です": 9,
		strings.Repeat("漢", 30): 39, strings.Repeat("x", 52): 13,
	})
}

func TestS05_JapaneseAndOthersWithAFifthMoreRoundedDown(t *testing.T) {
	t.Parallel()
	checkEstimator(t, "multichat", map[string]int{
		"": 0, "abcd": 1, "abcdefgh": 2, "こんにちは": 3, "Helloこんにちは": 4, strings.Repeat("a", 40): 12,
	})
}

func TestF07_HalfTheCharactersIfAnyIsMultiByteElseAQuarter(t *testing.T) {
	t.Parallel()
	checkEstimator(t, "half", map[string]int{"": 0, "abcdefgh": 2, "こんにちは": 3, "GPTとGemini": 5})
}

func TestT06_TheModelsOwnEncodingElseCl100k(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		model, encoding string
		exact           bool
	}{
		{"gpt-4o", "o200k_base", true},
		{"gpt-4o-mini", "o200k_base", true},
		{"gpt-4", "cl100k_base", true},
		{"gpt-3.5-turbo", "cl100k_base", true},
		{"gpt-4-turbo", "cl100k_base", true},
		{"openai/gpt-4o-2024-08-06", "o200k_base", true},
		{"text-davinci-003", "p50k_base", true},
		{"some-model-of-2031", "cl100k_base", false},
		{"claude-sonnet-4-5", "cl100k_base", false},
	} {
		info := token.Tiktoken(tt.model).Info()
		if info.Encoding != tt.encoding || info.Exact != tt.exact || info.Strategy != plimsoll.StrategyTiktoken {
			t.Errorf("%s: %+v, want encoding %s, exact %v", tt.model, info, tt.encoding, tt.exact)
		}
	}
}

func TestT07_MetadataSaysHowATokenWasCounted(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		counter plimsoll.Counter
		want    string
	}{
		{token.Tiktoken("gpt-4o"), `{"model":"gpt-4o","encoding":"o200k_base","uses_tiktoken":true,"strategy":"tiktoken"}`},
		{named(t, plimsoll.StrategyHeuristic), `{"model":"","encoding":null,"uses_tiktoken":false,"strategy":"heuristic"}`},
	} {
		got, err := json.Marshal(tt.counter.Info())
		if err != nil || string(got) != tt.want {
			t.Errorf("got %s, %v; want %s", got, err, tt.want)
		}
	}
}

func TestF07_OnlyOpenAIsModelsAreExactWithoutAFile(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		model string
		exact bool
	}{
		{"gpt-5", true},
		{"o3-mini", true},
		{"claude-opus-4-5", false},
		{"gemini-2.5-pro", false},
		{"llama3.1:8b", false},
		{"never-heard-of-it", false},
	} {
		c, err := token.For(tt.model, nil)
		if err != nil {
			t.Fatal(err)
		}
		info := c.Info()
		if info.Exact != tt.exact || (info.Encoding != "") != tt.exact {
			t.Errorf("%s: %+v, want exact %v", tt.model, info, tt.exact)
		}
		if n := c.Count("The quick brown fox jumps over the lazy dog."); n < 9 || n > 16 {
			t.Errorf("%s counts ten tokens as %d", tt.model, n)
		}
	}
}

func TestF06_AVocabularyInTheDirectoryIsUsed(t *testing.T) {
	t.Parallel()
	dir := tinyVocabulary(t, "llama3")
	c, err := token.For("llama3.1:8b", &token.Options{Tokenizers: dir})
	if err != nil {
		t.Fatal(err)
	}
	if info := c.Info(); !info.Exact || info.Encoding != "llama3" || info.Strategy != token.StrategyVocabulary {
		t.Errorf("info %+v", info)
	}
	if n := c.Count("abab"); n != 2 {
		t.Errorf("abab has %d tokens, want 2", n)
	}

	if err := os.WriteFile(filepath.Join(dir, "gemma3.json"), []byte(`{"model":`), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err = token.For("gemini-2.5-pro", &token.Options{Tokenizers: dir})
	if err == nil || !strings.Contains(plimsoll.HintOf(err), "gemma3.json") {
		t.Errorf("a broken file gives %v with hint %q", err, plimsoll.HintOf(err))
	}
	meter := token.NewMeter(&token.MeterOptions{Options: token.Options{Tokenizers: dir}})
	load := meter.Weigh(plimsoll.Conversation{Model: "gemini-2.5-pro", Messages: plimsoll.ListOf(plimsoll.Say(plimsoll.User, "hello"))})
	if load.Total == 0 || load.Exact {
		t.Errorf("a broken file must leave an estimate, got %+v", load)
	}
}

func TestNamedRefusesWhatItDoesNotKnow(t *testing.T) {
	t.Parallel()
	_, err := token.Named("cl100k")
	if !errors.Is(err, plimsoll.ErrUnsupported) || !strings.Contains(plimsoll.HintOf(err), "cl100k_base") {
		t.Errorf("error %v, hint %q", err, plimsoll.HintOf(err))
	}
	for _, name := range token.Names() {
		if named(t, name).Count("hello") < 1 {
			t.Errorf("%s counts nothing", name)
		}
	}
}

func TestEveryCounterIsMonotonic(t *testing.T) {
	t.Parallel()
	for _, name := range token.Names() {
		c := named(t, name)
		if c.Info().Exact {
			continue // appending can merge tokens of a vocabulary
		}
		rapid.Check(t, func(t *rapid.T) {
			a, b := rapid.String().Draw(t, "a"), rapid.String().Draw(t, "b")
			if c.Count(a+b) < c.Count(a) {
				t.Fatalf("%s: %q is lighter than its beginning %q", name, a+b, a)
			}
			if c.Count(a) < 0 {
				t.Fatalf("%s: negative", name)
			}
		})
	}
}
