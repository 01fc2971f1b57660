package plimsoll_test

import (
	"slices"
	"testing"

	"github.com/plimsoll/plimsoll"
)

func TestABuilderGivesAwayWhatItBuilt(t *testing.T) {
	t.Parallel()
	var b plimsoll.ListBuilder[int]
	b.Grow(2)
	b.Append(1)
	b.Append(2)
	b.Set(0, 3)
	first := b.List()
	if b.Len() != 0 || b.Cap() != 0 {
		t.Errorf("%d items are left", b.Len())
	}
	b.Append(4)
	b.Set(0, 5)
	if got := first.Slice(); !slices.Equal(got, []int{3, 2}) {
		t.Errorf("the first list became %v", got)
	}
	if got := b.List().Slice(); !slices.Equal(got, []int{5}) {
		t.Errorf("the second list is %v", got)
	}
}

// place is a source whose parts say what they were deferred with.
type place struct{}

func (place) LoadAt(outline plimsoll.Part, at uint64) plimsoll.Part {
	call := outline.(plimsoll.ToolCall)
	call.Arguments = string(rune('a' + at))
	return call
}

func TestASourceIsToldWhichPartToLoad(t *testing.T) {
	t.Parallel()
	call := plimsoll.ToolCall{ID: "1", Name: "read"}
	m := plimsoll.NewMessage(plimsoll.Assistant, plimsoll.DeferAt(call, place{}, 0), plimsoll.DeferAt(call, place{}, 1))
	if got := plimsoll.Peek(m, 1); got != plimsoll.Part(call) {
		t.Errorf("the outline is %v", got)
	}
	for i, want := range []string{"a", "b"} {
		if got := m.Parts.At(i).(plimsoll.ToolCall); got.Arguments != want || got.ID != "1" {
			t.Errorf("part %d is %+v", i, got)
		}
	}
}
