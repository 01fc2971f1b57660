package split

import (
	"math/bits"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestPiecesReadAsExpected(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		pattern Pattern
		text    string
		want    []string
	}{
		{"whitespace between line breaks is one piece", CL100K, "a\n\t\nb", []string{"a", "\n\t\n", "b"}},
		{"indentation keeps its last blank for the word", CL100K, "\n    x", []string{"\n", "   ", " x"}},
		{"the long s is a contraction", CL100K, "x'ſy", []string{"x", "'ſ", "y"}},
		{"a byte order mark is no whitespace", CL100K, "a \ufeff b", []string{"a", " \ufeff", " b"}},
		{"digits group from the start of the run", CL100K, "1234567", []string{"123", "456", "7"}},
		{"symbols take the line breaks after them", CL100K, "{\n\n  x", []string{"{\n\n", " ", " x"}},
		{"single digits", Qwen2, "a12", []string{"a", "1", "2"}},
		{"contractions belong to the word", O200K, "It's she'LL", []string{"It's", " she'LL"}},
		{"a contraction has no contraction", O200K, "x's's", []string{"x's", "'s"}},
		{"words break at humps", O200K, "camelCase HTTPServer", []string{"camel", "Case", " HTTPServer"}},
		{"capitals after letters without case stay apart", O200K, "漢ABC", []string{"漢", "ABC"}},
		{"capitals before lower case join letters without case", O200K, "漢ABc", []string{"漢ABc"}},
		{"symbols take line breaks and slashes", O200K, ";\n//x", []string{";\n//", "x"}},
		{"no contractions", Tekken, "It's 12", []string{"It", "'s", " ", "1", "2"}},
		{"lower-case contractions only", GPT2, "it's IT'S", []string{"it", "'s", " IT", "'", "S"}},
		{"a blank joins digits", GPT2, "a 1234 !", []string{"a", " 1234", " !"}},
		{"line breaks are whitespace", GPT2, "a\n\nb", []string{"a", "\n", "\n", "b"}},
		{"digits end the text of whitespace", DeepSeek3, "a   1", []string{"a", "   ", "1"}},
		{"kana and Han are a segment", DeepSeek3, "x漢字かなy、", []string{"x", "漢字かな", "y", "、"}},
		{"signs of a kana segment are pieces", DeepSeek3, "ア・イ", []string{"ア", "・", "イ"}},
		{"one ASCII sign takes ASCII letters", DeepSeek3, "a.bé _x", []string{"a", ".b", "é", " _", "x"}},
		{"what nothing matches is one piece", DeepSeek3, "\x00\x00\x00x", []string{"\x00\x00", "\x00x"}},
		{"an invalid byte is a symbol", CL100K, "a\xff\xfe b\xffc", []string{"a", "\xff\xfe", " b", "\xffc"}},
		{"a surrogate is three invalid bytes", O200K, "\xed\xa0\x80x", []string{"\xed\xa0\x80", "x"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for name, ends := range map[string][]int{
				"Ends":   tt.pattern.Ends(tt.text, nil),
				"Window": windowEnds(t, tt.pattern, tt.text),
			} {
				if diff := cmp.Diff(tt.want, cut(tt.text, ends)); diff != "" {
					t.Errorf("%s (-want +got)\n%s", name, diff)
				}
			}
		})
	}
}

func cut(text string, ends []int) []string {
	var pieces []string
	start := 0
	for _, end := range ends {
		pieces = append(pieces, text[start:end])
		start = end
	}
	return pieces
}

