package model_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/model"
)

func TestLookupFindsTheModelBehindAName(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, want string
		how        string
	}{
		{"gpt-4o", "gpt-4o", "exact"},
		{"GPT-4o", "gpt-4o", "exact"},
		{" gpt-4o ", "gpt-4o", "exact"},
		{"minimax-m2", "MiniMax-M2", "exact"},
		{"gpt-3.5", "gpt-3.5-turbo", "alias"},
		{"gpt-35-turbo", "gpt-3.5-turbo", "alias"},
		{"gpt-4-0125-preview", "gpt-4-turbo", "alias"},
		{"gpt-4-1106-preview", "gpt-4-turbo", "alias"},
		{"claude-sonnet-4.5", "claude-sonnet-4-5", "alias"},
		{"gpt-5.6", "gpt-5.6-sol", "alias"},

		{"gpt-5.2-2025-12-11", "gpt-5.2", "dated"},
		{"gpt-4-0613", "gpt-4", "dated"},
		{"gpt-4-32k-0613", "gpt-4-32k", "dated"},
		{"gpt-4o-2024-11-20", "gpt-4o", "dated"},
		{"gpt-4o-2024-05-13", "gpt-4o-2024-05-13", "exact"},
		{"claude-sonnet-4-5-20250929", "claude-sonnet-4-5", "dated"},
		{"claude-sonnet-4-5@20250929", "claude-sonnet-4-5", "dated"},
		{"claude-opus-4-20250514", "claude-opus-4", "dated"},
		{"claude-3-5-sonnet-latest", "claude-3-5-sonnet", "dated"},
		{"claude-3-5-sonnet-20240620", "claude-3-5-sonnet", "dated"},
		{"gemini-2.5-pro-preview-05-06", "gemini-2.5-pro", "dated"},
		{"gemini-2.5-flash-preview-09-2025", "gemini-2.5-flash", "dated"},
		{"gemini-2.5-pro-exp-03-25", "gemini-2.5-pro", "dated"},
		{"gemini-2.0-flash-001", "gemini-2.0-flash", "dated"},
		{"grok-4-0709", "grok-4", "dated"},
		{"grok-4-latest", "grok-4", "dated"},

		{"openai/gpt-4o", "gpt-4o", "prefix"},
		{"azure/gpt-4o", "gpt-4o", "prefix"},
		{"models/gemini-2.5-pro", "gemini-2.5-pro", "prefix"},
		{"models/gemini-pro-latest", "gemini-pro-latest", "prefix"},
		{"gemini/gemini-2.5-flash", "gemini-2.5-flash", "prefix"},
		{"vertex_ai/gemini-2.5-pro", "gemini-2.5-pro", "prefix"},
		{"publishers/google/models/gemini-2.5-pro", "gemini-2.5-pro", "prefix"},
		{"vertex_ai/claude-sonnet-4-5@20250929", "claude-sonnet-4-5", "dated"},
		{"openrouter/anthropic/claude-sonnet-4.5", "claude-sonnet-4-5", "prefix"},
		{"openrouter/deepseek/deepseek-chat:free", "deepseek-chat", "dated"},
		{"anthropic/claude-3.7-sonnet:thinking", "claude-3-7-sonnet", "dated"},
		{"bedrock/us.anthropic.claude-sonnet-4-5-20250929-v1:0", "claude-sonnet-4-5", "dated"},
		{"eu.anthropic.claude-opus-4-6-v1", "claude-opus-4-6", "dated"},
		{"anthropic.claude-3-haiku-20240307-v1:0:200k", "claude-3-haiku", "dated"},
		{"amazon.nova-pro-v1:0", "nova-pro", "dated"},
		{"ft:gpt-4o-mini-2024-07-18:acme::abc123", "gpt-4o-mini", "dated"},

		{"llama3.1", "llama3.1", "exact"},
		{"llama3.1:8b", "llama3.1", "family"},
		{"llama3.1:8b-instruct-q4_K_M", "llama3.1", "family"},
		{"llama3.1:latest", "llama3.1", "dated"},
		{"ollama/llama3.1:70b", "llama3.1", "family"},
		{"meta-llama/Llama-3.1-8B-Instruct", "llama3.1", "family"},
		{"qwen3:32b", "qwen3", "family"},
		{"qwen2.5:7b-instruct-q8_0", "qwen2.5", "family"},
		{"gemma3:12b-it-qat", "gemma3", "family"},
		{"gemma3:1b", "gemma3:1b", "exact"},
		{"gpt-oss:20b", "gpt-oss-20b", "alias"},
		{"deepseek-r1:70b", "deepseek-r1", "family"},
		{"phi4:14b-q4_K_M", "phi4", "family"},
		{"mixtral:8x7b", "mixtral", "family"},
		{"google/gemma-3-12b-it", "gemma3", "family"},
		{"Qwen/Qwen2.5-Coder-32B-Instruct-GGUF", "qwen2.5-coder", "family"},
		{"qwen/qwen3-30b-a3b-2507", "qwen3", "family"},
		{"meta.llama3-1-70b-instruct-v1:0", "llama3.1", "family"},
		{"meta-llama/Meta-Llama-3.1-8B-Instruct-Turbo", "llama3.1", "family"},
		{"moonshotai/Kimi-K2-Instruct", "kimi-k2-0711-preview", "family"},
		{"zai-org/GLM-4.6-FP8", "glm-4.6", "family"},
		{"claude-3-5-sonnet-v2@20241022", "claude-3-5-sonnet", "dated"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			got, err := model.Default().Lookup(tc.name)
			if err != nil {
				t.Fatal(err)
			}
			if how := model.Default().Match(tc.name); got.ID != tc.want || how != tc.how {
				t.Errorf("Lookup(%q) = %s (%s), want %s (%s)", tc.name, got.ID, how, tc.want, tc.how)
			}
		})
	}
}

