package config_test

import (
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/internal/config"
)

func TestC01_TheNamesOfTheTextAreUnderstood(t *testing.T) {
	t.Parallel()
	got := mustLoad(t, "compaction:\n  thresholdRatio: 0.9\n  retainLastTurns: 2\n  summaryDirectives: [a]\n  retain-directives: [b]").Settings.Compaction
	if got.ThresholdRatio != 0.9 || got.RetainLastTurns != 2 || len(got.SummaryDirectives) != 1 || len(got.RetainDirectives) != 1 {
		t.Errorf("%+v", got)
	}
}

func TestC01_ARetainPromptOfNullAsksForNothing(t *testing.T) {
	t.Parallel()
	for yaml, want := range map[string]string{
		"compaction: {retainPrompt: null}":  "",
		"compaction: {retainPrompt: Names}": "Names",
		"{}":                                "", // the text: optional
	} {
		if got := mustLoad(t, yaml).Settings.Compaction.RetainPrompt; got != want {
			t.Errorf("%s: %q, want %q", yaml, got, want)
		}
	}
}

func TestG16_TheThresholdIsConfigurableByTheNameOfTheText(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, yaml, env, model, from string }{
		{"in a section of the model", "model:\n  name: gemini-2.5-pro\n  compressionThreshold: 0.7", "", "gemini-2.5-pro", ":3"},
		{"as a key with a dot", "model: gemini-2.5-pro\nmodel.compressionThreshold: 0.7", "", "gemini-2.5-pro", ":2"},
		{"by our own name", "compaction: {compression_threshold: 0.7}", "", "", ":1"},
		{"by a variable", "{}", "PLIMSOLL_MODEL_COMPRESSION_THRESHOLD=0.7", "", "PLIMSOLL_MODEL_COMPRESSION_THRESHOLD"},
		{"by our own variable first", "{}", "PLIMSOLL_MODEL_COMPRESSION_THRESHOLD=0.1 PLIMSOLL_COMPACTION_COMPRESSION_THRESHOLD=0.7", "", "PLIMSOLL_COMPACTION_COMPRESSION_THRESHOLD"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := mustLoad(t, tt.yaml, append(strings.Fields(tt.env), "PLIMSOLL_PRESET=gemini")...)
			if got := c.Settings.Compaction.CompressionThreshold; got != 0.7 || c.Settings.Model != tt.model {
				t.Errorf("threshold %v of model %q", got, c.Settings.Model)
			}
			if from := c.Origin("compaction.compression_threshold").Name; !strings.HasSuffix(from, tt.from) {
				t.Errorf("from %s, want %s", from, tt.from)
			}
			if text := problems(c); text != "" {
				t.Error(text)
			}
		})
	}
}

func TestASettingCannotStandThereByTwoNames(t *testing.T) {
	t.Parallel()
	for yaml, want := range map[string]string{
		"model: {compression_threshold: 0.5}\ncompaction: {compressionThreshold: 0.6}": "stands in line 1 already",
		"model: {name: a}\nmodel: {name: b}":                                           "model",
		"model: {nmae: a}":                                                             `unknown key "model.nmae"`,
	} {
		if _, err := load(t, yaml); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", yaml, err, want)
		}
	}
}

func TestF09_AnImpossibleCompactionIsReportedAndPassedOver(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ yaml, key, value, problem string }{
		{
			"compaction: {threshold_ratio: 80}", "compaction.threshold_ratio", "0.8",
			`compaction.threshold_ratio "80": want a number above 0 and at most 1; the default is used`,
		},
		{
			"compaction: {summarizer: gpt-4o}", "compaction.summarizer", "the preset's: auto in agent and gemini, with a method of summaries, and with a model; else extract",
			`compaction.summarizer "gpt-4o": want auto, extract or API:MODEL, optionally with @URL; the default is used`,
		},
		{
			"compaction: {retainLastTurns: -1}", "compaction.retain_last_turns", "1",
			`compaction.retain_last_turns "-1": want a whole number, 0 or more; the default is used`,
		},
	} {
		c := mustLoad(t, tt.yaml)
		if got := valueOf(c, tt.key).String(); got != tt.value {
			t.Errorf("%s is %s, want %s", tt.key, got, tt.value)
		}
		if text := problems(c); !strings.Contains(text, tt.problem) {
			t.Errorf("%s\nwant %s", text, tt.problem)
		}
	}
}

func TestAFileThatMerelyLiesThereRunsNothing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, "compaction:\n  summarizer: openai:m@https://elsewhere.example\n  model: dear\n  hooks: {pre: rm, post: rm, content: true}\n  auto: false")
	c, err := config.Load(&config.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	want := defaultCompaction()
	want.Auto = false
	if got := c.Settings.Compaction; got.Summarizer != want.Summarizer || got.Model != "" || got.Hooks.Pre != nil || got.Hooks.Post != nil || got.Hooks.Content || got.Auto {
		t.Errorf("%+v", got)
	}
	if len(c.Problems) != 5 {
		t.Errorf("%d problems: %s", len(c.Problems), problems(c))
	}
}
