package split

import (
	"strings"
	"testing"
)

func TestLastSafeIsWhereTheEndIsDecided(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		pattern Pattern
		text    string
		want    int
	}{
		{"nothing is safe in nothing", CL100K, "", 0},
		{"a word may go on", CL100K, "word", 0},
		{"a word ends at a blank", CL100K, "one two", len("one")},
		{"trailing whitespace may merge with a line break", CL100K, "one\n  ", len("one")},
		{"a symbol may take line breaks", CL100K, "one;", len("one")},
		{"a full group of digits stands", CL100K, "x 12345678", len("x 123456")},
		{"an incomplete group does not", CL100K, "12", 0},
		{"a single digit stands", Qwen2, "x 12", len("x 12")},
		{"digits run on", GPT2, "x123", len("x")},
		{"a quote may start a contraction", O200K, "one two'", len("one")},
		{"a quote cannot without contractions", Tekken, "one two'", len("one two")},
		{"a hump parts", O200K, "camelCase", len("camel")},
		{"a hump in a contraction does not", O200K, "x'rE", 0},
		{"a slash may follow a line break", O200K, "a;\n/", len("a")},
		{"an incomplete character is undecided", CL100K, "one two\xe3\x80", len("one")},
		{"a complete one is not", CL100K, "one two\xe3\x80\x82", len("one two")},
		{"a change of script parts", DeepSeek3, "abc漢字", len("abc")},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := tt.pattern.LastSafe(tt.text); got != tt.want {
				t.Errorf("LastSafe(%q) = %d, want %d", tt.text, got, tt.want)
			}
		})
	}
}

func TestLastSafeIsNearTheEndOfOrdinaryText(t *testing.T) {
	t.Parallel()
	forEachPattern(t, func(t *testing.T, c patternCase) {
		for kind, text := range sampleTexts(4 << 10) {
			most := 40
			if kind == "japanese" {
				most = 400 // words are not separated
			}
			for end := most; end <= len(text); end++ {
				if safe := c.pattern.LastSafe(text[:end]); end-safe > most {
					t.Fatalf("%s: safe at %d of %d, in %q", kind, safe, end, text[safe:end])
				}
			}
		}
	})
}

func TestLastSafeOfAppendedTextNeverGoesBack(t *testing.T) {
	t.Parallel()
	forEachPattern(t, func(t *testing.T, c patternCase) {
		text := strings.Repeat("It's 1234 camelCase words;\n\n  \t// and 漢字、かな «été» x\n", 4)
		last := 0
		for end := range len(text) {
			safe := c.pattern.LastSafe(text[:end])
			if safe < last {
				t.Fatalf("safe at %d of %d, but at %d of less", safe, end, last)
			}
			last = safe
		}
	})
}
