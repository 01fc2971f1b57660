package hf_test

import (
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/plimsoll/plimsoll/internal/hf"
)

// textParts are what random texts are made of: common words, what the families treat apart, and
// what is easy to get wrong.
var textParts = []string{
	"a", "e", "t", "the", " the", "ing", "tion", " ", "  ", "\n", "\n\n", "\t", "'s", "'S", "1", "123", "3.14", "é", "e\u0301", "ß",
	"日", "本", "日本語", "の", "カ", "🚢", "▁", "▁▁", "<", ">", "<b>", "<s>", "<unk>", "<0x41>", "<|endoftext|>", "<|im_start|>", "<tool_call>", "<tool", "[X]",
	"(", ")", "==", "\u00a0", "\x00", "\xff", "\xe6\x97", "\xa5", "Ж", "ш", "한", "Ġ", "\u0301",
}

func drawText(t *rapid.T) string {
	parts := rapid.SliceOfN(rapid.SampledFrom(textParts), 0, 24).Draw(t, "parts")
	text := strings.Join(parts, "")
	if rapid.IntRange(0, 9).Draw(t, "repeat") == 0 {
		text = strings.Repeat(text, 4)
	}
	return text
}

func TestEveryFamilyEqualsTheReference(t *testing.T) {
	t.Parallel()
	for _, f := range smallFamilies() {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			tok := parse(t, f.file)
			rapid.Check(t, func(t *rapid.T) {
				text := drawText(t)
				special := rapid.Bool().Draw(t, "special")
				checkAgainst(t, &f, tok.With(hf.Options{ParseSpecial: special}), text, special)
			})
		})
	}
}

// fataler is what testing.T and rapid.T have in common here.
type fataler interface {
	Helper()
	Fatalf(format string, args ...any)
}

func checkAgainst(t fataler, f *family, tok *hf.Tokenizer, text string, special bool) {
	t.Helper()
	want := f.ref.encode(text, special)
	got := tok.Encode(text, []uint32{})
	if !slices.Equal(got, want) {
		t.Fatalf("%s: %+q (-want +got):\n%s", f.name, text, cmp.Diff(want, got))
	}
	if n := tok.Count(text); n != len(want) {
		t.Fatalf("%s: Count(%+q) = %d, want %d", f.name, text, n, len(want))
	}
	back, err := tok.Decode(got)
	if err != nil || f.reversible && back != text {
		t.Fatalf("%s: Decode gave %+q, %v; want %+q", f.name, back, err, text)
	}
}

// Chunks of a few symbols make the seams of long rows frequent, and the rows too long to join.
func TestLongRowsInChunksEqualTheReference(t *testing.T) {
	t.Parallel()
	for _, f := range smallFamilies() {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			tok := parse(t, f.file)
			rapid.Check(t, func(t *rapid.T) {
				small := hf.InChunks(tok, rapid.IntRange(4, 40).Draw(t, "chunk"))
				checkAgainst(t, &f, small, drawText(t), false)
			})
		})
	}
}

// One row is longer than the default chunk, so this goes through the code for long rows as it is.
func TestRunsOfOneCharacterEqualTheReference(t *testing.T) {
	t.Parallel()
	for _, f := range smallFamilies() {
		for _, unit := range []string{"-", "e", "th"} {
			t.Run(f.name+" "+unit, func(t *testing.T) {
				t.Parallel()
				text := strings.Repeat(unit, 2200/len(unit))
				checkAgainst(t, &f, parse(t, f.file), text, false)
			})
		}
	}
}

// Long rows are merged chunk by chunk: the room that merging takes does not grow with the row.
func TestLongRowsAreNotMergedAsAWhole(t *testing.T) {
	t.Parallel()
	for _, f := range smallFamilies() {
		for _, unit := range []string{"-", "e", "th", " ", "日", "aeiou"} {
			tok := hf.InChunks(parse(t, f.file), 1000)
			tok.Count(strings.Repeat(unit, 20000/len(unit)))
			if got := hf.Widest(tok); got > 2000 {
				t.Errorf("%s, runs of %q: %d symbols at once", f.name, unit, got)
			}
		}
	}
}

// A second pass finds the pieces of the first in the memo, and must give the same.
func TestRememberedPiecesEqualTheReference(t *testing.T) {
	t.Parallel()
	text := trainingText()
	for _, f := range smallFamilies() {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			tok := parse(t, f.file)
			for _, line := range slices.Concat(strings.SplitAfter(text, "\n"), strings.SplitAfter(text, "\n")) {
				checkAgainst(t, &f, tok, line, false)
			}
		})
	}
}

func TestConcurrentCallsShareNothingTheyWrite(t *testing.T) {
	t.Parallel()
	f := smallFamilies()[4]
	tok := parse(t, f.file)
	lines := strings.SplitAfter(trainingText(), "\n")
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for _, line := range lines {
				if got, want := tok.Encode(line, nil), f.ref.encode(line, false); !slices.Equal(got, want) {
					t.Errorf("%q: got %v, want %v", line, got, want)
				}
			}
		})
	}
	wg.Wait()
}

func TestEncodeAppends(t *testing.T) {
	t.Parallel()
	tok := parse(t, smallFamilies()[0].file)
	got := tok.Encode("the", []uint32{7})
	if want := append([]uint32{7}, tok.Encode("the", nil)...); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestDecodeRefusesAnUnknownID(t *testing.T) {
	t.Parallel()
	tok := parse(t, smallFamilies()[0].file)
	for _, id := range []uint32{uint32(tok.VocabSize()), 1 << 31, ^uint32(0)} {
		if text, err := tok.Decode([]uint32{id}); err == nil {
			t.Errorf("id %d became %q", id, text)
		}
	}
}

func FuzzEncode(f *testing.F) {
	for _, part := range textParts {
		f.Add(part+part, uint8(0))
	}
	f.Add("it's  \n\n the 123日本語\xff", uint8(3))
	all := smallFamilies()
	var loaded []*hf.Tokenizer
	for _, fam := range all {
		loaded = append(loaded, parse(f, fam.file))
	}
	f.Fuzz(func(t *testing.T, text string, choice uint8) {
		if len(text) > 300 {
			return
		}
		fam, tok := all[int(choice)%len(all)], loaded[int(choice)%len(all)]
		if choice >= 128 {
			tok = hf.InChunks(tok, 4+int(choice%16))
		}
		checkAgainst(t, &fam, tok, text, false)
	})
}
