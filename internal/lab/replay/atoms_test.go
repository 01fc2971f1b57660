package replay

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/plimsoll/plimsoll/internal/survival"
)

// TestIdentifiersAreThoseOfTheResearch compares the scanner with the regular
// expressions that the research defines identifiers by.
func TestIdentifiersAreThoseOfTheResearch(t *testing.T) {
	t.Parallel()
	text := rapid.StringOfN(rapid.RuneFrom([]rune("abcXYZ019_./- \n\"日é")), 0, 60, -1)
	rapid.Check(t, func(t *rapid.T) {
		s := text.Draw(t, "text")
		got := map[string]bool{}
		eachAtom(s, func(a string) { got[a] = true })
		if diff := cmp.Diff(survival.Atoms(s), got); diff != "" {
			t.Fatalf("%q (-want +got):\n%s", s, diff)
		}
	})
}

func TestNamesWithTheSameBaseAreAlike(t *testing.T) {
	t.Parallel()
	n := newNames()
	found := n.in("see charts/north/sheet.txt", "and /mnt/sheet.txt, not sheet_2.txt; charts/north/sheet.txt")
	if len(found) != 3 {
		t.Fatalf("%d identifiers, want 3 of which one stands twice", len(found))
	}
	if got := len(n.sameBase(found[0])); got != 2 {
		t.Errorf("%d have that base name, want 2", got)
	}
}
