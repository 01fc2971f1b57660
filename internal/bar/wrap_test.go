package bar_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/plimsoll/plimsoll/internal/bar"
)

func TestSentencesBreakBetweenWords(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, in      string
		cells, indent int
		want          []string
	}{
		{"what fits stays", "the north quay", 14, 2, []string{"the north quay"}},
		{"between words", "the north quay", 10, 0, []string{"the north", "quay"}},
		{"a line may be full", "the north quay", 9, 0, []string{"the north", "quay"}},
		{"indented", "depth  8.9 metres at low tide", 17, 7, []string{"depth  8.9 metres", "       at low", "       tide"}},
		{"a word too long for a line", "a breakwater b", 5, 2, []string{"a", "  breakwater", "  b"}},
		{"blanks at the beginning stay", "  the north quay", 11, 0, []string{"  the north", "quay"}},
		{"wide characters", "横浜 港", 5, 0, []string{"横浜", "港"}},
		{"nothing", "", 5, 2, []string{""}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, bar.Wrap(tt.in, tt.cells, tt.indent)); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

func TestWrappingLosesNoWord(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`[a-c ]{0,40}`).Draw(t, "text")
		lines := bar.Wrap(text, rapid.IntRange(1, 20).Draw(t, "cells"), rapid.IntRange(0, 6).Draw(t, "indent"))
		if diff := cmp.Diff(strings.Fields(text), strings.Fields(strings.Join(lines, "\n"))); diff != "" {
			t.Errorf("-want +got\n%s", diff)
		}
	})
}

func TestJapaneseIsBrokenBetweenCharacters(t *testing.T) {
	t.Parallel()
	const text = "会話（全体）を短くするか、/limit で上限を上げてください。「喫水線」です"
	for width, want := range map[int][]string{
		20: {"会話（全体）を短くす", "るか、/limit で上限", "を上げてください。", "「喫水線」です"},
		21: {"会話（全体）を短くす", "るか、/limit で上限を", "上げてください。「喫", "水線」です"},
		34: {"会話（全体）を短くするか、/limit", "で上限を上げてください。「喫水線」", "です"},
	} {
		got := bar.Wrap(text, width, 0)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("width %d (-want +got):\n%s", width, diff)
		}
	}
	// No line begins with what closes something, or ends with what opens it.
	for width := 4; width < 60; width++ {
		lines := bar.Wrap(text, width, 2)
		for i, line := range lines {
			if bar.Cells(line) > max(width, 10) {
				t.Errorf("width %d: %q is too wide", width, line)
			}
			if i > 0 && strings.ContainsAny(strings.TrimSpace(line)[:3], "、。）」") {
				t.Errorf("width %d: a line begins with %q", width, line)
			}
			if strings.HasSuffix(line, "（") || strings.HasSuffix(line, "「") {
				t.Errorf("width %d: a line ends with %q", width, line)
			}
		}
	}
}
