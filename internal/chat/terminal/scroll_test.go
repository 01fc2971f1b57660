package terminal

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

// TestTheWindowMovesOverTheLinesAsOverOneText compares the window with one over all
// lines at once.
func TestTheWindowMovesOverTheLinesAsOverOneText(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var all []string
		drawn := map[*scrollEntry][]string{}
		b := scrollback{draw: func(e *scrollEntry) []string { return drawn[e] }}
		for range rapid.IntRange(0, 8).Draw(t, "entries") {
			e := &scrollEntry{}
			b.add(e)
			for range rapid.IntRange(1, 6).Draw(t, "lines") {
				drawn[e] = append(drawn[e], fmt.Sprint(len(all)))
				all = append(all, fmt.Sprint(len(all)))
			}
		}
		height := rapid.IntRange(1, 10).Draw(t, "height")
		top := max(0, len(all)-height)
		b.visible(height)
		for range rapid.IntRange(1, 10).Draw(t, "moves") {
			by := rapid.IntRange(-12, 12).Draw(t, "by")
			b.scroll(by)
			top = max(0, min(top-by, len(all)-height))
			got := b.visible(height)
			if diff := cmp.Diff(all[top:min(len(all), top+height)], got, cmpopts.EquateEmpty()); diff != "" {
				t.Fatalf("-want +got:\n%s", diff)
			}
			if atEnd := top+height >= len(all); b.isBack() == atEnd {
				t.Fatalf("looks back: %t, at line %d of %d", b.isBack(), top, len(all))
			}
		}
	})
}
