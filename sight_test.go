package plimsoll_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll"
)

// showing is a meter that shows everything, once.
type showing struct {
	byteMeter
	shown *bool
}

func (m showing) WeighShowing(c plimsoll.Conversation, _ int, show func(plimsoll.PartRef, plimsoll.Part, []plimsoll.Part)) plimsoll.Load {
	for i, message := range c.Messages.All() {
		for j, p := range message.Parts.All() {
			if r, ok := p.(plimsoll.ToolResult); ok && !*m.shown {
				show(plimsoll.PartRef{Message: i, Part: j}, r, r.Content.Slice())
			}
		}
	}
	*m.shown = true
	return m.Weigh(c)
}

// lengths is a rung that asks how long results are.
type lengths struct {
	plimsoll.Rung
	length plimsoll.Question[int]
}

func (l lengths) Look(s plimsoll.Sight) {
	plimsoll.Note(s, l.length, len(plimsoll.TextOf(plimsoll.ListOf(s.Content...))))
}

func TestWhatWasSeenWhileItWasWeighedIsKnown(t *testing.T) {
	t.Parallel()
	c := outputs()
	messages := c.Messages.Slice()
	for i := range messages {
		messages[i].Digest = plimsoll.Digest{byte(i + 1)}
	}
	messages[2].Digest = plimsoll.Digest{}
	length, asked := plimsoll.NewQuestion[int](), map[int]int{}
	rung := lengths{length: length, Rung: rungOf("lengths", func(w *plimsoll.Work) error {
		for i, m := range messages {
			r, ok := m.Parts.At(0).(plimsoll.ToolResult)
			if !ok {
				continue
			}
			at, want := plimsoll.PartRef{Message: i}, len(plimsoll.TextOf(r.Content))
			if got := plimsoll.FactOf(w, at, length, func() int { asked[i]++; return want }); got != want {
				t.Errorf("message %d: got %d, want %d", i, got, want)
			}
		}
		return nil
	})}
	k, err := plimsoll.New(&plimsoll.Options{Meter: showing{shown: new(bool)}, Window: 100, Reserve: -1, Rungs: []plimsoll.Rung{rung}})
	must(t, err)
	for range 3 {
		_, _ = k.Plan(t.Context(), conversation(messages)) // it does not fit, and is asked before that is said
	}
	if diff := cmp.Diff(map[int]int{2: 3}, asked); diff != "" {
		t.Errorf("how often messages were read; only the one without a digest at all:\n%s", diff)
	}
}
