package split

import "testing"

// maxFuzzed bounds the input of the backtracking reference, which is slow.
const maxFuzzed = 400

func FuzzSplit(f *testing.F) {
	for _, g := range goldens(f) {
		f.Add(g.Text)
	}
	cases := patternCases()
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > maxFuzzed {
			text = text[:maxFuzzed]
		}
		for _, c := range cases {
			checkSplit(t, c, text)
		}
	})
}

func FuzzLastSafe(f *testing.F) {
	for _, g := range goldens(f) {
		f.Add(g.Text, "x")
		f.Add(g.Text, "\n")
	}
	cases := patternCases()
	f.Fuzz(func(t *testing.T, text, more string) {
		for _, c := range cases {
			checkSafe(t, c.pattern, text, more)
		}
	})
}
