package rawjson

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// outcome is all that reading a string tells.
type outcome struct {
	end     int
	escaped bool
	err     SyntaxError
}

func outcomeOf(data []byte, skip func(*Scanner) (int, bool)) outcome {
	s := NewScanner(data)
	var o outcome
	o.end, o.escaped = skip(s)
	if s.err != nil {
		o.err = *s.err
	}
	return o
}

// compareTwins reads data from each of its first bytes on, as if a string began
// there, so that everything in it comes to stand at every place of a block. What
// follows data in memory must not matter, so there is nothing.
func compareTwins(t interface{ Fatalf(string, ...any) }, data []byte) {
	for from := range min(len(data), 70) {
		text := append(make([]byte, 0, len(data)-from), data[from:]...)
		want := outcomeOf(text, func(s *Scanner) (int, bool) { return s.skipRest(1, false) })
		if got := outcomeOf(text, func(s *Scanner) (int, bool) { return s.skipString(0) }); got != want {
			t.Fatalf("%q: by blocks %+v, want %+v", text, got, want)
		}
	}
}

func TestTextIsSkippedAlikeByAllPaths(t *testing.T) {
	t.Parallel()
	piece := rapid.SampledFrom([]string{
		`\n`, `\"`, `\\`, `\/`, `\u0041`, `\uD83d\uDE00`, "x", "u", "0f", "é", "\xff", "plain text", strings.Repeat("long ", 14),
		strings.Repeat(`\\`, 33), strings.Repeat(`\u4e2d`, 11), `\`, `"`, `\u12`, `\u123g`, `\u"`, `\u\n`, "\x1f", "\x7f", `\x`, "\\\x00", `\U0041`,
	})
	rapid.Check(t, func(t *rapid.T) {
		pieces := rapid.SliceOfN(piece, 0, 40).Draw(t, "pieces")
		compareTwins(t, []byte(`"`+strings.Join(pieces, "")))
	})
}

func TestEveryEscapeOfFourDigitsIsSeenAlikeByAllPaths(t *testing.T) {
	t.Parallel()
	for at := range 6 {
		for c := range 256 {
			unit := []byte(`\u09aF`)
			unit[at] = byte(c)
			compareTwins(t, []byte(`"`+strings.Repeat("x", 64)+string(unit)+strings.Repeat("y", 80)+`" \`+strings.Repeat("z", 64)))
		}
	}
}

// FuzzTwins holds skipping by blocks against skipping one escape at a time.
func FuzzTwins(f *testing.F) {
	f.Add([]byte(`"` + strings.Repeat("x", 60) + `\ud83d\ude00\"` + strings.Repeat("y", 64) + `"` + strings.Repeat(`\`, 64)))
	f.Add([]byte(`"` + strings.Repeat(`\\`, 31) + `\u12` + strings.Repeat("3", 64)))
	f.Add([]byte(`"` + strings.Repeat(`\`, 129) + `"` + strings.Repeat(" ", 64)))
	f.Add([]byte(strings.Repeat("\"\\u\x1f", 40)))
	f.Fuzz(func(t *testing.T, data []byte) { compareTwins(t, data) })
}
