package bpe

import (
	"slices"
	"testing"
)

// addSeeds adds some golden texts that are short enough for a fuzzer to work on.
func addSeeds(f *testing.F) {
	for i, g := range readGolden(f) {
		if i%16 == 0 && len(g.Text) < 200 {
			f.Add(g.Text)
		}
	}
	f.Add("\xff\xfe\xe3\x81")
	f.Add("a\xc3b'\xf0\x9f\x98s")
}

func FuzzAgainstReference(f *testing.F) {
	addSeeds(f)
	refs := references()
	f.Fuzz(func(t *testing.T, text string) {
		text = text[:min(len(text), 2000)]
		for name, ref := range refs {
			e, _ := Get(name)
			want := ref.encode(text)
			if got := e.Encode(text, nil); !slices.Equal(got, want) {
				t.Errorf("%s: Encode(%q) = %v, want %v", name, text, got, want)
			}
			if got := e.Count(text); got != len(want) {
				t.Errorf("%s: Count(%q) = %d, want %d", name, text, got, len(want))
			}
		}
	})
}

func FuzzDecodeUndoesEncode(f *testing.F) {
	addSeeds(f)
	f.Fuzz(func(t *testing.T, text string) {
		for _, name := range Names() {
			e, _ := Get(name)
			if got := decoded(e, e.Encode(text, nil)); got != text {
				t.Errorf("%s: the tokens of %q are %q", name, text, got)
			}
		}
	})
}

func FuzzStreamCountsLikeCount(f *testing.F) {
	for i, g := range readGolden(f) {
		if i%16 == 0 && len(g.Text) < 200 {
			f.Add(g.Text, uint64(i)*0x9e3779b97f4a7c15)
		}
	}
	f.Fuzz(func(t *testing.T, text string, cuts uint64) {
		for _, name := range Names() {
			e, _ := Get(name)
			if got, want := streamed(e, text, cuts), e.Count(text); got != want {
				t.Errorf("%s: Stream of %q cut by %#x counts %d, Count %d", name, text, cuts, got, want)
			}
		}
	})
}

// streamed counts text through a Stream in parts of one to sixteen bytes, looking at the total on the way.
func streamed(e *Encoding, text string, cuts uint64) int {
	s := e.NewStream()
	for len(text) > 0 {
		n := min(len(text), int(cuts&15)+1)
		s.WriteString(text[:n])
		if cuts&0x70 == 0 {
			s.Total()
		}
		text = text[n:]
		cuts = cuts>>7 | cuts<<57
	}
	return s.Total()
}
