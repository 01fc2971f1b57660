package embedding

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestLongTextsAreCutWhereTheyPause(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, text string
		most       int
		want       []string
	}{
		{"what fits is one piece", "one two", 7, []string{"one two"}},
		{"behind a line", "one two ab\nthree four", 12, []string{"one two ab\n", "three four"}},
		{"behind a word", "one two ab three four", 12, []string{"one two ab ", "three four"}},
		{"a line break before a blank", "abcdef\nh jklmn", 8, []string{"abcdef\n", "h jklmn"}},
		{"a pause too early is none", "a bcdefghijkl", 8, []string{"a bcdefg", "hijkl"}},
		{"never inside a character", "岸壁は空き", 7, []string{"岸壁", "は空", "き"}},
		{"a character larger than a piece", "岸壁", 2, []string{"岸", "壁"}},
		{"blanks alone are left out", "word    \n\n\n\n    word", 8, []string{"word    ", "word"}},
		{"nothing", "", 8, nil},
	} {
		if diff := cmp.Diff(tc.want, cut(tc.text, tc.most)); diff != "" {
			t.Errorf("%s: -want +got\n%s", tc.name, diff)
		}
	}
}

func TestPiecesAreTheWholeText(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOf(rapid.SampledFrom([]string{"a", "岸", " ", "\n", "😀", "long", "\xff"})).Draw(t, "text"), "")
		most := rapid.IntRange(1, 12).Draw(t, "most")
		pieces := cut(text, most)
		all := strings.Join(pieces, "")
		if strings.Join(strings.Fields(all), "") != strings.Join(strings.Fields(text), "") {
			t.Fatalf("%q became %q", text, pieces)
		}
		for _, p := range pieces {
			if len(p) > max(most, utf8.UTFMax) || utf8.ValidString(text) && !utf8.ValidString(p) {
				t.Fatalf("a piece of %d bytes: %q", len(p), p)
			}
		}
	})
}
