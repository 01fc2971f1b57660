package rung

import (
	"strings"
	"testing"
)

func TestPlaceholdersNameTheirReference(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"[tool output trimmed; ref=c1]":                                                "c1",
		"[tool output trimmed; archived=c1]":                                           "c1",
		"a view\n\n[tool output truncated; ref=c1]":                                    "c1",
		"[older content of a; ref=c2, which was changed later; ref=c1]":                "c1",
		"[older content of a; ref=c2, which was changed later]":                        "",
		"[ERROR] no such ticket; ref=c1]":                                              "",
		"[tool output trimmed; ref=c1":                                                 "",
		"[tool output trimmed; ref=c1 or so]":                                          "",
		"[tool output trimmed; ref=c1]" + strings.Repeat("\n", placeholderLimit) + "]": "",
		"says [tool output truncated; ref=c1]":                                         "",
	} {
		if got := refIn(text); got != want {
			t.Errorf("refIn(%.80q) = %q, want %q", text, got, want)
		}
	}
}

func TestAViewThatOnlyLosesLineEndsKeepsItsPlaceholder(t *testing.T) {
	t.Parallel()
	const placeholder = "\n\n[tool output truncated; ref=c1]"
	v := &View{MaxBytes: 100}
	if got, want := v.Text(strings.Repeat("line 1\r\n", 14)+placeholder, ""), strings.Repeat("line 1\n", 14)+placeholder; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
