package config_test

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/plimsoll/plimsoll/internal/config"
	"github.com/plimsoll/plimsoll/model"
)

func TestTheProjectsFileStandsOverTheUsers(t *testing.T) {
	t.Parallel()
	project, home := t.TempDir(), t.TempDir()
	here := write(t, project, "window: 1\nmodel: ours")
	own := write(t, filepath.Join(home, ".config", "plimsoll"), "window: 2\nreserve: 3")
	c, err := config.Load(&config.Options{Dir: project, Environ: []string{"HOME=" + home}})
	if err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]string{"window": "1 " + here + ":1", "model": "ours " + here + ":2", "reserve": "3 " + own + ":2"} {
		if got := valueOf(c, key).String() + " " + c.Origin(key).String(); got != want {
			t.Errorf("%s: %s, want %s", key, got, want)
		}
	}
	if got, want := fmt.Sprint(c.Files), fmt.Sprint([]string{here, own}); got != want {
		t.Errorf("read %s, want %s", got, want)
	}
}

func TestAFileThatIsNamedIsTheOnlyOne(t *testing.T) {
	t.Parallel()
	project, xdg := t.TempDir(), t.TempDir()
	write(t, project, "window: 1\nwrong: key")
	own := write(t, filepath.Join(xdg, "plimsoll"), "reserve: 2")
	named := write(t, t.TempDir(), "model: named")
	for _, tc := range []struct {
		name string
		opts config.Options
		want string
	}{
		{"the flag", config.Options{File: named, Environ: []string{"PLIMSOLL_CONFIG=" + own}}, named},
		{"the variable", config.Options{Environ: []string{"PLIMSOLL_CONFIG=" + named, "XDG_CONFIG_HOME=" + xdg}}, named},
	} {
		tc.opts.Dir = project
		c, err := config.Load(&tc.opts)
		if err != nil {
			t.Errorf("%s: %v", tc.name, err)
			continue
		}
		if got := fmt.Sprint(c.Files); got != "["+tc.want+"]" || c.Settings.Model != "named" || c.Settings.Window != 0 {
			t.Errorf("%s: read %s", tc.name, got)
		}
	}
	empty := t.TempDir()
	c, err := config.Load(&config.Options{Dir: empty, Environ: []string{"XDG_CONFIG_HOME=" + xdg, "HOME=/nowhere"}})
	if err != nil || *c.Settings.Reserve != 2 {
		t.Errorf("the user's own file in XDG_CONFIG_HOME: %v", err)
	}
	if got, want := fmt.Sprint(c.Looked), fmt.Sprint([]string{filepath.Join(empty, config.FileName), own}); got != want {
		t.Errorf("looked for %s, want %s", got, want)
	}
}

func TestAFileThatMerelyLiesThereReachesNothing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := write(t, dir, "window: 5\ntokenizers: vocabularies\nmodels: https://elsewhere.example/list.json")
	c, err := config.Load(&config.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	if c.Settings.Window != 5 || c.Settings.Tokenizers != "" || c.Settings.Models != nil {
		t.Errorf("%+v", c.Settings)
	}
	if len(c.Problems) != 2 || !strings.Contains(problems(c), "name it with --config to trust it; the default is used") {
		t.Error(problems(c))
	}
	c, err = config.Load(&config.Options{Dir: dir, File: file})
	if err != nil || len(c.Problems) > 0 || len(c.Settings.Models) != 1 {
		t.Errorf("a named file is trusted: %v %v", err, c)
	}
}

func TestAVariableThatIsWrittenLikeOursIsReported(t *testing.T) {
	t.Parallel()
	c, err := config.Load(&config.Options{Dir: t.TempDir(), Environ: []string{
		"PLIMSOLL_WINDWO=5", "PLIMSOLL_MARKS_LOWW=1", "PLIMSOLL_SERVICE_HOST=10.0.0.1", "PLIMSOLL_PORT_8080_TCP_ADDR=x", "WINDWO=5",
	}})
	if err != nil {
		t.Fatal(err)
	}
	const want = "PLIMSOLL_MARKS_LOWW: no such setting; did you mean PLIMSOLL_MARKS_LOW?\n" +
		"PLIMSOLL_WINDWO: no such setting; did you mean PLIMSOLL_WINDOW?"
	if got := problems(c); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

func TestAVariableOfARemovedSettingIsReported(t *testing.T) {
	t.Parallel()
	c, err := config.Load(&config.Options{Dir: t.TempDir(), Environ: []string{"PLIMSOLL_SERVE_IDLE_SECONDS=7", "PLIMSOLL_CACHE=manage"}})
	if err != nil {
		t.Fatal(err)
	}
	const want = "PLIMSOLL_CACHE: this setting was removed; the client's cache breakpoints survive; Plimsoll places none of its own\n" +
		"PLIMSOLL_SERVE_IDLE_SECONDS: this setting was removed; an answer may pause for 2 minutes"
	if got := problems(c); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

func TestOnlyTheFirstMistakesAreReported(t *testing.T) {
	t.Parallel()
	var keys, limits strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&keys, "key%d: 1\n", i)
		fmt.Fprintf(&limits, "  model%d: x\n", i)
	}
	_, err := load(t, keys.String())
	if got := strings.Count(err.Error(), "unknown key"); got != 10 {
		t.Errorf("%d unknown keys are named, want 10", got)
	}
	c := mustLoad(t, "windows:\n"+limits.String())
	if got := problems(c); len(c.Problems) != 11 || !strings.HasSuffix(got, ": windows: 990 more entries are wrong; the default is used") {
		t.Errorf("%d problems, the last of which is %.100s", len(c.Problems), got[strings.LastIndexByte(got, '\n')+1:])
	}
}

