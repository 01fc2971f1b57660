package refname_test

import (
	"testing"

	"github.com/plimsoll/plimsoll/internal/refname"
)

func TestWordsForModelsWithAndWithoutAToolCanBeExchanged(t *testing.T) {
	t.Parallel()
	for with, without := range map[string]string{
		"[tool output trimmed; ref=c1]":                                  "[tool output trimmed; archived=c1]",
		"a\n\n[tool output truncated; the rest can be expanded; ref=c1]": "a\n\n[tool output truncated; the rest was archived; archived=c1]",
		"3 earlier turns (420 tokens), kept as ref=c1, were removed":     "3 earlier turns (420 tokens), archived=c1, were removed",
		"edited: a.go ref=c1 b.go ref=c2 /?ref=other":                    "edited: a.go archived=c1 b.go archived=c2 /?ref=other",
		"nothing": "nothing",
	} {
		for _, text := range []string{with, without} {
			if got := refname.Write(text, true, "c1", "c2"); got != with {
				t.Errorf("with a tool %q becomes %q, want %q", text, got, with)
			}
			if got := refname.Write(text, false, "c1", "c2"); got != without {
				t.Errorf("without a tool %q becomes %q, want %q", text, got, without)
			}
		}
	}
}

func TestBothMarksAreFound(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"ref=c1": "c1", "archived=c1": "c1", "a ref=c1 archived=c2, b": "c2, b", "a archived=c1 ref=c2": "c2", "xyz": ""} {
		if got, found := refname.Last(text); got != want || found != (want != "") {
			t.Errorf("Last(%q) = %q, %v, want %q", text, got, found, want)
		}
	}
	for word, want := range map[string]bool{"ref=c1": true, "archived=c1": true, "pref=c1": false, "c1": false} {
		if id, found := refname.Cut(word); found != want || found && id != "c1" {
			t.Errorf("Cut(%q) = %q, %v", word, id, found)
		}
	}
}
