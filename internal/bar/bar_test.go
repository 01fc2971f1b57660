package bar_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/plimsoll/plimsoll/internal/bar"
)

func ExampleChart() {
	rows := []bar.Row{{Label: "tools", Value: 80, Note: "80"}, {Label: "user", Value: 20, Note: "20"}}
	for _, line := range bar.Chart(rows, bar.Options{Width: 30, ASCII: true}) {
		fmt.Println(line)
	}
	// Output:
	// tools  ###################  80
	// user   #####                20
}

func ExampleGauge() {
	fmt.Println(bar.Gauge(25, 100, "", bar.Options{Width: 22, ASCII: true}))
	// Output: [#####...............]
}

func TestChartsAreDrawnInTheWidthTheyAreGiven(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name string
		rows []bar.Row
		o    bar.Options
		want []string
	}{
		{
			"blocks show eighths of a cell",
			[]bar.Row{{Label: "a", Value: 8}, {Label: "b", Value: 3}, {Label: "c", Value: 1}},
			bar.Options{Width: 13},
			[]string{"a  ████████  ", "b  ███       ", "c  █         "},
		},
		{
			"a small value has a mark and none has none",
			[]bar.Row{{Label: "a", Value: 10000, Note: "x"}, {Label: "b", Value: 1, Note: "y"}, {Label: "c", Note: "z"}},
			bar.Options{Width: 14},
			[]string{"a  ████████  x", "b  ▏         y", "c            z"},
		},
		{
			"wide characters keep the bars aligned",
			[]bar.Row{{Label: "港", Value: 1}, {Label: "port", Value: 1}},
			bar.Options{Width: 16, ASCII: true},
			[]string{"港    ########  ", "port  ########  "},
		},
		{
			"long labels are shortened rather than bars",
			[]bar.Row{{Label: "a very long label indeed", Value: 1, Note: "1"}},
			bar.Options{Width: 24, ASCII: true},
			[]string{"a very lon~  ########  1"},
		},
		{
			"colour surrounds the bar only",
			[]bar.Row{{Label: "a", Value: 1, Note: "1", Style: "36"}},
			bar.Options{Width: 14, ASCII: true, Color: true},
			[]string{"a  \x1b[36m########\x1b[0m  1"},
		},
		{"no rows give no lines", nil, bar.Options{}, []string{}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tc.want, bar.Chart(tc.rows, tc.o)); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

func TestEveryLineHasTheWidthAndLongerBarsMeanMore(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		o := bar.Options{Width: rapid.IntRange(40, 200).Draw(t, "width"), ASCII: rapid.Bool().Draw(t, "ascii")}
		rows := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) bar.Row {
			return bar.Row{
				Label: rapid.StringOfN(rapid.RuneFrom([]rune("abc XYZ港湾é\u0301🚢")), 0, 30, -1).Draw(t, "label"),
				Value: rapid.IntRange(-5, 1<<40).Draw(t, "value"),
				Note:  rapid.StringMatching(`[0-9,]{0,12}`).Draw(t, "note"),
			}
		}), 1, 8).Draw(t, "rows")
		lines := bar.Chart(rows, o)
		for i, line := range lines {
			if got := bar.Cells(line); got != o.Width {
				t.Fatalf("line %d has %d cells, want %d: %q", i, got, o.Width, line)
			}
			for j := range lines {
				if rows[i].Value > rows[j].Value && filled(line) < filled(lines[j]) {
					t.Fatalf("%d draws less than %d:\n%s\n%s", rows[i].Value, rows[j].Value, line, lines[j])
				}
			}
		}
	})
}

// filled counts the eighths that a line's bar draws.
func filled(line string) int {
	n := 0
	for _, r := range line {
		if i := strings.IndexRune("▏▎▍▌▋▊▉█", r); i >= 0 {
			n += i/len("█") + 1
		}
	}
	return n
}

func TestGaugesFillUpAndNeverOverflow(t *testing.T) {
	t.Parallel()
	o := bar.Options{Width: 12, ASCII: true}
	for value, want := range map[int]string{
		0: "[..........]", 1: "[#.........]", 50: "[#####.....]", 100: "[##########]", 900: "[##########]",
	} {
		if got := bar.Gauge(value, 100, "", o); got != want {
			t.Errorf("%d of 100: %q, want %q", value, got, want)
		}
	}
	if got := bar.Gauge(5, 0, "", o); got != "[..........]" {
		t.Errorf("of an unknown whole: %q", got)
	}
}

func TestCellsOfTexts(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{
		"": 0, "abc": 3, "港湾": 4, "ﾎﾟｰﾄ": 4, "é": 1, "e\u0301": 1, "Ａ": 2, "🚢": 2, "a\u200bb": 2, "█": 1,
	} {
		if got := bar.Cells(text); got != want {
			t.Errorf("%q: %d cells, want %d", text, got, want)
		}
	}
}

func TestClipNeverCutsAWideCharacterInHalf(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		text  string
		cells int
		want  string
	}{
		{"harbour", 7, "harbour"},
		{"harbour", 6, "harbo~"},
		{"港湾局", 6, "港湾局"},
		{"港湾局", 5, "港湾~"},
		{"港湾局", 4, "港~"},
		{"harbour", 1, "~"},
		{"harbour", 0, ""},
		{"harbour", -3, ""},
	} {
		if got := bar.Clip(tc.text, tc.cells); got != tc.want {
			t.Errorf("Clip(%q, %d) = %q, want %q", tc.text, tc.cells, got, tc.want)
		}
	}
}

func TestCleanTextCannotSteerTheTerminal(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"read_file": "read_file", "a\x1b[2Jb": "a?[2Jb", "a\nb\tc": "a?b?c", "\u202eabc": "?abc", "港": "港", "a\xffb": "a?b",
	} {
		if got := bar.Clean(text); got != want {
			t.Errorf("Clean(%q) = %q, want %q", text, got, want)
		}
	}
}
