package expand

import (
	"fmt"
	"regexp/syntax"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func instructions(t *testing.T, source string) int {
	t.Helper()
	tree, err := syntax.Parse(source, syntax.Perl)
	if err != nil {
		t.Fatal(err)
	}
	program, err := syntax.Compile(tree.Simplify())
	if err != nil {
		t.Fatal(err)
	}
	return len(program.Inst)
}

func answer(t *testing.T, data string, r Read, l Limits) string {
	t.Helper()
	var b strings.Builder
	if err := r.write(t.Context(), &b, newMemory(data, 100), l.withDefaults()); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestO08_AnswersAreBoundedAndSayHowToGoOn(t *testing.T) {
	t.Parallel()
	var data strings.Builder
	for n := range 3000 {
		fmt.Fprintf(&data, "%d %s\n", n+1, strings.Repeat("ü", n%300))
	}
	seen := int64(0)
	for seen < 3001 {
		got := answer(t, data.String(), Read{Ref: "R", Offset: seen}, Limits{})
		if len(got) > 64<<10 {
			t.Fatalf("%d bytes", len(got))
		}
		body, note, cut := strings.Cut(got, "\n\n")
		if want := fmt.Sprintf("%5d  ", seen+1); !strings.HasPrefix(body, want) {
			t.Fatalf("begins with %.20q, want %q", body, want)
		}
		seen += int64(strings.Count(body, "\n")) + 1
		want := fmt.Sprintf("[output truncated at 65536 bytes] Output has more lines. Use offset to read beyond line %d. Next: offset=%d", seen, seen)
		if cut && note != want || !cut && seen != 3001 {
			t.Fatalf("after line %d: %q, want %q", seen, note, want)
		}
	}
}

func TestO08_LinesThatWereCutAreNamed(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 2000) + "\n"
	for _, tc := range []struct{ name, data, want string }{
		{"one", "a\n" + long, "\n\n[truncated lines: 2] To read on inside a line: " + `tool_output_cache({"ref_id":"R","offset":1,"char_offset":1000})`},
		{"three", long + long + long, "\n\n[truncated lines: 1, 2, 3] To read on inside a line: " + `tool_output_cache({"ref_id":"R","offset":0,"char_offset":1000})`},
		{"many", long + long + long + long, "\n\n[truncated lines: many] To read on inside a line: " + `tool_output_cache({"ref_id":"R","offset":0,"char_offset":1000})`},
	} {
		if got := answer(t, tc.data, Read{Ref: "R"}, Limits{}); !strings.HasSuffix(got, tc.want) {
			t.Errorf("%s: %.200q", tc.name, got[len(got)-200:])
		}
	}
}

func TestO08_BinaryContentIsShownAsText(t *testing.T) {
	t.Parallel()
	got := answer(t, "a\xff\xfe\x00b\r\n\xc3", Read{}, Limits{})
	if want := "    1  a\uFFFD\uFFFD\x00b\n    2  \uFFFD"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestO08_PartsOfALineGoOnWhereTheLastOneEnded(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		line := rapid.StringOf(rapid.SampledFrom([]rune("ab\r é\u0301\u200d👩👨🏽🇩🇪各한ᄒ\u1161\u11ab\ufffd\x00"))).Draw(t, "line")
		limit := rapid.Int64Range(1, 5).Draw(t, "limit")
		m := newMemory("x\n"+line+"\ny", rapid.IntRange(1, 4).Draw(t, "piece"))
		var all strings.Builder
		for at := int64(0); ; {
			k := &cutter{fromChar: at, maxChars: limit}
			err := eachLine(t.Context(), m, 1, func(int64) *cutter { return k }, func(int64, *cutter) bool { return false })
			if err != nil {
				t.Fatal(err)
			}
			all.Write(k.out)
			if !k.more {
				break
			}
			if k.first != at || k.next != at+limit {
				t.Fatalf("characters %d to %d, want %d to %d", k.first, k.next, at, at+limit)
			}
			at = k.next
		}
		if got, want := all.String(), strings.TrimSuffix(line, "\r"); got != want {
			t.Fatalf("%q, want %q", got, want)
		}
	})
}

func TestCharactersArePeoplesCharacters(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		text string
		want []string
	}{
		{"aé", []string{"a", "é"}},
		{"e\u0301x", []string{"e\u0301", "x"}},
		{"👩\u200d👩\u200d👧b", []string{"👩\u200d👩\u200d👧", "b"}},
		{"👍🏽👍", []string{"👍🏽", "👍"}},
		{"🇩🇪🇫🇷🇮", []string{"🇩🇪", "🇫🇷", "🇮"}},
		{"\u1112\u1161\u11ab\u1112", []string{"\u1112\u1161\u11ab", "\u1112"}},
		{"❤\ufe0fa", []string{"❤\ufe0f", "a"}},
		{"\u0301a", []string{"\u0301", "a"}},
		{"a\u200db", []string{"a\u200d", "b"}},
		{"a" + strings.Repeat("\u0301", 40), []string{"a" + strings.Repeat("\u0301", 31), strings.Repeat("\u0301", 9)}},
	} {
		var c chars
		var got []string
		for _, r := range tc.text {
			if c.begins(r) {
				got = append(got, "")
			}
			got[len(got)-1] += string(r)
		}
		if diff := cmp.Diff(tc.want, got); diff != "" {
			t.Errorf("%q\n-want +got\n%s", tc.text, diff)
		}
	}
}

func TestCutsByBytesKeepCharactersWhole(t *testing.T) {
	t.Parallel()
	for most := 4; most < 40; most++ {
		k := &cutter{maxBytes: most}
		k.add([]byte("👩\u200d👩\u200d👧e\u0301👍🏽äz"), true)
		if !utf8.Valid(k.out) || len(k.out) > most {
			t.Fatalf("%d: %q", most, k.out)
		}
		switch text := string(k.out); {
		case k.next == 1: // a first character may be cut, or nothing would come out
		case !strings.HasSuffix(text, "👧") && !strings.HasSuffix(text, "\u0301") && !strings.HasSuffix(text, "🏽") && !strings.HasSuffix(text, "ä") && !strings.HasSuffix(text, "z"):
			t.Errorf("%d: %q", most, text)
		}
	}
}
