package plimsoll_test

import (
	"strings"
	"testing"
	"unsafe"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll"
)

// shouting is a source of texts in capitals; the place is an index.
type shouting []string

func (s shouting) LoadAt(_ plimsoll.Part, at uint64) plimsoll.Part {
	return plimsoll.Text{Text: strings.ToUpper(s[at])}
}

// lending does the same in memory that it is lent, as far as that goes.
type lending struct{ shouting }

func (l lending) LendAt(outline plimsoll.Part, at uint64, room []byte) (plimsoll.Part, int) {
	text := strings.ToUpper(l.shouting[at])
	if cap(room) < len(text) {
		return l.LoadAt(outline, at), 0
	}
	room = append(room[:0], text...)
	return plimsoll.Text{Text: unsafe.String(unsafe.SliceData(room), len(room))}, len(text)
}

func TestSkimmedPartsAreWholeUntilTheNextAreSkimmed(t *testing.T) {
	t.Parallel()
	texts := shouting{strings.Repeat("one ", 100), "two", "", strings.Repeat("four ", 5000)}
	var parts []plimsoll.Part
	for i := range texts {
		parts = append(parts,
			plimsoll.DeferAt(plimsoll.Text{}, texts, uint64(i)),
			plimsoll.DeferAt(plimsoll.Text{}, lending{texts}, uint64(i)),
			plimsoll.Text{Text: "plain"})
	}
	list := plimsoll.ListOf(parts...)
	for range 5 {
		calls := 0
		plimsoll.Skim(list, func(parts []plimsoll.Part) {
			calls++
			if diff := cmp.Diff(list.Slice(), parts); diff != "" {
				t.Error(diff)
			}
			// Another one meanwhile must not take the same memory.
			plimsoll.Skim(plimsoll.ListOf(plimsoll.DeferAt(plimsoll.Text{}, lending{texts}, 1)), func([]plimsoll.Part) {})
			if diff := cmp.Diff(list.Slice(), parts); diff != "" {
				t.Error(diff)
			}
		})
		if calls != 1 {
			t.Fatalf("it was read %d times", calls)
		}
	}
}
