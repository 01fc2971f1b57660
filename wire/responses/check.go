package responses

import (
	"fmt"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/wire"
)

// The rules of this API alone.
const (
	// RuleFollower: reasoning without the item that it led to.
	RuleFollower = "reasoning without follower"
	// RuleDuplicate: two items with one id.
	RuleDuplicate = "duplicate id"
)

// Continues reports whether a part of the conversation is on the server, so that
// outputs may answer calls that are not in the request.
func (w *writer) Continues() bool {
	if w.previous != "" || w.stored {
		return true
	}
	for _, n := range w.notes {
		if n.kind == kindReference {
			return true
		}
	}
	return false
}

// Check knows what Responses refuses: calls without an output, reasoning without
// its follower, an id that comes twice, parts of another role, nothing at all.
func (w *writer) Check(r *wire.Request) []wire.Violation {
	c := r.Conversation()
	all := wire.CheckPending(c, "no tool output is there for the call")
	if c.Messages.Len() == 0 && !w.Continues() {
		all = append(all, wire.Violation{Rule: wire.RuleEmpty, Message: -1, Part: -1, Text: "input is empty"})
	}
	ids := map[string]bool{}
	for i, m := range c.Messages.All() {
		n := w.notes[i]
		if n.id != "" && ids[n.id] {
			all = append(all, violation(RuleDuplicate, i, "an earlier item has the id "+n.id))
		}
		ids[n.id] = true
		if n.kind == kindMessage {
			all = append(all, checkMessage(i, m, n)...)
		}
		if n.kind == kindReasoning && !w.followed(i) {
			all = append(all, violation(RuleFollower, i, "reasoning must be followed by the item that it led to"))
		}
	}
	return all
}

func violation(rule string, i int, text string) wire.Violation {
	return wire.Violation{Rule: rule, Message: i, Part: -1, Text: text}
}

func checkMessage(i int, m plimsoll.Message, n note) []wire.Violation {
	switch m.Role {
	case plimsoll.System, plimsoll.Developer, plimsoll.User, plimsoll.Assistant:
	default:
		return []wire.Violation{violation(wire.RuleRole, i, fmt.Sprintf("no role is called %q", m.Role))}
	}
	var all []wire.Violation
	if n.blank {
		all = append(all, violation(wire.RuleEmpty, i, "the message has no content"))
	}
	if n.foreign != "" {
		all = append(all, violation(wire.RuleRole, i, fmt.Sprintf("%s is no part of a message of the %s", n.foreign, m.Role)))
	}
	return all
}

// followed reports whether something that the assistant said or did stands behind
// reasoning.
func (w *writer) followed(i int) bool {
	for i++; i < len(w.notes); i++ {
		if w.notes[i].kind != kindReasoning {
			return w.layout.Items[i].Message.Role == plimsoll.Assistant
		}
	}
	return false
}