func TestMarksNeverCross(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, yaml, env, high, low, problem string }{
		{"both", "marks: {high: 0.8, low: 0.2}", "", "0.8 file", "0.2 file", ""},
		{"equal", "marks: {high: 0.8, low: 0.8}", "", "0.8 file", "0.8 file", ""},
		{"the preset's low mark gives way", "marks: {high: 0.5}", "", "0.5 file", "0.5 preset gemini, follows marks.high", ""},
		{"the preset's high mark gives way", "marks: {low: 0.95}", "", "0.95 preset gemini, follows marks.low", "0.95 file", ""},
		{
			"two in one source", "marks: {high: 0.3, low: 0.6}", "", "0.3 file", "0.3 preset gemini, follows marks.high",
			"marks.low \"0.6\": above marks.high, which is 0.3 (FILE:1); that of the preset gemini is used",
		},
		{
			"the stronger source wins", "marks: {high: 0.3, low: 0.2}", "PLIMSOLL_MARKS_LOW=0.6", "0.9 preset gemini", "0.6 PLIMSOLL_MARKS_LOW",
			"marks.high \"0.3\": below marks.low, which is 0.6 (PLIMSOLL_MARKS_LOW); that of the preset gemini is used",
		},
		{
			"the weaker source may be right by itself", "marks: {high: 0.7, low: 0.6}", "PLIMSOLL_MARKS_HIGH=0.4", "0.4 PLIMSOLL_MARKS_HIGH", "0.4 preset gemini, follows marks.high",
			"marks.low \"0.6\": above marks.high, which is 0.4 (PLIMSOLL_MARKS_HIGH); that of the preset gemini is used",
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			c, err := config.Load(&config.Options{
				File: write(t, t.TempDir(), tc.yaml), Environ: []string{"PLIMSOLL_PRESET=gemini", tc.env},
				Preset: func(string) map[string]any { return map[string]any{"marks.high": 0.9, "marks.low": 0.7} },
			})
			if err != nil {
				t.Fatal(err)
			}
			shown := func(key string) string {
				return valueOf(c, key).String() + " " + strings.ReplaceAll(c.Origin(key).String(), c.Files[0]+":1", "file")
			}
			if high, low := shown("marks.high"), shown("marks.low"); high != tc.high || low != tc.low {
				t.Errorf("high %s, low %s; want %s and %s", high, low, tc.high, tc.low)
			}
			got := strings.ReplaceAll(problems(c), c.Files[0], "FILE")
			if !strings.HasSuffix(got, tc.problem) || (got == "") != (tc.problem == "") {
				t.Errorf("%q, want %q", got, tc.problem)
			}
		})
	}
}

func TestTwoFlagsThatCannotBothHoldAreAnError(t *testing.T) {
	t.Parallel()
	_, err := config.Load(&config.Options{Dir: t.TempDir(), Flags: []config.Flag{
		{Key: "marks.low", Name: "--low", Value: 0.9}, {Key: "marks.high", Value: 0.5},
	}})
	if err == nil || err.Error() != "--low 0.9: above marks.high, which is 0.5 (--marks-high)" {
		t.Error(err)
	}
}

