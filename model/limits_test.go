package model_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/model"
)

type env map[string]string

func (e env) get(name string) string { return e[name] }

func TestF01_LimitComesFromTheFirstSourceThatHasOne(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name   string
		env    env
		model  string
		limit  int
		source model.Source
		from   string
	}{
		{"gemini variable", env{"GEMINI_MAX_CONTEXT_LENGTH": "1000"}, "gemini-2.5-pro", 1000, model.SourceEnv, "GEMINI_MAX_CONTEXT_LENGTH"},
		{"chatgpt variable", env{"CHATGPT_MAX_CONTEXT_LENGTH": "2000"}, "gpt-4o", 2000, model.SourceEnv, "CHATGPT_MAX_CONTEXT_LENGTH"},
		{"chatgpt variable for the o line", env{"CHATGPT_MAX_CONTEXT_LENGTH": "2000"}, "o3-mini", 2000, model.SourceEnv, "CHATGPT_MAX_CONTEXT_LENGTH"},
		{"blanks around the number", env{"CHATGPT_MAX_CONTEXT_LENGTH": " 2000\n"}, "gpt-4o", 2000, model.SourceEnv, "CHATGPT_MAX_CONTEXT_LENGTH"},
		{"openai variable", env{"OPENAI_MAX_CONTEXT_LENGTH": "2100"}, "gpt-4o", 2100, model.SourceEnv, "OPENAI_MAX_CONTEXT_LENGTH"},
		{"claude variable", env{"CLAUDE_MAX_CONTEXT_LENGTH": "3000"}, "claude-sonnet-4-5", 3000, model.SourceEnv, "CLAUDE_MAX_CONTEXT_LENGTH"},
		{"anthropic variable", env{"ANTHROPIC_MAX_CONTEXT_LENGTH": "3100"}, "claude-sonnet-4-5", 3100, model.SourceEnv, "ANTHROPIC_MAX_CONTEXT_LENGTH"},
		{"mistral variable for another line of the maker", env{"MISTRAL_MAX_CONTEXT_LENGTH": "4000"}, "codestral-latest", 4000, model.SourceEnv, "MISTRAL_MAX_CONTEXT_LENGTH"},
		{"deepseek variable", env{"DEEPSEEK_MAX_CONTEXT_LENGTH": "5000"}, "deepseek-chat", 5000, model.SourceEnv, "DEEPSEEK_MAX_CONTEXT_LENGTH"},
		{"qwen variable", env{"QWEN_MAX_CONTEXT_LENGTH": "6000"}, "qwen3:32b", 6000, model.SourceEnv, "QWEN_MAX_CONTEXT_LENGTH"},
		{"llama variable", env{"LLAMA_MAX_CONTEXT_LENGTH": "7000"}, "llama3.1:8b-instruct-q4_K_M", 7000, model.SourceEnv, "LLAMA_MAX_CONTEXT_LENGTH"},
		{"variable of an unknown family", env{"ZORP_MAX_CONTEXT_LENGTH": "8000"}, "zorp-9-large", 8000, model.SourceEnv, "ZORP_MAX_CONTEXT_LENGTH"},
		{"variable of an unknown provider", env{"MY_CORP_MAX_CONTEXT_LENGTH": "8100"}, "my-corp/zorp-9", 8100, model.SourceEnv, "MY_CORP_MAX_CONTEXT_LENGTH"},
		{"variable of the gateway", env{"AZURE_MAX_CONTEXT_LENGTH": "8200"}, "azure/gpt-4o", 8200, model.SourceEnv, "AZURE_MAX_CONTEXT_LENGTH"},
		{"variable of one model", env{"GPT_4O_MAX_CONTEXT_LENGTH": "9000", "CHATGPT_MAX_CONTEXT_LENGTH": "1"}, "gpt-4o-2024-11-20", 9000, model.SourceEnv, "GPT_4O_MAX_CONTEXT_LENGTH"},
		{"the maker's variable before the default", env{"GEMINI_MAX_CONTEXT_LENGTH": "10", "DEFAULT_MAX_CONTEXT_LENGTH": "20"}, "gemini-2.5-pro", 10, model.SourceEnv, "GEMINI_MAX_CONTEXT_LENGTH"},
		{"another maker's variable is not used", env{"GEMINI_MAX_CONTEXT_LENGTH": "10"}, "gpt-4o", 128_000, model.SourceRegistry, "gpt-4o"},
		{"gemma is not gemini", env{"GEMINI_MAX_CONTEXT_LENGTH": "10"}, "gemma3:12b", 131_072, model.SourceRegistry, "gemma3"},
		{"the default variable before the registry", env{"DEFAULT_MAX_CONTEXT_LENGTH": "20"}, "gpt-4o", 20, model.SourceEnvDefault, "DEFAULT_MAX_CONTEXT_LENGTH"},
		{"registry", env{}, "gpt-4o", 128_000, model.SourceRegistry, "gpt-4o"},
		{"table for a model nobody knows", env{}, "gpt-4-someday", 8_192, model.SourceTable, "002/003 gpt-4"},
		{"table for the first gemini", env{}, "gemini-pro", 32_760, model.SourceTable, "002/003 gemini-pro"},
		{"safe default", env{}, "zorp-9", 4_096, model.SourceDefault, ""},
		{"safe default for no name", env{}, "", 4_096, model.SourceDefault, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			got := (&model.Limits{Env: tc.env.get}).For(tc.model)
			if got.Tokens != tc.limit || got.Source != tc.source || got.From != tc.from || len(got.Problems) != 0 {
				t.Errorf("got %+v, want %d from %s %q", got, tc.limit, tc.source, tc.from)
			}
		})
	}
}

