package replay

import (
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll"
)

// TestAJudgeFindsWhatAnAPIWouldRefuse changes a good request in one way each.
func TestAJudgeFindsWhatAnAPIWouldRefuse(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		want string
		edit func(s *sending, messages []plimsoll.Message) []plimsoll.Message
	}{
		{"a good one passes", "", func(_ *sending, m []plimsoll.Message) []plimsoll.Message { return m }},
		{"a result without its call", "tool call", func(_ *sending, m []plimsoll.Message) []plimsoll.Message { return append(m[:1:1], m[2:]...) }},
		{"a call without its result", "tool call", func(_ *sending, m []plimsoll.Message) []plimsoll.Message { return append(m[:2:2], m[3:]...) }},
		{"an assistant that speaks first", "speaks first", func(_ *sending, m []plimsoll.Message) []plimsoll.Message { return m[1:] }},
		{"an empty message", "empty", func(_ *sending, m []plimsoll.Message) []plimsoll.Message {
			return append(m, plimsoll.Message{Role: plimsoll.User})
		}},
		{"nothing at all", "no messages", func(*sending, []plimsoll.Message) []plimsoll.Message { return nil }},
		{"no word of the user", "user said last", func(s *sending, m []plimsoll.Message) []plimsoll.Message {
			s.view.stands[0] = false
			return m
		}},
		{"too much", "allowed", func(s *sending, m []plimsoll.Message) []plimsoll.Message {
			s.limit = s.total - 1
			return m
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			track := trackOf(t, voyage(3, 30))
			h := newHistory(track)
			h.say(track.items...)
			s := whole(h)
			s.limit, s.edited = 200_000, true
			var messages []plimsoll.Message
			for _, it := range h.items {
				messages = append(messages, it.message)
			}
			s.conversation = h.with(tt.edit(s, messages))
			var j judge
			j.look(h)
			got := j.flaw(s)
			if (got == "") != (tt.want == "") || !strings.Contains(got, tt.want) {
				t.Errorf("flaw %q, want %q", got, tt.want)
			}
		})
	}
}

func TestARequestIsWrittenInItsDialect(t *testing.T) {
	t.Parallel()
	track := trackOf(t, voyage(3, 30))
	h := newHistory(track)
	h.say(track.items...)
	s := whole(h)
	s.edited = true
	var messages []plimsoll.Message
	for _, it := range h.items {
		messages = append(messages, it.message)
	}
	var j judge
	j.look(h)
	s.conversation = h.with(messages)
	if flaw := j.written(s); flaw != "" {
		t.Errorf("a good request: %s", flaw)
	}
	s.conversation = h.with(append(messages[:2:2], messages[3:]...))
	if j.written(s) == "" {
		t.Error("a call without a result was taken")
	}
}
