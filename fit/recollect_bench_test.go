package fit

import (
	"fmt"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/testkit"
)

// BenchmarkRecollect is the step for a request with 1,000 or 100,000 messages missing: the
// first request after a cut, which builds the index, a new question, and a question that
// an earlier request had.
func BenchmarkRecollect(b *testing.B) {
	for _, archived := range []int{1000, 100_000} {
		b.Run(fmt.Sprint(archived), func(b *testing.B) { benchmarkRecollect(b, archived) })
	}
}

func benchmarkRecollect(b *testing.B, archived int) {
	k, err := New(&Options{Meter: testkit.ByteMeter{}, Window: 100_000, Reserve: new(0), Sticky: true, Recollect: true})
	testkit.Must(b, err)
	words := strings.Fields("anchor ballast capstan davit ensign fender gunwale hawser icebreaker jib keel lantern mooring nautical oar pennant quay rudder sextant tiller")
	var messages []plimsoll.Message
	for i := range archived / 2 {
		at := func(n int) string { return words[(i*n+i/7)%len(words)] }
		messages = append(messages,
			plimsoll.Say(plimsoll.User, fmt.Sprintf("Entry %d: we stowed the %s beside the %s, and item-%d went to the %s store in the afternoon.", i, at(3), at(7), i, at(11))),
			plimsoll.Say(plimsoll.Assistant, fmt.Sprintf("Noted: the %s and the %s are aboard, and the log has a line for it.", at(3), at(5))))
	}
	messages = append(messages, plimsoll.Say(plimsoll.User, "Where did item-471 go, and what was stowed beside the hawser?"))
	w, err := k.weigh(b.Context(), &Task{Conversation: plimsoll.Conversation{Messages: plimsoll.ListOf(messages...)}}, walkOptions{})
	testkit.Must(b, err)
	testkit.Must(b, w.draft.Drop(plimsoll.Span{Start: 0, End: archived}, plimsoll.Why{}))
	w.task.chain()
	cut := w.draft.Position()
	run := func(b *testing.B, before func()) {
		for b.Loop() {
			b.StopTimer()
			w.draft.Rollback(cut)
			w.recollected, w.plan.Rungs = recollected{}, w.plan.Rungs[:0]
			before()
			b.StartTimer()
			w.recollect(b.Context(), false)
			b.StopTimer()
			if len(w.recollected.placed) != 1 {
				b.Fatal("nothing was found")
			}
			b.StartTimer()
		}
	}
	b.Run("index", func(b *testing.B) {
		run(b, func() {
			for key := range k.indexes.All() {
				k.indexes.Delete(key)
			}
		})
	})
	b.Run("new question", func(b *testing.B) { run(b, func() {}) })
	w.rememberRecollections(b.Context())
	b.Run("same question", func(b *testing.B) { run(b, func() {}) })
}
