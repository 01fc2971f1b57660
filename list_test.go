package plimsoll_test

import (
	"testing"

	"github.com/plimsoll/plimsoll"
)

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
	m := plimsoll.NewMessage(plimsoll.Assistant, plimsoll.Defer(call, place{}, 0), plimsoll.Defer(call, place{}, 1))
	if got := plimsoll.Peek(m, 1); got != plimsoll.Part(call) {
		t.Errorf("the outline is %v", got)
	}
	for i, want := range []string{"a", "b"} {
		if got := m.Parts.At(i).(plimsoll.ToolCall); got.Arguments != want || got.ID != "1" {
			t.Errorf("part %d is %+v", i, got)
		}
	}
}
