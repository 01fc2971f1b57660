package model_test

import (
	"testing"

	"github.com/plimsoll/plimsoll/model"
)

func TestT06_EncodingOfAModel(t *testing.T) {
	t.Parallel()
	for encoding, names := range map[string][]string{
		"o200k_base": {
			"gpt-4o", "gpt-4o-mini", "gpt-4o-2024-08-06", "chatgpt-4o-latest", "gpt-4.1", "gpt-4.1-mini-2025-04-14", "gpt-4.5-preview",
			"o1", "o1-mini", "o3", "o3-mini-2025-01-31", "o4-mini", "gpt-5", "gpt-5-mini", "gpt-5.2", "gpt-5.2-2025-12-11", "gpt-5.6-sol", "gpt-5.99",
			"gpt-oss-120b", "gpt-oss:20b", "openai/gpt-oss-20b", "ft:gpt-4o-mini-2024-07-18:acme::x", "azure/gpt-4o", "openrouter/openai/gpt-5.1", "GPT-4o", "codex-mini-latest",
		},
		"cl100k_base": {
			"gpt-4", "gpt-4-0613", "gpt-4-32k", "gpt-4-turbo", "gpt-4-turbo-2024-04-09", "gpt-4-1106-preview", "gpt-3.5-turbo", "gpt-3.5-turbo-0125", "gpt-3.5",
			"gpt-35-turbo", "gpt-3.5-turbo-16k", "ft:gpt-3.5-turbo:acme::x", "text-embedding-3-small", "text-embedding-3-large", "text-embedding-ada-002", "davinci-002", "babbage-002",
		},
		"p50k_base": {"text-davinci-003", "text-davinci-002", "code-davinci-002", "code-cushman-001"},
		"r50k_base": {"davinci", "curie", "babbage", "ada", "text-davinci-001", "text-curie-001", "text-similarity-ada-001", "gpt2"},
	} {
		for _, name := range names {
			if got, ok := model.EncodingFor(name); got != encoding || !ok {
				t.Errorf("%s: %q, want %s", name, got, encoding)
			}
		}
	}
	for _, name := range []string{"", "claude-sonnet-4-5", "gemini-2.5-pro", "llama3.1", "gpt-41", "gpt-4.2", "gpt-6", "gpt", "o1ympus", "o33", "davinci2", "adamant"} {
		if got, ok := model.EncodingFor(name); ok || got != "" {
			t.Errorf("%s: %q, want none", name, got)
		}
	}
}

func TestT06_TheRegistryAgreesWithTheEncodings(t *testing.T) {
	t.Parallel()
	for _, m := range model.Default().All() {
		encoding, ok := model.EncodingFor(m.ID)
		if ok && (m.Tokenizer.Name != encoding || !m.Tokenizer.Exact) {
			t.Errorf("%s has %+v, its encoding is %s", m.ID, m.Tokenizer, encoding)
		}
		if m.Provider == "openai" && !ok {
			t.Errorf("%s of OpenAI has no encoding", m.ID)
		}
	}
}

func TestT06_AliasesAreResolvedFirst(t *testing.T) {
	t.Parallel()
	for alias, want := range map[string]string{
		"gpt-4o": "gpt-4o", "gpt-4o-mini": "gpt-4o-mini", "gpt-4": "gpt-4", "gpt-3.5-turbo": "gpt-3.5-turbo",
		"gpt-35-turbo": "gpt-3.5-turbo", "gpt-4-turbo-preview": "gpt-4-turbo", "not-a-model": "not-a-model",
	} {
		if got := model.Default().Resolve(alias); got != want {
			t.Errorf("%s: %s, want %s", alias, got, want)
		}
	}
}