func TestLookupNeverMatchesAcrossAWrongBoundary(t *testing.T) {
	t.Parallel()
	for _, name := range []string{
		"gpt-41", "gpt-4x", "gpt-4.11", "gpt-40", "gpt-4-9999", "gpt-4o1", "gpt-9", "gpt",
		"claude", "claude-sonnet", "claude-sonnet-45", "claude-sonnet-9", "claude-opus-4-99",
		"gemini-2.5", "gemini-25-pro", "gemini-2.5-proto", "o33", "o",
		"gpt-4o:8b", "gpt-4o-8b", "gpt-4o-instruct", "gpt-4-chat", "qwen-max-8b", "glm-4.6:8b", "kimi-k2-turbo-turbo", "claude-opus-5-fp8", "claude-sonnet-4-5:q4_k_m", "llama3.14", "llama", "foo/bar", "/", "-", ":", "",
		"gpt-4-2025-13-01", "gpt-4-2025-00-01", "gpt-4-2025-12-32", "gpt-4-1999-01-01",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := model.Default().Lookup(name)
			if err == nil {
				t.Errorf("Lookup(%q) = %s (%s), want an error", name, got.ID, model.Default().Match(name))
			}
		})
	}
}

func TestC03_AnUnknownModelSaysWhatToDo(t *testing.T) {
	t.Parallel()
	_, err := model.Default().Lookup("gpt-5.22")
	var unknown *plimsoll.Error
	if !errors.As(err, &unknown) || !strings.Contains(unknown.Hint, "plimsoll models --from") {
		t.Errorf("got %#v, want an error with a hint", err)
	}
	if !strings.Contains(err.Error(), `"gpt-5.22"`) || model.Default().Match("gpt-5.22") != "none" {
		t.Errorf("error %q, match %s", err, model.Default().Match("gpt-5.22"))
	}
	if nearest := model.Default().Nearest("gpt-5.22"); len(nearest) == 0 || nearest[0] != "gpt-5.2" {
		t.Errorf("nearest names: %v, want gpt-5.2 first", nearest)
	}
}

func TestC03_AnUnknownModelIsTheRootsError(t *testing.T) {
	t.Parallel()
	_, err := model.Default().Lookup("gpt-99-imaginary")
	if !errors.Is(err, plimsoll.ErrUnknownModel) || plimsoll.CodeOf(err) != plimsoll.CodeUnknownModel {
		t.Errorf("error %v has code %s", err, plimsoll.CodeOf(err))
	}
}
