package needle

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

var some = []Pattern{
	{"\n", "eE", "rR", "rR"},
	{"", ":", " ", ""},
	{"", "\xe3", "\x82", "\xa8"},
	{"0123456789", "x", "", "y"},
}

// plainPlaces are the places that a set finds, byte by byte.
func plainPlaces(patterns []Pattern, text string) (places []int) {
	for at := range len(text) {
		if slices.ContainsFunc(patterns, func(p Pattern) bool { return p.stands(text, at) }) {
			places = append(places, at)
		}
	}
	return places
}

func (p Pattern) stands(text string, at int) bool {
	if at == 0 {
		return true
	}
	text = "\n" + text + "\x00\x00\x00"
	for k, all := range p {
		if all != "" && strings.IndexByte(all, text[at+k]) < 0 {
			return false
		}
	}
	return true
}

func places(s *Set, text string) (places []int) {
	f := s.In(text)
	for at := f.Next(); at < len(text); at = f.Next() {
		places = append(places, at)
	}
	return places
}

func TestPlacesOfPatterns(t *testing.T) {
	t.Parallel()
	pad := strings.Repeat("-", 61)
	for _, test := range []struct {
		name, text string
		want       []int
	}{
		{"nothing in nothing", "", nil},
		{"always at the beginning", "a", []int{0}},
		{"behind a newline, in any case", "a\nERR\n err", []int{0, 2}},
		{"any byte at the end", "a: ", []int{0, 1}},
		{"none where the end cuts it", "a:", []int{0}},
		{"bytes that are not ASCII", "a エラー", []int{0, 2}},
		{"where blocks meet", pad + "--\nerr" + pad + ": x", []int{0, 64, 128}},
		{"behind blocks without any", strings.Repeat(pad, 9) + ": x", []int{0, 549}},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := places(New(some...), test.text); !slices.Equal(got, test.want) {
				t.Errorf("%q: got %v, want %v", test.text, got, test.want)
			}
		})
	}
}

// TestNothingIsMissed also compares both ways to look.
func TestNothingIsMissed(t *testing.T) {
	t.Parallel()
	pieces := []string{"\n", "err", "ERR", ": ", ":", "エ", "1x2y", "x", "y", "\xff", "\x00", strings.Repeat("code ", 20), strings.Repeat("z", 63)}
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 40).Draw(t, "pieces"), "")
		set := New(some...)
		got := places(set, text)
		for _, want := range plainPlaces(some, text) {
			if _, found := slices.BinarySearch(got, want); !found {
				t.Fatalf("%q: %d is not among %v", text, want, got)
			}
		}
		for ; len(text) >= blockLen+reach; text = text[1:] {
			blocks := (len(text) - reach) / blockLen
			passed, hits := set.find(text, blocks)
			if wantPassed, want := set.findPortable(text, blocks); passed != wantPassed || hits != want {
				t.Fatalf("%q: got %d, %#x, want %d, %#x", text, passed, hits, wantPassed, want)
			}
		}
	})
}

func TestASetHasAFewPatterns(t *testing.T) {
	t.Parallel()
	defer func() {
		if recover() == nil {
			t.Error("nine patterns were taken")
		}
	}()
	New(slices.Repeat(some[:1], Most+1)...)
}

func BenchmarkFinder(b *testing.B) {
	text := strings.Repeat("\tif n, ok := find(all, key); ok {\n\t\treturn n\n\t}\n", 40)
	set := New(some...)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		places(set, text)
	}
}