// adversarial are inputs on which matchers that look ahead or back without
// bound take quadratic time.
func adversarial(size int) map[string]string {
	fill := func(s string) string { return strings.Repeat(s, size/len(s)+1)[:size/len(s)*len(s)] }
	return map[string]string{
		"one letter":           fill("a"),
		"one capital":          fill("A"),
		"blanks":               fill(" "),
		"blanks, then a word":  fill(" ") + "x",
		"line breaks":          fill("\n"),
		"line breaks, blanks":  fill("\n "),
		"tabs, line breaks":    fill("\t\t\t\n"),
		"digits":               fill("7"),
		"symbols":              fill("="),
		"slashes, line breaks": fill("/\n"),
		"quotes":               fill("'"),
		"contractions":         fill("'s"),
		"words, quotes":        fill("a'"),
		"humps":                fill("aB"),
		"Han":                  fill("漢"),
		"Han, capitals":        fill("漢A"),
		"Han, then capitals":   "漢" + fill("A"),
		"mark, then capitals":  "\u0301" + fill("A"),
		"marks":                fill("\u0301"),
		"kana, middle dots":    fill("ア・"),
		"controls":             fill("\x00"),
		"controls, letters":    fill("\x00\x00a"),
		"wide blanks":          fill("\u3000"),
		"invalid bytes":        fill("\xff"),
		"cut characters":       fill("\xe3\x81"),
		"Cyrillic":             fill("яЯ"),
		"emoji":                fill("👍"),
	}
}

// TestLongRunsEnd would take hours if any path were quadratic.
func TestLongRunsEnd(t *testing.T) {
	t.Parallel()
	forEachPattern(t, func(t *testing.T, c patternCase) {
		for name, text := range adversarial(1 << 20) {
			for start := 0; start < len(text); {
				ends, n := c.pattern.Window(text, start)
				at := start
				for ; ends != 0; ends &= ends - 1 {
					at = c.pattern.Next(text, at)
					if want := start + bits.TrailingZeros64(ends) + 1; at != want {
						t.Fatalf("%s: a piece ends at %d, in the window at %d", name, at, want)
					}
				}
				start += n
			}
		}
	})
}

func TestUnknownPatternsKeepTheTextWhole(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("some text ", 20)
	if got, want := Pattern(0).Ends(text, nil), []int{len(text)}; !slices.Equal(got, want) {
		t.Errorf("ends are %v, want %v", got, want)
	}
	if ends, n := Pattern(200).Window(text, 10); ends != 0 || n != len(text)-10 {
		t.Errorf("window is (%b, %d), want one piece of %d bytes", ends, n, len(text)-10)
	}
	for _, end := range []string{"", "x", "123"} {
		if got := Pattern(0).LastSafe(text + end); got != 0 {
			t.Errorf("safe at %d before %q, want 0", got, end)
		}
	}
}

func TestAllSpellingsOfOnePatternSplitAlike(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(5, 0))
	for _, regex := range []string{gpt2Regex, gpt2Shorter, gpt2Newest} {
		pattern, ok := Lookup(regex)
		if !ok {
			t.Fatalf("no pattern for %s", regex)
		}
		c := patternCase{"gpt2", pattern, newReference(regex)}
		for range 300 {
			checkSplit(t, c, randomText(r, 40))
		}
	}
}

func TestLookupKnowsTheExpressionsOfTheVocabularies(t *testing.T) {
	t.Parallel()
	stage := func(regexes ...string) string { return strings.Join(regexes, Separator) }
	tests := []struct {
		name  string
		regex string
		want  Pattern
	}{
		{"gpt2", `'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+`, GPT2},
		{"llama 3", `(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`, Llama3},
		{"qwen 2.5", `(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`, Qwen2},
		{"deepseek", stage(`\p{N}{1,3}`, `[一-龥぀-ゟ゠-ヿ]+`, "[!\"#$%&'()*+,\\-./:;<=>?@\\[\\\\\\]^_`{|}~][A-Za-z]+|[^\r\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+| ?[\\p{P}\\p{S}]+[\r\n]*|\\s*[\r\n]+|\\s+(?!\\S)|\\s+"), DeepSeek3},
		{"one stage of a sequence", `\p{N}{1,3}`, 0},
		{"something else", `\w+`, 0},
		{"nothing", ``, 0},
	}
	for _, tt := range tests {
		got, ok := Lookup(tt.regex)
		if got != tt.want || ok != (tt.want != 0) {
			t.Errorf("%s: got %d, %v, want %d", tt.name, got, ok, tt.want)
		}
	}
}
