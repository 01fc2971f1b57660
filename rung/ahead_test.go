package rung_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/rung"
)

// TestAllProcessorsFindWhatOneFinds is not parallel: it sets how many there are.
func TestAllProcessorsFindWhatOneFinds(t *testing.T) {
	var steps []step
	for i := range 120 {
		text := fmt.Sprintf("%d %s\n%s", i, strings.Repeat("word ", 20+i%5), strings.Repeat("l", 40*(i%9)))
		if i%11 == 3 {
			text += "\nerror: no such file"
		}
		steps = append(steps, ran(fmt.Sprint("tool", i%4), text))
	}
	c := session(steps...)
	var messages []plimsoll.Message
	for i, m := range c.Messages.All() {
		m.Digest = plimsoll.Digest{1, byte(i), byte(i >> 8)}
		messages = append(messages, m)
	}
	c.Messages = plimsoll.ListOf(messages...)
	fit := func(processors int) []plimsoll.Edit {
		before := runtime.GOMAXPROCS(processors)
		defer runtime.GOMAXPROCS(before)
		view, clear := &rung.View{MaxLine: 300, All: true}, &rung.Clear{Budget: 7000, MinReclaim: -1}
		return fitted(t, plimsoll.Options{Window: 1_000_000, Arrival: []plimsoll.Rung{view, clear}}, c).Edits
	}
	alone, together := fit(1), fit(4)
	if len(alone) < 30 {
		t.Fatalf("only %d edits", len(alone))
	}
	if diff := cmp.Diff(alone, together); diff != "" {
		t.Errorf("-alone +together\n%s", diff)
	}
}