func TestF01_TheTablesOfTheTextsAreThere(t *testing.T) {
	t.Parallel()
	tables := &model.Limits{Registry: model.NewRegistry()}
	for name, want := range map[string]int{
		"gemini-2.0-flash": 1_048_576, "gemini-exp-1206": 1_048_576, "gemini-1.5-pro": 2_097_152, "gemini-1.5-flash": 1_048_576,
		"gemini-pro": 32_760, "gemini-nano": 32_760, "gpt-4o": 128_000, "gpt-4-turbo": 128_000, "gpt-4-1106-preview": 128_000,
		"gpt-4": 8_192, "gpt-4-0613": 8_192, "gpt-3.5-turbo-16k": 16_385, "gpt-3.5-turbo": 4_096, "models/gemini-1.5-pro-002": 2_097_152,
	} {
		if got := tables.For(name); got.Tokens != want || got.Source != model.SourceTable {
			t.Errorf("%s: %+v, want %d", name, got, want)
		}
	}
	for _, name := range []string{"gpt-4.1", "gpt-41", "geminix", "my-gpt-4", "claude-3-opus", ""} {
		if got := tables.For(name); got.Source != model.SourceDefault {
			t.Errorf("%q is covered: %+v", name, got)
		}
	}
}

func TestF02_SaysWhetherACountExceedsTheLimit(t *testing.T) {
	t.Parallel()
	limit := (&model.Limits{}).For("gpt-4")
	for count, want := range map[int]bool{0: false, 8_191: false, 8_192: false, 8_193: true} {
		if limit.Exceeds(count) != want {
			t.Errorf("%d of 8192 tokens: exceeds = %v, want %v", count, limit.Exceeds(count), want)
		}
	}
}

