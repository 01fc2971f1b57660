package config_test

import (
	"os"
	"path/filepath"
	"testing"

	"pgregory.net/rapid"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/config"
)

func writeRapid(t *rapid.T, dir, yaml string) string {
	path := filepath.Join(dir, config.FileName)
	if err := os.WriteFile(path, []byte(yaml), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// FuzzFile reads any file: the answer is settings that hold what their checks
// promise, or an error that the user can correct.
func FuzzFile(f *testing.F) {
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, data []byte) {
		path := filepath.Join(dir, config.FileName)
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		c, err := config.Load(&config.Options{File: path})
		if err != nil {
			if got := plimsoll.CodeOf(err); got != plimsoll.CodeInvalid {
				t.Fatalf("code %s: %v", got, err)
			}
			return
		}
		checkInvariants(t, c)
	})
}

// FuzzVariable gives any text to settings of each kind.
func FuzzVariable(f *testing.F) {
	for _, seed := range []string{"8000", "0.5", "view,slide", "[view, slide]", "{gpt-4o: 5}", "role=system", "[{match: a}]", "null", "[[[[", "{a: {b: c}}"} {
		f.Add(seed)
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, text string) {
		var environ []string
		for _, field := range config.Fields() {
			environ = append(environ, field.Env+"="+text)
		}
		c, err := config.Load(&config.Options{Dir: dir, Environ: environ})
		if err == nil {
			checkInvariants(t, c)
		}
	})
}

func checkInvariants(t *testing.T, c *config.Config) {
	t.Helper()
	s := c.Settings
	if m := s.Marks; m.High < 0 || m.High > 1 || m.Low < 0 || m.Low > 1 || m.High > 0 && m.Low > m.High {
		t.Fatalf("marks %+v", s.Marks)
	}
	if s.Window < 0 || s.Preset == "" || s.ToolOutputCache.MaxLineLength < 1 || s.Compaction.RetainLastTurns < 0 {
		t.Fatalf("%+v", s)
	}
	for _, v := range c.Values {
		if v.Origin.Kind == "" || v.String() == "" && v.Value == nil {
			t.Fatalf("%+v", v)
		}
		if _, err := v.MarshalJSON(); err != nil {
			t.Fatal(err)
		}
	}
	for _, p := range c.Problems {
		if p.Error() == "" {
			t.Fatal("a problem without words")
		}
	}
	c.Limit(nil, "gpt-4o")
}
