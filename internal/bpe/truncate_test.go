package bpe

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// checkTruncate compares Truncate with a search through all prefixes that end between characters.
func checkTruncate(tb rapid.TB, e *Encoding, text string, n int) {
	tb.Helper()
	want := 0
	for end := 0; end < len(text); {
		_, width := utf8.DecodeRuneInString(text[end:])
		end += width
		if e.Count(text[:end]) <= n {
			want = end
		}
	}
	prefix, tokens := e.Truncate(text, n)
	if prefix != text[:want] || tokens != e.Count(prefix) {
		tb.Errorf("%s: Truncate(%q, %d) = %q, %d; want %q, %d", e.Name(), text, n, prefix, tokens, text[:want], e.Count(text[:want]))
	}
}

func TestTruncateKeepsTheLongestPrefixThatFits(t *testing.T) {
	t.Parallel()
	atoms := []string{
		"a", "B", "the", " word", "Antidis", "establish", " ", "  ", "\n", "\r\n", "1", "2345", "'s", "'", "日本語", "の", "é", "\u0301",
		"😀", "==", "/", ".", "\xff", "\xe3\x81", "<|endoftext|>", "ſ", "\ufeff",
	}
	for _, name := range Names() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e, err := Get(name)
			if err != nil {
				t.Fatal(err)
			}
			rapid.Check(t, func(t *rapid.T) {
				text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(atoms), 0, 40).Draw(t, "text"), "")
				checkTruncate(t, e, text, rapid.IntRange(-1, 40).Draw(t, "n"))
			})
		})
	}
}

func TestTruncateOfLongRunsComesCloseAndNeverExceeds(t *testing.T) {
	t.Parallel()
	for _, unit := range []string{"a", " ", "=", "7", "\n", "日", "\n ", "'s", "xq", "Zz"} {
		for _, name := range Names() {
			e, err := Get(name)
			if err != nil {
				t.Fatal(err)
			}
			text := strings.Repeat(unit, 5000)
			for _, n := range []int{1, 7, 100, 600} {
				prefix, tokens := e.Truncate(text, n)
				if tokens != e.Count(prefix) || tokens > n || tokens < n-1 && prefix != text {
					t.Errorf("%s: Truncate of %q repeated to %d tokens keeps %d bytes and %d tokens (Count says %d)",
						name, unit, n, len(prefix), tokens, e.Count(prefix))
				}
			}
		}
	}
}

func TestTruncateReadsLittleMoreThanItReturns(t *testing.T) {
	t.Parallel()
	e := CL100K()
	start, end, _ := e.crossing(strings.Repeat("load line ", 1<<20), 10)
	if end-start > 16 || end > 64 {
		t.Errorf("the end is looked for in text[%d:%d], want a word near 50", start, end)
	}
}
