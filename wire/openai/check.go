package openai

import (
	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/wire"
)

// Check knows what Chat Completions refuses: results must follow their call at
// once and all of them must be there, and a message must say something.
func (w *writer) Check(r *wire.Request) []wire.Violation {
	c := r.Conversation()
	all := wire.CheckPending(c, "an assistant message with tool_calls must be followed by a result for each")
	if c.Messages.Len() == 0 {
		all = append(all, wire.Violation{Rule: wire.RuleEmpty, Message: -1, Part: -1, Text: "messages is empty"})
	}
	open := 0 // results still owed by the last assistant message
	for i, m := range c.Messages.All() {
		switch {
		case m.Role == plimsoll.ToolRole:
			open--
		case open > 0:
			all = append(all, wire.Violation{
				Rule: wire.RuleOrder, Message: i, Part: -1,
				Text: "only tool results may stand between a call and its results",
			})
			open = 0
		}
		if m.Role == plimsoll.Assistant {
			open = plimsoll.CountOf[plimsoll.ToolCall](m)
		}
		all = append(all, checkMessage(i, m)...)
	}
	return all
}

func checkMessage(i int, m plimsoll.Message) []wire.Violation {
	switch m.Role {
	case plimsoll.System, plimsoll.Developer, plimsoll.User, plimsoll.Assistant, plimsoll.ToolRole:
	default:
		return []wire.Violation{{Rule: wire.RuleRole, Message: i, Part: -1, Text: "no role is called " + string(m.Role)}}
	}
	if !saysSomething(m) {
		return []wire.Violation{{Rule: wire.RuleEmpty, Message: i, Part: -1, Text: "the message has neither content nor tool calls"}}
	}
	if m.Role != plimsoll.Assistant && plimsoll.Has[plimsoll.ToolCall](m) {
		return []wire.Violation{{Rule: wire.RuleRole, Message: i, Part: -1, Text: "only the assistant makes tool calls"}}
	}
	return nil
}

// saysSomething reports whether there is more than thinking and remarks.
func saysSomething(m plimsoll.Message) bool {
	opaque := plimsoll.CountOf[plimsoll.Opaque](m)
	if m.Parts.Len() > plimsoll.CountOf[plimsoll.Reasoning](m)+opaque {
		return true
	}
	if opaque == 0 {
		return false
	}
	for _, p := range m.Parts.All() {
		if o, ok := p.(plimsoll.Opaque); ok && !isRemark(o.Kind) {
			return true
		}
	}
	return false
}
