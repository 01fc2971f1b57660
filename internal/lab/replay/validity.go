package replay

import (
	"fmt"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/wire"
	"github.com/plimsoll/plimsoll/wire/dialects"
)

// judge says whether a request can be sent: calls and results stand together, the
// user speaks first, nothing is empty, what the user said last stands as it was, and
// it is within the window. What was wrong with the history is no fault of a request.
type judge struct {
	h *history
	// orphans and dead are the flaws of the history itself.
	orphans, dead int
}

func (j *judge) flaw(s *sending) string {
	if s.refused != nil {
		return s.refused.Error()
	}
	if s.total > s.limit {
		return fmt.Sprintf("%d tokens, and %d are allowed", s.total, s.limit)
	}
	if !s.edited {
		return ""
	}
	o := s.conversation.Outline()
	if len(o.Orphans) > j.orphans || len(o.Dead) > j.dead {
		return "a tool call without its result, or the other way round"
	}
	messages := s.conversation.Messages
	if messages.Len() == o.Head {
		return "no messages"
	}
	if first := messages.At(o.Head).Role; first == plimsoll.Assistant && j.h.items[o.Head].message.Role != plimsoll.Assistant {
		return "the assistant speaks first"
	}
	for i, m := range messages.All() {
		if m.Parts.Len() == 0 {
			return fmt.Sprintf("message %d is empty", i)
		}
	}
	if last := j.lastUser(); last >= 0 && !s.view.stands[last] {
		return "what the user said last is gone"
	}
	return ""
}

// lastUser is what the user said last.
func (j *judge) lastUser() int {
	for i := len(j.h.items) - 1; i >= 0; i-- {
		if userSpeaks(j.h.items[i]) {
			return i
		}
	}
	return -1
}

func userSpeaks(it item) bool { return it.message.Role == plimsoll.User && !it.result }

// look takes the history's own flaws, which a request may have too.
func (j *judge) look(h *history) {
	messages := make([]plimsoll.Message, len(h.items))
	for i := range h.items {
		messages[i] = h.items[i].message
	}
	o := h.with(messages).Outline()
	j.h, j.orphans, j.dead = h, len(o.Orphans), len(o.Dead)
}

// written writes the request in its dialect and says what the API would refuse about
// it that it would not refuse about the history.
func (j *judge) written(s *sending) string {
	codec := dialects.Codec(s.conversation.Dialect)
	if codec == nil || !s.edited {
		return ""
	}
	messages := make([]plimsoll.Message, len(j.h.items))
	for i := range j.h.items {
		messages[i] = j.h.items[i].message
	}
	before := map[string]int{}
	for _, v := range violations(codec, j.h.with(messages)) {
		before[v.Rule]++
	}
	for _, v := range violations(codec, s.conversation) {
		if before[v.Rule]--; before[v.Rule] < 0 {
			return v.String()
		}
	}
	return ""
}

// violations writes a conversation as a request and checks that.
func violations(codec wire.Codec, c plimsoll.Conversation) []wire.Violation {
	body, err := bodyOf(codec, c)
	if err != nil {
		return []wire.Violation{{Rule: "writing", Message: -1, Part: -1, Text: err.Error()}}
	}
	r, err := codec.Decode(body)
	if err != nil {
		return []wire.Violation{{Rule: "reading", Message: -1, Part: -1, Text: err.Error()}}
	}
	return wire.Check(r)
}

// bodyOf writes a conversation as a request of a dialect.
func bodyOf(codec wire.Codec, c plimsoll.Conversation) ([]byte, error) {
	r, err := codec.Decode(fmt.Appendf(nil, `{%q:[]}`, codec.Traits().Messages))
	if err != nil {
		return nil, err
	}
	d := plimsoll.NewDraft(r.Conversation(), nil)
	for _, m := range c.Messages.All() {
		m.Parts = signed(m.Parts)
		if m.Parts.Len() == 0 {
			continue
		}
		if _, err := d.Insert(0, m, plimsoll.Why{}); err != nil {
			return nil, err
		}
	}
	return r.Encode(d)
}

// signed leaves out thinking that is not signed, as recorded sessions have it: no API
// takes it back.
func signed(parts plimsoll.List[plimsoll.Part]) plimsoll.List[plimsoll.Part] {
	var kept []plimsoll.Part
	for _, p := range parts.All() {
		if r, ok := p.(plimsoll.Reasoning); ok && r.Signature == "" {
			continue
		}
		kept = append(kept, p)
	}
	return plimsoll.ListOf(kept...)
}
