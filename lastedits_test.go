package plimsoll

import "testing"

func TestTheLastEditOfAPartCounts(t *testing.T) {
	t.Parallel()
	edit := func(message, part int, rung string) entry {
		return entry{Edit: Edit{Message: message, Part: part, Rung: rung}}
	}
	last := newLastEdits([]entry{edit(3, 0, "view"), edit(1, 1, "clear"), edit(1, 0, "view"), edit(3, 0, "clear"), edit(5, -1, "slide"), edit(1, 0, "dedupe")})
	for _, test := range []struct {
		at   PartRef
		rung string
	}{
		{PartRef{0, 0}, ""}, {PartRef{1, 0}, "dedupe"}, {PartRef{1, 1}, "clear"}, {PartRef{1, 2}, ""}, {PartRef{3, 0}, "clear"}, {PartRef{5, -1}, "slide"}, {PartRef{6, 0}, ""},
	} {
		if why, edited := last.why(test.at); why.Rung != test.rung || edited != (test.rung != "") {
			t.Errorf("%v: got %q, %v, want %q", test.at, why.Rung, edited, test.rung)
		}
	}
}
