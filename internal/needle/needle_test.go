package needle

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

var (
	someFirst    = []Pattern{{"eE", "rR", "rR"}, {"a", "t", " "}}
	someAnywhere = []Pattern{{":", " ", ""}, {"\xe3", "\x82", "\xa8"}, {"x", "", "y"}}
)

const longer = 100

// found is a place, or the beginning of a long line.
type found struct {
	at   int
	long bool
}

func all(s *Set, text string) (all []found) {
	var f Finder
	f.Begin(s, text, longer)
	for at, long := f.Next(); at < len(text); at, long = f.Next() {
		all = append(all, found{at, long})
	}
	return all
}

// plain is what must be found, line by line and byte by byte.
func plain(text string) (all []found) {
	start := 0
	for line := range strings.Lines(text) {
		body := strings.TrimSuffix(line, "\n")
		if len(body) > longer {
			all = append(all, found{start, true})
		}
		first := len(body) - len(strings.TrimLeft(body, " \t"))
		for i := range len(line) {
			at := start + i
			stands := func(p Pattern) bool { return p.stands(text[at:]) }
			if slices.ContainsFunc(someAnywhere, stands) || i == first && slices.ContainsFunc(someFirst, stands) {
				all = append(all, found{at, false})
			}
		}
		start += len(line)
	}
	return all
}

func (p Pattern) stands(text string) bool {
	text += "\x00\x00"
	for k, all := range p {
		if all != "" && strings.IndexByte(all, text[k]) < 0 {
			return false
		}
	}
	return true
}

func TestPlacesOfPatterns(t *testing.T) {
	t.Parallel()
	pad := strings.Repeat("-", 61)
	for _, test := range []struct {
		name, text string
		want       []found
	}{
		{"nothing in nothing", "", nil},
		{"at the beginning", "error", []found{{0, false}}},
		{"first in a line, in any case", "a err\nERR\n \t err err", []found{{6, false}, {13, false}}},
		{"any byte at the end", "a: ", []found{{1, false}}},
		{"none where the end cuts it", "a:", nil},
		{"bytes that are not ASCII", "a エラー", []found{{2, false}}},
		{"where blocks meet", pad + "--\nerr" + pad + ": x", []found{{64, false}, {128, false}}},
		{"behind blanks where blocks meet", pad + "\n  \t \terr", []found{{67, false}}},
		{"a blank block", "\n" + strings.Repeat(" ", 80) + "err", []found{{81, false}}},
		{"behind blocks without any", strings.Repeat(pad+"\n", 20) + ": x", []found{{1240, false}}},
		{"lines that are long, and one that is not", pad + pad + "\nx\n" + pad + pad + "\n" + pad[:39] + pad, []found{{0, true}, {125, true}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := all(New(someFirst, someAnywhere), test.text); !slices.Equal(got, test.want) {
				t.Errorf("%q: got %v, want %v", test.text, got, test.want)
			}
		})
	}
}

// TestNothingIsMissed also compares both ways to look.
func TestNothingIsMissed(t *testing.T) {
	t.Parallel()
	pieces := []string{"\n", "\n", " ", "\t", "err", "ERR", "at ", ": ", ":", "エ", "x2y", "x", "y", "\xff", "\x00", strings.Repeat("code ", 20), strings.Repeat("z", 63), strings.Repeat(" ", 70)}
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 60).Draw(t, "pieces"), "")
		set := New(someFirst, someAnywhere)
		got := all(set, text)
		for _, want := range plain(text) {
			if !slices.Contains(got, want) {
				t.Fatalf("%q: %v is not among %v", text, want, got)
			}
		}
		for ; len(text) >= blockLen+reach; text = text[1:] {
			fast, portable := make([]marks, (len(text)-reach)/blockLen), make([]marks, (len(text)-reach)/blockLen)
			set.find(text, fast)
			set.findPortable(text, portable)
			if !slices.Equal(fast, portable) {
				t.Fatalf("%q: got %x, want %x", text, fast, portable)
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
	New(slices.Repeat(someFirst[:1], Most), someAnywhere[:1])
}

func BenchmarkFinder(b *testing.B) {
	text := strings.Repeat("\tif n, ok := find(all, key); ok {\n\t\treturn n\n\t}\n", 40)
	set := New(someFirst, someAnywhere)
	b.SetBytes(int64(len(text)))
	var f Finder
	for b.Loop() {
		f.Begin(set, text, 256)
		for at := 0; at < len(text); {
			at, _ = f.Next()
		}
	}
}
