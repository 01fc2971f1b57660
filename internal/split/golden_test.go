package split

import (
	_ "embed"
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// The goldens come from OpenAI's tiktoken; testdata/golden.mjs writes them.
var (
	//go:embed testdata/pieces.json
	piecesJSON []byte
	//go:embed testdata/classes.txt
	classesText string
)

type golden struct {
	Text string
	Ends map[string][]int
}

func goldens(t testing.TB) []golden {
	t.Helper()
	var all []golden
	if err := json.Unmarshal(piecesJSON, &all); err != nil {
		t.Fatal(err)
	}
	return all
}

func TestPiecesEqualTiktoken(t *testing.T) {
	t.Parallel()
	forEachPattern(t, func(t *testing.T, c patternCase) {
		for _, g := range goldens(t) {
			want, ok := g.Ends[c.name]
			if !ok {
				t.Fatalf("no golden for %q", g.Text)
			}
			for name, got := range map[string][]int{
				"next":   c.pattern.Ends(g.Text, nil),
				"window": windowEnds(t, c.pattern, g.Text),
				"regex":  c.ref.ends(g.Text),
			} {
				if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
					t.Errorf("%s of %q (-tiktoken +%s)\n%s", name, g.Text, name, diff)
				}
			}
		}
	})
}

func TestClassesEqualTiktoken(t *testing.T) {
	t.Parallel()
	const other = symbol
	want := make([]uint8, 0x110000)
	for i := range want {
		want[i] = other
	}
	flags := map[string]uint8{
		"Lu": upper | letter, "Lt": upper | letter, "Ll": lower | letter,
		"Lm": upper | lower | letter, "Lo": upper | lower | letter, "M": upper | lower | mark | symbol,
		"N": digit, "P": graphic | symbol, "S": graphic | symbol, "White_Space": space,
	}
	for line := range strings.Lines(classesText) {
		name, list, _ := strings.Cut(strings.TrimSpace(line), " ")
		flag, ok := flags[name]
		if !ok {
			t.Fatalf("unknown class %q", name)
		}
		for _, r := range strings.Fields(list) {
			first, last := parseRange(t, r)
			for c := first; c <= last; c++ {
				want[c] = flag
			}
		}
	}
	for c, flag := range want {
		if got := classOf(rune(c)); got != flag {
			t.Errorf("class of %U is %08b, want %08b", c, got, flag)
		}
	}
}

func parseRange(t *testing.T, s string) (first, last int) {
	t.Helper()
	low, high, ok := strings.Cut(s, "-")
	if !ok {
		high = low
	}
	a, errLow := strconv.ParseUint(low, 16, 21)
	b, errHigh := strconv.ParseUint(high, 16, 21)
	if errLow != nil || errHigh != nil {
		t.Fatalf("bad range %q", s)
	}
	return int(a), int(b)
}

func TestUnicodeVersionIsTheOneOfTiktoken(t *testing.T) {
	t.Parallel()
	if UnicodeVersion != "16.0.0" {
		t.Errorf("tables are of Unicode %s, want 16.0.0", UnicodeVersion)
	}
	for r, want := range map[rune]bool{
		'\u1C89':     true,  // a letter since 16.0
		'\U00010D4A': true,  // a letter since 16.0
		'\u0C5C':     false, // a letter since 17.0
		'\uA7CE':     false, // a letter since 17.0
	} {
		if got := classOf(r)&letter != 0; got != want {
			t.Errorf("%U is a letter: %v, want %v", r, got, want)
		}
	}
}
