package config_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/internal/config"
)

// TestTheDocumentHasEverySetting compares the table of the document with the
// tags of the settings, row by row.
func TestTheDocumentHasEverySetting(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "configuration.md"))
	if err != nil {
		t.Fatal(err)
	}
	var rows []string
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "| `") && strings.Contains(line, "`PLIMSOLL_") {
			rows = append(rows, strings.TrimSpace(line))
		}
	}
	for i, f := range config.Fields() {
		want := row(f)
		if i >= len(rows) {
			t.Errorf("missing\n%s", want)
		} else if rows[i] != want {
			t.Errorf("row %d is\n%s\nwant\n%s", i, rows[i], want)
		}
	}
	if len(rows) > len(config.Fields()) {
		t.Errorf("settings that do not exist: %s", rows[len(config.Fields()):])
	}
}

func row(f config.Field) string {
	def := "`" + f.Default + "`"
	switch {
	case f.Default == "":
		def = "null: " + f.Null
	case f.Null != "":
		def += "; null: " + f.Null
	}
	help := f.Help
	if len(f.OneOf) > 0 {
		help += " `" + strings.Join(f.OneOf, "`, `") + "`"
	}
	return fmt.Sprintf("| `%s` | `%s` | %s | %s |", f.Key, f.Env, def, help)
}

func TestEverySettingIsDescribed(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, f := range config.Fields() {
		switch {
		case seen[f.Env]:
			t.Errorf("%s is the variable of two settings", f.Env)
		case f.Default == "" && f.Null == "":
			t.Errorf("%s has no default and does not say what none means", f.Key)
		case !strings.HasSuffix(f.Help, "."):
			t.Errorf("%s: %q is no sentence", f.Key, f.Help)
		}
		seen[f.Env] = true
	}
}

func TestValuesAsJSON(t *testing.T) {
	t.Parallel()
	c := mustLoad(t, "reserve: 0\npins: [{index: -1}, {role: user, match: a}]", "PLIMSOLL_SERVE_HOSTS=quay")
	for key, want := range map[string]string{
		"reserve":                      `{"key":"reserve","value":0,"source":"file","from":"FILE:1","env":"PLIMSOLL_RESERVE"}`,
		"pins":                         `{"key":"pins","value":[{"index":-1},{"match":"a","role":"user"}],"source":"file","from":"FILE:2","env":"PLIMSOLL_PINS"}`,
		"serve.hosts":                  `{"key":"serve.hosts","value":["quay"],"source":"environment","from":"PLIMSOLL_SERVE_HOSTS","env":"PLIMSOLL_SERVE_HOSTS"}`,
		"window":                       `{"key":"window","value":null,"source":"default","from":"default","env":"PLIMSOLL_WINDOW"}`,
		"compaction.retain_last_turns": `{"key":"compaction.retain_last_turns","value":1,"source":"default","from":"default","env":"PLIMSOLL_COMPACTION_RETAIN_LAST_TURNS"}`,
	} {
		got, err := json.Marshal(valueOf(c, key))
		if err != nil {
			t.Fatal(err)
		}
		if text := strings.ReplaceAll(string(got), c.Files[0], "FILE"); text != want {
			t.Errorf("%s\nwant %s", text, want)
		}
	}
}
