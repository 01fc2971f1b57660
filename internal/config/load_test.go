package config_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/plimsoll/plimsoll/fit"
	"github.com/plimsoll/plimsoll/internal/config"
)

// load reads a file that is named, with an environment.
func load(t *testing.T, yaml string, environ ...string) (*config.Config, error) {
	t.Helper()
	return config.Load(&config.Options{File: write(t, t.TempDir(), yaml), Environ: environ})
}

func mustLoad(t *testing.T, yaml string, environ ...string) *config.Config {
	t.Helper()
	c, err := load(t, yaml, environ...)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func write(t *testing.T, dir, yaml string) string {
	t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, config.FileName)
	if err := os.WriteFile(path, []byte(yaml), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// problems are the messages without the directory of the file.
func problems(c *config.Config) string {
	var lines []string
	for _, p := range c.Problems {
		text := p.Error()
		if i := strings.Index(text, config.FileName+":"); i > 0 {
			text = text[i:]
		}
		lines = append(lines, text)
	}
	return strings.Join(lines, "\n")
}

func number(n int) *int { return &n }

// TestO01_C01_NoSourceGivesTheDefaultsOfTheTexts has the figures of the texts: 50 * 1024
// bytes, 2000 characters a line, a threshold of 0.8, and one turn that stays.
func TestO01_C01_NoSourceGivesTheDefaultsOfTheTexts(t *testing.T) {
	t.Parallel()
	c, err := config.Load(&config.Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	want := config.Settings{
		Preset: "auto",
		ToolOutputCache: config.ToolOutputCache{
			Enabled: true, MaxMessageBytes: 50 << 10, MaxLineLength: 2000,
		},
		Compaction: defaultCompaction(),
		Expand:     "auto",
		Recollect:  "auto", BufferFactor: 1.2,
		Serve: config.Serve{
			Listen: "127.0.0.1:7171", Dashboard: "auto", Openai: "https://api.openai.com/v1", Anthropic: "https://api.anthropic.com",
			Gemini: "https://generativelanguage.googleapis.com", Tenants: "auto",
		},
	}
	if diff := cmp.Diff(want, c.Settings); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	for _, v := range c.Values {
		if v.Origin.String() != "default" {
			t.Errorf("%s is from %s", v.Key, v.Origin)
		}
	}
	if len(c.Problems) > 0 || len(c.Files) > 0 {
		t.Errorf("problems %v, files %v", c.Problems, c.Files)
	}
}

// defaultCompaction has what C01 and G16 say.
func defaultCompaction() config.CompactionSettings {
	return config.CompactionSettings{
		Enabled: true, Auto: true, ThresholdRatio: 0.8, CompressionThreshold: 0.5, RetainLastTurns: 1,
		TimeoutSeconds: 60,
	}
}

const everything = `
preset: agent
method: hybrid
model: 4.10 # a number for others, a name here
window: 128_000
reserve: 0
marks: {high: .9, low: 0.5}
policy: threshold
recollect: off
pins:
  - role: system
  - {index: -1}
  - tool: Read
  - match: '(?i)never delete: \d+'
  - role=user
toolOutputCache:
  contextBudgetTokens: 30000
  maxMessageBytes: 1e4
  max-line-length: "500"
  enabled: no
compaction:
  enabled: no
  auto: no
  thresholdRatio: 0.85
  compression_threshold: 0.6
  model: gpt-4o-mini
  summaryPrompt: Summarise.
  summaryDirectives: ["names, word for word", no poems]
  retainPrompt: null
  retainDirectives: [refs]
  retainLastTurns: 0
  summarizer: openai:gpt-4o-mini@http://127.0.0.1:11434/v1
  timeout_seconds: 5
  hooks: {pre: [./ask.sh], post: ["https://hooks.example/told"], content: yes}
expand: always
serve:
  listen: ":8080"
  admin: 127.0.0.1:8081
  dashboard: "off"
  openai: http://127.0.0.1:11434/v1
  anthropic: http://127.0.0.1:4000
  gemini: http://127.0.0.1:4001
  hosts: [proxy.example]
  origins: ["https://page.example"]
  tenants: one
  max_body_bytes: 1048576
chat:
  models: [openai:gpt-4o, "local=ollama:llama3.2@http://127.0.0.1:11434"]
  system: Be brief.
  servers: ["tides=tide-server --harbour saltmere"]
store: kept.db
tokenizers: vocabularies
buffer_factor: 1.5
models: [own.json, "https://models.example/api.json"]
windows:
  gpt-4o: 64000
  claude-*: 100000
`

func TestO01_C01_AFileSetsEverything(t *testing.T) {
	t.Parallel()
	c := mustLoad(t, everything)
	dir := filepath.Dir(c.Files[0])
	want := config.Settings{
		Preset: "agent", Method: "hybrid", Model: "4.10", Window: 128_000, Reserve: number(0),
		Policy:          "threshold",
		Recollect:       "off",
		Marks:           config.Marks{High: 0.9, Low: 0.5},
		ToolOutputCache: config.ToolOutputCache{ContextBudgetTokens: number(30_000), MaxMessageBytes: 10_000, MaxLineLength: 500},
		Compaction: config.CompactionSettings{
			ThresholdRatio: 0.85, CompressionThreshold: 0.6, Model: "gpt-4o-mini", SummaryPrompt: "Summarise.",
			SummaryDirectives: []string{"names, word for word", "no poems"}, RetainDirectives: []string{"refs"},
			Summarizer: "openai:gpt-4o-mini@http://127.0.0.1:11434/v1", TimeoutSeconds: 5,
			Hooks: config.Hooks{Pre: []string{"./ask.sh"}, Post: []string{"https://hooks.example/told"}, Content: true},
		},
		Expand: "always",
		Serve: config.Serve{
			Listen: ":8080", Admin: "127.0.0.1:8081", Dashboard: "off", Openai: "http://127.0.0.1:11434/v1", Anthropic: "http://127.0.0.1:4000", Gemini: "http://127.0.0.1:4001",
			Hosts: []string{"proxy.example"}, Origins: []string{"https://page.example"}, Tenants: "one",
			MaxBodyBytes: 1 << 20,
		},
		Chat:       config.Chat{Models: []string{"openai:gpt-4o", "local=ollama:llama3.2@http://127.0.0.1:11434"}, System: "Be brief.", Servers: []string{"tides=tide-server --harbour saltmere"}},
		Store:      config.Path(filepath.Join(dir, "kept.db")),
		Tokenizers: config.Path(filepath.Join(dir, "vocabularies")), BufferFactor: 1.5,
		Models:  []config.Path{config.Path(filepath.Join(dir, "own.json")), "https://models.example/api.json"},
		Windows: map[string]int{"gpt-4o": 64_000, "claude-*": 100_000},
	}
	if diff := cmp.Diff(want, c.Settings, cmpopts.IgnoreFields(config.Settings{}, "Pins")); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	const pins = `role=system, index=-1, tool=Read, match=(?i)never delete: \d+, role=user`
	if got := valueOf(c, "pins").String(); got != pins {
		t.Errorf("pins %s, want %s", got, pins)
	}
	// The threshold of preset gemini beside the preset agent is the only one.
	if text := problems(c); !strings.HasSuffix(text, "in preset gemini only, and the preset is agent") || strings.Contains(text, "\n") {
		t.Error(text)
	}
	for _, v := range c.Values {
		if v.Origin.Kind != config.FromFile {
			t.Errorf("%s is from %s", v.Key, v.Origin)
		}
	}
	if got, want := c.Origin("marks.low").Name, c.Files[0]+":7"; got != want {
		t.Errorf("marks.low is from %s, want %s", got, want)
	}
}

func valueOf(c *config.Config, key string) config.Value {
	for _, v := range c.Values {
		if v.Key == key {
			return v
		}
	}
	return config.Value{}
}

func TestVariablesSetEverything(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, variable, key, want string }{
		{"a word", "PLIMSOLL_PRESET=gemini", "preset", "gemini"},
		{"a number", "PLIMSOLL_WINDOW=8000", "window", "8000"},
		{"a number with blanks around it", "PLIMSOLL_RESERVE= 0 ", "reserve", "0"},
		{"a fraction in a section", "PLIMSOLL_MARKS_LOW=0.25", "marks.low", "0.25"},
		{"a list with commas", "PLIMSOLL_SERVE_HOSTS=quay, berth,", "serve.hosts", "quay, berth"},
		{"a list with brackets", "PLIMSOLL_SERVE_HOSTS=[quay, berth]", "serve.hosts", "quay, berth"},
		{"pins", "PLIMSOLL_PINS=role=system,index=0", "pins", "role=system, index=0"},
		{"pins with commas in them", `PLIMSOLL_PINS=[{match: "a{1,2}"}, {role: tool, tool: Read}]`, "pins", "match=a{1,2}, role=tool and tool=Read"},
		{"a switch", "PLIMSOLL_TOOL_OUTPUT_CACHE_ENABLED=0", "tool_output_cache.enabled", "false"},
		{"windows", "PLIMSOLL_WINDOWS=gpt-4o=1000,harbour-9=2000", "windows", "gpt-4o=1000, harbour-9=2000"},
		{"windows with brackets", "PLIMSOLL_WINDOWS={gpt-4o: 1000}", "windows", "gpt-4o=1000"},
		{"a directory stays relative to here", "PLIMSOLL_TOKENIZERS=vocabularies", "tokenizers", "vocabularies"},
		{"a directory at home", "PLIMSOLL_TOKENIZERS=~/vocabularies", "tokenizers", filepath.Join("/home/kay", "vocabularies")},
		{"the last of two counts", "PLIMSOLL_WINDOW=8000\nPLIMSOLL_WINDOW=9000", "window", "9000"},
		{"null where that is a value", "PLIMSOLL_WINDOW=null", "window", "the model's"},
		{"nothing is as if it were not there", "PLIMSOLL_WINDOW=", "window", "5"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			c := mustLoad(t, "window: 5", append(strings.Split(tc.variable, "\n"), "HOME=/home/kay")...)
			if got := valueOf(c, tc.key).String(); got != tc.want {
				t.Errorf("%s is %q, want %q", tc.key, got, tc.want)
			}
			if text := problems(c); text != "" {
				t.Error(text)
			}
		})
	}
}

func TestS05_R08_TheMarginCanBeChanged(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, yaml string
		env        []string
		want       string
	}{
		{"the default of the text", "window: 5", nil, "1.2"},
		{"by the variable of the text", "window: 5", []string{"TOKEN_BUFFER_FACTOR=1.5"}, "1.5"},
		{"by our own variable, which wins", "window: 5", []string{"TOKEN_BUFFER_FACTOR=1.5", "PLIMSOLL_BUFFER_FACTOR=1.3"}, "1.3"},
		{"by a file", "buffer_factor: 2", nil, "2"},
	} {
		if got := valueOf(mustLoad(t, tc.yaml, tc.env...), "buffer_factor").String(); got != tc.want {
			t.Errorf("%s: %s, want %s", tc.name, got, tc.want)
		}
	}
	if said := problems(mustLoad(t, "window: 5", "TOKEN_BUFFER_FACTOR=much")); !strings.Contains(said, "TOKEN_BUFFER_FACTOR") {
		t.Errorf("a factor that is no number: %q", said)
	}
}

