package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestTheDocumentHasEveryRemovedSettingAndNoOther(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "configuration.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(text), "## Removed settings\n")
	section, _, _ = strings.Cut(section, "\nThree values")
	for name, instead := range removed {
		if row := "| `" + name + "` | " + instead + " |\n"; !strings.Contains(section, row) {
			t.Errorf("missing: %s", row)
		}
	}
	if rows := strings.Count(section, "\n| `"); rows != len(removed) {
		t.Errorf("%d rows, want %d", rows, len(removed))
	}
}
