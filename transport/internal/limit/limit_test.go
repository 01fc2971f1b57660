package limit_test

import (
	"testing"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/transport/internal/limit"
)

func TestALearnedLimitIsTheWindow(t *testing.T) {
	t.Parallel()
	is := limit.Learned{Limit: 401, Ratio: 1}
	want := plimsoll.Line{Window: 401}
	for _, known := range []plimsoll.Line{{Window: 128_000, Reserve: 8192}, {Window: limit.Unbounded, Reserve: 8192}, {Window: 300}} {
		if got := is.Line(plimsoll.Conversation{}, known); got != want {
			t.Errorf("known as %+v: %+v, want %+v", known, got, want)
		}
	}
}
