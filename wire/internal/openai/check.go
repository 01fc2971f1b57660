package openai

import (
	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/wire"
	"github.com/plimsoll/plimsoll/wire/internal/build"
)

// Check knows what Chat Completions refuses: results must follow their call at
// once and all of them must be there, and a message must say something.
func (w *writer) Check(r *wire.Request, found *wire.Violations) {
	c := r.Conversation()
	build.CheckPairs(r, found, "an assistant message with tool_calls must be followed by a result for each")
	if c.Messages.Len() == 0 {
		found.Add(wire.RuleEmpty, -1, -1, "messages is empty")
	}
	open := 0 // results still owed by the last assistant message
	for i, m := range c.Messages.All() {
		switch {
		case m.Role == plimsoll.ToolRole:
			open--
		case open > 0:
			found.Add(wire.RuleOrder, i, -1, "only tool results may stand between a call and its results")
			open = 0
		}
		if m.Role == plimsoll.Assistant {
			open = plimsoll.CountOf[plimsoll.ToolCall](m)
		}
		checkMessage(i, m, found)
	}
}

func checkMessage(i int, m plimsoll.Message, found *wire.Violations) {
	switch m.Role {
	case plimsoll.System, plimsoll.Developer, plimsoll.User, plimsoll.Assistant, plimsoll.ToolRole:
	default:
		found.Add(wire.RuleRole, i, -1, "no role is called ", build.Clip(string(m.Role)))
		return
	}
	switch {
	case !saysSomething(m):
		found.Add(wire.RuleEmpty, i, -1, "the message has neither content nor tool calls")
	case m.Role != plimsoll.Assistant && plimsoll.Has[plimsoll.ToolCall](m):
		found.Add(wire.RuleRole, i, -1, "only the assistant makes tool calls")
	}
}

// saysSomething reports whether there is more than thinking and remarks.
func saysSomething(m plimsoll.Message) bool {
	for j := range m.Parts.Len() {
		switch p := plimsoll.Peek(m, j).(type) {
		case plimsoll.Reasoning:
		case plimsoll.Opaque:
			if !isRemark(p.Kind) {
				return true
			}
		default:
			return true
		}
	}
	return false
}
