package main

import (
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll"
)

func TestARungThatWasNotAppliedIsShownWithTheReason(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	showRungs(&out, display{width: 80}, []plimsoll.RungReport{
		{Rung: "mine", Skipped: "it is shy"}, {Rung: "view", Undone: "it grew"}, {Rung: "dedupe"}, {Rung: "clear", Edits: 4, Saved: 2800},
	})
	want := `rung   edits  saved  not done because
mine       0      0  it is shy
view       0      0  it grew
clear      4  2,800
`
	if got := out.String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
