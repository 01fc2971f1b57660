package responses

import (
	"strings"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/wire"
	"github.com/plimsoll/plimsoll/wire/internal/build"
)

// The rules of this API alone.
const (
	// RuleFollower: reasoning without the item that it led to.
	RuleFollower = "reasoning without follower"
	// RuleDuplicate: two items with one id.
	RuleDuplicate = "duplicate id"
	// RuleItem: something in the list that is no item.
	RuleItem = "item"
)

// Continues reports whether a part of the conversation is on the server, so that
// outputs may answer calls that are not in the request.
func (w *writer) Continues() bool {
	if w.previous != "" || w.stored {
		return true
	}
	for _, n := range w.notes {
		if n.class == classReference {
			return true
		}
	}
	return false
}

// Check knows what Responses refuses: calls without an output, reasoning without
// its follower, an id that comes twice, parts of another role, nothing at all.
func (w *writer) Check(r *wire.Request, found *wire.Violations) {
	c := r.Conversation()
	build.CheckPairs(r, found, "no tool output is there for the call")
	if c.Messages.Len() == 0 && !w.Continues() {
		found.Add(wire.RuleEmpty, -1, -1, "input is empty")
	}
	for i, m := range c.Messages.All() {
		switch n := w.notes[i]; {
		case n.class == classMessage:
			checkMessage(i, m, n, found)
		case n.part:
			found.Add(RuleItem, i, -1, "a part of a message is no item")
		}
	}
	switch model := c.Model; {
	case strings.Contains(model, "grok"): // it takes ids twice and any reasoning
	case strings.Contains(model, "deepseek"):
		w.checkBetween(r, found)
	default:
		w.checkIDs(found)
		if !strings.Contains(model, "o3-mini") { // recorded with reasoning before the user
			w.checkFollowers(found)
		}
	}
}

// checkIDs finds ids that come twice. A server that keeps no items does not look.
func (w *writer) checkIDs(found *wire.Violations) {
	ids := map[string]bool{}
	for i, n := range w.notes {
		if n.id != "" && ids[n.id] && !w.transient {
			found.Add(RuleDuplicate, i, -1, "an earlier item has the id ", build.Clip(n.id))
		}
		ids[n.id] = true
	}
}

// checkFollowers finds reasoning without the item that it led to. If the server knows the
// reasoning by its id, it asks for the very message that followed, with its id.
func (w *writer) checkFollowers(found *wire.Violations) {
	follower := -1
	for i, n := range w.notes {
		if n.class != classReasoning {
			continue
		}
		if follower < i {
			follower = w.follower(i)
		}
		if follower == len(w.notes) || w.layout.Parsed[follower].Role != plimsoll.Assistant {
			found.Add(RuleFollower, i, -1, "reasoning must be followed by the item that it led to")
			continue
		}
		if next := w.notes[follower]; n.id != "" && next.class == classMessage && next.id == "" && !w.transient {
			found.Add(RuleFollower, i, -1, "the message behind reasoning with an id must have its id")
		}
	}
}

// checkBetween finds messages between a call and its output, which DeepSeek refuses.
func (w *writer) checkBetween(r *wire.Request, found *wire.Violations) {
	newest, message := make([]int, len(w.notes)), -1
	for i, n := range w.notes {
		if n.class == classMessage {
			message = i
		}
		newest[i] = message
	}
	for _, p := range r.Outline().Pairs {
		if at := newest[p.Result.Message]; at > p.Call.Message {
			found.Add(wire.RuleOrder, at, -1, "for this model no message may stand between a call and its output")
		}
	}
}

func checkMessage(i int, m plimsoll.Message, n note, found *wire.Violations) {
	switch m.Role {
	case plimsoll.System, plimsoll.Developer, plimsoll.User, plimsoll.Assistant:
	default:
		found.Add(wire.RuleRole, i, -1, "no role is called ", build.Clip(string(m.Role)))
		return
	}
	if n.blank {
		found.Add(wire.RuleEmpty, i, -1, "the message has no content")
	}
	if n.foreign != 0 {
		found.Add(wire.RuleRole, i, -1, n.foreign.String(), " is no part of a message of the ", string(m.Role))
	}
}

// follower returns the first item behind reasoning that is none. It must be
// something that the assistant said or did.
func (w *writer) follower(i int) int {
	for i < len(w.notes) && w.notes[i].class == classReasoning {
		i++
	}
	return i
}
