package token

import (
	"slices"

	"github.com/plimsoll/plimsoll"
)

// Reweigh returns the load of a conversation of which a few messages have changed; see
// [plimsoll.Reweigher].
func (m *Meter) Reweigh(original, c plimsoll.Conversation, changed, siblings []int) plimsoll.Load {
	return m.reweigh(original, c, changed, siblings, "")
}

func (m *Meter) reweigh(original, c plimsoll.Conversation, changed, siblings []int, conversation string) plimsoll.Load {
	s := m.scale(c)
	f := m.factor(s)
	known := m.lately.find(s, f, original.Digests())
	if len(known.Messages) != c.Messages.Len() {
		return m.weighGrown(c, conversation, nil)
	}
	known.Messages = slices.Clone(known.Messages)
	last := -1
	for _, i := range changed {
		if last >= 0 && siblings[i] == siblings[last] && saysSame(c.Messages.At(i), c.Messages.At(last)) {
			known.Messages[i] = known.Messages[last]
		} else {
			w := m.raw(s, c.Messages.At(i), siblings[i], nil)
			known.Messages[i] = f.load(w, make([]int, 0, len(w.parts)))
		}
		last = i
	}
	load, _ := m.weigh(c, known, conversation, nil)
	return load
}

// saysSame reports whether two messages are each a result of the same text: many in a row
// are replaced by the same words.
func saysSame(a, b plimsoll.Message) bool {
	text, ok := onlyText(a)
	other, also := onlyText(b)
	return ok && also && text == other && a.Role == b.Role && a.Name == b.Name
}

func onlyText(m plimsoll.Message) (string, bool) {
	if m.Parts.Len() != 1 {
		return "", false
	}
	r, ok := m.Parts.At(0).(plimsoll.ToolResult)
	if !ok || r.Content.Len() != 1 {
		return "", false
	}
	t, ok := r.Content.At(0).(plimsoll.Text)
	return t.Text, ok
}
