package split

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

// fragments are the atoms that random texts are built of: every class of
// character that a pattern can tell apart, and the strings that need
// look-ahead.
var fragments = []string{
	"a", "b", "s", "t", "m", "d", "re", "ve", "ll", "Z", "S", "RE", "Ll", "word", "Word", "WORD", "camelCase",
	"0", "7", "12", "123", "4567", "٣", "Ⅷ", "½",
	" ", "  ", "    ", "\t", "\n", "\r", "\r\n", "\n\n", "\v", "\u0085", "\u00a0", "\u2003", "\u3000", "\u2028",
	"'", "'s", "'S", "'T", "'re", "'Re", "'rE", "'ſ", "'ll", "'x", "''", "\"", "!", "/", "//", "_", ".", ",", "-", "{\"", "\": ", "://",
	"é", "É", "ß", "ſ", "K", "ǅ", "ʰ", "ª", "漢", "字", "ア", "ー", "・", "゛", "\u3040", "\u3099", "한", "я", "Я", "م", "ا", "ก", "ั",
	"\u0301", "\u20dd", "\ufe0f", "\u200d", "\u200b", "\ufeff", "\ufffd", "👍", "🏽", "€", "、", "。", "「", "—",
	"\x00", "\x1b", "\x7f", "\u0c5c", "\u0378", "\U00010d4a", "\U0001e922", "\U00020000", "\U000e0100", "\U0010fffd",
	"\x80", "\xff", "\xc3", "\xe3\x81", "\xf0\x9f\x91", "\xed\xa0\x80", "\xc0\xaf",
}

func randomText(label string) *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		parts := rapid.SliceOfN(rapid.SampledFrom(fragments), 0, 60).Draw(t, label)
		if rapid.Bool().Draw(t, label+" in runs") {
			for i := range parts {
				parts[i] = strings.Repeat(parts[i], rapid.IntRange(1, 9).Draw(t, "times"))
			}
		}
		return strings.Join(parts, "")
	})
}

func TestNextEqualsTheRegularExpression(t *testing.T) {
	t.Parallel()
	forEachPattern(t, func(t *testing.T, c patternCase) {
		rapid.Check(t, func(t *rapid.T) {
			text := randomText("text").Draw(t, "text")
			if diff := cmp.Diff(c.ref.ends(text), c.pattern.Ends(text, nil)); diff != "" {
				t.Fatalf("%q: (-regex +next)\n%s", text, diff)
			}
		})
	})
}

func windowEnds(t interface{ Fatalf(string, ...any) }, p Pattern, text string) []int {
	var ends []int
	for pos := 0; pos < len(text); {
		bits, n := p.Window(text, pos)
		if n <= 0 || pos+n > len(text) {
			t.Fatalf("%q: window at %d covers %d bytes", text, pos, n)
		}
		if bits == 0 {
			ends = append(ends, pos+n)
		}
		for i := range 64 {
			if bits>>i&1 == 1 {
				ends = append(ends, pos+i+1)
			}
		}
		if ends[len(ends)-1] != pos+n {
			t.Fatalf("%q: window at %d covers %d bytes but its last piece ends at %d", text, pos, n, ends[len(ends)-1])
		}
		pos += n
	}
	return ends
}

func TestWindowEqualsNext(t *testing.T) {
	t.Parallel()
	forEachPattern(t, func(t *testing.T, c patternCase) {
		rapid.Check(t, func(t *rapid.T) {
			text := randomText("text").Draw(t, "text")
			if diff := cmp.Diff(c.pattern.Ends(text, nil), windowEnds(t, c.pattern, text)); diff != "" {
				t.Fatalf("%q: (-next +window)\n%s", text, diff)
			}
		})
	})
}

func TestLastSafeHoldsWhateverFollows(t *testing.T) {
	t.Parallel()
	forEachPattern(t, func(t *testing.T, c patternCase) {
		rapid.Check(t, func(t *rapid.T) {
			text := randomText("text").Draw(t, "text")
			more := randomText("more").Draw(t, "more")
			checkSafe(t, c.pattern, text, more)
		})
	})
}

// checkSafe fails unless the pieces of text up to the safe offset are the same
// alone, in text and in text followed by more.
func checkSafe(t interface{ Fatalf(string, ...any) }, p Pattern, text, more string) {
	safe := p.LastSafe(text)
	alone := p.Ends(text[:safe], nil)
	whole := p.Ends(text+more, nil)
	if len(whole) < len(alone) {
		t.Fatalf("%q + %q: %d pieces up to %d, %d in all", text, more, len(alone), safe, len(whole))
	}
	if diff := cmp.Diff(alone, whole[:len(alone)], cmpopts.EquateEmpty()); diff != "" {
		t.Fatalf("%q + %q: safe at %d (-alone +with more)\n%s", text, more, safe, diff)
	}
}
