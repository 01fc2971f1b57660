package token_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/model"
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

func TestEstimatorsGiveTheFiguresOfTheirOrigins(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		id, estimator, text string
		want                int
	}{
		{"T05", token.Heuristic, "", 1},
		{"T05", token.Heuristic, "hello", 2},
		{"T05", token.Heuristic, "tell me more", 4},
		{"T05", token.Heuristic, "会話の履歴です", 2},
		{"O03", token.Bytes, "", 0},
		{"O03", token.Bytes, "abcd", 1},
		{"O03", token.Bytes, "abcde", 2},
		{"O03", token.Bytes, "日本", 2},
		{"G03", token.GeminiCLI, "", 0},
		{"G03", token.GeminiCLI, "Hello world!", 3},
		{"G03", token.GeminiCLI, "日本", 2},
		{"G03", token.GeminiCLI, "Hi日本", 3},
		{"G03", token.GeminiCLI, "🙂", 1},
		{"G03", token.GeminiCLI, "会話の履歴です", 9},
		{"G03", token.GeminiCLI, strings.Repeat("漢", 30), 39},
		{"G03", token.GeminiCLI, strings.Repeat("x", 52), 13},
		{"S05", token.Multichat, "abcd", 1},
		{"S05", token.Multichat, "abcdefgh", 2},
		{"S05", token.Multichat, "こんにちは", 3},
		{"S05", token.Multichat, "Helloこんにちは", 4},
		{"S05", token.Multichat, strings.Repeat("a", 40), 12},
		{"F07", token.Half, "", 0},
		{"F07", token.Half, "abcdefgh", 2},
		{"F07", token.Half, "こんにちは", 3},
		{"F07", token.Half, "GPTとGemini", 5},
	} {
		t.Run(fmt.Sprintf("%s %s %.12q", tt.id, tt.estimator, tt.text), func(t *testing.T) {
			t.Parallel()
			c := named(t, tt.estimator)
			if got := c.Count(tt.text); got != tt.want {
				t.Errorf("Count(%q) = %d, want %d", tt.text, got, tt.want)
			}
			if info := c.Info(); info.Exact || info.Encoding != "" {
				t.Errorf("an estimate claims to be exact: %+v", info)
			}
		})
	}
}

func TestS05_TheBufferFactorIsAppliedAndRoundedDown(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ tokens, percent, want int }{{10, 120, 12}, {1, 120, 1}, {9, 150, 13}, {0, 120, 0}} {
		if got := token.Buffered(tt.tokens, tt.percent); got != tt.want {
			t.Errorf("Buffered(%d, %d) = %d, want %d", tt.tokens, tt.percent, got, tt.want)
		}
	}
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
		{named(t, token.Heuristic), `{"model":"","encoding":null,"uses_tiktoken":false,"strategy":"heuristic"}`},
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

func TestF06_EveryFamilyOfTheRegistryHasACounter(t *testing.T) {
	t.Parallel()
	for _, m := range model.Default().All() {
		c, err := token.For(m.ID, nil)
		if err != nil || c.Count("hello world") == 0 {
			t.Errorf("%s: %v", m.ID, err)
		}
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