// TestTheStrongestSourceWithAPossibleValueWins lets every source say nothing,
// something possible or something impossible about the same settings.
func TestTheStrongestSourceWithAPossibleValueWins(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		says := rapid.SampledFrom([]string{"", "good", "bad"})
		env, named, preset := says.Draw(t, "environment"), says.Draw(t, "file"), says.Draw(t, "preset")
		flag := rapid.SampledFrom([]string{"", "good"}).Draw(t, "flag")
		value := func(said string, n int) string {
			if said == "bad" {
				return rapid.SampledFrom([]string{"-1", "much", "0.5", "[]", "1e99"}).Draw(t, "bad value")
			}
			return fmt.Sprint(n)
		}
		opts := &config.Options{Dir: filepath.Join(dir, "none"), Preset: func(string) map[string]any { return nil }}
		if flag != "" {
			opts.Flags = []config.Flag{{Key: "window", Value: 1}}
		}
		if env != "" {
			opts.Environ = []string{"PLIMSOLL_WINDOW=" + value(env, 2)}
		}
		if named != "" {
			opts.File = writeRapid(t, dir, "window: "+value(named, 3))
		}
		if preset != "" {
			four := value(preset, 4)
			opts.Preset = func(string) map[string]any { return map[string]any{"window": four} }
		}
		want, kind, wrong := 0, config.FromDefault, 0
		for i, said := range []string{preset, named, env, flag} {
			switch said {
			case "good":
				want, kind = 4-i, []config.OriginKind{config.FromPreset, config.FromFile, config.FromEnv, config.FromFlag}[i]
			case "bad":
				wrong++
			}
		}
		c, err := config.Load(opts)
		if err != nil {
			t.Fatal(err)
		}
		if c.Settings.Window != want || c.Origin("window").Kind != kind || len(c.Problems) != wrong {
			t.Fatalf("window %d from %s with %v; want %d from %s with %d problems", c.Settings.Window, c.Origin("window"), c.Problems, want, kind, wrong)
		}
	})
}

func TestF01_TheLimitAndItsSource(t *testing.T) {
	t.Parallel()
	const limits = "windows: {gpt-4o: 64000, 'claude-*': 70000, '*': 80000, harbour-9: 90000}"
	for _, tc := range []struct {
		name, yaml, env, model, want string
	}{
		{"the registry", "", "", "gpt-4o", "128000 registry gpt-4o"},
		{"a window in a variable of ours", "window: 3", "PLIMSOLL_WINDOW=5 GPT_4O_MAX_CONTEXT_LENGTH=7", "gpt-4o", "5 environment PLIMSOLL_WINDOW"},
		{"a variable of the provider before a file", "window: 3", "CHATGPT_MAX_CONTEXT_LENGTH=7", "gpt-4o", "7 environment CHATGPT_MAX_CONTEXT_LENGTH"},
		{"the default variable before a file", "window: 3", "DEFAULT_MAX_CONTEXT_LENGTH=8", "o3", "8 environment default DEFAULT_MAX_CONTEXT_LENGTH"},
		{"a window in a file before limits", "window: 3\n" + limits, "", "gpt-4o", "3 file FILE:1"},
		{"a limit by name", limits, "", "gpt-4o", "64000 file FILE:1"},
		{"a limit by another name of the model", limits, "", "openrouter/openai/gpt-4o-2024-11-20", "64000 file FILE:1"},
		{"a limit by pattern", limits, "", "claude-opus-4-5", "70000 file FILE:1"},
		{"a limit of a model nobody knows", limits, "", "harbour-9", "90000 file FILE:1"},
		{"a limit of all others", limits, "", "o3", "80000 file FILE:1"},
		{"a variable before a limit", limits, "GPT_4O_MAX_CONTEXT_LENGTH=7", "gpt-4o", "7 environment GPT_4O_MAX_CONTEXT_LENGTH"},
		{"an impossible variable", limits, "GPT_4O_MAX_CONTEXT_LENGTH=x", "gpt-4o", "64000 file FILE:1"},
		{"nothing at all", "", "", "harbour-9", "4096 default "},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			environ := strings.Fields(tc.env)
			c := mustLoad(t, tc.yaml, environ...)
			getenv := func(name string) string {
				for _, setting := range environ {
					if value, ok := strings.CutPrefix(setting, name+"="); ok {
						return value
					}
				}
				return ""
			}
			l := c.Limit(&model.Limits{Env: getenv}, tc.model)
			got := fmt.Sprintf("%d %s %s", l.Tokens, l.Source, strings.ReplaceAll(l.From, c.Files[0], "FILE"))
			if got != tc.want {
				t.Errorf("%s, want %s", got, tc.want)
			}
		})
	}
}

func TestPasswordsInAddressesAreNotShown(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ store, want string }{
		{"postgres://me:secret@db.example/plimsoll", "postgres://me:xxxxx@db.example/plimsoll"},
		{"postgres://db.example/plimsoll?password=secret&user=me", "postgres://db.example/plimsoll?password=xxxxx&user=me"},
		{"postgres://me:secret@db example/%", "postgres://…"},
		{"kept.db", "kept.db"},
	} {
		c, err := config.Load(&config.Options{Dir: t.TempDir(), Environ: []string{"PLIMSOLL_STORE=" + tc.store, "PLIMSOLL_MODELS=" + tc.store}})
		if err != nil {
			t.Fatal(err)
		}
		if got := string(c.Settings.Store); got != tc.store {
			t.Errorf("the setting is %q, want %q", got, tc.store)
		}
		for _, key := range []string{"store", "models"} {
			data, err := json.Marshal(valueOf(c, key))
			if got := valueOf(c, key).String(); got != tc.want || err != nil || strings.Contains(string(data), "secret") {
				t.Errorf("%s: shown as %q and %s, want %q", key, got, data, tc.want)
			}
		}
	}
}