func TestG16_AThresholdThatHasNoEffectIsReported(t *testing.T) {
	t.Parallel()
	for yaml, want := range map[string]string{
		"model: {compressionThreshold: 0.3}":                     "in preset gemini only, and the preset is auto",
		"preset: agent\ncompaction: {compressionThreshold: 0.3}": "in preset gemini only, and the preset is agent",
		"preset: gemini\nmodel: {compressionThreshold: 0.3}":     "",
	} {
		if said := problems(mustLoad(t, yaml)); want == "" && said != "" || !strings.Contains(said, want) {
			t.Errorf("%s: %q, want %q", yaml, said, want)
		}
	}
}

func TestG16_TheSettingsOfGeminiCLIAreReadAsTheyAre(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "settings.json")
	if err := os.WriteFile(path, []byte(`{
  "ui": {"theme": "GitHub"},
  "model": {"name": "gemini-2.5-flash", "maxSessionTurns": 9, "compressionThreshold": 0.3},
  "tools": {"sandbox": "docker"}
}`), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := config.Load(&config.Options{File: path, Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	s := c.Settings
	if s.Preset != "gemini" || s.Model != "gemini-2.5-flash" || s.Compaction.CompressionThreshold != 0.3 || len(c.Problems) > 0 {
		t.Errorf("preset %s, model %s, threshold %v, %v", s.Preset, s.Model, s.Compaction.CompressionThreshold, c.Problems)
	}
	if c, err = config.Load(&config.Options{File: path, Dir: dir, Environ: []string{"PLIMSOLL_PRESET=auto"}}); err != nil || c.Settings.Preset != "auto" {
		t.Errorf("preset %v, %v", c, err)
	}
}

func TestF09_AnImpossibleValueIsReportedAndTheNextSourceDecides(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, yaml, env, key, value, problem string }{
		{
			"a word for a number", "window: many", "", "window", "the model's",
			`plimsoll.yaml:1: window "many": not a whole number: want a whole number above zero; the default is used`,
		},
		{
			"a variable in front of a file", "window: 9000", "PLIMSOLL_WINDOW=-1", "window", "9000",
			`plimsoll.yaml:1 is used`,
		},
		{
			"a file behind a variable", "\nwindow: 0", "PLIMSOLL_WINDOW=8000", "window", "8000",
			`plimsoll.yaml:2: window "0": want a whole number above zero; that of PLIMSOLL_WINDOW is used`,
		},
		{
			"a number out of range", "window: 1e300", "", "window", "the model's",
			`plimsoll.yaml:1: window "1e300": out of range: want a whole number above zero; the default is used`,
		},
		{
			"not a number", "window: .nan", "", "window", "the model's",
			`plimsoll.yaml:1: window ".nan": not a whole number: want a whole number above zero; the default is used`,
		},
		{
			"half a token", "reserve: 0.5", "", "reserve", "the request's",
			`plimsoll.yaml:1: reserve "0.5": not a whole number: want a whole number, 0 or more; the default is used`,
		},
		{
			"an unknown word", "preset: gemni", "", "preset", "auto",
			`plimsoll.yaml:1: preset "gemni": not known; did you mean gemini? Want one of auto, cookbook, agent, multichat, gemini; the default is used`,
		},
		{
			"a value that was removed", "policy: off", "", "policy", "the preset's: rent in auto, threshold elsewhere",
			`plimsoll.yaml:1: policy "off": want one of rent, threshold; the default is used`,
		},
		{
			"a name twice", "serve: {hosts: [quay, quay]}", "", "serve.hosts", "those of this machine",
			`plimsoll.yaml:1: serve.hosts "quay": stands there twice; the default is used`,
		},
		{
			"a fraction above one", "marks: {high: 1.5}", "", "marks.high", "the preset's",
			`plimsoll.yaml:1: marks.high "1.5": want a number above 0 and at most 1; the default is used`,
		},
		{
			"a fraction of nothing", "marks: {low: 0}", "", "marks.low", "the preset's: in auto 0.8, and 1 for a conversation that was not seen before",
			`plimsoll.yaml:1: marks.low "0": want a number above 0 and at most 1; the default is used`,
		},
		{
			"a word for a switch", "tool_output_cache: {enabled: maybe}", "", "tool_output_cache.enabled", "true",
			`plimsoll.yaml:1: tool_output_cache.enabled "maybe": want true or false; the default is used`,
		},
		{
			"a list for a number", "window: [1, 2]", "", "window", "the model's",
			`plimsoll.yaml:1: window "[1, 2]": want a whole number above zero; the default is used`,
		},
		{
			"a mapping for a list", "serve: {hosts: {quay: 1}}", "", "serve.hosts", "those of this machine",
			`plimsoll.yaml:1: serve.hosts "{quay: 1}": want a list; the default is used`,
		},
		{
			"a broken expression leaves the other pins", "pins:\n  - role: system\n  - match: '('", "", "pins", "role=system",
			"plimsoll.yaml:3: pins[1] \"(\": error parsing regexp: missing closing ): `(`; the entry is left out",
		},
		{
			"a costly expression leaves the other pins", "pins:\n  - role: system\n  - match: 'a{900}'", "", "pins", "role=system",
			`plimsoll.yaml:3: pins[1] "a{900}": the pattern is too costly: it would need more than 200 instructions; the entry is left out`,
		},
		{
			"an unknown role", "pins: [{role: pilot}]", "", "pins", "none",
			`plimsoll.yaml:1: pins[0] "pilot": want system, developer, user, assistant or tool; the default is used`,
		},
		{
			"a pin without a condition", "pins: [{}]", "", "pins", "none",
			`plimsoll.yaml:1: pins[0] "{}": want one of role, index, tool, match; the default is used`,
		},
		{
			"one limit of several", "windows:\n  gpt-4o: 5\n  o3: none", "", "windows", "gpt-4o=5",
			`plimsoll.yaml:3: windows.o3 "none": not a whole number: want a whole number above zero; the entry is left out`,
		},
		{
			"brackets that do not close", "window: 7", "PLIMSOLL_SERVE_HOSTS=[quay", "serve.hosts", "those of this machine",
			`PLIMSOLL_SERVE_HOSTS: serve.hosts "[quay": sequence end token ']' not found; the default is used`,
		},
		{
			"a limit of a model", "window: 7", "GEMINI_MAX_CONTEXT_LENGTH=much", "window", "7",
			`GEMINI_MAX_CONTEXT_LENGTH="much": not a whole number: want a number of tokens above zero; the next source of the limit is used`,
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			c := mustLoad(t, tc.yaml, tc.env)
			if got := valueOf(c, tc.key).String(); got != tc.value {
				t.Errorf("%s is %q, want %q", tc.key, got, tc.value)
			}
			if diff := cmp.Diff(tc.problem, problems(c)); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

func TestNullSaysNothingWhereThereMustBeAValue(t *testing.T) {
	t.Parallel()
	c := mustLoad(t, "preset:\nmarks:\ntool_output_cache: {max_line_length: null, context_budget_tokens: ~}", "PLIMSOLL_TOOL_OUTPUT_CACHE_CONTEXT_BUDGET_TOKENS=")
	if got := c.Origin("preset").String() + c.Origin("tool_output_cache.max_line_length").String(); got != "defaultdefault" {
		t.Error(got)
	}
	if got := c.Origin("tool_output_cache.context_budget_tokens").Kind; got != config.FromFile {
		t.Errorf("a null budget is from %s, want file: it is a value of its own", got)
	}
}

func TestFlagsWinAndMustBeRight(t *testing.T) {
	t.Parallel()
	c, err := config.Load(&config.Options{
		File:    write(t, t.TempDir(), "window: 1\nreserve: 2\nmodel: a"),
		Environ: []string{"PLIMSOLL_WINDOW=3"},
		Flags: []config.Flag{
			{Key: "window", Value: number(4)},
			{Key: "reserve", Value: (*int)(nil)},
			{Key: "model", Value: ""},
			{Key: "serve.hosts", Value: []string{"quay"}},
			{Key: "pins", Name: "--pin", Value: []any{"match=a,b=c", map[string]any{"index": -2}, fit.Pin{Role: "user", Index: number(3)}}},
			{Key: "marks.low", Value: 0.125},
			{Key: "windows", Value: map[string]int{"o3": 5}},
			{Key: "tool_output_cache.enabled", Value: new(bool)},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]string{
		"window": "4 --window", "serve.hosts": "quay --serve-hosts", "pins": "match=a,b=c, index=-2, role=user and index=3 --pin", "marks.low": "0.125 --marks-low",
		"windows": "o3=5 --windows", "tool_output_cache.enabled": "false --tool-output-cache-enabled",
	} {
		if got := valueOf(c, key).String() + " " + c.Origin(key).String(); got != want {
			t.Errorf("%s: %s, want %s", key, got, want)
		}
	}
	if c.Settings.Model != "a" || *c.Settings.Reserve != 2 {
		t.Errorf("flags that are not given set something: %+v", c.Settings)
	}
	_, err = config.Load(&config.Options{Dir: t.TempDir(), Flags: []config.Flag{{Key: "window", Value: number(-4)}}})
	if err == nil || err.Error() != "--window -4: want a whole number above zero" {
		t.Error(err)
	}
}

func TestPresetsStandBetweenFilesAndDefaults(t *testing.T) {
	t.Parallel()
	c, err := config.Load(&config.Options{
		File: write(t, t.TempDir(), "preset: gemini\ncompaction: {retain_last_turns: 7}"),
		Preset: func(name string) map[string]any {
			return map[string]any{"marks.high": 0.5, "compaction.retain_last_turns": 1, "method": "summary", "model": name + "-x", "marks.low": 0.3}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]string{
		"marks.high":                   "0.5 preset gemini",
		"marks.low":                    "0.3 preset gemini",
		"method":                       "summary preset gemini",
		"model":                        "gemini-x preset gemini",
		"compaction.retain_last_turns": "7 " + c.Files[0] + ":2",
	} {
		if got := valueOf(c, key).String() + " " + c.Origin(key).String(); got != want {
			t.Errorf("%s: %s, want %s", key, got, want)
		}
	}
	_, err = config.Load(&config.Options{Dir: t.TempDir(), Preset: func(string) map[string]any { return map[string]any{"markz": 1} }})
	if err == nil {
		t.Error("a preset may set what does not exist")
	}
}