func TestF09_AnInvalidLimitIsOneProblemAndTheNextSourceIsUsed(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ value, reason string }{
		{"lots", "not a whole number"},
		{"1e6", "not a whole number"},
		{"4096.5", "not a whole number"},
		{"4_096", "not a whole number"},
		{"0", "not above zero"},
		{"-1", "not above zero"},
		{"99999999999999999999", "out of range"},
		{"9999999999999999", "out of range"},
	} {
		t.Run(tc.value, func(t *testing.T) {
			t.Parallel()
			want := &model.SettingError{Name: "GEMINI_MAX_CONTEXT_LENGTH", Value: tc.value, Reason: tc.reason}
			e := env{want.Name: tc.value}
			limit := (&model.Limits{Env: e.get}).For("gemini-2.5-pro")
			if limit.Tokens != 1_048_576 || limit.Source != model.SourceRegistry {
				t.Errorf("got %d from %s, want the registry's limit", limit.Tokens, limit.Source)
			}
			wantSettingError(t, limit.Problems, want)
			wantSettingError(t, model.CheckEnv([]string{"PATH=/bin", want.Name + "=" + tc.value, "OPENAI_MAX_CONTEXT_LENGTH=5", "X_MAX_CONTEXT_LENGTH="}), want)

			e["DEFAULT_MAX_CONTEXT_LENGTH"] = "777"
			limit = (&model.Limits{Env: e.get}).For("gemini-2.5-pro")
			if limit.Tokens != 777 || limit.Source != model.SourceEnvDefault {
				t.Errorf("got %d from %s, want the default variable's", limit.Tokens, limit.Source)
			}
			wantSettingError(t, limit.Problems, want)
		})
	}
}

func wantSettingError(t *testing.T, problems []error, want *model.SettingError) {
	t.Helper()
	var got *model.SettingError
	if len(problems) != 1 || !errors.As(problems[0], &got) {
		t.Fatalf("got problems %v, want exactly one", problems)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if text := got.Error(); !strings.Contains(text, want.Name) || !strings.Contains(text, want.Value) {
		t.Errorf("%q does not say name and value", text)
	}
}

func TestF09_AnInvalidDefaultFallsToTheSafeDefault(t *testing.T) {
	t.Parallel()
	limit := (&model.Limits{Env: env{"DEFAULT_MAX_CONTEXT_LENGTH": "x", "ZORP_MAX_CONTEXT_LENGTH": "y"}.get}).For("zorp-9")
	if limit.Tokens != model.SafeLimit || limit.Source != model.SourceDefault || len(limit.Problems) != 2 {
		t.Errorf("got %d from %s with %v, want %d and one problem for each variable", limit.Tokens, limit.Source, limit.Problems, model.SafeLimit)
	}
}

func TestG02_GeminiLimitsAndTheirDefault(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name  string
		limit int
		how   string
	}{
		{"gemini-1.5-pro", 2_097_152, "exact"},
		{"models/gemini-1.5-pro-002", 2_097_152, "dated"},
		{"gemini-2.5-pro", 1_048_576, "exact"},
		{"gemini-2.5-flash", 1_048_576, "exact"},
		{"gemini-2.5-flash-lite", 1_048_576, "exact"},
		{"gemini-next", 1_048_576, "default"},
		{"some-model", 1_048_576, "default"},
		{"gpt-4o", 128_000, "exact"},
	} {
		got := (&model.Limits{Gemini: true}).For(tc.name)
		if got.Tokens != tc.limit || tc.how != "default" && model.Default().Match(tc.name) != tc.how || (got.Source == model.SourceDefault) != (tc.how == "default") {
			t.Errorf("%s: %+v, want %d (%s)", tc.name, got, tc.limit, tc.how)
		}
	}
	empty := &model.Limits{Registry: model.NewRegistry(), Gemini: true}
	if got := empty.For("gemini-1.5-pro"); got.Tokens != 2_097_152 || got.Source != model.SourceTable {
		t.Errorf("without a registry: %+v, want the row of the table", got)
	}
}

// TestR12_F01_TheSafeDefaultIs4096 has the figure of text 003.
func TestR12_F01_TheSafeDefaultIs4096(t *testing.T) {
	t.Parallel()
	if got := (&model.Limits{}).For("a-model-of-which-nothing-is-known"); got.Tokens != 4096 || got.Source != model.SourceDefault {
		t.Errorf("%+v", got)
	}
}
