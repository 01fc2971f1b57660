package split

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// plain are the ASCII atoms that random texts are built of, wide the others:
// every class of character that a pattern can tell apart, and the strings
// that need look-ahead.
var (
	plain = []string{
		"a", "b", "s", "t", "m", "d", "re", "ve", "ll", "Z", "S", "RE", "Ll", "word", "Word", "WORD", "camelCase",
		"0", "7", "12", "123", "4567", " ", "  ", "    ", "\t", "\n", "\r", "\r\n", "\n\n", "\v", "\n ", " \n", "!\n", "\n/",
		"'", "'s", "'S", "'T", "'re", "'Re", "'rE", "'ll", "'x", "''", "\"", "!", "/", "//", "_", ".", ",", "-", "{\"", "\": ", "://",
		"\x00", "\x1b", "\x7f",
	}
	wide = []string{
		"٣", "Ⅷ", "½", "\u0085", "\u00a0", "\u2003", "\u3000", "\u2028", "'ſ",
		"é", "É", "ß", "ſ", "K", "ǅ", "ʰ", "ª", "漢", "字", "ア", "ー", "・", "゛", "\u3040", "\u3099", "한", "я", "Я", "م", "ا", "ก", "ั",
		"\u0301", "\u20dd", "\ufe0f", "\u200d", "\u200b", "\ufeff", "\ufffd", "👍", "🏽", "€", "、", "。", "「", "—", "ᲊ", "Ꭰ", "ꙁ",
		"\u0c5c", "\u0378", "\U00010d4a", "\U0001e922", "\U00020000", "\U000e0100", "\U0010fffd",
		"\x80", "\xff", "\xc3", "\xe3\x81", "\xf0\x9f\x91", "\xed\xa0\x80", "\xc0\xaf", "\xe0\x80\x80",
	}
)

// randomText joins up to n atoms, some of them repeated. Most texts are mostly
// ASCII, as windows are made for that.
func randomText(r *rand.Rand, n int) string {
	share := []int{0, 0, 1, 10, 50}[r.IntN(5)]
	runs := r.IntN(2) == 0
	var text strings.Builder
	for range r.IntN(n + 1) {
		atoms := plain
		if r.IntN(100) < share {
			atoms = wide
		}
		times := 1
		if runs && r.IntN(4) == 0 {
			times += r.IntN(30)
		}
		text.WriteString(strings.Repeat(atoms[r.IntN(len(atoms))], times))
	}
	return text.String()
}

// drawText lets rapid choose and shrink a text.
func drawText(t *rapid.T, label string) string {
	atoms := append(append([]string(nil), plain...), wide...)
	return strings.Join(rapid.SliceOfN(rapid.SampledFrom(atoms), 0, 60).Draw(t, label), "")
}

// fataler is what testing and rapid have in common.
type fataler interface{ Fatalf(string, ...any) }

// checkSplit fails unless Next, Window and the regular expression agree.
func checkSplit(t fataler, c patternCase, text string) {
	want := c.ref.ends(text)
	if got := c.pattern.Ends(text, nil); !slices.Equal(want, got) {
		t.Fatalf("%q: (-regex +next)\n%s", text, cmp.Diff(want, got))
	}
	if got := windowEnds(t, c.pattern, text); !slices.Equal(want, got) {
		t.Fatalf("%q: (-regex +window)\n%s", text, cmp.Diff(want, got))
	}
}

func windowEnds(t fataler, p Pattern, text string) []int {
	var ends []int
	for pos := 0; pos < len(text); {
		bits, n := p.Window(text, pos)
		if n <= 0 || pos+n > len(text) || bits == 0 && n <= 64 {
			t.Fatalf("%q: window at %d covers %d bytes with ends %b", text, pos, n, bits)
		}
		if bits == 0 {
			ends = append(ends, pos+n)
		}
		for i := range 64 {
			if bits>>i&1 == 1 {
				ends = append(ends, pos+i+1)
			}
		}
		pos += n
		if last := ends[len(ends)-1]; last != pos {
			t.Fatalf("%q: window covers the text up to %d but its last piece ends at %d", text, pos, last)
		}
	}
	return ends
}

// checkSafe fails unless the pieces of text up to the safe offset are the same
// alone and in text followed by more.
func checkSafe(t fataler, p Pattern, text, more string) {
	safe := p.LastSafe(text)
	alone := p.Ends(text[:safe], nil)
	whole := p.Ends(text+more, nil)
	if len(whole) < len(alone) {
		t.Fatalf("%q + %q: %d pieces up to %d, %d in all", text, more, len(alone), safe, len(whole))
	}
	if got := whole[:len(alone)]; !slices.Equal(alone, got) {
		t.Fatalf("%q + %q: safe at %d (-alone +with more)\n%s", text, more, safe, cmp.Diff(alone, got))
	}
}

func TestNextAndWindowEqualTheRegularExpression(t *testing.T) {
	t.Parallel()
	forEachPattern(t, func(t *testing.T, c patternCase) {
		rapid.Check(t, func(t *rapid.T) { checkSplit(t, c, drawText(t, "text")) })
	})
}

func TestManyRandomTextsSplitLikeTheRegularExpression(t *testing.T) {
	t.Parallel()
	forEachPattern(t, func(t *testing.T, c patternCase) {
		r := rand.New(rand.NewPCG(1, uint64(c.pattern)))
		for range 1000 {
			checkSplit(t, c, randomText(r, 60))
		}
	})
}

func TestLastSafeHoldsWhateverFollows(t *testing.T) {
	t.Parallel()
	forEachPattern(t, func(t *testing.T, c patternCase) {
		rapid.Check(t, func(t *rapid.T) { checkSafe(t, c.pattern, drawText(t, "text"), drawText(t, "more")) })
		r := rand.New(rand.NewPCG(2, uint64(c.pattern)))
		for range 3000 {
			text, more := randomText(r, 12), randomText(r, 6)
			// Half of the time the cut falls inside a character.
			if r.IntN(2) == 0 && len(text) > 0 {
				cut := r.IntN(len(text))
				text, more = text[:cut], text[cut:]+more
			}
			checkSafe(t, c.pattern, text, more)
		}
	})
}
