package config_test

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/config"
)

func TestAWrongFileIsAnErrorWithPlaceAndHint(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, yaml, want, hint string }{
		{"an unknown key", "windwo: 5", `plimsoll.yaml:1: unknown key "windwo"`, "did you mean window?"},
		{"an unknown key in a section", "marks:\n  hihg: 1", `plimsoll.yaml:2: unknown key "marks.hihg"`, "did you mean marks.high?"},
		{"a key of another section", "maxLineLength: 5", `plimsoll.yaml:1: unknown key "maxLineLength"`, "did you mean tool_output_cache.max_line_length?"},
		{"an unknown section", "tool_cache: {enabled: true}", `plimsoll.yaml:1: unknown key "tool_cache"`, "known keys are preset, method, model, window, reserve, marks, pins, policy, recollect, tool_output_cache, compaction, expand, serve, chat, store, tokenizers, buffer_factor, models, windows"},
		{"a key that was removed", "rungs: [view, slide]", `plimsoll.yaml:1: rungs was removed`, "leave it out; the preset and the method choose the rungs; plimsoll fit has --rungs, the HTTP API the option rungs"},
		{"the windows by their old name", "limits: {gpt-4o: 5}", `plimsoll.yaml:1: limits was removed`, "leave it out; call it windows: each is a window, for prompt and answer together"},
		{"a removed key of a section", "serve:\n  drainSeconds: 5", `plimsoll.yaml:2: serve.drain_seconds was removed`, "leave it out; answers have 30 seconds to finish when the proxy ends"},
		{"a key of a removed section", "clear:\n  keepNewest: 5", `plimsoll.yaml:2: clear.keep_newest was removed`, "leave it out; auto never clears the 3 newest tool outputs; in agent the budget alone decides"},
		{"an unknown key of a removed section", "dedupe: {tools: [cat]}", `plimsoll.yaml:1: unknown key "dedupe.tools"`, "leave it out: all settings of this section were removed"},
		{"an unknown condition of a pin", "pins: [{rolle: user}]", `plimsoll.yaml:1: unknown key "rolle"`, "a pin has one of role, index, tool, match"},
		{"a section without keys", "marks: 0.5", `plimsoll.yaml:1: marks has "0.5", and wants keys with values`, "known keys are high, low"},
		{"a key twice", "window: 5\nwindow: 6", `plimsoll.yaml:2:1: mapping key "window" already defined at [1:1]`, "check the indentation and the quotes there; a text with a colon or # in it needs quotes"},
		{"a key in two spellings", "tool_output_cache: {max_line_length: 1, maxLineLength: 2}", `plimsoll.yaml:1: "tool_output_cache.maxLineLength" stands in line 1 already`, "leave one of them out"},
		{"a tab", "marks:\n\thigh: 1", `plimsoll.yaml:2:1: a tab where only spaces may be`, "indent with spaces"},
		{"an open bracket", "models: [own", `plimsoll.yaml:1:9: sequence end token ']' not found`, "check the indentation and the quotes there; a text with a colon or # in it needs quotes"},
		{"a list", "- window", "plimsoll.yaml:1:1: settings are keys with values", "write one key and its value a line, such as window: 8000"},
		{"two documents", "window: 5\n---\nwindow: 6", "plimsoll.yaml:2:1: more than one document", "write one key and its value a line, such as window: 8000"},
		{"an alias", "models: &a [own]\nchat: {models: *a}", "plimsoll.yaml:1:9: anchors and aliases are not understood here", "write the value out where it is used"},
		{"a tag", "window: !!int 5", "plimsoll.yaml:1:9: tags and directives are not understood here", "write the value out where it is used"},
		{"bytes that are no text", "model: \xff", "plimsoll.yaml:1:1: not a text in UTF-8", "settings are a few lines of text; check that this is their file"},
		{"too many bytes", strings.Repeat("#\n", 40_000), "plimsoll.yaml:1:1: larger than 64 KiB", "settings are a few lines of text; check that this is their file"},
		{"too many values", "models: [" + strings.Repeat("a,", 20_000) + "]", "plimsoll.yaml:1:10007: too many values", "settings are a few lines of text; check that this is their file"},
		{"too many brackets", "models: " + strings.Repeat("[", 5_000), "plimsoll.yaml:1:29: nested too deep", "settings are nested two levels deep at most"},
		{"too many dashes", strings.Repeat("- ", 5_000), "plimsoll.yaml:1:101: nested too deep", "settings are nested two levels deep at most"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			_, err := load(t, tc.yaml)
			if err == nil {
				t.Fatal("no error")
			}
			if got := err.Error()[strings.Index(err.Error(), config.FileName):]; got != tc.want {
				t.Errorf("%s\nwant %s", got, tc.want)
			}
			if all, ok := err.(interface{ Unwrap() []error }); ok {
				err = all.Unwrap()[0]
			}
			if got := plimsoll.HintOf(err); got != tc.hint {
				t.Errorf("hint %q, want %q", got, tc.hint)
			}
			if got := plimsoll.CodeOf(err); got != plimsoll.CodeInvalid {
				t.Errorf("code %s", got)
			}
		})
	}
}

func TestEveryUnknownKeyIsNamed(t *testing.T) {
	t.Parallel()
	_, err := load(t, "windwo: 5\nmarks: {lwo: 1}\nmodell: x")
	for _, key := range []string{"windwo", "marks.lwo", "modell"} {
		if err == nil || !strings.Contains(err.Error(), key) {
			t.Errorf("%v does not name %s", err, key)
		}
	}
}

func TestAMissingFileIsAnErrorOnlyIfItWasNamed(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	missing := filepath.Join(dir, "none.yaml")
	for name, o := range map[string]config.Options{
		"by the flag":     {File: missing},
		"by the variable": {Environ: []string{"PLIMSOLL_CONFIG=" + missing}},
		"a directory":     {File: dir},
	} {
		if _, err := config.Load(&o); err == nil || plimsoll.HintOf(errors.Unwrap(err)) == "" && plimsoll.HintOf(err) == "" {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := config.Load(&config.Options{Dir: dir}); err != nil {
		t.Error(err)
	}
}
